#include "core/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace kir::text {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_part(char c) { return is_start(c) || is_digit(c); }

}  // namespace

std::string_view describe(Tok kind) {
  switch (kind) {
    case Tok::end: return "the end of the file";
    case Tok::name: return "a name";
    case Tok::value: return "a '%' value";
    case Tok::layout: return "an '@' layout name";
    case Tok::integer: return "an integer";
    case Tok::floating: return "a float literal";
    case Tok::string: return "a string";
    case Tok::lparen: return "'('";
    case Tok::rparen: return "')'";
    case Tok::lbracket: return "'['";
    case Tok::rbracket: return "']'";
    case Tok::lbrace: return "'{'";
    case Tok::rbrace: return "'}'";
    case Tok::comma: return "','";
    case Tok::colon: return "':'";
    case Tok::semicolon: return "';'";
    case Tok::assign: return "'='";
    case Tok::plus: return "'+'";
    case Tok::minus: return "'-'";
    case Tok::star: return "'*'";
    case Tok::slash: return "'/'";
    case Tok::eq: return "'=='";
    case Tok::ne: return "'!='";
    case Tok::lt: return "'<'";
    case Tok::le: return "'<='";
    case Tok::gt: return "'>'";
    case Tok::ge: return "'>='";
    case Tok::dot: return "'.'";
    case Tok::dots: return "'..'";
    case Tok::dots_eq: return "'..='";
    case Tok::arrow: return "'->'";
    case Tok::bang: return "'!'";
    case Tok::bar: return "'|'";
    case Tok::bad: return "an unreadable character";
  }
  return "a token";
}

namespace {

// Eight bytes at a time. The key differs from process to process, so that no text can be made to collide; ids depend on
// the order of the names alone.
std::size_t hash_of(std::string_view s) {
  static const std::uint64_t kKey = std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ull;
  std::uint64_t h = kKey ^ s.size();
  auto take = [&](std::uint64_t word) {
    h = (h ^ word) * kOdd;
    h ^= h >> 29;
  };
  for (; s.size() > 8; s.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, s.data(), 8);
    take(word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, s.data(), s.size());
  take(rest);
  return h ^ h >> 32;
}

}  // namespace

NameId Names::intern(std::string_view s) {
  if (2 * (texts_.size() + 1) > table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = hash_of(s) & mask;; at = (at + 1) & mask) {
    if (table_[at] == 0) {
      texts_.push_back(s);
      return (table_[at] = static_cast<NameId>(texts_.size())) - 1;
    }
    if (texts_[table_[at] - 1] == s) return table_[at] - 1;
  }
}

void Names::grow() {
  table_.assign(std::max<std::size_t>(1024, 2 * table_.size()), 0);
  const std::size_t mask = table_.size() - 1;
  for (NameId id = 0; id < texts_.size(); ++id) {
    std::size_t at = hash_of(texts_[id]) & mask;
    while (table_[at] != 0) at = (at + 1) & mask;
    table_[at] = id + 1;
  }
}

void Lexer::skip_blanks() {
  for (;;) {
    char c = peek();
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      std::size_t line_end = text_.find('\n', at_);
      at_ = static_cast<std::uint32_t>(line_end == std::string_view::npos ? text_.size() : line_end);
    } else {
      return;
    }
  }
}

Token Lexer::number(std::uint32_t begin) {
  Tok kind = Tok::integer;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
    at_ += 2;
    bool any = is_hex(peek());
    while (is_hex(peek()) || (peek() == '_' && is_hex(peek(1)))) ++at_;
    if (!any && !is_part(peek())) {
      report_({begin, at_}, "a hexadecimal number has at least one digit", {});
      return {Tok::bad, begin, at_, 0};
    }
  } else {
    auto digits = [&] {
      while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) ++at_;  // between digits
    };
    digits();
    if (peek() == '.' && is_digit(peek(1))) {  // "0..N" is a range
      kind = Tok::floating;
      ++at_;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      std::uint32_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) {
        kind = Tok::floating;
        at_ += 1 + sign;
        digits();
      }
    }
  }
  if (is_part(peek())) {
    while (is_part(peek())) ++at_;
    report_({begin, at_}, fmt::format("'{}' is not a number", text_.substr(begin, at_ - begin)), {});
    return {Tok::bad, begin, at_, 0};
  }
  return {kind, begin, at_, 0};
}

// What is written here for an operator of other languages.
static std::string word_instead_of(char c) {
  switch (c) {
    case '%': return "the remainder of indices is mod, of data remt, remf or remu";
    case '&': return "write and; of bits and(a, b)";
    case '|': return "write or; of bits or(a, b)";
    case '^': return "the exclusive or is xor(a, b)";
    case '~': return "the complement is not(a)";
    case '?': return "write select(c, a, b); of indices ite(c, a, b)";
    default: return {};
  }
}

Token Lexer::next() {
  skip_blanks();
  std::uint32_t begin = at_;
  if (at_ >= text_.size()) return {Tok::end, begin, begin, 0};
  char c = text_[at_];
  if (is_start(c)) {
    do {
      ++at_;
      while (is_part(peek())) ++at_;
    } while (peek() == '.' && is_start(peek(1)));
    return {Tok::name, begin, at_, names_.intern(text_.substr(begin, at_ - begin))};
  }
  if (is_digit(c)) return number(begin);
  switch (c) {
    case '(': return finish(Tok::lparen, begin, 1);
    case ')': return finish(Tok::rparen, begin, 1);
    case '[': return finish(Tok::lbracket, begin, 1);
    case ']': return finish(Tok::rbracket, begin, 1);
    case '{': return finish(Tok::lbrace, begin, 1);
    case '}': return finish(Tok::rbrace, begin, 1);
    case ',': return finish(Tok::comma, begin, 1);
    case ':': return finish(Tok::colon, begin, 1);
    case ';': return finish(Tok::semicolon, begin, 1);
    case '+': return finish(Tok::plus, begin, 1);
    case '-': return peek(1) == '>' ? finish(Tok::arrow, begin, 2) : finish(Tok::minus, begin, 1);
    case '|':
      if (peek(1) == '|') {
        at_ += 2;
        report_({begin, at_}, "'||' means nothing here", word_instead_of(c));
        return {Tok::bad, begin, at_, 0};
      }
      return finish(Tok::bar, begin, 1);
    case '*': return finish(Tok::star, begin, 1);
    case '/': return finish(Tok::slash, begin, 1);
    case '=': return peek(1) == '=' ? finish(Tok::eq, begin, 2) : finish(Tok::assign, begin, 1);
    case '!': return peek(1) == '=' ? finish(Tok::ne, begin, 2) : finish(Tok::bang, begin, 1);
    case '<': return peek(1) == '=' ? finish(Tok::le, begin, 2) : finish(Tok::lt, begin, 1);
    case '>': return peek(1) == '=' ? finish(Tok::ge, begin, 2) : finish(Tok::gt, begin, 1);
    case '.':
      if (peek(1) == '.') return peek(2) == '=' ? finish(Tok::dots_eq, begin, 3) : finish(Tok::dots, begin, 2);
      if (is_digit(peek(1))) return finish(Tok::dot, begin, 1);
      break;
    case '%':
    case '@':
      if (is_start(peek(1))) {
        ++at_;
        while (is_part(peek())) ++at_;
        return {c == '%' ? Tok::value : Tok::layout, begin, at_, names_.intern(text_.substr(begin + 1, at_ - begin - 1))};
      }
      break;
    case '"': {
      std::uint32_t i = begin + 1;
      while (i < text_.size() && text_[i] != '"' && text_[i] != '\n') ++i;
      if (i < text_.size() && text_[i] == '"') return finish(Tok::string, begin, i + 1 - begin);
      at_ = i;
      report_({begin, i}, "the string does not end on its line", {});
      return {Tok::bad, begin, i, 0};
    }
    default: break;
  }
  // One report for a run of unreadable bytes.
  auto readable = [](char b) {
    return is_part(b) || std::string_view(" \n\t\r()[]{},:;=+-*/!|<>.%@\"").find(b) != std::string_view::npos;
  };
  ++at_;
  while (at_ < text_.size() && !readable(text_[at_])) ++at_;
  unsigned char byte = static_cast<unsigned char>(c);
  report_({begin, at_},
          byte > 0x20 && byte < 0x7f ? fmt::format("'{}' means nothing here", c)
                                     : fmt::format("byte 0x{:02x} stands outside a comment or a string", byte),
          word_instead_of(c));
  return {Tok::bad, begin, at_, 0};
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (c == 0) return i;
    if (c < 0x80) {
      ++i;
      continue;
    }
    std::size_t more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    if (c < 0xc2 || c > 0xf4 || i + more >= text.size()) return i;
    for (std::size_t k = 1; k <= more; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return i;
    unsigned char second = static_cast<unsigned char>(text[i + 1]);
    if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) || (c == 0xf0 && second < 0x90) ||
        (c == 0xf4 && second > 0x8f))
      return i;  // overlong, surrogate, above U+10FFFF
    i += more + 1;
  }
  return std::string_view::npos;
}

}  // namespace kir::text
