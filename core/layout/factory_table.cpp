// The builders by name.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/layout/factory.h"

namespace kir::layout {
namespace {

// Takes arguments by name; the first thing that is wrong is kept.
class Taken {
 public:
  explicit Taken(std::span<const Argument> arguments) : arguments_(arguments) {}

  std::int64_t number(std::string_view name, std::optional<std::int64_t> otherwise = {}) {
    const Argument* a = find(name, !otherwise);
    if (!a) return otherwise.value_or(0);
    if (a->numbers.size() != 1) complain(fmt::format("{} is one number", name));
    return a->numbers.empty() ? 0 : a->numbers[0];
  }
  int small(std::string_view name, std::optional<std::int64_t> otherwise = {}) {
    const std::int64_t v = number(name, otherwise);
    if (v < 0 || v > 4096) complain(fmt::format("{} = {} is out of range", name, v));
    return v < 0 || v > 4096 ? 0 : static_cast<int>(v);
  }
  std::vector<std::int64_t> numbers(std::string_view name, bool required = true) {
    const Argument* a = find(name, required);
    if (a && !a->word.empty()) complain(fmt::format("{} is a list of numbers", name));
    return a ? a->numbers : std::vector<std::int64_t>{};
  }
  std::string word(std::string_view name) {
    const Argument* a = find(name, true);
    if (a && a->word.empty()) complain(fmt::format("{} is a word", name));
    return a ? a->word : "";
  }
  bool flag(std::string_view name) {
    const std::int64_t v = number(name, 0);
    if (v != 0 && v != 1) complain(fmt::format("{} is 0 or 1", name));
    return v == 1;
  }

  // The layout, unless an argument was wrong or is left over.
  template <class Make>
  Result<Layout> then(Make&& make) {
    for (const Argument& a : arguments_)
      if (std::find(asked_.begin(), asked_.end(), a.name) == asked_.end())
        complain(fmt::format("there is no argument {}", a.name));
    if (!problem_.empty()) return Error(problem_);
    if constexpr (std::is_same_v<decltype(make()), Result<Layout>>) {
      return make();
    } else {
      return make().map([](TileLayout tile) { return Layout{std::move(tile), {}}; });
    }
  }

 private:
  const Argument* find(std::string_view name, bool required) {
    asked_.push_back(std::string(name));
    const Argument* found = nullptr;
    for (const Argument& a : arguments_)
      if (a.name == name) {
        if (found) complain(fmt::format("{} is given twice", name));
        found = &a;
      }
    if (!found && required) complain(fmt::format("the argument {} is missing", name));
    return found;
  }
  void complain(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
  }

  std::span<const Argument> arguments_;
  std::vector<std::string> asked_;
  std::string problem_;
};

Result<Layout> build_mma(std::span<const Argument> arguments) {
  Taken t(arguments);
  const std::int64_t k = t.number("k");
  const int bits = t.small("bits", 16);
  const std::string operand = t.word("operand");
  return t.then([&]() -> Result<TileLayout> {
    if (operand == "a") return mma_fragment(k, bits, MmaOperand::a);
    if (operand == "b") return mma_fragment(k, bits, MmaOperand::b);
    if (operand == "c" || operand == "d") return mma_fragment(k, bits, MmaOperand::c);
    return Error(fmt::format("operand {}: a, b, c or d", operand));
  });
}

Result<Layout> build_wgmma_accumulator(std::span<const Argument> arguments) {
  Taken t(arguments);
  const std::int64_t n = t.number("n");
  return t.then([&] { return wgmma_accumulator(n); });
}

Result<Layout> build_wgmma_a(std::span<const Argument> arguments) {
  Taken t(arguments);
  const std::int64_t k = t.number("k");
  const int bits = t.small("bits", 16);
  return t.then([&] { return wgmma_a_fragment(k, bits); });
}

Result<Layout> build_ldmatrix(std::span<const Argument> arguments) {
  Taken t(arguments);
  const std::int64_t matrices = t.number("matrices");
  const bool transposed = t.flag("transposed");
  return t.then([&] { return ldmatrix_fragment(matrices, transposed); });
}

Result<Layout> build_ldmatrix_rows(std::span<const Argument> arguments) {
  Taken t(arguments);
  const std::int64_t matrices = t.number("matrices");
  return t.then([&] { return ldmatrix_rows(matrices); });
}

Result<Layout> build_mma_shared(std::span<const Argument> arguments) {
  Taken t(arguments);
  const int bits = t.small("dtype_bits"), bytes = t.small("swizzle_bytes");
  const std::vector<std::int64_t> shape = t.numbers("shape");
  return t.then([&] { return mma_shared(bits, bytes, shape); });
}

Result<Layout> build_tmem_datapath(std::span<const Argument> arguments) {
  Taken t(arguments);
  const std::string letter = t.word("datapath");
  const std::int64_t rows = t.number("rows"), columns = t.number("cols"), slab = t.number("sub_slab", 0);
  return t.then([&] { return tmem_datapath(letter, rows, columns, slab); });
}

Result<Layout> build_tmem_operand(std::span<const Argument> arguments) {
  Taken t(arguments);
  const std::string operand = t.word("operand");
  const std::vector<std::int64_t> shape = t.numbers("shape"), group = t.numbers("group", false);
  const std::int64_t m = t.number("M"), cta_group = t.number("cta_group", 1);
  const bool ws = t.flag("ws");
  return t.then([&] { return tmem_operand(operand, shape, m, cta_group, ws, group); });
}

Result<Layout> build_scale_atom(std::span<const Argument> arguments) {
  Taken t(arguments);
  const std::int64_t per_mma = t.number("per_mma");
  return t.then([&] { return scale_factor_atom(per_mma); });
}

Result<Layout> build_scale_factors(std::span<const Argument> arguments) {
  Taken t(arguments);
  ScaleFactors s;
  s.rows = t.number("rows");
  s.factors = t.number("factors");
  s.bits = t.small("bits", 8);
  s.reuse = t.number("reuse", 1);
  s.stages = t.number("stages", 1);
  return t.then([&] { return scale_factors(s); });
}

Result<Layout> build_trainium(std::span<const Argument> arguments) {
  Taken t(arguments);
  const std::string letters = t.word("annotation");
  const std::vector<std::int64_t> shape = t.numbers("shape");
  return t.then([&] { return trainium(letters, shape); });
}

Result<Layout> build_mesh(std::span<const Argument> arguments) {
  Taken t(arguments);
  const std::vector<std::int64_t> shape = t.numbers("shape"), mesh = t.numbers("mesh"), dims = t.numbers("cut");
  return t.then([&] {
    std::vector<std::optional<std::size_t>> cut;
    for (std::int64_t d : dims) cut.push_back(d < 0 ? std::nullopt : std::optional<std::size_t>(d));
    return mesh_sharding(shape, mesh, cut);
  });
}

}  // namespace

std::span<const FactoryRow> factories() {
  static constexpr FactoryRow rows[] = {
      {"mma_fragment", "k= [bits=16] operand=a|b|c", "registers of mma.m16n8k<k>", build_mma},
      {"wgmma_accumulator", "n=", "registers of the accumulator of wgmma.m64n<n>", build_wgmma_accumulator},
      {"wgmma_a_fragment", "k= [bits=16]", "multiplicand a of wgmma in registers", build_wgmma_a},
      {"ldmatrix_fragment", "matrices=1|2|4 [transposed=0|1]", "what ldmatrix delivers, 16-bit elements", build_ldmatrix},
      {"ldmatrix_rows", "matrices=1|2|4", "which lane addresses which row of ldmatrix", build_ldmatrix_rows},
      {"mma_shared_layout", "dtype_bits= swizzle_bytes=32|64|128 shape=", "shared-memory operand of the tensor cores",
       build_mma_shared},
      {"tmem_datapath_layout", "datapath=A..G rows= cols= [sub_slab=0|1]", "data path layout of tensor memory",
       build_tmem_datapath},
      {"tmem_mma_operand_layout", "operand=A|D shape= M= [cta_group=1] [ws=0|1] [group=]",
       "operand of tcgen05.mma in tensor memory", build_tmem_operand},
      {"scale_factor_atom", "per_mma=1|2|4", "32 rows of scale factors, copied to four warps", build_scale_atom},
      {"scale_factors", "rows= factors= [bits=8] [reuse=1] [stages=1]", "scale factors of a block-scaled multiplication",
       build_scale_factors},
      {"trainium", "annotation=PF.. shape=", "two-dimensional scratchpad, partition and free", build_trainium},
      {"mesh_sharding", "shape= mesh= cut=", "tensor over a mesh of devices; cut: a mesh dimension each, -1 for none",
       build_mesh},
  };
  return rows;
}

Result<Layout> build(std::string_view factory, std::span<const Argument> arguments) {
  std::string names;
  for (const FactoryRow& row : factories()) {
    if (row.name == factory)
      return row.build(arguments).map_error([&](const std::string& e) { return fmt::format("{}: {}", factory, e); });
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return Error(fmt::format("there is no factory {}; there are {}", factory, names));
}

}  // namespace kir::layout
