#include <fmt/format.h>

#include "core/text/cursor.h"
#include "core/text/text.h"

namespace kir::text {

Cursor::Cursor(SourcePtr source, Diagnostics& diagnostics, bool physical)
    : source_(std::move(source)),
      diagnostics_(diagnostics),
      physical_(physical),
      words_(WordTable::get()),
      lexer_(source_->text(), names_, [this](SourceRange r, std::string message, std::string hint) {
        report("P-02", r, std::move(message), std::move(hint));
        last_bad_ = r.begin;
      }) {
  words_.seed(names_);
  advance();
}

void Cursor::advance() {
  last_end_ = tok_.end;
  if (ahead_count_ > 0) {
    tok_ = ahead_[0];
    --ahead_count_;
    for (int i = 0; i < ahead_count_; ++i) ahead_[i] = ahead_[i + 1];
  } else {
    do tok_ = lexer_.next();
    while (tok_.kind == Tok::bad);
  }
  if (at(Tok::end)) tok_.begin = tok_.end = last_end_;  // errors at the end stand behind the last token
}

const Token& Cursor::peek(int ahead) {
  while (ahead_count_ < ahead) {
    Token t;
    do t = lexer_.next();
    while (t.kind == Tok::bad);
    ahead_[ahead_count_++] = t;
  }
  return ahead_[ahead - 1];
}

void Cursor::seek(std::uint32_t offset) {
  lexer_.seek(offset);
  ahead_count_ = 0;
  tok_ = {Tok::end, offset, offset, 0};
  advance();
}

bool Cursor::at_op(OpKind k) const {
  const WordInfo* w = word();
  return w && w->op && w->op->kind == k;
}

bool Cursor::accept(Tok kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

bool Cursor::accept(Word w) {
  if (!at(w)) return false;
  advance();
  return true;
}

std::string Cursor::found() const {
  if (at(Tok::end)) return "the end of the file";
  std::string text = text_of(tok_.range());
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return fmt::format("'{}'", text);
}

Token Cursor::expect(Tok kind, const char* where) {
  if (!at(kind)) fail("P-03", tok_.range(), fmt::format("expected {} {}, found {}", describe(kind), where, found()));
  Token t = tok_;
  advance();
  return t;
}

void Cursor::expect(Word w, const char* where) {
  if (!at(w))
    fail("P-03", tok_.range(), fmt::format("expected '{}' {}, found {}", words_.text(static_cast<NameId>(w)), where, found()));
  advance();
}

void Cursor::report(const char* id, SourceRange range, std::string message, std::string hint, std::string operation) {
  failed_ = true;
  message += call_chain();
  // What is missing because it could not be read is told already.
  if (std::string_view(id) == "P-03" && range.begin == tok_.begin && after_bad()) return;
  if (range == SourceRange{}) range.end = 1;  // at the very beginning, not nowhere
  // Specializations of one kernel read the same text again: tell each mistake once.
  if (reported_.size() < 10000 && !reported_.emplace(range.begin, message).second) return;
  diagnostics_.error(id, range, std::move(message), std::move(hint), std::move(operation));
}

std::string Cursor::call_chain() const {
  std::string out;
  std::size_t told = 0;
  for (auto c = calls_.rbegin(); c != calls_.rend() && told < 4; ++c, ++told) {
    out += fmt::format("{}in '{}'", told ? ", " : " (", names_.text(c->helper));
    // Finding a line is linear in the text, so a text of endless mistakes gets no more of them.
    if (diagnostics_.error_count() < 100) out += fmt::format(", called at line {}", source_->line_column(c->range.begin).line);
  }
  if (told) out += calls_.size() > told ? ", ...)" : ")";
  return out;
}

void Cursor::fail(const char* id, SourceRange range, std::string message, std::string hint) {
  report(id, range, std::move(message), std::move(hint));
  throw Recover{};
}

Cursor::Depth::Depth(Cursor& cursor) : c(cursor) {
  if (c.depth_ >= kMaxDepth)
    c.fail("P-05", c.tok_.range(), fmt::format("nested deeper than {} levels", kMaxDepth), "name inner expressions with let");
  ++c.depth_;
}

void Cursor::skip_balanced() {
  int open = 0;
  do {
    if (at(Tok::end) || at_declaration()) return;
    if (at(Tok::lbrace)) ++open;
    if (at(Tok::rbrace)) --open;
    advance();
  } while (open > 0);
}

void Cursor::skip_statement() {
  int parens = 0;
  for (;; advance()) {
    while (at(Tok::lbrace)) skip_balanced();
    if (at(Tok::end) || at(Tok::rbrace) || at_declaration()) return;
    if (at(Tok::lparen)) ++parens;
    if (at(Tok::rparen) && parens > 0) --parens;
    bool first_on_line = source_->text().substr(last_end_, tok_.begin - last_end_).find('\n') != std::string::npos;
    if (at(Tok::name)) {
      if (at(Word::let) || at(Word::next) || at_op(OpKind::store) || at_op(OpKind::parallel) || at_op(OpKind::assume) ||
          at_op(OpKind::yield) || at_op(OpKind::break_loop) || at_op(OpKind::continue_loop))
        return;
      if (first_on_line &&
          (at_op(OpKind::for_loop) || at_op(OpKind::if_else) || at_op(OpKind::while_loop) || at_op(OpKind::scatter) ||
           at_op(OpKind::histogram) || at_op(OpKind::assume_in_bounds) || at_op(OpKind::atomic_store) ||
           at_op(OpKind::atomic_rmw) || at_op(OpKind::atomic_cas) || (physical_ && at(Word::group))))
        return;
      // A store to an element; but a word of the language that names nothing is a clause of what is skipped: `emit [lo..hi]`.
      const bool clause = word() && slot(tok_.name, false).kind == BindingKind::none;
      if (first_on_line && peek(1).kind == Tok::lbracket && !clause) return;
    }
    if (physical_ && first_on_line && parens == 0 && (at(Tok::value) || at(Tok::lparen))) return;
  }
}

Token Cursor::plain_name(const char* what) {
  if (!at(Tok::name)) fail("P-03", tok_.range(), fmt::format("expected {}, found {}", what, found()));
  const WordInfo* w = word();
  if (w && w->reserved)
    fail("P-06", tok_.range(), fmt::format("expected {}, found '{}', a word of the language", what, names_.text(tok_.name)),
         "choose another name");
  if (names_.text(tok_.name).find('.') != std::string_view::npos)
    fail("P-06", tok_.range(), fmt::format("'{}' has a dot, which only operation names have", names_.text(tok_.name)));
  Token t = tok_;
  advance();
  return t;
}

Token Cursor::fresh_name(const char* what) {
  if (!physical_) {
    if (at(Tok::value)) fail("P-06", tok_.range(), "names of KIR values have no '%'", "remove the '%'");
    return plain_name(what);
  }
  if (at(Tok::name))
    fail("P-06", tok_.range(), fmt::format("expected {}, found {}", what, found()), "values are written %name");
  if (!at(Tok::value)) fail("P-03", tok_.range(), fmt::format("expected {} (%name), found {}", what, found()));
  Token t = tok_;
  advance();
  return t;
}

Binding& Cursor::slot(NameId name, bool percent) {
  std::vector<Binding>& table = percent ? percent_ : bare_;
  if (name >= table.size()) table.resize(std::max<std::size_t>(names_.size(), name + 1));
  return table[name];
}

bool Cursor::check_free(NameId name, bool percent, SourceRange range) {
  const Binding& s = slot(name, percent);
  if (s.kind == BindingKind::none || s.kind == BindingKind::poison) return true;
  report("T-02", range,
         fmt::format("'{}' is already bound here (line {})", names_.text(name), source_->line_column(s.range.begin).line),
         "each name is bound once in its scope; choose another");
  return false;
}

void Cursor::bind(const Token& name, Binding b) {
  bool percent = name.kind == Tok::value;
  if (!check_free(name.name, percent, name.range())) return;
  Binding& s = slot(name.name, percent);
  scope_.push_back({name.name, percent, s});
  b.range = name.range();
  s = b;
}

void Cursor::close_scope(std::size_t mark) {
  while (scope_.size() > mark) {
    slot(scope_.back().name, scope_.back().percent) = scope_.back().before;
    scope_.pop_back();
  }
}

void Cursor::poison(const std::vector<LetName>& names) {
  for (const LetName& n : names) {
    const bool percent = physical_ && !(n.type && n.type->is(TypeKind::view));
    Binding& s = slot(n.name, percent);
    if (s.kind != BindingKind::none) continue;
    scope_.push_back({n.name, percent, s});
    s = {.kind = BindingKind::poison, .range = n.range};
  }
}

bool readable(const SourceFile& source, Diagnostics& diagnostics) {
  const std::string& text = source.text();
  if (text.size() > kMaxBytes) {
    diagnostics.error("P-05", {}, fmt::format("the text has {} bytes; at most {} are read", text.size(), kMaxBytes));
    return false;
  }
  std::size_t bad = find_invalid_utf8(text);
  if (bad == std::string_view::npos) return true;
  std::uint32_t at = static_cast<std::uint32_t>(bad);
  diagnostics.error("P-02", {at, at + 1},
                    text[bad] == 0 ? "the text has a NUL byte"
                                   : fmt::format("byte 0x{:02x} is no valid UTF-8", static_cast<unsigned char>(text[bad])),
                    "source files are UTF-8 text");
  return false;
}

}  // namespace kir::text
