#include "core/ir/loop_exit.h"

namespace kir {

bool leaves_loop(const Body& body, RegionId r) {
  const Region& region = body.region(r);
  return !region.ops.empty() && is_loop_exit(body.op(region.ops.back()).kind);
}

OpId loop_of_exit(const Body& body, const Op& exit) {
  RegionId inside = exit.parent;
  OpId owner = body.region(inside).parent;
  if (!owner || body.op(owner).kind != OpKind::if_else) return {};
  while (owner && body.op(owner).kind == OpKind::if_else) {
    inside = body.op(owner).parent;
    owner = body.region(inside).parent;
  }
  if (!owner) return {};
  const Op& loop = body.op(owner);
  const bool in_body = loop.kind == OpKind::for_loop ||
                       (loop.kind == OpKind::while_loop && !loop.regions.empty() && loop.regions.back() == inside);
  return in_body ? owner : OpId{};
}

}  // namespace kir
