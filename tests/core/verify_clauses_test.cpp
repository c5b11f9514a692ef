// Clauses of the structural rules that no text reaches, since the parser asks first: kernels built by hand, one for each
// clause. The rule is the first that is told, in the clause's own words.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "built_kernel.h"

namespace kir::test {
namespace {

struct Clause {
  const char *rule, *words;
  std::function<void(Built&)> body;            // fills the root region
  std::function<void(Built&)> head = nullptr;  // changes the kernel afterwards
};

const Type kF64 = Type::scalar(DType::f64);
const Type kIndex = Type::index();

Attrs attrs(AttrKey key, AttrValue value) {
  Attrs a;
  a.set(key, std::move(value));
  return a;
}

ValueId four(Built& t) {  // a tensor of four
  RegionId r = t.region({kIndex}, [&](auto) { t.yield({t.s}); });
  return t.b.result(
      t.b.emit_with_regions(OpKind::tensor, {}, t.ranges({t.n(0), t.n(4)}), {r}, {Type::tensor(DType::f32, {t.n(4)})}));
}

RegionId combine(Built& t, const std::vector<Type>& types = {kF32, kF32}, std::size_t results = 1) {
  return t.region(types, [&](auto v) { t.yield({v.begin(), v.begin() + static_cast<std::ptrdiff_t>(results)}); });
}

RegionId mapped(Built& t) {
  return t.region({kIndex}, [&](auto) { t.yield({t.s}); });
}

Attrs fold(Built& t) {
  Attrs a = t.ranges({t.n(0), t.n(4)});
  a.set(AttrKey::order, Order::any);
  return a;
}

Attrs scan(Built& t) {
  Attrs a = fold(t);
  a.set(AttrKey::inclusion, Inclusion::inclusive);
  a.set(AttrKey::direction, Direction::forward);
  return a;
}

std::vector<Clause> abi_clauses() {
  const auto none = [](Built&) {};
  return {
      {"V-01", "'1' is no name for a view", none, [](Built& t) { t.k.abi.views[0].name = "1"; }},
      {"V-03", "missing or of the wrong sort", none, [](Built& t) { t.k.abi.views[0].shape[0] = Expr(); }},
      {"V-03", "one bound without the other", none, [](Built& t) { t.k.abi.symbols[0].lo = t.n(1); }},
      {"V-05", "'x' has 33 axes", none,
       [](Built& t) {
         t.k.abi.views[0].shape.assign(33, t.n(1));
         t.k.abi.views[0].strides.assign(33, t.n(1));
       }},
      {"V-06", "about 'x' and itself", none, [](Built& t) { t.k.abi.aliases.push_back({AliasKind::same, 0, 0, {}}); }},
      {"V-06", "differ in element type or rank", none,
       [](Built& t) {
         t.k.abi.views[0].dtype = DType::f64;
         t.k.abi.aliases.push_back({AliasKind::same, 0, 1, {}});
       }},
      {"V-06", "two alias facts", none,
       [](Built& t) {
         t.k.abi.aliases.push_back({AliasKind::same, 0, 1, {}});
         t.k.abi.aliases.push_back({AliasKind::may_alias, 1, 0, {}});
       }},
  };
}

std::vector<Clause> operation_clauses() {
  return {
      {"V-13", "operands of types f32 and index",
       [](Built& t) { t.b.emit1(OpKind::cmp, {t.s, t.index(1)}, attrs(AttrKey::predicate, CmpPredicate::olt), kI1); }},
      {"V-13", "selects between f32 and index",
       [](Built& t) { t.b.emit1(OpKind::select, {t.truth(), t.s, t.index(1)}, {}, kF32); }},
      {"V-13", "an index is made of a scalar integer, not of f32",
       [](Built& t) { t.b.emit1(OpKind::convert, {t.s}, attrs(AttrKey::mode, ConvertMode::sint), kIndex); }},
      {"V-24", "makes no index",
       [](Built& t) { t.b.emit1(OpKind::convert, {t.truth()}, attrs(AttrKey::mode, ConvertMode::wrap), kIndex); }},
      {"V-13", "from view f32[N] to f64",
       [](Built& t) { t.b.emit1(OpKind::convert, {t.x}, attrs(AttrKey::mode, ConvertMode::rn), kF64); }},
      {"V-19", "has 2 coordinates for a tensor of rank 1",
       [](Built& t) { t.b.emit1(OpKind::elem, {four(t), t.index(0), t.index(0)}, {}, kF32); }},
      {"V-19", "coordinate 0 is f32", [](Built& t) { t.b.emit1(OpKind::elem, {four(t), t.s}, {}, kF32); }},
      {"V-27", "the region yields one data value",
       [](Built& t) {
         RegionId r = t.region({kIndex}, [&](auto v) { t.yield({v[0]}); });
         t.b.emit_with_regions(OpKind::tensor, {}, t.ranges({t.n(0), t.n(4)}), {r}, {Type::tensor(DType::f32, {t.n(4)})});
       }},
      {"V-26", "the source is neither a view nor a tensor",
       [](Built& t) {
         RegionId r = t.region({kIndex}, [&](auto v) { t.yield({v[0]}); });
         t.b.emit_with_regions(OpKind::view, {t.s}, attrs(AttrKey::extents, ExprList{t.n(4)}), {r},
                               {Type::view(DType::f32, {t.n(4)})});
       }},
      {"V-17", "1 arguments for 2 axes",
       [](Built& t) {
         RegionId r = t.region({kIndex}, [&](auto v) { t.yield({v[0]}); });
         t.b.emit_with_regions(OpKind::view, {t.x}, attrs(AttrKey::extents, ExprList{t.n(4), t.n(4)}), {r},
                               {Type::view(DType::f32, {t.n(4), t.n(4)})});
       }},
      {"V-17", "the arguments are indices",
       [](Built& t) {
         RegionId r = t.region({kF32}, [&](auto) { t.yield({t.index(0)}); });
         t.b.emit_with_regions(OpKind::view, {t.x}, attrs(AttrKey::extents, ExprList{t.n(4)}), {r},
                               {Type::view(DType::f32, {t.n(4)})});
       }},
      {"V-26", "the yielded coordinates are indices",
       [](Built& t) {
         RegionId r = t.region({kIndex}, [&](auto) { t.yield({t.s}); });
         t.b.emit_with_regions(OpKind::view, {t.x}, attrs(AttrKey::extents, ExprList{t.n(4)}), {r},
                               {Type::view(DType::f32, {t.n(4)})});
       }},
      {"V-26", "the result is view f32[4], not view f32[5]",
       [](Built& t) {
         RegionId r = t.region({kIndex}, [&](auto v) { t.yield({v[0]}); });
         t.b.emit_with_regions(OpKind::view, {t.x}, attrs(AttrKey::extents, ExprList{t.n(4)}), {r},
                               {Type::view(DType::f32, {t.n(5)})});
       }},
      {"V-26", "the operand is neither a view nor a tensor",
       [](Built& t) { t.b.emit1(OpKind::transpose, {t.s}, attrs(AttrKey::axes, IntList{}), kF32); }},
      {"V-26", "the result is f32[4], not f32[5]",
       [](Built& t) {
         t.b.emit1(OpKind::transpose, {four(t)}, attrs(AttrKey::axes, IntList{0}), Type::tensor(DType::f32, {t.n(5)}));
       }},
      {"V-26", "the operand is neither a view nor a tensor",
       [](Built& t) { t.b.emit1(OpKind::slice, {t.s}, t.ranges({}), kF32); }},
      {"V-26", "4 bounds for 1 axes",
       [](Built& t) {
         t.b.emit1(OpKind::slice, {t.x}, t.ranges({t.n(0), t.n(1), t.n(0), t.n(1)}), Type::view(DType::f32, {t.n(1), t.n(1)}));
       }},
      {"V-26", "the operand is neither a view nor a tensor",
       [](Built& t) {
         Attrs a = attrs(AttrKey::axes, IntList{});
         a.set(AttrKey::extents, ExprList{t.n(4)});
         t.b.emit1(OpKind::broadcast, {t.s}, a, Type::tensor(DType::f32, {t.n(4)}));
       }},
      {"V-26", "0 axes for an operand of rank 1",
       [](Built& t) {
         Attrs a = attrs(AttrKey::axes, IntList{});
         a.set(AttrKey::extents, ExprList{t.n(4)});
         t.b.emit1(OpKind::broadcast, {four(t)}, a, Type::tensor(DType::f32, {t.n(4)}));
       }},
      {"V-26", "the result is f32[4], not f32[5]",
       [](Built& t) {
         Attrs a = attrs(AttrKey::axes, IntList{0});
         a.set(AttrKey::extents, ExprList{t.n(4)});
         t.b.emit1(OpKind::broadcast, {four(t)}, a, Type::tensor(DType::f32, {t.n(5)}));
       }},
      {"V-66", "differ in element type or rank",
       [](Built& t) {
         Attrs a = attrs(AttrKey::axis, std::int64_t{0});
         RegionId r = t.region({kIndex, kIndex}, [&](auto) { t.yield({t.s}); });
         ValueId flat = t.b.result(t.b.emit_with_regions(OpKind::tensor, {}, t.ranges({t.n(0), t.n(4), t.n(0), t.n(4)}), {r},
                                                         {Type::tensor(DType::f32, {t.n(4), t.n(4)})}));
         t.b.emit1(OpKind::concat, {t.x, flat}, a, Type::tensor(DType::f32, {t.n(8)}));
       }},
      {"V-32", "33 axes; at most 32",
       [](Built& t) {
         Attrs a = attrs(AttrKey::axis, std::int64_t{0});
         a.set(AttrKey::extents, ExprList(33, t.n(1)));
         t.b.emit1(OpKind::iota, {}, a, Type::tensor(DType::i32, std::vector<Expr>(33, t.n(1))));
       }},
  };
}

std::vector<Clause> region_clauses() {
  return {
      {"V-17", "at most 32 variables",
       [](Built& t) {
         std::vector<Expr> bounds;
         for (int i = 0; i < 33; ++i) bounds.insert(bounds.end(), {t.n(0), t.n(1)});
         RegionId r = t.region(std::vector<Type>(33, kIndex), [&](auto) { t.yield(); });
         t.b.emit_with_regions(OpKind::parallel, {}, t.ranges(bounds), {r}, {});
       }},
      {"V-11", "4 bounds instead of 2",
       [](Built& t) {
         RegionId r = t.region({kIndex, kIndex}, [&](auto) { t.b.emit(OpKind::next, {}, {}, {}); });
         t.b.emit_with_regions(OpKind::for_loop, {}, t.ranges({t.n(0), t.n(1), t.n(0), t.n(1)}), {r}, {});
       }},
      {"V-30", "a view cannot be carried",
       [](Built& t) {
         const Type view = Type::view(DType::f32, {t.k.pool->symbol("N")});
         RegionId r = t.region({kIndex, view}, [&](auto v) { t.b.emit(OpKind::next, {v[1]}, {}, {}); });
         t.b.emit_with_regions(OpKind::for_loop, {t.x}, t.ranges({t.n(0), t.n(1)}), {r}, {view});
       }},
      {"V-30", "a view cannot be carried",
       [](Built& t) {
         const Type view = Type::view(DType::f32, {t.k.pool->symbol("N")});
         RegionId when = t.region({view}, [&](auto) { t.yield({t.truth()}); });
         RegionId r = t.region({view}, [&](auto v) { t.b.emit(OpKind::next, {v[0]}, {}, {}); });
         t.b.emit_with_regions(OpKind::while_loop, {t.x}, {}, {when, r}, {view});
       }},
      {"V-30", "a view cannot be a result",
       [](Built& t) {
         const Type view = Type::view(DType::f32, {t.k.pool->symbol("N")});
         RegionId a = t.region({}, [&](auto) { t.yield({t.x}); });
         RegionId b = t.region({}, [&](auto) { t.yield({t.x}); });
         t.b.emit_with_regions(OpKind::if_else, {t.truth()}, {}, {a, b}, {view});
       }},
      {"V-31", "the identity does not fit the components",
       [](Built& t) {
         Attrs a = fold(t);
         a.set(AttrKey::identity, ScalarList{Scalar::of_f64(0)});
         RegionId map = mapped(t), c = combine(t);
         t.b.emit_with_regions(OpKind::reduce, {}, a, {map, c}, {kF32});
       }},
      {"V-31", "assumes an identity that is not there",
       [](Built& t) {
         Attrs a = fold(t);
         a.set(AttrKey::identity_assumed, true);
         RegionId map = mapped(t), c = combine(t);
         t.b.emit_with_regions(OpKind::reduce, {}, a, {map, c}, {kF32});
       }},
      {"V-47", "a tensor and a final state for each component",
       [](Built& t) {
         RegionId map = mapped(t), c = combine(t);
         t.b.emit_with_regions(OpKind::scan, {}, scan(t), {map, c}, {Type::tensor(DType::f32, {t.n(4)})});
       }},
      {"V-49", "in place of a product and a combine",
       [](Built& t) {
         Attrs a = fold(t);
         a.set(AttrKey::axes, IntList{0, 0, 0, 1});
         a.set(AttrKey::exact_product, true);
         RegionId lhs = mapped(t), rhs = mapped(t), product = combine(t), sum = combine(t);
         t.b.emit_with_regions(OpKind::contract, {}, a, {lhs, rhs, product, sum}, {Type::tensor(DType::f32, {})});
       }},
      {"V-40", "the combine yields the new contents of each view",
       [](Built& t) {
         Attrs a = fold(t);
         a.set(AttrKey::collision, Collision::reduce);
         RegionId member = t.region({kIndex}, [&](auto v) { t.yield({v[0], t.s}); });
         RegionId c = combine(t, {kF32, kF32}, 2);
         t.b.emit_with_regions(OpKind::scatter, {t.y}, a, {member, c}, {});
       }},
  };
}

void expect_told(const Clause& c) {
  SCOPED_TRACE(std::string(c.rule) + " " + c.words);
  Built t;
  c.body(t);
  t.yield();
  t.freeze();
  if (c.head) c.head(t);
  Diagnostics d;
  EXPECT_FALSE(verify(t.k, d));
  ASSERT_FALSE(d.all().empty());
  EXPECT_EQ(d.all()[0].id, c.rule) << d.all()[0].message;
  EXPECT_NE(d.all()[0].message.find(c.words), std::string::npos) << d.all()[0].message;
}

TEST(VerifyClauses, OfTheAbi) {
  for (const Clause& c : abi_clauses()) expect_told(c);
}

TEST(VerifyClauses, OfOperations) {
  for (const Clause& c : operation_clauses()) expect_told(c);
}

// shows: K7.12
TEST(VerifyClauses, OfRegions) {
  for (const Clause& c : region_clauses()) expect_told(c);
}

}  // namespace
}  // namespace kir::test
