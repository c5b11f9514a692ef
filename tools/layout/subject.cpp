#include "tools/layout/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/layout/text.h"

namespace kir::tools {
namespace {

using layout::Result;
using Wrong = tl::unexpected<Complaint>;

std::string_view trimmed(std::string_view s) {
  const std::size_t first = s.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r\n") - first + 1);
}

struct Item {
  std::string_view text;
  std::size_t column;  // from 1
};

// The items between commas, each with its column; one pair of parentheses around all of them is free.
std::vector<Item> items_of(std::string_view text) {
  std::string_view body = trimmed(text);
  if (body.size() >= 2 && body.front() == '(' && body.back() == ')' && body.find('(', 1) == std::string_view::npos)
    body = body.substr(1, body.size() - 2);
  std::vector<Item> out;
  if (trimmed(body).empty()) return out;
  for (std::size_t at = 0; at <= body.size();) {
    const std::size_t end = std::min(body.find(',', at), body.size());
    const std::string_view item = trimmed(body.substr(at, end - at));
    out.push_back({item, static_cast<std::size_t>((item.empty() ? body.data() + at : item.data()) - text.data()) + 1});
    at = end + 1;
  }
  return out;
}

Checked<layout::Size> size_of(std::string_view field, const Item& item) {
  Result<layout::Size> size = layout::parse_size(item.text);
  if (size) return *std::move(size);
  Complaint c = complaint_of(std::string(field), size.error());
  c.column = item.column + (c.column > 0 ? c.column - 1 : 0);
  return Wrong(std::move(c));
}

}  // namespace

Complaint complaint_of(std::string field, const std::string& error) {
  constexpr std::string_view kPrefix = "column ";
  Complaint out{std::move(field), 0, error};
  if (!error.starts_with(kPrefix)) return out;
  std::size_t at = kPrefix.size(), column = 0;
  for (; at < error.size() && error[at] >= '0' && error[at] <= '9' && column < 100'000'000; ++at)
    column = 10 * column + (error[at] - '0');
  if (column == 0 || error.compare(at, 2, ": ") != 0) return out;
  out.column = column;
  out.message = error.substr(at + 2);
  return out;
}

std::vector<std::int64_t> Subject::coordinate(std::int64_t flat) const {
  std::vector<std::int64_t> out(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; flat /= shape[d]) out[d] = flat % shape[d];
  return out;
}

Checked<int> read_dtype(std::string_view text) {
  struct Named {
    std::string_view name;
    int bits;
  };
  constexpr Named kNames[] = {{"f4e2m1", 4}, {"s4", 4},   {"u4", 4},    {"s8", 8},   {"u8", 8},   {"f8e4m3", 8}, {"f8e5m2", 8},
                              {"f8e8m0", 8}, {"f16", 16}, {"bf16", 16}, {"s16", 16}, {"u16", 16}, {"f32", 32},   {"tf32", 32},
                              {"s32", 32},   {"u32", 32}, {"f64", 64},  {"s64", 64}, {"u64", 64}, {"b128", 128}};
  for (const Named& n : kNames)
    if (n.name == text) return n.bits;
  int bits = 0;
  for (char c : text) bits = c >= '0' && c <= '9' && bits < 1000 ? 10 * bits + (c - '0') : 100'000;
  for (const Named& n : kNames)
    if (n.bits == bits) return bits;
  return Wrong(
      Complaint{"dtype", 0,
                fmt::format("'{}' is no element type: f16, bf16, f8e4m3, f32, s8, ..., or 4, 8, 16, 32, 64, 128 bits", text)});
}

Checked<int> read_mode(std::string_view text) {
  for (int bytes : {32, 64, 128})
    if (text == fmt::format("{}B", bytes)) return bytes;
  if (text == "none") return 0;
  return Wrong(Complaint{"mode", 0, fmt::format("'{}' is no swizzle mode: none, 32B, 64B or 128B", text)});
}

Checked<layout::Binding> read_sizes(std::string_view text) {
  layout::Binding out;
  for (const Item& item : items_of(text)) {
    const std::size_t equals = item.text.find('=');
    if (equals == std::string_view::npos)
      return Wrong(Complaint{"sizes", item.column, fmt::format("expected NAME=VALUE, found '{}'", item.text)});
    const std::string_view name = trimmed(item.text.substr(0, equals)), value = trimmed(item.text.substr(equals + 1));
    const Result<layout::Size> symbol = layout::parse_size(name), size = layout::parse_size(value);
    if (!symbol || symbol->symbols() != std::vector<std::string>{std::string(name)})
      return Wrong(Complaint{"sizes", item.column, fmt::format("'{}' is no name of a size", name)});
    const std::optional<std::int64_t> number = size ? size->constant() : std::nullopt;
    if (!number || *number < 1)
      return Wrong(
          Complaint{"sizes", item.column + equals + 1, fmt::format("{} is an integer of at least 1, not '{}'", name, value)});
    if (!out.emplace(name, *number).second)
      return Wrong(Complaint{"sizes", item.column, fmt::format("{} has two values", name)});
  }
  return out;
}

Checked<std::vector<layout::Size>> read_shape(std::string_view text) {
  std::vector<layout::Size> out;
  for (const Item& item : items_of(text)) {
    const Checked<layout::Size> size = size_of("shape", item);
    if (!size) return Wrong(size.error());
    if (!at_least(*size, 1))
      return Wrong(Complaint{"shape", item.column, fmt::format("the extent {} is not at least 1", size->text())});
    out.push_back(*size);
  }
  return out;
}

Checked<std::vector<std::int64_t>> read_numbers(std::string_view field, std::string_view text) {
  std::vector<std::int64_t> out;
  for (const Item& item : items_of(text)) {
    const Checked<layout::Size> size = size_of(field, item);
    if (!size) return Wrong(size.error());
    if (!size->constant())
      return Wrong(Complaint{std::string(field), item.column, fmt::format("'{}' is no number", item.text)});
    out.push_back(*size->constant());
  }
  return out;
}

Checked<layout::Layout> read_layout(const SubjectText& text) {
  Result<layout::Layout> l = layout::parse_layout(text.layout);
  if (!l) return Wrong(complaint_of("layout", l.error()));
  if (text.mode_bytes == 0) return *std::move(l);
  if (l->swizzle) return Wrong(Complaint{"swizzle", 0, "the layout has a swizzle already; choose the mode none"});
  const Result<layout::Swizzle> swizzle = layout::swizzle_of(text.dtype_bits, text.mode_bytes);
  if (!swizzle) return Wrong(Complaint{"swizzle", 0, swizzle.error()});
  Result<layout::Layout> composed = layout::compose(*swizzle, l->tile);
  if (!composed) return Wrong(Complaint{"swizzle", 0, composed.error()});
  return *std::move(composed);
}

Checked<Subject> read_subject(const SubjectText& text) {
  Checked<layout::Layout> l = read_layout(text);
  if (!l) return Wrong(l.error());
  const Checked<layout::Binding> sizes = read_sizes(text.sizes);
  if (!sizes) return Wrong(sizes.error());
  Result<layout::TileLayout> bound = l->tile.bind(*sizes);
  if (!bound) return Wrong(Complaint{"layout", 0, bound.error()});
  if (!bound->is_constant())
    return Wrong(Complaint{
        "sizes", 0, fmt::format("{} needs a value: sizes {}=8", fmt::join(bound->symbols(), ", "), bound->symbols()[0])});
  Subject out;
  out.dtype_bits = text.dtype_bits;
  out.layout = {*std::move(bound), l->swizzle};
  if (out.layout.swizzle) {  // what compose checked for all sizes or refused may be decided by the values
    Result<layout::Layout> again = layout::compose(*out.layout.swizzle, out.layout.tile);
    if (!again) return Wrong(Complaint{"swizzle", 0, again.error()});
  }
  const Checked<std::vector<layout::Size>> shape = read_shape(text.shape);
  if (!shape) return Wrong(shape.error());
  layout::Shape extents = *shape;
  if (extents.empty())
    for (const layout::Iter& i : out.layout.tile.shard()) extents.push_back(i.extent);
  layout::Size total = 1;
  for (layout::Size& e : extents) {
    e = e.substitute(*sizes);
    if (!e.constant()) return Wrong(Complaint{"shape", 0, fmt::format("{} needs a value", e.text())});
    total = total * e;
    out.shape.push_back(*e.constant());
  }
  if (!admits(out.layout.tile, extents))
    return Wrong(Complaint{"shape", 0,
                           fmt::format("the shape has {} elements and the layout {}: it admits shapes of {} elements only",
                                       total.ok() ? total.text() : "more than 2^63", out.size(), out.size())});
  return out;
}

}  // namespace kir::tools
