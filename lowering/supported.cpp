#include "lowering/supported.h"

#include <fmt/format.h>

#include "core/ir/op_table.h"

namespace kir::lowering {
namespace {

// What has no physical form yet; "" for an operation that has one.
std::string missing(const Op& op) {
  const std::string name = fmt::format("`{}`", row(op.kind).name);
  switch (op.kind) {
    case OpKind::for_loop:
    case OpKind::buffer:
    case OpKind::scan:
    case OpKind::region_fold:
    case OpKind::region_scan:
    case OpKind::constant:
    case OpKind::index:
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::neg:
    case OpKind::abs:
    case OpKind::div:
    case OpKind::fma:
    case OpKind::min_nan:
    case OpKind::max_nan:
    case OpKind::min_num:
    case OpKind::max_num:
    case OpKind::sqrt:
    case OpKind::floor:
    case OpKind::ceil:
    case OpKind::trunc:
    case OpKind::round_even:
    case OpKind::exp:
    case OpKind::exp2:
    case OpKind::log:
    case OpKind::log2:
    case OpKind::rsqrt:
    case OpKind::sin:
    case OpKind::cos:
    case OpKind::tanh:
    case OpKind::erf:
    case OpKind::divt:
    case OpKind::remt:
    case OpKind::divf:
    case OpKind::remf:
    case OpKind::divu:
    case OpKind::remu:
    case OpKind::min_s:
    case OpKind::max_s:
    case OpKind::min_u:
    case OpKind::max_u:
    case OpKind::bit_and:
    case OpKind::bit_or:
    case OpKind::bit_xor:
    case OpKind::bit_not:
    case OpKind::shl:
    case OpKind::shrl:
    case OpKind::shra:
    case OpKind::cmp:
    case OpKind::select:
    case OpKind::convert:
    case OpKind::load:
    case OpKind::store:
    case OpKind::tensor:
    case OpKind::elem:
    case OpKind::view:
    case OpKind::transpose:
    case OpKind::slice:
    case OpKind::broadcast:
    case OpKind::parallel:
    case OpKind::while_loop:
    case OpKind::if_else:
    case OpKind::yield:
    case OpKind::next:
    case OpKind::assume:
    case OpKind::assume_in_bounds:
    case OpKind::philox4x32_10:
    case OpKind::part:
    case OpKind::reduce:
    case OpKind::arg_reduce:
    case OpKind::contract:
    case OpKind::splat:
    case OpKind::tile_reduce: return {};
    case OpKind::scatter:
    case OpKind::histogram:
    case OpKind::atomic_load:
    case OpKind::atomic_store:
    case OpKind::atomic_rmw:
    case OpKind::atomic_cas:
    case OpKind::reshape:
    case OpKind::concat:
    case OpKind::iota:
    case OpKind::gather:
    case OpKind::break_loop:
    case OpKind::continue_loop: return name;
  }
  return name;
}

}  // namespace

bool check_supported(const Kernel& kernel, Diagnostics& diagnostics) {
  bool supported = true;
  for (std::uint32_t i = 0; i < kernel.body.op_count(); ++i) {
    const Op& op = kernel.body.op(OpId(i));
    const std::string what = missing(op);
    if (what.empty()) continue;
    diagnostics.error("L-05", op.range, fmt::format("{} has no physical form yet", what));
    supported = false;
  }
  return supported;
}

}  // namespace kir::lowering
