// Ordered loops with carried values, exits and collected values, and branches with results.
#include <array>

#include "tools/fuzz/writer.h"

namespace kir::fuzz {

void Writer::counted_loop() {
  const DType t = any_type();
  const std::string v = fresh("v"), carried = fresh("c"), start = value(t, 1);
  const Domain over = domain("t");
  const std::string step = over.whole && c_.once_in(5) ? " step 2" : "";
  block(fmt::format("let {}: {} = for {}{} carry ({}: {} = {})", v, name(t), over.text, step, carried, name(t), start), [&] {
    axes_.push_back(over.axis);
    data_.push_back({carried, t});
    if (depth_ < profile_.depth && c_.once_in(5)) producer();
    if (c_.once_in(4)) {
      constexpr std::array exits = {"break", "continue"};
      const std::string p = condition(2);
      const std::string_view exit = c_.pick(exits);
      block("if " + p, [&] {
        std::string x = value(t, 2);
        line("{} {}", exit, x);
      });
    }
    std::string next = value(t);
    line("next {}", next);
  });
  data_.push_back({v, t});
}

// Counts up to a bound, or ends before when a condition of its value says so.
void Writer::condition_loop() {
  const DType t = any_type();
  const std::string count = fresh("v"), v = fresh("v"), k = fresh("c"), carried = fresh("c"), start = value(t, 1);
  const std::size_t bound = 1 + c_.below(6);
  const std::string zero = bind(DType::i32, "constant 0");
  block(fmt::format("let ({}: i32, {}: {}) = while carry ({}: i32 = {}, {}: {} = {}) when", count, v, name(t), k, zero, carried,
                    name(t), start),
        [&] {
          data_.push_back({carried, t});
          std::string last = bind(DType::i32, fmt::format("constant {}", bound));
          std::string more = bind(DType::i1, fmt::format("cmp.slt {}, {}", k, last));
          if (c_.once_in(2)) {
            std::string p = condition(1);
            more = bind(DType::i1, fmt::format("and {}, {}", more, p));
          }
          line("yield {}", more);
        });
  block("do", [&] {
    data_.push_back({carried, t});
    std::string next = value(t), one = bind(DType::i32, "constant 1");
    std::string up = bind(DType::i32, fmt::format("add {}, {}", k, one));
    line("next {}, {}", up, next);
  });
  data_.push_back({count, DType::i32});
  data_.push_back({v, t});
}

void Writer::collecting_loop() {
  const DType t = any_type(), of = any_type();
  const std::string v = fresh("v"), all = fresh("s"), carried = fresh("c"), start = value(t, 1);
  const Domain over = domain("t", true);
  block(fmt::format("let ({}: {}, {}: {}[{}]) = for {} carry ({}: {} = {}) collect ({})", v, name(t), all, name(of),
                    over.axis.extent, over.text, carried, name(t), start, name(of)),
        [&] {
          axes_.push_back(over.axis);
          data_.push_back({carried, t});
          std::string next = value(t), kept = value(of);
          line("next {}, {}", next, kept);
        });
  data_.push_back({v, t});
  arrays_.push_back({all, of, {over.axis.extent}});
}

void Writer::branch() {
  const DType t = any_type();
  const std::string v = fresh("v"), p = condition(2);
  const auto side = [&] {
    if (depth_ < profile_.depth && c_.once_in(4)) producer();
    std::string x = value(t);
    line("yield {}", x);
  };
  block(fmt::format("let {}: {} = if {}", v, name(t), p), side);
  block("else", side);
  data_.push_back({v, t});
}

}  // namespace kir::fuzz
