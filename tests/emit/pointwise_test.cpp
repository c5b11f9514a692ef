// Emission of every pointwise operation, on every element type it takes, against the scalar semantics of core/numeric: on
// the host by running it; on the GPU side by assembling it (running is scripts/gpu-check's part).
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "core/ir/op_table.h"
#include "core/numeric/float_format.h"
#include "core/numeric/scalar_ops.h"
#include "emit/emit.h"
#include "program_builder.h"

namespace kir {
namespace {

using testing::element;
using testing::elementwise;
using testing::make_tensor;

constexpr DType kTypes[] = {DType::i1,     DType::i8,  DType::i16,  DType::i32,  DType::i64, DType::u64, DType::f8e4m3,
                            DType::f8e5m2, DType::f16, DType::bf16, DType::tf32, DType::f32, DType::f64};

bool takes(const OpRow& r, DType t) {
  switch (r.elements) {
    case ElementClass::any: return true;
    case ElementClass::floating: return is_float(t);
    case ElementClass::integer: return is_integer(t);
    case ElementClass::none: return false;
  }
  return false;
}

// Values where things go wrong: zeros, extremes, NaN, infinities, subnormals, small integers, halves, random bits.
std::vector<std::uint64_t> samples(DType t, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  const int width = bit_width(t);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  std::vector<std::uint64_t> pool = {
      0, 1, mask, std::uint64_t{1} << (width - 1), (std::uint64_t{1} << (width - 1)) - 1, 2 & mask, 3 & mask};
  if (is_float(t)) {
    const FloatFormat& f = float_format(t);
    for (std::uint64_t m : {std::uint64_t{0}, std::uint64_t{1} << f.shift, f.infinity(), f.max_finite(), f.quiet_nan(),
                            std::uint64_t{1} << (f.mantissa_bits + f.shift),
                            (std::uint64_t{1} << (f.mantissa_bits + f.shift)) - (std::uint64_t{1} << f.shift)})
      for (std::uint64_t s : {std::uint64_t{0}, f.sign_bit()}) pool.push_back(m | s);
    for (double v : {1.0, 1.5, 2.0, 2.5, 3.0, 0.5, 0.1, 7.0, 100.0, 1e-3})
      for (double s : {1.0, -1.0}) pool.push_back(round_double_to_format(f, s * v));
  }
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t v = random() % 3 == 0 ? pool[random() % pool.size()] : random() & mask;
    if (is_float(t) && random() % 3 == 0)  // ordinary magnitudes
      v = round_double_to_format(
          float_format(t), std::ldexp(static_cast<double>(random() % 4096) - 2048.0, static_cast<int>(random() % 20) - 12));
    if (t == DType::tf32) v &= ~std::uint64_t{0x1fff};
    out.push_back(v & mask);
  }
  return out;
}

std::int64_t ordinal(DType t, std::uint64_t bits) {  // floats in order, neighbours one apart
  const FloatFormat& f = float_format(t);
  auto m = static_cast<std::int64_t>((bits & (f.sign_bit() - 1)) >> f.shift);
  return bits & f.sign_bit() ? -m : m;
}

bool same(DType t, std::uint64_t expected, std::uint64_t got, int max_ulp) {
  if (expected == got) return true;
  if (!is_float(t)) return false;
  if (bits_are_nan(t, expected)) return bits_are_nan(t, got);
  if (bits_are_nan(t, got) || max_ulp == 0) return false;
  return std::abs(ordinal(t, expected) - ordinal(t, got)) <= max_ulp;
}

constexpr std::size_t kCount = 2000;

// The results of a program's outputs on the host, for N = kCount.
std::vector<std::vector<std::uint64_t>> run_on_host(const PhysicalProgram& program, const std::vector<TensorPtr>& inputs) {
  Diagnostics diagnostics;
  auto kernel = emit::HostKernel::compile(program, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) ADD_FAILURE() << d.id << ": " << d.message;
  if (!kernel) return {};
  BoundLaunch launch;
  launch.views = inputs;
  for (std::size_t k = inputs.size(); k < program.abi.views.size(); ++k)
    launch.views.push_back(make_tensor(program.abi.views[k].dtype, std::vector<std::uint64_t>(kCount, 0)));
  launch.symbols["N"] = static_cast<std::int64_t>(kCount);
  EXPECT_EQ(kernel->run(launch), "");
  std::vector<std::vector<std::uint64_t>> out;
  for (std::size_t k = inputs.size(); k < launch.views.size(); ++k) {
    out.emplace_back();
    for (std::size_t i = 0; i < kCount; ++i) out.back().push_back(element(*launch.views[k], i));
  }
  return out;
}

void expect_assembles(const PhysicalProgram& program) {
  Diagnostics diagnostics;
  auto module = emit::emit_nvptx(program, "sm_90a", diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.id == "E-03" && !emit::toolkit_available()) GTEST_SKIP() << d.message;
    ADD_FAILURE() << d.id << ": " << d.message;
  }
  ASSERT_TRUE(module);
  EXPECT_NE(module->ptx.find(".entry kir_elementwise"), std::string::npos);
  if (!emit::toolkit_available()) return;
  std::string cubin, log;
  EXPECT_EQ(emit::assemble(module->ptx, "sm_90a", &cubin, &log), "");
  EXPECT_EQ(log.find("spill stores") != std::string::npos && log.find(" 0 bytes spill stores") == std::string::npos, false)
      << log;
}

class PointwiseOperation : public ::testing::TestWithParam<OpKind> {
 protected:
  struct Column {
    DType type;
    std::vector<DType> operand_types;
    std::size_t first_input;
  };

  // One program that applies the operation on every type it takes.
  void SetUp() override {
    const OpRow& r = row(GetParam());
    testing::ElementwiseShape shape;
    for (DType t : kTypes) {
      if (!takes(r, t)) continue;
      std::vector<DType> types(static_cast<std::size_t>(r.operands), t);
      if (r.kind == OpKind::select) types[0] = DType::i1;
      columns.push_back({t, types, shape.inputs.size()});
      shape.inputs.insert(shape.inputs.end(), types.begin(), types.end());
      shape.outputs.push_back(t);
    }
    program = elementwise(shape, [&](BodyBuilder& b, ExprPool&, const std::vector<ValueId>& x, ValueId) {
      std::vector<ValueId> out;
      for (const Column& c : columns) {
        auto first = x.begin() + static_cast<std::ptrdiff_t>(c.first_input);
        out.push_back(b.emit1(r.kind, {first, first + r.operands}, {}, Type::scalar(c.type)));
      }
      return out;
    });
  }

  std::vector<Column> columns;
  PhysicalPtr program;
};

TEST_P(PointwiseOperation, HostAgreesWithTheScalarSemanticsOnEveryType) {
  const OpRow& r = row(GetParam());
  std::vector<TensorPtr> inputs;
  std::vector<std::vector<std::uint64_t>> bits;
  for (const Column& c : columns)
    for (DType t : c.operand_types) {
      bits.push_back(samples(t, kCount, 17 + static_cast<unsigned>(bits.size())));
      inputs.push_back(make_tensor(t, bits.back()));
    }
  auto got = run_on_host(*program, inputs);
  ASSERT_EQ(got.size(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Column& c = columns[k];
    int wrong = 0, compared = 0;
    for (std::size_t i = 0; i < kCount && wrong < 3; ++i) {
      std::vector<Scalar> x;
      for (std::size_t j = 0; j < c.operand_types.size(); ++j) x.push_back({c.operand_types[j], bits[c.first_input + j][i]});
      ScalarResult expected = evaluate_pointwise(r.kind, x);
      if (!expected.ok()) continue;  // erroneous: any value will do, as long as nothing traps
      ++compared;
      if (same(c.type, expected.value.bits, got[k][i], r.accuracy.max_ulp)) continue;
      ++wrong;
      std::string text;
      for (const Scalar& s : x) text += literal_text(s) + " ";
      ADD_FAILURE() << name(c.type) << ": " << text << "-> " << literal_text({c.type, got[k][i]}) << ", expected "
                    << literal_text(expected.value);
    }
    EXPECT_GT(compared, static_cast<int>(kCount) / 10) << name(c.type);
  }
}

TEST_P(PointwiseOperation, GpuCodeAssembles) { expect_assembles(*program); }

std::vector<OpKind> plain_pointwise() {
  std::vector<OpKind> out;
  for (const OpRow& r : op_table())
    if (r.family == Family::pointwise && r.operands > 0 && r.kind != OpKind::cmp && r.kind != OpKind::convert)
      out.push_back(r.kind);
  return out;
}

std::string test_name(std::string_view n) {
  std::string out(n);
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, PointwiseOperation, ::testing::ValuesIn(plain_pointwise()),
                         [](const auto& info) { return test_name(row(info.param).name); });

// The pairs of types that a mode takes.
bool takes(ConvertMode mode, DType from, DType to) {
  switch (mode) {
    case ConvertMode::rn:
    case ConvertMode::sat_rn: return is_float(from) && is_float(to);
    case ConvertMode::sint:
    case ConvertMode::uint: return is_integer(from) && (is_float(to) || bit_width(to) > bit_width(from));
    case ConvertMode::wrap: return is_integer(from) && is_integer(to) && bit_width(to) <= bit_width(from);
    case ConvertMode::to_sint:
    case ConvertMode::to_uint:
    case ConvertMode::sat_to_sint:
    case ConvertMode::sat_to_uint: return is_float(from) && is_integer(to);
    case ConvertMode::to_bool: return to == DType::i1;
    case ConvertMode::bits: return bit_width(from) == bit_width(to) && from != DType::tf32 && to != DType::tf32;
  }
  return false;
}

class Conversions : public ::testing::TestWithParam<ConvertMode> {
 protected:
  void SetUp() override {
    for (DType from : kTypes)
      for (DType to : kTypes)
        if (takes(GetParam(), from, to)) pairs.push_back({from, to});
    testing::ElementwiseShape shape;
    shape.inputs.assign(std::begin(kTypes), std::end(kTypes));
    for (auto [from, to] : pairs) shape.outputs.push_back(to);
    program = elementwise(shape, [&](BodyBuilder& b, ExprPool&, const std::vector<ValueId>& x, ValueId) {
      std::vector<ValueId> out;
      for (auto [from, to] : pairs)
        out.push_back(
            b.emit1(OpKind::convert, {x[static_cast<std::size_t>(from)]}, {{AttrKey::mode, GetParam()}}, Type::scalar(to)));
      return out;
    });
  }
  std::vector<std::pair<DType, DType>> pairs;
  PhysicalPtr program;
};

TEST_P(Conversions, HostAgreesWithTheScalarSemantics) {
  std::vector<TensorPtr> inputs;
  std::vector<std::vector<std::uint64_t>> bits;
  for (DType t : kTypes) {
    bits.push_back(samples(t, kCount, 99 + static_cast<unsigned>(t)));
    inputs.push_back(make_tensor(t, bits.back()));
  }
  auto got = run_on_host(*program, inputs);
  ASSERT_EQ(got.size(), pairs.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    auto [from, to] = pairs[k];
    int wrong = 0, compared = 0;
    for (std::size_t i = 0; i < kCount && wrong < 3; ++i) {
      Scalar x{from, bits[static_cast<std::size_t>(from)][i]};
      ScalarResult expected = evaluate_convert(GetParam(), x, to);
      if (!expected.ok()) continue;
      ++compared;
      if (same(to, expected.value.bits, got[k][i], 0)) continue;
      ++wrong;
      ADD_FAILURE() << name(from) << " " << literal_text(x) << " to " << name(to) << ": " << literal_text({to, got[k][i]})
                    << ", expected " << literal_text(expected.value);
    }
    EXPECT_GT(compared, 100) << name(from) << " to " << name(to);
  }
}

TEST_P(Conversions, GpuCodeAssembles) { expect_assembles(*program); }

INSTANTIATE_TEST_SUITE_P(All, Conversions, ::testing::ValuesIn(all_convert_modes().begin(), all_convert_modes().end()),
                         [](const auto& info) { return test_name(name(info.param)); });

class Comparisons : public ::testing::TestWithParam<CmpPredicate> {
 protected:
  void SetUp() override {
    testing::ElementwiseShape shape;
    for (DType t : kTypes) {
      if (is_float(t) != is_float_predicate(GetParam())) continue;
      types.push_back(t);
      shape.inputs.insert(shape.inputs.end(), {t, t});
      shape.outputs.push_back(DType::i1);
    }
    program = elementwise(shape, [&](BodyBuilder& b, ExprPool&, const std::vector<ValueId>& x, ValueId) {
      std::vector<ValueId> out;
      for (std::size_t k = 0; k < types.size(); ++k)
        out.push_back(
            b.emit1(OpKind::cmp, {x[2 * k], x[2 * k + 1]}, {{AttrKey::predicate, GetParam()}}, Type::scalar(DType::i1)));
      return out;
    });
  }
  std::vector<DType> types;
  PhysicalPtr program;
};

TEST_P(Comparisons, HostAgreesWithTheScalarSemantics) {
  std::vector<TensorPtr> inputs;
  std::vector<std::vector<std::uint64_t>> bits;
  for (DType t : types)
    for (unsigned side : {0u, 1u}) {
      bits.push_back(samples(t, kCount, 3 + side));
      // Equal operands too.
      if (side == 1)
        for (std::size_t i = 0; i < kCount; i += 5) bits.back()[i] = bits[bits.size() - 2][i];
      inputs.push_back(make_tensor(t, bits.back()));
    }
  auto got = run_on_host(*program, inputs);
  ASSERT_EQ(got.size(), types.size());
  for (std::size_t k = 0; k < types.size(); ++k)
    for (std::size_t i = 0; i < kCount; ++i) {
      Scalar a{types[k], bits[2 * k][i]}, b{types[k], bits[2 * k + 1][i]};
      ASSERT_EQ(got[k][i], evaluate_cmp(GetParam(), a, b) ? 1u : 0u)
          << name(types[k]) << " " << literal_text(a) << " " << literal_text(b);
    }
}

TEST_P(Comparisons, GpuCodeAssembles) { expect_assembles(*program); }

INSTANTIATE_TEST_SUITE_P(All, Comparisons, ::testing::ValuesIn(all_cmp_predicates().begin(), all_cmp_predicates().end()),
                         [](const auto& info) {
                           return test_name(name(info.param)) + (is_float_predicate(info.param) ? "_float" : "_integer");
                         });

// Literals reach the code bit for bit, every type.
TEST(Constants, KeepTheirBits) {
  testing::ElementwiseShape shape;
  std::vector<Scalar> literals;
  for (DType t : kTypes)
    for (std::uint64_t bits : samples(t, 12, 1)) literals.push_back({t, bits});
  for (const Scalar& s : literals) shape.outputs.push_back(s.type);
  auto program = elementwise(shape, [&](BodyBuilder& b, ExprPool&, const std::vector<ValueId>&, ValueId) {
    std::vector<ValueId> out;
    for (const Scalar& s : literals)
      out.push_back(b.emit1(OpKind::constant, {}, {{AttrKey::literal, s}}, Type::scalar(s.type)));
    return out;
  });
  auto got = run_on_host(*program, {});
  ASSERT_EQ(got.size(), literals.size());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k][7], literals[k].bits) << literal_text(literals[k]);
  expect_assembles(*program);
}

}  // namespace
}  // namespace kir
