// A kernel built by hand, so that it may break rules which no text can.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/verify.h"
#include "core/kir/kernel.h"

namespace kir::test {

inline const Type kF32 = Type::scalar(DType::f32);
inline const Type kI1 = Type::scalar(DType::i1);

// x: in f32[N], y: out f32[N], s: f32; a test fills the root region.
struct Built {
  Kernel k;
  BodyBuilder b;
  RegionId root;
  ValueId x, y, s;

  Built() {
    k.name = "built";
    k.pool = std::make_shared<ExprPool>();
    Expr n = k.pool->symbol("N");
    k.abi.symbols.push_back({.name = "N", .parameter = false, .range = {}, .lo = {}, .hi = {}});
    root = b.new_region();
    x = view("x", Access::in, n);
    y = view("y", Access::out, n);
    s = b.add_argument(root, kF32, "s");
    k.abi.params.push_back({Abi::ParamKind::scalar, 0});
    k.abi.scalars.push_back({.name = "s", .value = s, .dtype = DType::f32, .range = {}});
    b.enter(root);
  }
  ValueId view(const std::string& name, Access access, Expr n) {
    ValueId v = b.add_argument(root, Type::view(DType::f32, {n}), name);
    k.abi.params.push_back({Abi::ParamKind::view, k.abi.views.size()});
    ViewParam p;
    p.name = name;
    p.value = v;
    p.access = access;
    p.shape = {n};
    p.strides = {k.pool->constant(1)};
    k.abi.views.push_back(p);
    return v;
  }
  Attrs expr(Expr e) {
    Attrs a;
    a.set(AttrKey::expr, e);
    return a;
  }
  Expr n(std::int64_t v) { return k.pool->constant(v); }
  ValueId index(std::int64_t v) { return b.emit1(OpKind::index, {}, expr(n(v)), Type::index()); }
  ValueId truth() { return b.emit1(OpKind::index, {}, expr(k.pool->boolean(true)), kI1); }
  // A region with the given argument types that `fill` completes.
  RegionId region(const std::vector<Type>& arguments, const std::function<void(std::vector<ValueId>)>& fill) {
    RegionId r = b.new_region();
    std::vector<ValueId> values;
    for (const Type& t : arguments) values.push_back(b.add_argument(r, t, ""));
    b.enter(r);
    fill(values);
    b.leave();
    return r;
  }
  void yield(std::vector<ValueId> v = {}) { b.emit(OpKind::yield, std::move(v), {}, {}); }
  Attrs ranges(std::vector<Expr> list) {
    Attrs a;
    a.set(AttrKey::ranges, ExprList(std::move(list)));
    return a;
  }
  Attrs choice() {  // of an arg_reduce over four members
    Attrs a = ranges({n(0), n(4)});
    a.set(AttrKey::extreme, Extreme::max);
    a.set(AttrKey::tie, TieRule::first);
    a.set(AttrKey::nan, NanRule::first);
    return a;
  }
  void freeze() {
    BodyBuilder::Renumbering map;
    k.body = b.freeze(*k.pool, std::span(&root, 1), &map);
    k.root = RegionId(0);
    for (ViewParam& v : k.abi.views) v.value = map.values[v.value.index];
    for (ScalarParam& p : k.abi.scalars) p.value = map.values[p.value.index];
  }
};

}  // namespace kir::test
