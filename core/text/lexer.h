// Tokens of both text forms. The lexer streams: it holds no token list, so its memory is that of the distinct names.
// Names are interned; the ids of reserved words and of operation names are fixed (words.h), so the parser compares integers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/source.h"

namespace kir::text {

enum class Tok : std::uint8_t {
  end,
  name,      // x, add, max.nan (dotted names are one token)
  value,     // %x
  layout,    // @x
  integer,   // 12, 0x7fc0_0000
  floating,  // 1.0, 1e-5
  string,    // "..." on one line, no escapes
  lparen,
  rparen,
  lbracket,
  rbracket,
  lbrace,
  rbrace,
  comma,
  colon,
  semicolon,
  assign,
  plus,
  minus,
  star,
  slash,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  dot,  // before a digit, as in v.0
  dots,
  dots_eq,
  arrow,
  bang,
  bar,
  bad,  // reported by the lexer already
};

using NameId = std::uint32_t;

struct Token {
  Tok kind = Tok::end;
  std::uint32_t begin = 0, end = 0;
  NameId name = 0;  // name, value, layout: the id of the text without its sigil
  SourceRange range() const { return {begin, end}; }
};

// How a token kind is called in messages: "'..'", "a name".
std::string_view describe(Tok kind);

class Names {
 public:
  NameId intern(std::string_view s);  // views into the text must outlive this
  std::string_view text(NameId id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<NameId> table_;  // open addressing: id + 1, or 0 for a free place; a power of two, at most half full
};

class Lexer {
 public:
  using Report = std::function<void(SourceRange, std::string message, std::string hint)>;
  Lexer(std::string_view text, Names& names, Report report) : text_(text), names_(names), report_(std::move(report)) {}

  Token next();
  void seek(std::uint32_t offset) { at_ = offset; }
  std::uint32_t offset() const { return at_; }

 private:
  void skip_blanks();
  Token number(std::uint32_t begin);
  Token finish(Tok kind, std::uint32_t begin, std::uint32_t length) {
    at_ = begin + length;
    return {kind, begin, at_, 0};
  }
  char peek(std::uint32_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  std::string_view text_;
  Names& names_;
  Report report_;
  std::uint32_t at_ = 0;
};

// The first byte that is no valid UTF-8 or is NUL, or npos. O(length).
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace kir::text
