// Where reading stands: the token, the errors told so far, and what names are bound to. Both parsers are built on it.
//
// Errors are reported where they stand and thrown as `Recover` to the nearest statement, kernel or declaration, which
// skips to its end; names that a failed statement would have defined are bound as poison, and a statement that uses
// poison is dropped without a word. So the operations kept always form a closed body and one mistake is told once.
// `Recover` never leaves this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/ir/body.h"
#include "core/text/lexer.h"
#include "core/text/words.h"

namespace kir::text {

struct Recover {};

enum class BindingKind : std::uint8_t { none, poison, value, symbol, constexpr_int, constexpr_dtype, part };

struct Binding {
  BindingKind kind = BindingKind::none;
  ValueId value, second;  // part: its two bounds
  std::int64_t number = 0;
  DType dtype = DType::i32;
  SourceRange range;
};

struct LetName {
  NameId name = 0;
  SourceRange range;
  std::optional<Type> type;
};

// Size and encoding of a text: an error and false when it is not to be read.
bool readable(const SourceFile& source, Diagnostics& diagnostics);

class Cursor {
 protected:
  Cursor(SourcePtr source, Diagnostics& diagnostics, bool physical);
  ~Cursor() = default;

  void advance();
  const Token& peek(int ahead);  // 1: the token after tok_
  void seek(std::uint32_t offset);
  bool at(Tok kind) const { return tok_.kind == kind; }
  bool at(Word w) const { return tok_.kind == Tok::name && tok_.name == static_cast<NameId>(w); }
  bool at_op(OpKind k) const;
  bool at_declaration() const { return at(Word::kernel) || at(Word::fn) || at(Word::plan); }
  const WordInfo* word() const { return tok_.kind == Tok::name ? words_.find(tok_.name) : nullptr; }
  bool accept(Tok kind);
  bool accept(Word w);
  Token expect(Tok kind, const char* where);
  void expect(Word w, const char* where);
  bool after_bad() const { return last_bad_ && *last_bad_ >= last_end_ && *last_bad_ < tok_.begin; }
  std::string text_of(SourceRange r) const { return source_->text().substr(r.begin, r.end - r.begin); }
  std::string found() const;  // the current token for messages
  void report(const char* id, SourceRange range, std::string message, std::string hint = {}, std::string operation = {});
  [[noreturn]] void fail(const char* id, SourceRange range, std::string message, std::string hint = {});
  SourceRange since(std::uint32_t begin) const { return {begin, last_end_ > begin ? last_end_ : begin}; }
  void skip_balanced();   // from '{', '(' or '[' past its partner
  void skip_statement();  // to the next statement of this block, or its '}'
  struct Depth {
    explicit Depth(Cursor& c);
    ~Depth() { --c.depth_; }
    Cursor& c;
  };
  // item, item, ... up to `close`, which stays; none when it comes at once.
  template <class F>
  void comma_list(Tok close, F&& item) {
    if (at(close)) return;
    do item();
    while (accept(Tok::comma));
  }
  Token fresh_name(const char* what);  // a name that may be bound, %-sigil in physical bodies
  Token plain_name(const char* what);  // without sigil
  Binding& slot(NameId name, bool percent);
  bool check_free(NameId name, bool percent, SourceRange range);  // else tells of the other binding
  void bind(const Token& name, Binding b);
  // What is bound during its life goes out of scope with it, on errors too.
  struct Scope {
    explicit Scope(Cursor& cursor) : c(cursor), mark(cursor.scope_.size()) {}
    ~Scope() { close(); }
    void close() { c.close_scope(mark); }
    Cursor& c;
    std::size_t mark;
  };
  void close_scope(std::size_t mark);
  void poison(const std::vector<LetName>& names);
  std::string call_chain() const;  // " (in 'f', called at line 12)"

  struct Bound {
    NameId name;
    bool percent;
    Binding before;  // none, or poison of a scope further out
  };
  // Of a helper that is written out where it is called.
  struct Call {
    NameId helper;
    SourceRange range;
  };

  SourcePtr source_;
  Diagnostics& diagnostics_;
  const bool physical_;
  const WordTable& words_;
  Names names_;
  Lexer lexer_;
  Token tok_;
  Token ahead_[4];
  int ahead_count_ = 0;
  std::uint32_t last_end_ = 0;             // end of the token before tok_
  std::optional<std::uint32_t> last_bad_;  // where the bytes began that were told of last as no token
  int depth_ = 0;
  bool failed_ = false;  // an error since start_unit()
  std::set<std::pair<std::uint32_t, std::string>> reported_;

  std::vector<Binding> bare_, percent_;  // by NameId
  std::vector<Bound> scope_;             // innermost last
  std::vector<Call> calls_;              // that reading stands in, outermost first
};

}  // namespace kir::text
