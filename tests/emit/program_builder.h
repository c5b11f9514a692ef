// Small physical programs made without the text form: one group over i in 0..N whose body reads x0[i], x1[i], ... and stores
// to y0[i], y1[i], ...
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/interp/launch_args.h"
#include "core/pir/program.h"

namespace kir::testing {

struct ElementwiseShape {
  std::vector<DType> inputs;
  std::vector<DType> outputs;
  std::vector<DType> scalars = {};
  std::int64_t pack = 128;
};

// body: from the loaded values, then the data scalars, to the stored values.
using ElementwiseBody = std::function<std::vector<ValueId>(BodyBuilder&, ExprPool&, const std::vector<ValueId>&, ValueId i)>;

inline PhysicalPtr elementwise(const ElementwiseShape& shape, const ElementwiseBody& body) {
  auto p = std::make_shared<PhysicalProgram>();
  p->name = "elementwise";
  p->pool = std::make_shared<ExprPool>();
  ExprPool& pool = *p->pool;
  BodyBuilder b;
  RegionId root = b.new_region();
  Expr n = pool.symbol("N");
  auto add_view = [&](const std::string& name, Access access, DType t) {
    ViewParam v{.name = name,
                .value = b.add_argument(root, Type::view(t, {n}), name),
                .access = access,
                .dtype = t,
                .shape = {n},
                .strides = {pool.constant(1)}};
    p->abi.params.push_back({Abi::ParamKind::view, p->abi.views.size()});
    p->abi.views.push_back(v);
  };
  for (std::size_t k = 0; k < shape.inputs.size(); ++k) add_view("x" + std::to_string(k), Access::in, shape.inputs[k]);
  for (std::size_t k = 0; k < shape.outputs.size(); ++k) add_view("y" + std::to_string(k), Access::out, shape.outputs[k]);
  for (std::size_t k = 0; k < shape.scalars.size(); ++k) {
    std::string name = "s" + std::to_string(k);
    p->abi.params.push_back({Abi::ParamKind::scalar, k});
    p->abi.scalars.push_back(
        {.name = name, .value = b.add_argument(root, Type::scalar(shape.scalars[k]), name), .dtype = shape.scalars[k]});
  }
  p->abi.symbols.push_back({.name = "N"});
  p->work_id = "w";
  p->work = b.add_argument(root, Type::scalar(DType::i64), "w");

  RegionId group = b.new_region();
  ValueId i = b.add_argument(group, Type::scalar(DType::i64), "i");
  b.enter(group);
  std::vector<ValueId> values;
  for (std::size_t k = 0; k < shape.inputs.size(); ++k)
    values.push_back(b.emit1(OpKind::load, {p->abi.views[k].value, i}, {}, Type::scalar(shape.inputs[k])));
  for (const ScalarParam& s : p->abi.scalars) values.push_back(s.value);
  std::vector<ValueId> results = body(b, pool, values, i);
  for (std::size_t k = 0; k < results.size(); ++k)
    b.emit(OpKind::store, {p->abi.views[shape.inputs.size() + k].value, i, results[k]}, {}, {});
  b.leave();

  p->launch = {.threads = 1, .pack = shape.pack, .grid = "G"};
  p->definitions = {{"L0", n, {}},
                    {"O0", pool.constant(0), {}},
                    {"G", ceildiv(pool.symbol("O0") + pool.symbol("L0"), pool.constant(shape.pack)), {}}};
  p->segments = {{.group = "g0", .axes = {"i"}, .lo = {pool.constant(0)}, .hi = {n}, .length = "L0", .offset = "O0"}};
  RegionId roots[] = {root, group};
  BodyBuilder::Renumbering map;
  ValueId work = p->work;
  Expr guard = pool.all_of(std::vector<Expr>{less_equal(pool.symbol("O0"), pool.value(work)),
                                             less(pool.value(work), pool.symbol("O0") + pool.symbol("L0"))});
  Expr coordinate = pool.value(work) - pool.symbol("O0");
  p->body = b.freeze(pool, roots, &map);
  auto renumber = [&](Expr e) {
    return substitute(
        e, [&](Expr leaf) { return leaf.is(ExprKind::value) ? pool.value(map.values[leaf.value().index]) : Expr(); });
  };
  for (ViewParam& v : p->abi.views) v.value = map.values[v.value.index];
  for (ScalarParam& s : p->abi.scalars) s.value = map.values[s.value.index];
  p->work = map.values[work.index];
  p->arms = {{.guard = renumber(guard), .group = 0, .coordinates = {renumber(coordinate)}}};
  p->groups = {{.name = "g0", .region = map.regions[group.index], .lo = {pool.constant(0)}, .hi = {n}}};
  p->root = map.regions[root.index];
  return p;
}

inline TensorPtr make_tensor(DType t, const std::vector<std::uint64_t>& bits) {
  auto out = std::make_shared<Tensor>();
  out->dtype = t;
  out->shape = {static_cast<std::int64_t>(bits.size())};
  out->strides = {1};
  out->bytes.resize(bits.size() * static_cast<std::size_t>(byte_size(t)));
  for (std::size_t i = 0; i < bits.size(); ++i)
    std::memcpy(out->bytes.data() + i * static_cast<std::size_t>(byte_size(t)), &bits[i],
                static_cast<std::size_t>(byte_size(t)));
  return out;
}

inline std::uint64_t element(const Tensor& t, std::size_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, t.bytes.data() + i * static_cast<std::size_t>(byte_size(t.dtype)),
              static_cast<std::size_t>(byte_size(t.dtype)));
  return bits;
}

}  // namespace kir::testing
