#include "core/interp/tensor_text.h"

#include <fmt/format.h>

#include "core/interp/code.h"

namespace kir {
namespace {

class Reader {
 public:
  Reader(std::string_view text, DType dtype) : text_(text), dtype_(dtype) {}

  bool run() {
    if (!item(0)) return false;
    blanks();
    return at_ == text_.size() || fail("nothing after the array");
  }
  const std::string& error() const { return error_; }
  Tensor tensor() const {
    Tensor t = Tensor::row_major(dtype_, extents_);
    for (std::size_t i = 0; i < elements_.size(); ++i) t.store(static_cast<std::int64_t>(i), elements_[i]);
    return t;
  }

 private:
  bool fail(std::string_view expected) {
    error_ = fmt::format("expected {} at character {}", expected, at_ + 1);
    return false;
  }
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(char c) {
    blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // A list whose elements are at this depth or deeper, or an element. The first list of each depth fixes its extent, the
  // first element the rank.
  bool item(std::size_t depth) {
    if (!accept('[')) return element(depth);
    if (depth == kMaxRank || depth == rank_) return fail("an element");
    std::int64_t count = 0;
    if (!accept(']')) {
      do {
        if (!item(depth + 1)) return false;
        ++count;
      } while (accept(','));
      if (!accept(']')) return fail("',' or ']'");
    }
    if (extents_.size() <= depth) extents_.resize(depth + 1, -1);
    if (extents_[depth] >= 0 && extents_[depth] != count)
      return fail(fmt::format("a list of {} items, as those before, before this place", extents_[depth]));
    extents_[depth] = count;
    return true;
  }

  bool element(std::size_t depth) {
    const std::size_t end = std::min(text_.find_first_of(",] ", at_), text_.size());
    const std::string_view literal = text_.substr(at_, end - at_);
    std::optional<Scalar> v = parse_literal(literal, dtype_);
    if (!v) {
      const bool beyond = parse_literal(literal, is_float(dtype_) ? DType::f64 : DType::i64).has_value();
      return fail(fmt::format("{} of {}{}", dtype_ == DType::i1 ? "true or false, the literals" : "a literal", name(dtype_),
                              beyond && dtype_ != DType::i1 ? " within its range" : ""));
    }
    if (rank_ == kUnknown) rank_ = depth;
    if (rank_ != depth) return fail("a list, as in the items before,");
    at_ = end;
    elements_.push_back(*v);
    return true;
  }

  static constexpr std::size_t kUnknown = ~std::size_t{0};
  std::string_view text_;
  DType dtype_;
  std::size_t at_ = 0, rank_ = kUnknown;
  std::vector<std::int64_t> extents_;
  std::vector<Scalar> elements_;
  std::string error_;
};

}  // namespace

std::optional<Tensor> parse_tensor(std::string_view text, DType dtype, std::string* error) {
  Reader r(text, dtype);
  if (r.run()) return r.tensor();
  if (error) *error = r.error();
  return std::nullopt;
}

}  // namespace kir
