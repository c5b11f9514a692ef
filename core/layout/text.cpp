#include "core/layout/text.h"

#include <algorithm>

#include "core/base/check.h"

namespace kir::layout {

namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr std::string_view kBlanks = " \t\r\n";
bool digit(char c) { return c >= '0' && c <= '9'; }

// Recursive descent. Each member takes what its name says and answers whether it was there; after a `false` the first error
// stands and nothing more is read.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { blanks(); }

  bool layout(Layout& out);
  bool tile(TileLayout& out);
  bool size(Size& out);
  bool end() { return at_ == text_.size() || expected("the end"); }
  TextError error() const { return {column_, error_}; }

 private:
  struct Stride {
    Size size = 1;
    Axis axis = Axis::memory();
  };

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }
  char after_blanks(std::size_t at) const {
    at = text_.find_first_not_of(kBlanks, at);
    return at < text_.size() ? text_[at] : '\0';
  }
  bool fail(std::size_t at, std::string_view why) {
    if (!error_.empty()) return false;
    column_ = at + 1;
    error_ = why;
    return false;
  }
  bool expected(std::string_view what);
  bool have(std::string_view token);  // takes it when it is next; a word only as a whole
  bool demand(std::string_view token) { return have(token) || expected(fmt::format("'{}'", token)); }
  std::string_view word();
  bool number(std::int64_t& out);
  bool name(std::string_view& out);
  bool axis(Axis& out);

  bool product(Size& out);
  bool factor(Size& out);
  bool stride(Stride& out);
  bool bracketed(std::vector<Iter>& out);
  // One item or several; in parentheses when the one that opens here closes at the list's end.
  template <class Item, bool (Reader::*item)(Item&)>
  bool list(std::vector<Item>& out);
  bool parenthesised_list();

  std::string_view text_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  std::size_t column_ = 0;  // of error_, from 1; 0: the whole
  std::string error_;
};

bool Reader::expected(std::string_view what) {
  if (at_ == text_.size()) return fail(at_, fmt::format("expected {} before the end", what));
  const std::string_view found = letter(peek()) ? word().substr(0, kMaxName) : text_.substr(at_, 1);
  const bool shown = found[0] > ' ' && found[0] <= '~';
  return fail(at_, shown ? fmt::format("expected {}, found '{}'", what, found) : fmt::format("expected {}", what));
}

std::string_view Reader::word() {
  std::size_t end = at_;
  while (end < text_.size() && (letter(text_[end]) || digit(text_[end]))) ++end;
  return text_.substr(at_, end - at_);
}

bool Reader::have(std::string_view token) {
  if (letter(token[0]) ? word() != token : !text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  blanks();
  return true;
}

bool Reader::number(std::int64_t& out) {
  if (!digit(peek())) return expected("a number");
  const std::size_t start = at_;
  out = 0;
  for (; digit(peek()); ++at_)
    if (__builtin_mul_overflow(out, std::int64_t{10}, &out) || __builtin_add_overflow(out, std::int64_t{peek() - '0'}, &out))
      return fail(start, "the number does not fit 63 bits");
  if (letter(peek())) return expected("an operator between a number and a name");
  blanks();
  return true;
}

bool Reader::name(std::string_view& out) {
  if (!letter(peek())) return expected("a name");
  out = word();
  if (out.size() > kMaxName) return fail(at_, fmt::format("a name of more than {} characters", kMaxName));
  at_ += out.size();
  blanks();
  return true;
}

bool Reader::axis(Axis& out) {
  const std::size_t start = at_;
  std::string_view found;
  if (!name(found)) return false;
  const std::optional<Axis> known = Axis::find(found);
  if (!known) return fail(start, fmt::format("there is no axis '{}'; the nearest name is '{}'", found, Axis::nearest(found)));
  out = *known;
  return true;
}

bool Reader::size(Size& out) {
  const std::size_t start = at_;
  if (!product(out)) return false;
  while (peek() == '+' || peek() == '-') {
    const bool minus = have("-");
    if (!minus) demand("+");
    Size term;
    if (!product(term)) return false;
    out = minus ? out - term : out + term;
    if (!out.ok()) return fail(start, "the size does not fit 63 bits, or has too many terms");
  }
  return true;
}

bool Reader::product(Size& out) {
  const std::size_t start = at_;
  if (!factor(out)) return false;
  while (have("*")) {
    Size next;
    if (!factor(next)) return false;
    out = out * next;
    if (!out.ok()) return fail(start, "the product does not fit 63 bits, or has too many terms");
  }
  return true;
}

bool Reader::factor(Size& out) {
  bool minus = false;
  while (have("-")) minus = !minus;
  if (const std::size_t start = at_; have("(")) {
    if (++nesting_ > kMaxNesting) return fail(start, fmt::format("parentheses nest deeper than {}", kMaxNesting));
    if (!size(out) || !demand(")")) return false;
    --nesting_;
  } else if (letter(peek())) {
    std::string_view symbol;
    if (!name(symbol)) return false;
    out = Size::symbol(symbol);
  } else {
    std::int64_t value = 0;
    if (!digit(peek())) return expected("a size");
    if (!number(value)) return false;
    out = value;
  }
  if (minus) out = -out;
  return true;
}

bool Reader::stride(Stride& out) {
  if (have("\"")) return axis(out.axis) && demand("\"");
  return size(out.size) && (!have("@") || axis(out.axis));
}

bool Reader::parenthesised_list() {
  if (peek() != '(') return false;
  std::size_t end = at_;
  int depth = 0;
  do {
    depth += (text_[end] == '(') - (text_[end] == ')');
    ++end;
  } while (depth > 0 && end < text_.size());
  const char next = after_blanks(end);
  return next == '\0' || next == ':' || next == ']';
}

template <class Item, bool (Reader::*item)(Item&)>
bool Reader::list(std::vector<Item>& out) {
  const bool parenthesised = parenthesised_list() && have("(");
  if (parenthesised && have(")")) return true;
  do {
    if (!(this->*item)(out.emplace_back())) return false;
  } while (have(","));
  return !parenthesised || demand(")");
}

bool Reader::bracketed(std::vector<Iter>& out) {
  if (!demand("[")) return false;
  if (have("]")) return true;
  std::vector<Size> extents;
  std::vector<Stride> strides;
  if (!list<Size, &Reader::size>(extents)) return false;
  const std::size_t colon = at_;
  if (have(":")) {
    if (!list<Stride, &Reader::stride>(strides)) return false;
    if (strides.size() != extents.size())
      return fail(colon, fmt::format("{} extents and {} strides", extents.size(), strides.size()));
  } else {
    strides.resize(extents.size());
    for (std::size_t k = extents.size(); k-- > 1;) strides[k - 1].size = strides[k].size * extents[k];
  }
  for (std::size_t k = 0; k < extents.size(); ++k)
    out.push_back({std::move(extents[k]), std::move(strides[k].size), strides[k].axis});
  return demand("]");
}

bool Reader::tile(TileLayout& out) {
  std::vector<Iter> shard, replica;
  std::vector<Offset> offset;
  if (!demand("S") || !bracketed(shard)) return false;
  while (have("+")) {
    if (word() == "R" && after_blanks(at_ + 1) == '[') {
      if (!demand("R") || !bracketed(replica)) return false;
    } else {
      Offset& o = offset.emplace_back();
      if (!product(o.value) || (have("@") && !axis(o.axis))) return false;
    }
  }
  Result<TileLayout> made = TileLayout::make(std::move(shard), std::move(replica), std::move(offset));
  if (!made) {
    error_ = made.error();
    return false;
  }
  out = *std::move(made);
  return true;
}

bool Reader::layout(Layout& out) {
  if (!have("swizzle")) return word() == "S" ? tile(out.tile) : expected("'S[' or 'swizzle('");
  std::int64_t lengths[3];
  bool outer = false;
  if (!demand("(")) return false;
  for (std::int64_t& length : lengths) {
    const bool minus = have("-");
    if (!number(length) || (&length != lengths + 2 && !demand(","))) return false;
    if (minus) length = -length;
  }
  if (have(",")) outer = demand("outer");
  if (!error_.empty() || !demand(")")) return false;
  const Result<Swizzle> swizzle = Swizzle::make(lengths[0], lengths[1], lengths[2], !outer);
  if (!swizzle) {
    error_ = swizzle.error();
    return false;
  }
  if (have("o")) {
    if (!tile(out.tile)) return false;
  } else {
    out.tile = *TileLayout::make({{swizzle->period(), 1}});
  }
  Result<Layout> composed = compose(*swizzle, out.tile);
  if (!composed) {
    error_ = composed.error();
    return false;
  }
  out = *std::move(composed);
  return true;
}

template <class T, bool (Reader::*part)(T&)>
tl::expected<T, TextError> read(std::string_view text) {
  Reader reader(text);
  T out;
  if (!(reader.*part)(out) || !reader.end()) return tl::unexpected(reader.error());
  return out;
}
template <class T, bool (Reader::*part)(T&)>
Result<T> parse(std::string_view text) {
  return read<T, part>(text).map_error(
      [](const TextError& e) { return e.column ? fmt::format("column {}: {}", e.column, e.why) : e.why; });
}

// "8:4@laneid" for one, "(8,2):(4@laneid,1@m)" for several, nothing for none.
std::string iters_text(const std::vector<Iter>& iters) {
  if (iters.empty()) return {};
  std::string extents, strides;
  for (const Iter& i : iters) {
    const std::string_view comma = extents.empty() ? "" : ",";
    extents += fmt::format("{}{}", comma, i.extent.text());
    strides += fmt::format("{}{}@{}", comma, i.stride.text(), i.axis.name());
  }
  return fmt::format(fmt::runtime(iters.size() == 1 ? "{}:{}" : "({}):({})"), extents, strides);
}

}  // namespace

Result<Layout> parse_layout(std::string_view text) { return parse<Layout, &Reader::layout>(text); }
Result<TileLayout> parse_tile_layout(std::string_view text) { return parse<TileLayout, &Reader::tile>(text); }
tl::expected<TileLayout, TextError> read_tile_layout(std::string_view text) { return read<TileLayout, &Reader::tile>(text); }
Result<Size> parse_size(std::string_view text) { return parse<Size, &Reader::size>(text); }

std::string to_string(const TileLayout& l) {
  std::string out = fmt::format("S[{}]", iters_text(l.shard()));
  if (!l.replica().empty()) out += fmt::format(" + R[{}]", iters_text(l.replica()));
  for (const Offset& o : l.offset()) {
    const std::string value = o.value.text();
    const bool sum = value.find_first_of("+-", 1) != std::string::npos;
    out += fmt::format(fmt::runtime(sum ? " + ({})@{}" : " + {}@{}"), value, o.axis.name());
  }
  return out;
}

std::string to_string(const Swizzle& s) {
  return fmt::format("swizzle({},{},{}{})", s.per_element(), s.swizzle_len(), s.atom_len(), s.inner() ? "" : ",outer");
}

std::string to_string(const Layout& l) {
  return l.swizzle ? fmt::format("{} o {}", to_string(*l.swizzle), to_string(l.tile)) : to_string(l.tile);
}

}  // namespace kir::layout
