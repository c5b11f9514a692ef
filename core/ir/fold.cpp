#include "core/ir/fold.h"

#include <algorithm>

#include "core/ir/op_table.h"
#include "core/numeric/scalar_ops.h"

namespace kir {

std::optional<Fold> as_fold(const Body& body, const Op& op) {
  Fold f;
  switch (op.kind) {
    case OpKind::reduce:
      f.combine = op.regions[1];
      f.components = op.results.size();
      break;
    case OpKind::scan:
      f.combine = op.regions[1];
      f.components = body.region(f.combine).args.size() / 2;
      break;
    case OpKind::contract:
      if (op.regions.size() > 3) f.combine = op.regions[3];
      f.components = 1;
      break;
    case OpKind::scatter:
      if (op.regions.size() < 2) return std::nullopt;
      f.combine = op.regions[1];
      f.components = op.operands.size();
      f.order = op.attrs.get<Order>(AttrKey::order);
      f.type = body.type(op.operands[0]).dtype;
      return f;
    default: return std::nullopt;
  }
  f.init = op.operands;
  f.identity = op.attrs.find<ScalarList>(AttrKey::identity);
  f.order = op.attrs.get<Order>(AttrKey::order);
  f.type = body.type(op.results[0]).dtype;
  return f;
}

std::optional<OpKind> single_operation(const Body& body, RegionId combine) {
  const Region& r = body.region(combine);
  if (r.args.size() != 2 || r.ops.size() != 2) return std::nullopt;
  const Op &only = body.op(r.ops[0]), &end = body.op(r.ops[1]);
  if (!is_pointwise(only.kind) || only.results.size() != 1 || only.operands.size() != 2) return std::nullopt;
  const bool both = std::is_permutation(only.operands.begin(), only.operands.end(), r.args.begin(), r.args.end());
  const bool yielded = end.operands.size() == 1 && end.operands[0] == only.results[0];
  return both && yielded ? std::optional(only.kind) : std::nullopt;
}

bool has_one_result(const Body& body, const Fold& fold) {
  if (fold.order == Order::strict) return true;
  if (!fold.combine) return is_integer(fold.type);
  // What is built of integers is exact in every order that its laws allow; so are extremes.
  const std::vector<ValueId>& arguments = body.region(fold.combine).args;
  if (std::none_of(arguments.begin(), arguments.end(), [&](ValueId v) { return is_float(body.type(v).dtype); })) return true;
  const std::optional<OpKind> only = single_operation(body, fold.combine);
  return only && is_associative(*only, fold.type) && is_commutative(*only, fold.type);
}

ValueId bound_with(const Body& body, const Op& op, std::size_t which, std::size_t position) {
  if (which == 0) return {};
  std::size_t at = position;
  switch (op.kind) {
    case OpKind::while_loop: break;
    case OpKind::reduce:
      if (which != 2) return {};
      break;
    case OpKind::arg_reduce: break;
    case OpKind::contract: {
      const std::optional<ContractAxes> axes = contract_axes(op);
      if (which != 1 || !axes) return {};
      if (position >= axes->batch) {
        if (position < axes->batch + axes->right) return {};
        at = position - axes->right + axes->left;
      }
      break;
    }
    default: return {};
  }
  const std::vector<ValueId>& leading = body.region(op.regions[0]).args;
  return at < leading.size() ? leading[at] : ValueId{};
}

std::optional<ContractAxes> contract_axes(const Op& op) {
  const IntList* axes = op.attrs.find<IntList>(AttrKey::axes);
  if (!axes || axes->size() != 4) return std::nullopt;
  if (std::any_of(axes->begin(), axes->end(), [](std::int64_t n) { return n < 0 || n > 32; })) return std::nullopt;
  auto at = [&](std::size_t k) { return static_cast<std::size_t>((*axes)[k]); };
  return ContractAxes{at(0), at(1), at(2), at(3)};
}

}  // namespace kir
