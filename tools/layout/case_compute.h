// The functions behind the kinds of cases (case_kinds.h), in two files: maps and decisions, and the algebra with the machines.
#pragma once

#include "tools/layout/case_kinds.h"

namespace kir::tools::cases {

inline const Json& in(const Case& c, const char* name) { return field(c.input, name); }
inline std::vector<std::int64_t> shape_of(const Case& c) { return integers(c.shape, "shape"); }

Json axis_kind(const Case& c);
Json construct(const Case& c);
Json scope(const Case& c);
Json admits_kind(const Case& c);
Json apply_kind(const Case& c);
Json apply_to_shape(const Case& c);
Json apply_out_of_range(const Case& c);
Json swizzle(const Case& c);
Json swizzle_params(const Case& c);
Json swizzle_period(const Case& c);
Json compose_kind(const Case& c);
Json bank(const Case& c);
Json bank_column(const Case& c);
Json equal_kind(const Case& c);
Json injective_kind(const Case& c);
Json size_span(const Case& c);
Json canonicalize_kind(const Case& c);
Json group_kind(const Case& c);
Json group_many_kind(const Case& c);
Json permute_by_groups_kind(const Case& c);
Json permute_dims_kind(const Case& c);
Json tile_kind(const Case& c);
Json tile_to_kind(const Case& c);
Json is_tile_inner_kind(const Case& c);
Json is_tile_outer_kind(const Case& c);
Json direct_sum_kind(const Case& c);
Json is_direct_sum_right_kind(const Case& c);
Json is_direct_sum_left_kind(const Case& c);
Json slice_kind(const Case& c);
Json storage_kind(const Case& c);
Json unpack_kind(const Case& c);
Json pack_kind(const Case& c);
Json broadcast_kind(const Case& c);
Json is_trivial_kind(const Case& c);
Json is_trainium_kind(const Case& c);
Json to_psum_kind(const Case& c);
Json factory(const Case& c);
Json trainium_op(const Case& c);
Json sub_view_kind(const Case& c);
Json sub_view_swizzle(const Case& c);
Json permute_xor_bits_kind(const Case& c);

}  // namespace kir::tools::cases
