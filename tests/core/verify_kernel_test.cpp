// Each structural rule V-nn has a kernel that breaks it and gets its number.
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "built_kernel.h"
#include "op_samples.h"
#include "text_support.h"

namespace kir::test {
namespace {

using Breaker = std::function<void(Built&)>;

std::multimap<std::string, Breaker> built_breakers() {
  auto ended = [](Built& t) {
    t.yield();
    t.freeze();
  };
  auto body = [ended](std::function<void(Built&)> f) {
    return Breaker([f, ended](Built& t) {
      f(t);
      ended(t);
    });
  };
  auto abi = [ended](std::function<void(Built&)> f) {
    return Breaker([f, ended](Built& t) {
      ended(t);
      f(t);
    });
  };
  return {
      {"V-01", abi([](Built& t) { t.k.name = "let"; })},
      {"V-01", abi([](Built& t) { t.k.abi.scalars[0].name = "x"; })},
      {"V-01", abi([](Built& t) { t.k.constexprs.push_back({"N", std::int64_t{1}}); })},
      {"V-02", abi([](Built& t) { t.k.abi.params.push_back({Abi::ParamKind::view, 0}); })},
      {"V-02", abi([](Built& t) { t.k.abi.params.push_back({Abi::ParamKind::scalar, 7}); })},
      {"V-02", abi([](Built& t) { t.k.abi.symbols[0].parameter = true; })},
      {"V-03", abi([](Built& t) { t.k.abi.where.push_back(less(t.k.pool->symbol("Q"), t.n(1))); })},
      {"V-03", abi([](Built& t) { t.k.abi.where.push_back(less(t.k.pool->value(ValueId(0)), t.n(1))); })},
      {"V-04",
       abi([](Built& t) { t.k.abi.symbols.push_back({.name = "Q", .parameter = false, .range = {}, .lo = {}, .hi = {}}); })},
      {"V-05", abi([](Built& t) { t.k.abi.views[0].align = 6; })},
      {"V-05", abi([](Built& t) { t.k.abi.views[0].align = 2; })},
      {"V-05", abi([](Built& t) { t.k.abi.views[0].strides.clear(); })},
      {"V-06", abi([](Built& t) { t.k.abi.aliases.push_back({AliasKind::same, 0, 9, {}}); })},
      {"V-07", abi([](Built& t) { t.k.abi.where.push_back(t.n(1)); })},
      {"V-08", abi([](Built& t) { std::swap(t.k.abi.params[0], t.k.abi.params[1]); })},
      {"V-08",
       [](Built& t) {
         t.b.add_argument(t.root, kF32, "more");
         t.yield();
         t.freeze();
       }},
      {"V-08",
       [](Built& t) {
         t.k.body = {};
         t.k.root = {};
       }},
      {"V-09", body([](Built& t) { t.b.emit1(OpKind::splat, {t.s}, {}, kF32); })},
      {"V-10", body([](Built& t) { t.b.emit1(OpKind::add, {t.s}, {}, kF32); })},
      {"V-10", body([](Built& t) { t.b.emit(OpKind::add, {t.s, t.s}, {}, {}); })},
      {"V-10", body([](Built& t) { t.b.emit(OpKind::parallel, {}, t.ranges({t.n(0), t.n(1)}), {}); })},
      {"V-11", body([](Built& t) { t.b.emit1(OpKind::constant, {}, {}, kF32); })},
      {"V-11", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::literal, true);
         t.b.emit1(OpKind::constant, {}, a, kF32);
       })},
      {"V-11", body([](Built& t) { t.b.emit1(OpKind::neg, {t.s}, t.expr(t.n(1)), kF32); })},
      {"V-12", body([](Built& t) {
         ValueId c = t.truth();
         t.b.emit1(OpKind::exp, {c}, {}, kI1);
       })},
      {"V-13", body([](Built& t) {
         ValueId c = t.index(1);
         t.b.emit1(OpKind::neg, {c}, {}, Type::index());
       })},
      {"V-13", body([](Built& t) { t.b.emit1(OpKind::neg, {t.x}, {}, kF32); })},
      {"V-14", body([](Built& t) { t.b.emit1(OpKind::neg, {t.s}, {}, Type::scalar(DType::f64)); })},
      {"V-14", body([](Built& t) { t.b.emit1(OpKind::index, {}, t.expr(t.n(1)), kI1); })},
      {"V-15", body([](Built& t) {
         ValueId inner;
         RegionId r = t.region({}, [&](auto) {
           inner = t.b.emit1(OpKind::neg, {t.s}, {}, kF32);
           t.yield();
         });
         RegionId other = t.region({}, [&](auto) { t.yield(); });
         ValueId c = t.truth();
         t.b.emit_with_regions(OpKind::if_else, {c}, {}, {r, other}, {});
         t.b.emit1(OpKind::neg, {inner}, {}, kF32);
       })},
      {"V-16", [](Built& t) { t.freeze(); }},
      {"V-16", body([](Built& t) { t.yield(); })},
      {"V-16",
       [](Built& t) {
         t.yield({t.s});
         t.freeze();
       }},
      {"V-16", body([](Built& t) {
         RegionId r = t.region({Type::index()}, [&](auto) { t.b.emit(OpKind::next, {}, {}, {}); });
         t.b.emit_with_regions(OpKind::parallel, {}, t.ranges({t.n(0), t.n(1)}), {r}, {});
       })},
      {"V-17", body([](Built& t) {
         RegionId r = t.region({kF32}, [&](auto) { t.yield(); });
         t.b.emit_with_regions(OpKind::parallel, {}, t.ranges({t.n(0), t.n(1)}), {r}, {});
       })},
      {"V-17", body([](Built& t) {
         RegionId r = t.region({}, [&](auto) { t.yield(); });
         t.b.emit_with_regions(OpKind::parallel, {}, t.ranges({}), {r}, {});
       })},
      {"V-18", body([](Built& t) { t.b.emit1(OpKind::index, {}, t.expr(t.k.pool->symbol("Q")), Type::index()); })},
      {"V-18", body([](Built& t) { t.b.emit1(OpKind::index, {}, t.expr(t.k.pool->value(t.s) + 1), Type::index()); })},
      {"V-18", body([](Built& t) { t.b.emit1(OpKind::index, {}, t.expr(t.k.pool->position(0)), Type::index()); })},
      {"V-18", body([](Built& t) { t.b.emit1(OpKind::index, {}, t.expr(t.k.pool->fresh("v") + 1), Type::index()); })},
      {"V-18", body([](Built& t) {
         RegionId r = t.region({Type::index()}, [&](auto) { t.yield(); });
         t.b.emit_with_regions(OpKind::parallel, {}, t.ranges({t.n(0), t.k.pool->boolean(true)}), {r}, {});
       })},
      {"V-19", body([](Built& t) { t.b.emit1(OpKind::load, {t.x}, {}, kF32); })},
      {"V-19", body([](Built& t) { t.b.emit1(OpKind::load, {t.x, t.s}, {}, kF32); })},
      {"V-19", body([](Built& t) { t.b.emit1(OpKind::load, {t.s, t.s}, {}, kF32); })},
      {"V-19", body([](Built& t) { t.b.emit1(OpKind::load, {}, {}, kF32); })},
      {"V-20", body([](Built& t) {
         ValueId i = t.index(0);
         t.b.emit1(OpKind::load, {t.x, i, t.s}, {}, kF32);
       })},
      {"V-20", body([](Built& t) {
         ValueId i = t.index(0);
         t.b.emit(OpKind::store, {t.y, i, i}, {}, {});
       })},
      {"V-21", body([](Built& t) {
         ValueId i = t.index(0);
         t.b.emit(OpKind::store, {t.x, i, t.s}, {}, {});
       })},
      {"V-22",
       [](Built& t) {
         ValueId i = t.index(0);
         t.k.abi.views[1].strides = {t.n(0)};
         t.b.emit(OpKind::store, {t.y, i, t.s}, {}, {});
         t.yield();
         t.freeze();
       }},
      {"V-23", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::predicate, CmpPredicate::slt);
         t.b.emit1(OpKind::cmp, {t.s, t.s}, a, kI1);
       })},
      {"V-24", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::mode, ConvertMode::wrap);
         t.b.emit1(OpKind::convert, {t.s}, a, kF32);
       })},
      {"V-25", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::literal, Scalar::of_f64(1));
         t.b.emit1(OpKind::constant, {}, a, kF32);
       })},
      {"V-25", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::literal, Scalar{DType::i1, 2});
         t.b.emit1(OpKind::constant, {}, a, kI1);
       })},
      {"V-26", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::axes, IntList{1});
         t.b.emit1(OpKind::transpose, {t.x}, a, Type::view(DType::f32, {t.n(1)}));
       })},
      {"V-26",
       body([](Built& t) { t.b.emit1(OpKind::slice, {t.x}, t.ranges({t.n(1), t.n(3)}), Type::view(DType::f32, {t.n(3)})); })},
      {"V-26", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::axes, IntList{0});
         a.set(AttrKey::extents, ExprList{t.n(4)});
         t.b.emit1(OpKind::broadcast, {t.x}, a, Type::view(DType::f32, {t.n(4)}));  // N neither is 4 nor 1
       })},
      {"V-27", body([](Built& t) {
         RegionId r = t.region({Type::index()}, [&](auto) { t.yield({t.s}); });
         t.b.emit_with_regions(OpKind::tensor, {}, t.ranges({t.n(1), t.n(4)}), {r}, {Type::tensor(DType::f32, {t.n(3)})});
       })},
      {"V-27", body([](Built& t) {
         ValueId i = t.index(0);
         t.b.emit1(OpKind::elem, {t.x, i}, {}, kF32);
       })},
      {"V-65", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::extents, ExprList{t.n(4)});
         t.b.emit1(OpKind::reshape, {t.s}, a, kF32);
       })},
      {"V-66", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::axis, std::int64_t{1});
         t.b.emit1(OpKind::concat, {t.x}, a, Type::tensor(DType::f32, {t.k.pool->symbol("N")}));
       })},
      {"V-66", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::axis, std::int64_t{0});
         t.b.emit1(OpKind::concat, {t.x, t.x}, a, Type::tensor(DType::f32, {t.k.pool->symbol("N") * t.n(2)}));
       })},
      {"V-66", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::axis, std::int64_t{0});
         t.b.emit1(OpKind::concat, {}, a, Type::tensor(DType::f32, {t.n(0)}));
       })},
      {"V-66", body([](Built& t) {  // doubles at each step
         Attrs a;
         a.set(AttrKey::axis, std::int64_t{0});
         ValueId v = t.x;
         for (int k = 0; k < 40; ++k) {
           const Expr e = t.b.peek().type(v).shape[0];
           v = t.b.emit1(OpKind::concat, {v, v}, a, Type::tensor(DType::f32, {t.k.pool->make(ExprKind::add, {e, e})}));
         }
       })},
      {"V-67", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::axis, std::int64_t{-1});
         a.set(AttrKey::extents, ExprList{t.n(4)});
         t.b.emit1(OpKind::iota, {}, a, Type::tensor(DType::i32, {t.n(4)}));
       })},
      {"V-68", body([](Built& t) {
         RegionId r = t.region({Type::index()}, [&](auto v) { t.yield({v[0], v[0]}); });
         t.b.emit_with_regions(OpKind::gather, {t.x}, t.ranges({t.n(0), t.n(4)}), {r}, {Type::tensor(DType::f32, {t.n(4)})});
       })},
      {"V-68", body([](Built& t) {
         RegionId r = t.region({Type::index()}, [&](auto v) { t.yield({v[0]}); });
         t.b.emit_with_regions(OpKind::gather, {t.x}, t.ranges({t.n(1), t.n(4)}), {r}, {Type::tensor(DType::f32, {t.n(3)})});
       })},
      {"V-69", body([](Built& t) {
         Attrs a = t.ranges({t.n(0), t.n(1)});
         a.set(AttrKey::axis, std::int64_t{1});
         t.b.emit(OpKind::part, {t.x}, a, {Type::index(), Type::index()});
       })},
      {"V-69", body([](Built& t) {
         Attrs a = t.ranges({t.n(0), t.n(1), t.n(2)});
         a.set(AttrKey::axis, std::int64_t{0});
         t.b.emit(OpKind::part, {t.x}, a, {Type::index(), Type::index()});
       })},
      {"V-14", body([](Built& t) {
         Attrs a = t.ranges({t.n(0), t.n(1)});
         a.set(AttrKey::axis, std::int64_t{0});
         t.b.emit(OpKind::part, {t.x}, a, {Type::index()});
       })},
      {"V-70", body([](Built& t) { t.b.emit(OpKind::philox4x32_10, {t.s, t.s, t.s, t.s, t.s, t.s}, {}, {kF32}); })},
      {"V-71", abi([](Built& t) {
         t.k.abi.data.push_back({.kind = DataFactKind::unique, .view = 7, .lo = {}, .hi = {}, .range = {}});
       })},
      {"V-71", abi([](Built& t) {
         t.k.abi.data.push_back({.kind = DataFactKind::unique, .view = 0, .lo = {}, .hi = {}, .range = {}});
       })},
      {"V-28", body([](Built& t) {
         RegionId r = t.region({Type::index()}, [&](auto v) {
           t.b.emit1(OpKind::neg, {t.s}, {}, kF32);
           t.yield({v[0]});
         });
         Attrs a;
         a.set(AttrKey::extents, ExprList{t.n(4)});
         t.b.emit_with_regions(OpKind::view, {t.x}, a, {r}, {Type::view(DType::f32, {t.n(4)})});
       })},
      {"V-29", body([](Built& t) {
         RegionId r = t.region({Type::index()}, [&](auto v) {
           t.b.emit(OpKind::store, {t.y, v[0], t.s}, {}, {});
           t.yield({t.s});
         });
         t.b.emit_with_regions(OpKind::tensor, {}, t.ranges({t.n(0), t.n(4)}), {r}, {Type::tensor(DType::f32, {t.n(4)})});
       })},
      {"V-29", body([](Built& t) {
         RegionId map = t.region({Type::index()}, [&](auto) { t.yield({t.s}); });
         RegionId combine = t.region({kF32, kF32}, [&](auto) {
           ValueId i = t.index(0);
           t.yield({t.b.emit1(OpKind::load, {t.x, i}, {}, kF32)});
         });
         Attrs a = t.ranges({t.n(0), t.n(4)});
         a.set(AttrKey::order, Order::any);
         t.b.emit_with_regions(OpKind::reduce, {}, a, {map, combine}, {kF32});
       })},
      {"V-30", body([](Built& t) {
         RegionId r = t.region({Type::index(), kF32}, [&](auto v) { t.b.emit(OpKind::next, {v[0]}, {}, {}); });
         t.b.emit_with_regions(OpKind::for_loop, {t.s}, t.ranges({t.n(0), t.n(4)}), {r}, {kF32});
       })},
      {"V-30", body([](Built& t) {
         RegionId r = t.region({}, [&](auto) { t.yield({t.s}); });
         RegionId other = t.region({}, [&](auto) { t.yield(); });
         ValueId c = t.truth();
         t.b.emit_with_regions(OpKind::if_else, {c}, {}, {r, other}, {kF32});
       })},
      {"V-31", body([](Built& t) {
         RegionId map = t.region({Type::index()}, [&](auto v) { t.yield({v[0]}); });
         RegionId combine = t.region({Type::index(), Type::index()}, [&](auto v) { t.yield({v[0]}); });
         Attrs a = t.ranges({t.n(0), t.n(4)});
         a.set(AttrKey::order, Order::any);
         t.b.emit_with_regions(OpKind::reduce, {}, a, {map, combine}, {Type::index()});
       })},
      {"V-31", body([](Built& t) {
         RegionId map = t.region({Type::index()}, [&](auto) { t.yield({t.s}); });
         RegionId combine = t.region({kF32, kF32}, [&](auto v) { t.yield({v[0]}); });
         Attrs a = t.ranges({t.n(0), t.n(4)});
         a.set(AttrKey::order, Order::any);
         a.set(AttrKey::identity_assumed, true);
         t.b.emit_with_regions(OpKind::reduce, {}, a, {map, combine}, {kF32});
       })},
      {"V-38", body([](Built& t) {
         Attrs a = t.ranges({t.n(0), t.n(4)});
         a.set(AttrKey::collision, Collision::unique);
         RegionId member = t.region({Type::index()}, [&](auto) { t.yield(); });
         t.b.emit_with_regions(OpKind::scatter, {}, a, {member}, {});
       })},
      {"V-40", body([](Built& t) {
         Attrs a = t.ranges({t.n(0), t.n(4)});
         a.set(AttrKey::collision, Collision::unique);
         a.set(AttrKey::order, Order::any);
         RegionId member = t.region({Type::index()}, [&](auto v) { t.yield({v[0], t.s}); });
         t.b.emit_with_regions(OpKind::scatter, {t.y}, a, {member}, {});
       })},
      {"V-19", body([](Built& t) {
         t.b.emit_with_regions(OpKind::atomic_rmw, {},
                               {{AttrKey::atomic_op, AtomicOp::add},
                                {AttrKey::memory_order, MemoryOrder::relaxed},
                                {AttrKey::sharing, Sharing::invocation}},
                               {}, {kF32});
       })},
      {"V-19", body([](Built& t) { t.b.emit_with_regions(OpKind::assume_in_bounds, {t.y}, {}, {}, {}); })},
      {"V-45", body([](Built& t) {
         RegionId map = t.region({Type::index()}, [&](auto) { t.yield({t.s}); });
         RegionId where = t.region({Type::index(), Type::index()}, [&](auto) { t.yield({t.truth()}); });
         t.b.emit_with_regions(OpKind::arg_reduce, {}, t.choice(), {map, where}, {kF32, Type::index()});
       })},
      {"V-46", body([](Built& t) {
         RegionId map = t.region({Type::index()}, [&](auto v) { t.yield({v[0]}); });
         t.b.emit_with_regions(OpKind::arg_reduce, {}, t.choice(), {map}, {Type::index(), Type::index()});
       })},
      {"V-46", body([](Built& t) {
         RegionId map = t.region({Type::index()}, [&](auto) { t.yield({t.s}); });
         t.b.emit_with_regions(OpKind::arg_reduce, {}, t.choice(), {map}, {kF32});
       })},
      {"V-46", body([](Built& t) {
         RegionId map = t.region({Type::index()}, [&](auto) { t.yield({t.s}); });
         t.b.emit_with_regions(OpKind::arg_reduce, {t.s}, t.choice(), {map}, {kF32, Type::index()});
       })},
      {"V-47", body([](Built& t) {
         RegionId map = t.region({Type::index()}, [&](auto) { t.yield({t.s}); });
         RegionId combine = t.region({kF32, kF32}, [&](auto v) { t.yield({v[0]}); });
         Attrs a = t.ranges({t.n(0), t.n(4)});
         a.set(AttrKey::order, Order::any);
         a.set(AttrKey::inclusion, Inclusion::inclusive);
         a.set(AttrKey::direction, Direction::forward);
         t.b.emit_with_regions(OpKind::scan, {}, a, {map, combine}, {Type::tensor(DType::f32, {t.n(5)}), kF32});
       })},
      {"V-48", body([](Built& t) {
         RegionId lhs = t.region({}, [&](auto) { t.yield({t.s}); });
         RegionId rhs = t.region({}, [&](auto) { t.yield({t.s}); });
         Attrs a = t.ranges({t.n(0), t.n(4)});
         a.set(AttrKey::order, Order::any);
         a.set(AttrKey::exact_product, true);
         a.set(AttrKey::axes, IntList{0, -1, 1, 1});
         t.b.emit_with_regions(OpKind::contract, {}, a, {lhs, rhs}, {Type::tensor(DType::f32, {})});
       })},
      {"V-48", body([](Built& t) {
         std::vector<Expr> bounds;
         for (int i = 0; i < 33; ++i) bounds.insert(bounds.end(), {t.n(0), t.n(1)});
         RegionId lhs = t.region(std::vector<Type>(33, Type::index()), [&](auto) { t.yield({t.s}); });
         RegionId rhs = t.region(std::vector<Type>(33, Type::index()), [&](auto) { t.yield({t.s}); });
         Attrs a = t.ranges(bounds);
         a.set(AttrKey::order, Order::any);
         a.set(AttrKey::exact_product, true);
         a.set(AttrKey::axes, IntList{1, 0, 0, 32});
         t.b.emit_with_regions(OpKind::contract, {}, a, {lhs, rhs}, {Type::tensor(DType::f32, {t.n(1)})});
       })},
      {"V-49", body([](Built& t) {
         RegionId lhs = t.region({Type::index()}, [&](auto) { t.yield({t.s}); });
         RegionId rhs = t.region({Type::index()}, [&](auto) { t.yield({t.s}); });
         Attrs a = t.ranges({t.n(0), t.n(4)});
         a.set(AttrKey::order, Order::any);
         a.set(AttrKey::axes, IntList{0, 0, 0, 1});
         t.b.emit_with_regions(OpKind::contract, {}, a, {lhs, rhs}, {Type::tensor(DType::f32, {})});
       })},
      {"V-32", body([](Built& t) { t.b.emit1(OpKind::neg, {t.s}, {}, Type::fragment(DType::f32, {t.n(4)}, "")); })},
      {"V-32", body([](Built& t) { t.b.emit1(OpKind::neg, {t.s}, {}, Type{}); })},
      {"V-32", body([](Built& t) {
         Attrs a;
         a.set(AttrKey::axis, std::int64_t{0});
         a.set(AttrKey::extents, ExprList(33, t.n(1)));
         t.b.emit1(OpKind::iota, {}, a, Type::tensor(DType::i32, std::vector<Expr>(33, t.n(1))));
       })},
      {"V-55", body([](Built& t) {  // a break that ends the body itself
         RegionId r = t.region({Type::index()}, [&](const auto&) { t.b.emit(OpKind::break_loop, {}, {}, {}); });
         t.b.emit_with_regions(OpKind::for_loop, {}, t.ranges({t.n(0), t.n(3)}), {r}, {});
       })},
      {"V-55", body([](Built& t) {  // a break out of a parallel
         RegionId inner = t.region({Type::index()}, [&](const auto&) {
           RegionId leave = t.region({}, [&](const auto&) { t.b.emit(OpKind::break_loop, {}, {}, {}); });
           RegionId stay = t.region({}, [&](const auto&) { t.yield(); });
           t.b.emit_with_regions(OpKind::if_else, {t.truth()}, {}, {leave, stay}, {});
           t.yield();
         });
         RegionId outer = t.region({Type::index()}, [&](const auto&) {
           t.b.emit_with_regions(OpKind::parallel, {}, t.ranges({t.n(0), t.n(3)}), {inner}, {});
           t.b.emit(OpKind::next, {}, {}, {});
         });
         t.b.emit_with_regions(OpKind::for_loop, {}, t.ranges({t.n(0), t.n(3)}), {outer}, {});
       })},
      {"V-57", body([](Built& t) {  // a collected result of another extent
         RegionId r = t.region({Type::index()}, [&](const auto&) { t.b.emit(OpKind::next, {t.s}, {}, {}); });
         t.b.emit_with_regions(OpKind::for_loop, {}, t.ranges({t.n(1), t.n(3)}), {r}, {Type::tensor(DType::f32, {t.n(3)})});
       })},
      {"V-57", body([](Built& t) {  // a collected index
         RegionId r = t.region({Type::index()}, [&](const auto& a) { t.b.emit(OpKind::next, {a[0]}, {}, {}); });
         t.b.emit_with_regions(OpKind::for_loop, {}, t.ranges({t.n(1), t.n(3)}), {r}, {Type::index()});
       })},
      {"V-33", body([](Built& t) {
         for (int i = 0; i < 1200; ++i) t.b.enter(t.b.new_region());
         for (int i = 0; i < 1200; ++i) {
           t.yield();
           RegionId inner = t.b.current();
           t.b.leave();
           t.b.emit_with_regions(OpKind::parallel, {}, t.ranges({t.n(0), t.n(1)}), {inner}, {});
         }
       })},
      {"V-33", body([](Built& t) {
         RegionId r = t.region({}, [&](auto) { t.yield(); });
         ValueId c = t.truth();
         t.b.emit_with_regions(OpKind::if_else, {c}, {}, {r, r}, {});  // one region owned twice
       })},
  };
}

// i added to itself, again and again: few operations, an endless expression.
std::string doubled(int times) {
  std::string out = "let d0: index = index i + i";
  for (int k = 1; k < times; ++k)
    out += "\n    let d" + std::to_string(k) + ": index = index d" + std::to_string(k - 1) + " + d" + std::to_string(k - 1);
  return out;
}

// Rules that a text can break: a kernel body within kernel_around.
std::multimap<std::string, std::string> text_breakers() {
  return {
      {"V-34", doubled(40)},
      {"V-12", "let r: f32 = shl a, b"},
      {"V-13", "let r: f32 = add a, c"},
      {"T-04", "let r: f64 = load x[i]"},
      {"V-20", "store y[i] = c"},
      {"V-21", "let v = transpose m perm(1, 0)\nv[i, i] = a"},
      {"V-21", "let v = slice x [1..N]\nv[i] = a"},
      {"V-22", "let v = broadcast y axes(1) to [3, N]\nv[i, i] = a"},
      {"V-24", "let r: i8 = convert.sint c"},
      {"V-24", "let r: i64 = convert.bits c"},
      {"V-26", "let v: view f32[N] = view m (j in 0..N) { yield j, i, i }"},
      {"V-28", "let v: view f32[N] = view m (j in 0..N) { let g = x[j]\n yield j, i }"},
      {"V-29", "let r = reduce add order(any) over j in 0..N { y[j] = a\n x[j] }"},
      {"V-29", "let r = while carry (u = a) when { y[i] = a\n yield u < b } do { next u }"},
      {"V-20", "atomic_rmw.add w[i], a order(relaxed)"},
      {"V-20", "atomic_cas w[i], c, a order(relaxed, relaxed)"},
      {"V-21", "atomic_rmw.add k[i], 1 order(relaxed)"},
      {"V-21", "scatter unique x (j in 0..N) { yield j, a }"},
      {"V-21", "let v = slice k [1..N]\nhistogram v (j in 0..N) { yield j, 1 } out_of_range(drop)"},
      {"V-22", "let v = broadcast w axes(1) to [3, N]\natomic_store v[i, i] = c order(relaxed)"},
      {"V-22", "let s1 = buffer f32[1]\nlet v = broadcast s1 axes(0) to [N]\nscatter unique v (j in 0..N) { yield j, a }"},
      {"V-29", "let r = tensor (j in 0..N) { let v = atomic_load w[j] order(relaxed)\n yield v }"},
      {"V-29", "let r = tensor (j in 0..N) { let r1 = buffer f32[1]\n yield a }"},
      {"V-29", "scatter reduce order(any) y (j in 0..N) { yield j, a } combine (u: f32, v: f32) { let z = x[0]\n yield z }"},
      {"T-03", "let r1 = buffer f32[1]\nlet r2 = for j in 0..3 carry (u = r1) { next u }"},
      {"V-35", "let r: view f32[4] = buffer [N]"},
      {"V-35", "let r: f32 = buffer [N]"},
      {"V-35", "let r = buffer f32[N] init (j) { yield a, a }"},
      {"V-36", "let r = atomic_load w[i] order(acq_rel)"},
      {"V-36", "atomic_store w[i] = c order(acquire)"},
      {"V-36", "atomic_cas w[i], c, d order(relaxed, acq_rel)"},
      {"V-37", "atomic_rmw.min.num w[i], c order(relaxed)"},
      {"V-37", "let r = buffer i8[1]\natomic_rmw.add r[0], 1 order(relaxed)"},
      {"V-37", "let r = buffer f16[1]\natomic_rmw.exchange r[0], 1.0 order(relaxed)"},
      {"V-37", "let r = buffer i1[1]\natomic_store r[0] = true order(relaxed)"},
      {"V-38", "scatter unique y, y (j in 0..N) { yield j, a, a }"},
      {"V-38", "scatter unique y, q (j in 0..N) { yield j, a, a }"},
      {"V-38", "let r = tensor (j in 0..N) { a }\nscatter unique r (j in 0..N) { yield j, a }"},
      {"V-39", "scatter unique y (j in 0..N) { yield j }"},
      {"V-39", "scatter unique y (j in 0..N) { yield j, a, c }"},
      {"V-39", "scatter unique y (j in 0..N) { yield a, a }"},
      {"V-40", "scatter reduce order(any) y (j in 0..N) { yield j, a } combine (u: i32, v: i32) { yield u }"},
      {"V-40", "scatter reduce order(any) y, w (j in 0..N) { yield j, a, c } combine (u: f32, v: f32) { yield u }"},
      {"V-41", "histogram q (j in 0..N) { yield j, a } out_of_range(drop)"},
      {"V-41", "histogram w (j in 0..N) { yield c, 1 } out_of_range(drop)"},
      {"V-41", "histogram w (j in 0..N) { yield j, a } out_of_range(drop)"},
      {"V-30", "let r: f32 = if p { yield a } else { yield c }"},
      {"V-45", "let r = reduce (j in 0..N) where { yield j } map { yield a } combine order(any) (u: f32, v: f32) { yield u }"},
      {"V-45", "let r = reduce (j in 0..N) where { yield c } map { yield a } combine order(any) (u: f32, v: f32) { yield u }"},
      {"V-29", "let r = reduce add order(any) over j in 0..N where { y[j] = a\n yield p } { x[j] }"},
      {"V-29", "let g1 = gather x (j in 0..N) { y[j] = a\n yield j }"},
      {"V-29", "let b1 = buffer f32[N] init (j) { y[j] = a\n yield a }"},
      {"V-29", "scatter unique y (j in 0..N) { w[j] = c\n yield j, a }"},
      {"V-29", "histogram w (j in 0..N) { y[j] = a\n yield j, 1 } out_of_range(drop)"},
      {"V-29", "let (r, t) = scan add inclusive forward order(any) over j in 0..N { y[j] = a\n x[j] }"},
      {"V-29", "let (r, t) = arg_reduce max tie(first) nan(first) over j in 0..N { y[j] = a\n x[j] }"},
      {"V-29",
       "let r = contract free( | ) paired(j in 0..N) lhs { y[j] = a\n yield a } rhs { yield b } product exact accumulate f32 "
       "order(any)"},
      {"V-29",
       "let r = region_fold [0..N] uses (y, a) summarize [lo..hi] { for j in lo..hi { y[j] = a }\n yield i32(1) } combine "
       "order(tree) (u: i32, v: i32) { yield u }"},
      {"V-29",
       "let (r, t) = region_scan [0..N] uses (y, a) init (i32(0)) summarize [lo..hi] { yield i32(1) } combine order(tree) "
       "(u: i32, v: i32) { yield u } apply (u: i32, v: i32) { yield u } emit [lo..hi] (g: i32) { let e = for j in lo..hi "
       "collect (i32) { y[j] = a\n next g }\n yield e }"},
      {"V-29",
       "let (r, t) = region_scan [0..N] uses (y, a, i) init (i32(0)) summarize [lo..hi] { yield i32(1) } combine order(tree) "
       "(u: i32, v: i32) { yield u } apply (u: i32, v: i32) { y[i] = a\n yield u } emit [lo..hi] (g: i32) { let e = for j in "
       "lo..hi collect (i32) { next g }\n yield e }"},
      {"V-47",
       "let (r, t) = scan exclusive forward (j in 0..N) map { yield a } combine order(any) (u: f32, v: f32) { yield u }"},
      {"V-31",
       "let (r, t) = scan inclusive forward (j in 0..N) map { yield a } combine order(any) (u: f32, v: f32) { yield u } "
       "init (a, b)"},
      {"V-48",
       "let r: f32[N, N] = contract free(f in 0..N | ) paired(j in 0..N) lhs { yield a } rhs { yield b } product exact "
       "accumulate f32 order(any)"},
      {"V-48",
       "let r = contract free(f in 0..N | ) paired(j in 0..N) lhs { yield a, b } rhs { yield b } product exact "
       "accumulate f32 order(any)"},
      {"V-17",
       "let r = contract free(f in 0..N | ) paired(j in 0..N) lhs { yield a } rhs { yield b } product (u: f32, v: f64) { "
       "yield u } combine order(any) (u: f32, v: f32) { yield u }"},
      {"V-50",
       "let r = contract free(f in 0..N | ) paired(j in 0..N) lhs { yield c } rhs { yield d } product exact accumulate f32 "
       "order(any)"},
      {"V-50",
       "let r = contract free(f in 0..N | ) paired(j in 0..N) lhs { yield a } rhs { yield b } product exact accumulate f32 "
       "order(any) unit(inf)"},
      {"V-50",
       "let r = contract free(f in 0..N | ) paired(j in 0..N) lhs { yield c } rhs { yield d } product exact accumulate i32 "
       "order(any) unit(0.5)"},
      {"V-58",
       "let r = region_fold [0..N] summarize [lo..hi] { yield i32(1) } combine order(any) (u: i32, v: i32) { yield u }"},
      {"V-59", "let r = region_fold [0..N] summarize [lo..hi] { yield c } combine order(tree) (u: i32, v: i32) { yield u }"},
      {"V-60",
       "let r = region_fold [0..N] summarize [lo..hi] { yield to_i32(hi - lo) } combine order(tree) (u: i32, v: i32) { yield u "
       "}"},
      {"V-61",
       "let r = region_fold [0..N] summarize [lo..hi] { let z: index = index 0\n yield z } combine order(tree) (u: i32, v: "
       "i32) { "
       "yield u }"},
      {"V-62",
       "let (r, t) = region_scan [0..N] init (i64(1)) summarize [lo..hi] { yield i32(1) } combine order(tree) (u: i32, v: i32) "
       "{ "
       "yield u } apply (u: i32, v: i64) { yield u } emit [lo..hi] (g: i64) { let e = for j in lo..hi collect (i64) { next g "
       "}\n "
       "yield e }"},
      {"V-56", "for j in 0..N { if p { break } else { continue } }"},
      {"V-30", "let r: i32 = reduce (j in 0..N) map { yield a } combine order(any) (u: i32, v: i32) { yield u }"},
  };
}

// shows: K1.2 K7.12
TEST(VerifyKernel, EveryRuleIsBrokenBySomeKernel) {
  std::set<std::string> broken;  // by a kernel of which nothing else is told
  const auto alone = [](const Diagnostics& d, const std::string& rule) {
    return std::all_of(d.all().begin(), d.all().end(), [&](const Diagnostic& x) { return x.id == rule; });
  };
  for (const auto& [rule, breaker] : built_breakers()) {
    Built t;
    breaker(t);
    Diagnostics d(1000);
    EXPECT_FALSE(verify(t.k, d)) << rule;
    bool found = std::any_of(d.all().begin(), d.all().end(), [&](const Diagnostic& x) { return x.id == rule; });
    EXPECT_TRUE(found) << rule << " is not told; told is "
                       << (d.all().empty() ? "nothing" : d.all()[0].id + ": " + d.all()[0].message);
    if (found && alone(d, rule)) broken.insert(rule);
  }
  for (const auto& [rule, text] : text_breakers()) {
    KirResult r = kir_of(kernel_around(text));
    EXPECT_FALSE(r.module) << text;
    EXPECT_TRUE(r.has(rule)) << text << "\n" << r.text();
    if (r.has(rule) && alone(r.diagnostics, rule)) broken.insert(rule);
  }
  // The rules are those of the list at the head of verify.cpp.
  std::ifstream in(KIR_SOURCE_DIR "/core/ir/verify.cpp");
  std::ostringstream source;
  source << in.rdbuf();
  std::string text = source.str();
  std::regex rule("//   (V-[0-9]+)  ");
  int rules = 0;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), rule); it != std::sregex_iterator(); ++it, ++rules)
    EXPECT_TRUE(broken.contains((*it)[1])) << (*it)[1] << " has no test in which it fails, and nothing else";
  EXPECT_GE(rules, 42);
}

TEST(VerifyKernel, AcceptsWhatIsRight) {
  Built t;
  ValueId i = t.index(0);
  ValueId v = t.b.emit1(OpKind::load, {t.x, i}, {}, kF32);
  t.b.emit(OpKind::store, {t.y, i, v}, {}, {});
  t.yield();
  t.freeze();
  Diagnostics d;
  EXPECT_TRUE(verify(t.k, d)) << (d.all().empty() ? "" : d.all()[0].message);
}

}  // namespace
}  // namespace kir::test
