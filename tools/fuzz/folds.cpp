// Reductions, arg-reductions and scans.
#include <array>

#include "tools/fuzz/writer.h"

namespace kir::fuzz {

Writer::Fold Writer::fold() {
  constexpr std::array of_floats = {"add", "max.nan", "min.nan", "mul", "max.num", "min.num"};
  constexpr std::array of_integers = {"add", "max.s", "min.s", "mul", "max.u", "min.u", "and", "or", "xor"};
  constexpr std::array orders = {"strict", "any", "tree"};
  const DType type = profile_.floats && !c_.once_in(3) ? float_type() : integer_type();
  const std::string_view op = is_float(type) ? c_.pick(of_floats) : c_.pick(of_integers);
  const bool exact = !is_float(type) || (op.starts_with("m") && op != "mul");
  return {op, exact || profile_.licences ? c_.pick(orders) : "strict", type};
}

void Writer::combine(const Fold& fold, std::string_view tail) {
  const std::string a = fresh("a"), b = fresh("b");
  block(
      fmt::format("combine order({}) ({}: {}, {}: {})", fold.order, a, name(fold.type), b, name(fold.type)),
      [&] {
        std::string both = bind(fold.type, fmt::format("{} {}, {}", fold.op, a, b));
        line("yield {}", both);
      },
      tail);
}

void Writer::reduce_operation() {
  const Fold f = fold();
  // Something stands for no member, unless it may fail.
  constexpr std::array<unsigned, 4> weights = {6, 3, 3, 1};
  const std::size_t ends = c_.weighted(weights);
  std::string tail = ends == 0 || ends == 2 ? fmt::format(" identity ({})", neutral(f.op, f.type)) : "";
  if (ends == 1 || ends == 2) tail += fmt::format(" init ({})", value(f.type, 1));
  const Domain over = domain("n");
  std::vector<Domain> domains = {over};
  if (over.whole && c_.once_in(4)) domains.push_back(domain("n", true));
  std::string text;
  for (const Domain& d : domains) text += (text.empty() ? "" : ", ") + d.text;
  const std::string s = fresh("s");
  const auto enter = [&] {
    for (const Domain& d : domains) axes_.push_back(d.axis);
  };
  std::string head = fmt::format("let {}: {} = reduce ({})", s, name(f.type), text);
  if (c_.once_in(3)) {
    block(head + " where", [&] {
      enter();
      std::string p = condition(2);
      line("yield {}", p);
    });
    head.clear();
  }
  block(head.empty() ? "map" : head + " map", [&] {
    enter();
    std::string v = value(f.type);
    line("yield {}", v);
  });
  combine(f, tail);
  data_.push_back({s, f.type});
}

void Writer::reduce_pairs() {
  // A sum and an extreme of integers, or in order of floats: a combine of two components.
  const bool integers = !profile_.floats || c_.once_in(2);
  const DType t = integers ? integer_type() : DType::f32;
  const std::string_view order = integers ? "any" : "strict", extreme = integers ? "max.s" : "max.nan";
  const std::string s = fresh("s"), m = fresh("m");
  const Domain over = domain("n");
  block(fmt::format("let ({}: {}, {}: {}) = reduce ({}) map", s, name(t), m, name(t), over.text), [&] {
    axes_.push_back(over.axis);
    std::string v = value(t), w = value(t);
    line("yield {}, {}", v, w);
  });
  const std::string a = fresh("a");
  block(
      fmt::format("combine order({0}) ({1}s: {2}, {1}m: {2}, {1}t: {2}, {1}n: {2})", order, a, name(t)),
      [&] {
        line("let {0}u: {1} = add {0}s, {0}t", a, name(t));
        line("let {0}o: {1} = {2} {0}m, {0}n", a, name(t), extreme);
        line("yield {0}u, {0}o", a);
      },
      fmt::format(" identity ({}, {})", neutral("add", t), neutral(extreme, t)));
  data_.push_back({s, t});
  data_.push_back({m, t});
}

void Writer::arg_reduce() {
  constexpr std::array extremes = {"max", "min"};
  constexpr std::array ties = {"first", "last"};
  constexpr std::array nans = {"first", "last", "ignore"};
  const DType t = profile_.floats && !c_.once_in(3) ? float_type() : integer_type();
  const std::string v = fresh("v"), at = fresh("at");
  const std::string_view extreme = c_.pick(extremes), tie = c_.pick(ties), nan = c_.pick(nans);
  const std::string init = value(t, 1), nowhere = fresh("at");
  line("let {}: index = index {}", nowhere, c_.below(3));
  const Domain over = domain("n");
  std::string head =
      fmt::format("let ({}: {}, {}: index) = arg_reduce {} tie({}) nan({}) ({})", v, name(t), at, extreme, tie, nan, over.text);
  if (c_.once_in(3)) {
    block(head + " where", [&] {
      axes_.push_back(over.axis);
      std::string p = condition(1);
      line("yield {}", p);
    });
    head = "map";
  } else {
    head += " map";
  }
  block(
      head,
      [&] {
        axes_.push_back(over.axis);
        std::string x = value(t);
        line("yield {}", x);
      },
      fmt::format(" init ({}, {})", init, nowhere));
  data_.push_back({v, t});
  const std::string place = fresh("v");
  line("let {}: i32 = to_i32({})", place, at);
  data_.push_back({place, DType::i32});
}

void Writer::scan() {
  constexpr std::array inclusions = {"inclusive", "exclusive"};
  constexpr std::array directions = {"forward", "reverse"};
  const Fold f = fold();
  const std::string s = fresh("s"), last = fresh("s");
  const std::string_view inclusion = c_.pick(inclusions), direction = c_.pick(directions);
  std::string tail = fmt::format(" identity ({})", neutral(f.op, f.type));
  if (c_.once_in(3)) tail += fmt::format(" init ({})", value(f.type, 1));
  const Domain over = domain("n", true);
  block(fmt::format("let ({}: {}[{}], {}: {}) = scan {} {} ({}) map", s, name(f.type), over.axis.extent, last, name(f.type),
                    inclusion, direction, over.text),
        [&] {
          axes_.push_back(over.axis);
          std::string v = value(f.type);
          line("yield {}", v);
        });
  combine(f, tail);
  data_.push_back({last, f.type});
  arrays_.push_back({s, f.type, {over.axis.extent}});
}

}  // namespace kir::fuzz
