// Buffers: with an initial value, or written before they are read, and changed by an ordered loop afterwards.
#include <array>

#include "tools/fuzz/writer.h"

namespace kir::fuzz {

void Writer::buffer() {
  if (!effects_) return;
  const DType t = any_type();
  constexpr std::array extents = {"4", "N", "M"};
  const std::string extent = c_.pick(extents), b = fresh("b"), k = fresh("k");
  const bool initial = !c_.once_in(3);
  if (initial) {
    block(fmt::format("let {} = buffer {}[{}] init ({})", b, name(t), extent, k), [&] {
      axes_.push_back({k, extent});
      std::string v = value(t, 2);
      line("yield {}", v);
    });
  } else {
    line("let {} = buffer {}[{}]", b, name(t), extent);
    block(fmt::format("{} {} in 0..{}", c_.once_in(2) ? "for" : "parallel", k, extent), [&] {
      axes_.push_back({k, extent});
      std::string v = value(t, 2);
      line("{}[{}] = {}", b, k, v);
    });
  }
  const Array array{b, t, {extent}};
  if (c_.once_in(2)) {
    const Domain over = domain("t", true);
    block(fmt::format("for {}", over.text), [&] {
      axes_.push_back(over.axis);
      arrays_.push_back(array);
      if (over.axis.extent == extent) {
        std::string at = coordinate(extent), v = value(t, 2);
        line("{}[{}] = {}", b, at, v);
      } else {
        const std::string j = fresh("k");
        block(fmt::format("parallel {} in 0..{}", j, extent), [&] {
          axes_.push_back({j, extent});
          std::string old = bind(t, fmt::format("{}[{}]", b, j)), v = value(t, 2);
          line("{}[{}] = {}", b, j, v);
        });
      }
    });
  }
  arrays_.push_back(array);
}

}  // namespace kir::fuzz
