#include "tools/layout/case_kinds.h"

#include <fmt/format.h>

#include "tools/layout/case_compute.h"

namespace kir::tools::cases {

// The operation has to refuse; what it would have given is the difference.
static Json reject(const Case& c) {
  const std::string op = text(in(c, "op"), "op");
  try {
    if (op == "trainium") return {{"error", false}, {"gives", trainium_op(c)}};
    const Kind* kind = op == "reject" ? nullptr : find_kind(op);
    if (!kind) throw Malformed{fmt::format("there is no operation '{}'", op)};
    return {{"error", false}, {"gives", kind->compute(c)}};
  } catch (const Refused& e) {
    return {{"error", true}, {"reason", e.why}};
  }
}

std::span<const Kind> kinds() {
  static const Kind all[] = {
      {"axis", axis_kind, false, {}, "scope"},
      {"construct", construct},
      {"scope", scope},
      {"admits", admits_kind},
      {"apply", apply_kind},
      {"apply_to_shape", apply_to_shape},
      {"apply_out_of_range", apply_out_of_range, false, {"unwrapped"}},
      {"swizzle", swizzle},
      {"swizzle_params", swizzle_params},
      {"swizzle_period", swizzle_period},
      {"compose", compose_kind},
      {"bank", bank},
      {"bank_column", bank_column},
      {"canonicalize", canonicalize_kind},
      {"equal", equal_kind},
      {"size_span", size_span},
      {"group", group_kind},
      {"group_many", group_many_kind},
      {"permute_by_groups", permute_by_groups_kind},
      {"permute_dims", permute_dims_kind},
      {"tile", tile_kind, true},
      {"tile_to", tile_to_kind, true},
      {"is_tile_inner", is_tile_inner_kind, true},
      {"is_tile_outer", is_tile_outer_kind, true},
      {"direct_sum", direct_sum_kind, true},
      {"is_direct_sum_right", is_direct_sum_right_kind, true},
      {"is_direct_sum_left", is_direct_sum_left_kind, true},
      {"slice", slice_kind, true, {"layout"}},
      {"storage", storage_kind, true},
      {"unpack", unpack_kind, true},
      {"pack", pack_kind, true},
      {"broadcast", broadcast_kind},
      {"is_trivial", is_trivial_kind},
      {"is_trainium", is_trainium_kind},
      {"to_psum", to_psum_kind},
      {"factory", factory},
      {"sub_view", sub_view_kind, true},
      {"sub_view_swizzle", sub_view_swizzle},
      {"injective", injective_kind},
      {"permute_xor_bits", permute_xor_bits_kind},
      {"reject", reject, false, {"reason"}},
  };
  return all;
}

const Kind* find_kind(std::string_view name) {
  for (const Kind& k : kinds())
    if (k.name == name) return &k;
  return nullptr;
}

}  // namespace kir::tools::cases
