#include "core/layout/layout.h"

#include <fmt/format.h>

namespace kir {

std::int64_t Layout::size() const {
  std::int64_t product = 1;
  for (const LayoutIter& i : shard) product *= i.extent;
  return product;
}

Layout::Coordinate Layout::apply(std::int64_t linear) const {
  Coordinate out;
  for (std::size_t i = shard.size(); i-- > 0;) {
    out[shard[i].axis] += linear % shard[i].extent * shard[i].stride;
    linear /= shard[i].extent;
  }
  for (const LayoutOffset& o : offset) out[o.axis] += o.value;
  return out;
}

namespace {

// S[(e,...):(s@axis,...)] [+ R[...]] [+ v@axis ...]; one iter may stand without parentheses.
class LayoutParser {
 public:
  explicit LayoutParser(std::string_view text) : text_(text) {}

  std::optional<Layout> parse(std::string* error) {
    Layout out;
    bool ok = literal("S") && iters(out.shard);
    while (ok && !end()) {
      ok = literal("+");
      if (!ok) break;
      if (peek() == 'R') {
        ok = literal("R") && out.replica.empty() && iters(out.replica);
      } else {
        LayoutOffset o;
        ok = number(o.value, true) && literal("@") && axis(o.axis);
        out.offset.push_back(std::move(o));
      }
    }
    if (ok) {
      std::int64_t product = 1;
      for (const auto* list : {&out.shard, &out.replica})
        for (const LayoutIter& i : *list)
          if (i.extent < 1 || __builtin_mul_overflow(product, i.extent, &product) || product > kMaxSize) {
            why_ = "the extents must be positive, their product at most 2^30";
            ok = false;
          }
    }
    if (!ok && error) *error = why_.empty() ? fmt::format("unexpected text at column {}", at_ + 1) : why_;
    return ok ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  static constexpr std::int64_t kMaxSize = std::int64_t{1} << 30;

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  }
  bool end() {
    blanks();
    return at_ == text_.size();
  }
  char peek() {
    blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool literal(std::string_view s) {
    blanks();
    if (text_.substr(at_, s.size()) != s) return fail(fmt::format("expected '{}' at column {}", s, at_ + 1));
    at_ += s.size();
    return true;
  }
  bool fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return false;
  }
  bool number(std::int64_t& out, bool sign = false) {
    bool negative = sign && peek() == '-';
    if (negative) ++at_;
    blanks();
    std::size_t begin = at_;
    out = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      out = out * 10 + (text_[at_] - '0');
      if (out > kMaxSize) return fail("a number is above 2^30");
    }
    if (at_ == begin) return fail(fmt::format("expected a number at column {}", at_ + 1));
    if (negative) out = -out;
    return true;
  }
  bool axis(std::string& out) {
    blanks();
    std::size_t begin = at_;
    auto part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9'); };
    while (at_ < text_.size() && part(text_[at_])) ++at_;
    out = text_.substr(begin, at_ - begin);
    return !out.empty() || fail(fmt::format("expected an axis at column {}", at_ + 1));
  }
  template <class F>
  bool list(F&& item) {
    if (peek() != '(') return item(0);
    ++at_;
    for (std::size_t i = 0;; ++i) {
      if (!item(i)) return false;
      if (peek() == ',')
        ++at_;
      else
        return literal(")");
    }
  }
  bool iters(std::vector<LayoutIter>& out) {
    if (!literal("[")) return false;
    bool ok = list([&](std::size_t) {
      out.emplace_back();
      return number(out.back().extent);
    });
    if (!ok || !literal(":")) return false;
    std::size_t strides = 0;
    ok = list([&](std::size_t i) {
      if (i >= out.size()) return fail("more strides than extents");
      ++strides;
      return number(out[i].stride, true) && literal("@") && axis(out[i].axis);
    });
    if (ok && strides != out.size()) return fail("fewer strides than extents");
    return ok && literal("]");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string why_;
};

std::string iters_text(const std::vector<LayoutIter>& iters) {
  std::string extents, strides;
  for (std::size_t i = 0; i < iters.size(); ++i) {
    extents += fmt::format("{}{}", i ? "," : "", iters[i].extent);
    strides += fmt::format("{}{}@{}", i ? "," : "", iters[i].stride, iters[i].axis);
  }
  return iters.size() == 1 ? fmt::format("[{}:{}]", extents, strides) : fmt::format("[({}):({})]", extents, strides);
}

}  // namespace

std::optional<Layout> parse_layout(std::string_view text, std::string* error) { return LayoutParser(text).parse(error); }

std::string to_string(const Layout& l) {
  std::string out = "S" + iters_text(l.shard);
  if (!l.replica.empty()) out += " + R" + iters_text(l.replica);
  for (const LayoutOffset& o : l.offset) out += fmt::format(" + {}@{}", o.value, o.axis);
  return out;
}

}  // namespace kir
