#include "smt/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "core/interp/launch_data.h"
#include "smt/z3_backend.h"

namespace kir::smt {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): a function of the state alone, equal on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n)); }

 private:
  std::uint64_t state_;
};

std::optional<std::int64_t> value_of(Expr e, const Symbols& symbols) {
  EvalResult r = evaluate(e, [&](Expr leaf) -> std::optional<Integer> {
    if (!leaf.is(ExprKind::symbol)) return {};
    auto it = symbols.find(leaf.name());
    return it == symbols.end() ? std::optional<Integer>() : it->second;
  });
  if (!r.ok() || r.value > INT64_MAX || r.value < INT64_MIN) return {};
  return static_cast<std::int64_t>(r.value);
}

std::int64_t extents_product(const ViewParam& v, const Symbols& symbols) {
  std::int64_t n = 1;
  for (Expr e : v.shape) {
    std::int64_t extent = value_of(e, symbols).value_or(0);
    if (extent > 0 && n > (std::int64_t{1} << 40) / extent) return std::int64_t{1} << 40;
    n *= extent;
  }
  return n;
}

Scalar sample(DType t, Contents contents, Random& random) {
  if (contents == Contents::zeros) return {t, 0};
  if (contents == Contents::ones) return one(t);
  if (t == DType::i1) return Scalar::of_bool(random.below(2) != 0);
  if (!is_float(t)) {
    if (contents == Contents::exact) return Scalar::of_int(t, random.below(9) - 3);
    constexpr std::array<std::int64_t, 8> kLarge = {0, 1, -1, INT64_MIN, INT64_MAX, 127, -128, 900};
    int width = bit_width(t);
    std::int64_t v = kLarge[static_cast<std::size_t>(random.below(8))];
    if (v == INT64_MIN) v = width >= 64 ? INT64_MIN : -(std::int64_t{1} << (width - 1));
    if (v == INT64_MAX) v = width >= 64 ? INT64_MAX : (std::int64_t{1} << (width - 1)) - 1;
    return Scalar::of_int(t, v);
  }
  constexpr std::array kExact = {"0.0", "1.0", "-1.0", "2.0", "-2.0", "3.0", "1.0", "-3.0"};
  constexpr std::array kLarge = {"900.0", "-900.0", "inf", "-inf", "-0.0", "0.0", "0.5", "-900.0"};
  auto at = static_cast<std::size_t>(random.below(8));
  auto s = parse_literal(contents == Contents::exact ? kExact[at] : kLarge[at], t);
  return s ? *s : Scalar{t, 0};
}

void fill(Tensor& t, Contents contents, std::uint64_t seed) {
  if (contents == Contents::ordinary || contents == Contents::special)
    return fill_random(t, seed, contents == Contents::special);
  Random random(seed);
  std::int64_t cells = static_cast<std::int64_t>(t.bytes.size()) / byte_size(t.dtype);
  for (std::int64_t i = 0; i < cells; ++i) t.store(i, sample(t.dtype, contents, random));
}

// Everything that a launch must satisfy, over the symbols of the ABI.
std::vector<Expr> constraints(const Abi& abi, ExprPool& pool) {
  std::vector<Expr> out;
  for (Expr w : abi.where) out.push_back(pool.import(w, {}));
  Expr zero = pool.constant(0);
  for (const ViewParam& v : abi.views) {
    for (Expr e : v.shape) out.push_back(less_equal(zero, pool.import(e, {})));
    for (Expr e : v.strides) out.push_back(less_equal(zero, pool.import(e, {})));
  }
  for (const SymbolInfo& s : abi.symbols) {
    Expr x = pool.symbol(s.name);
    out.push_back(less_equal(pool.constant(INT64_MIN), x));
    out.push_back(less_equal(x, pool.constant(INT64_MAX)));
    if (s.lo.node() != nullptr) out.push_back(less_equal(pool.import(s.lo, {}), x));
    if (s.hi.node() != nullptr) out.push_back(less_equal(x, pool.import(s.hi, {})));
  }
  return out;
}

// That each view lies below 2^63, nearly as storage_bytes says it.
std::vector<Expr> span_constraints(const Abi& abi, ExprPool& pool) {
  std::vector<Expr> out;
  for (const ViewParam& v : abi.views) {
    const Expr most = pool.constant(INT64_MAX / byte_size(v.dtype)), zero = pool.constant(0), one = pool.constant(1);
    Expr empty = pool.boolean(false), elements = one;
    for (std::size_t k = 0; k < v.rank(); ++k) {
      const Expr extent = pool.import(v.shape[k], {}), stride = pool.import(v.strides[k], {});
      out.push_back(less_equal(extent, pool.constant(INT64_MAX)));
      out.push_back(less_equal(stride, most));
      empty = either(empty, equal(extent, zero));
      elements = elements + (extent - one) * stride;
    }
    out.push_back(either(empty, less_equal(elements, most)));
  }
  return out;
}

std::optional<Symbols> solve(std::vector<Expr> conjunction, const Abi& abi, ExprPool& pool, std::int64_t bound,
                             std::uint64_t rlimit, Reply& reply) {
  for (const SymbolInfo& s : abi.symbols) {
    if (bound == 0) break;
    conjunction.push_back(less_equal(pool.constant(1), pool.symbol(s.name)));
    conjunction.push_back(less_equal(pool.symbol(s.name), pool.constant(bound)));
  }
  for (DivisionEncoding division : {DivisionEncoding::native, DivisionEncoding::witness}) {
    reply = ask(conjunction, Strategy{"witness launch", division}, rlimit);
    if (reply.answer != Answer::unknown) break;
  }
  if (reply.answer != Answer::satisfiable) return {};
  Symbols out;
  for (const SymbolInfo& s : abi.symbols) out[s.name] = bound == 0 ? 0 : 1;
  for (const ModelValue& v : reply.model) {
    std::int64_t n = 0;
    auto [end, error] = std::from_chars(v.value.data(), v.value.data() + v.value.size(), n);
    if (error == std::errc()) out[v.leaf.name()] = n;
  }
  return out;
}

}  // namespace

bool preconditions_hold(const Abi& abi, const Symbols& symbols) {
  for (Expr w : abi.where)
    if (value_of(w, symbols).value_or(0) == 0) return false;
  for (const ViewParam& v : abi.views) {
    std::vector<std::int64_t> shape, strides;
    for (Expr e : v.shape) shape.push_back(value_of(e, symbols).value_or(-1));
    for (Expr e : v.strides) strides.push_back(value_of(e, symbols).value_or(-1));
    if (!storage_bytes(v.dtype, shape, strides)) return false;
  }
  return true;
}

Witness find_witness(const Abi& abi, std::uint64_t rlimit) {
  ExprPool pool;
  std::vector<Expr> conjunction = constraints(abi, pool);
  Reply reply;
  // What a view spans is asked last: it multiplies symbols, and small ones keep below it.
  bool spans = false;
  for (std::int64_t bound : {8, 64, 0, 0}) {
    if (spans)
      for (Expr e : span_constraints(abi, pool)) conjunction.push_back(e);
    auto symbols = solve(conjunction, abi, pool, bound, rlimit, reply);
    if (symbols && preconditions_hold(abi, *symbols)) return {Witness::Found::launch, *symbols, {}};
    if (bound == 0 && reply.answer != Answer::satisfiable) break;
    spans = bound == 0;
  }
  if (reply.answer == Answer::unsatisfiable)
    return {Witness::Found::contradictory,
            {},
            spans ? "no launch satisfies all preconditions (where relations, extents and strides at least 0, views below 2^63 "
                    "bytes)"
                  : "no launch satisfies all preconditions (where relations, extents and strides at least 0)"};
  return {Witness::Found::unknown, {}, "no launch was found that satisfies all preconditions: " + reply.reason};
}

std::vector<Symbols> small_launches(const Abi& abi, const Witness& witness, int count) {
  constexpr std::array<std::int64_t, 16> kSizes = {2, 1, 3, 4, 5, 2, 3, 7, 8, 1, 0, 6, 9, 12, 16, 33};
  std::vector<Symbols> out;
  std::set<Symbols> seen;
  auto add = [&](const Symbols& s) {
    if (static_cast<int>(out.size()) < count && preconditions_hold(abi, s) && seen.insert(s).second) out.push_back(s);
  };
  if (witness.found == Witness::Found::launch) add(witness.symbols);
  Random random(1);
  for (int attempt = 0; attempt < 40 * count && static_cast<int>(out.size()) < count; ++attempt) {
    Symbols s;
    // Sizes grow with the attempts, so that the first counterexample is a small one.
    std::int64_t choices = std::min<std::int64_t>(16, 3 + attempt / 4);
    for (const SymbolInfo& info : abi.symbols) {
      std::int64_t v = kSizes[static_cast<std::size_t>(random.below(choices))];
      if (info.parameter && random.below(6) == 0) v = random.below(4) - 2;
      s[info.name] = v;
    }
    add(s);
    // Relations between symbols are often equalities with a product: also try the witness with one symbol changed.
    if (witness.found == Witness::Found::launch && !s.empty() && attempt % 2) {
      Symbols w = witness.symbols;
      auto it = std::next(s.begin(), random.below(static_cast<std::int64_t>(s.size())));
      w[it->first] = it->second;
      add(w);
    }
  }
  return out;
}

std::optional<LaunchArgs> make_args(const Abi& abi, const Symbols& symbols, Contents contents, std::uint64_t seed, bool aliased,
                                    std::int64_t max_bytes) {
  LaunchArgs args;
  for (const auto& [name, value] : symbols)
    if (abi.find_symbol(name) != nullptr) args.symbols[name] = value;
  std::vector<TensorPtr> tensors(abi.views.size());
  for (std::size_t i = 0; i < abi.views.size(); ++i) {
    const ViewParam& v = abi.views[i];
    std::vector<std::int64_t> shape, strides;
    std::int64_t last = 0;
    for (std::size_t k = 0; k < v.rank(); ++k) {
      auto extent = value_of(v.shape[k], symbols), stride = value_of(v.strides[k], symbols);
      if (!extent || !stride || *extent < 0 || *stride < 0) return {};
      shape.push_back(*extent);
      strides.push_back(*stride);
      std::int64_t reach = 0;
      if (__builtin_mul_overflow(std::max<std::int64_t>(0, *extent - 1), *stride, &reach) ||
          __builtin_add_overflow(last, reach, &last))
        return {};
    }
    if (last > max_bytes / byte_size(v.dtype) || extents_product(v, symbols) > max_bytes) return {};
    if (!storage_bytes(v.dtype, shape, strides)) return {};  // a stride alone may leave the address space
    for (const AliasFact& f : abi.aliases) {
      if (std::max(f.a, f.b) != i || (f.kind == AliasKind::may_alias && !aliased)) continue;
      const TensorPtr& other = tensors[std::min(f.a, f.b)];
      if (other && other->dtype == v.dtype && other->shape == shape && other->strides == strides)
        tensors[i] = other;
      else if (f.kind == AliasKind::same)
        return {};
    }
    if (!tensors[i]) {
      tensors[i] = std::make_shared<Tensor>(Tensor::strided(v.dtype, shape, strides));
      fill(*tensors[i], contents, seed * 64 + i);
      if (!arrange_data(abi, i, symbols, seed * 64 + i, *tensors[i])) return {};
    }
    args.views[v.name] = tensors[i];
  }
  Random random(seed * 64 + 63);
  const bool random_floats = contents == Contents::ordinary || contents == Contents::special;
  for (const ScalarParam& s : abi.scalars)
    args.scalars[s.name] = sample(s.dtype, random_floats ? Contents::large : contents, random);
  return args;
}

std::optional<LaunchArgs> make_args(const Abi& abi, const LaunchRecipe& r) {
  return make_args(abi, r.symbols, r.contents, r.seed, r.aliased, r.max_bytes);
}

Scalar small_number(DType t, std::int64_t n) {
  if (!is_float(t)) return Scalar::of_int(t, n);
  return parse_literal(fmt::format("{}.0", n), t).value_or(Scalar{t, 0});
}

Scalar one(DType t) { return small_number(t, 1); }

LaunchArgs deep_copy(const LaunchArgs& args) {
  LaunchArgs out = args;
  std::map<const Tensor*, TensorPtr> copies;
  for (auto& [name, tensor] : out.views) {
    TensorPtr& copy = copies[tensor.get()];
    if (!copy) copy = std::make_shared<Tensor>(*tensor);
    tensor = copy;
  }
  return out;
}

}  // namespace kir::smt
