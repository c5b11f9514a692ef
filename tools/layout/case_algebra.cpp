#include "tools/layout/case_compute.h"

#include <fmt/format.h>

#include "core/layout/algebra.h"
#include "core/layout/factory.h"
#include "core/layout/primitive.h"

namespace kir::tools::cases {

using layout::Layout;
using layout::TileLayout;

template <class T>
static Json or_null(layout::Result<std::optional<T>> found) {
  const std::optional<T> value = accept(std::move(found));
  return value ? json_of(*value) : Json();
}

Json canonicalize_kind(const Case& c) {
  const Layout l = layout_of(c.layout);
  if (!c.input.contains("target")) return json_of(canonicalize(l));
  if (text(in(c, "target"), "target") != "cuda") throw Malformed{"the only target is cuda"};
  if (l.swizzle) return json_of(canonicalize(l));
  return json_of(canonicalize_threads(l.tile));
}

Json group_kind(const Case& c) {
  const layout::Grouped g = accept(group(tile_of(c.layout), shape(c.shape, "shape")));
  return {{"layout", json_of(g.layout)}, {"separators", g.separators}};
}

Json group_many_kind(const Case& c) {
  std::vector<layout::Shape> shapes;
  for (const auto& s : integer_lists(in(c, "shapes"), "shapes")) shapes.emplace_back(s.begin(), s.end());
  const layout::GroupedMany g = accept(group_many(tile_of(c.layout), shapes));
  return {{"layout", json_of(g.layout)}, {"separators", g.separators}};
}

Json permute_by_groups_kind(const Case& c) {
  return json_of(
      accept(permute_by_groups(tile_of(c.layout), indices(in(c, "separators"), "separators"), indices(in(c, "perm"), "perm"))));
}

Json permute_dims_kind(const Case& c) {
  return json_of(accept(permute_dims(tile_of(c.layout), indices(in(c, "perm"), "perm"))));
}

Json tile_kind(const Case& c) {
  return json_of(accept(tile(tile_of(in(c, "outer")), shape(in(c, "outer_shape"), "outer_shape"), layout_of(c.layout),
                             shape(in(c, "inner_shape"), "inner_shape"))));
}

Json tile_to_kind(const Case& c) {
  return json_of(accept(tile_to(layout_of(c.layout), shape(c.shape, "shape"), shape(in(c, "to_shape"), "to_shape"))));
}

// With the target cuda a tiled layout may name the thread axes fused; it is compared in the terms of its part.
static Layout tiled_of(const Case& c, const Layout& part) {
  const Layout tiled = layout_of(in(c, "tiled"));
  if (!c.input.contains("target") || tiled.swizzle) return tiled;
  const std::optional<TileLayout> unfused = unfuse_threads(tiled.tile, part.tile);
  return unfused ? Layout{*unfused, {}} : tiled;
}

Json is_tile_inner_kind(const Case& c) {
  const Layout part = layout_of(c.layout);
  return or_null(is_tile_inner(part, tiled_of(c, part), shape(in(c, "tiled_shape"), "tiled_shape"),
                               shape(in(c, "inner_shape"), "inner_shape")));
}

Json is_tile_outer_kind(const Case& c) {
  const TileLayout part = tile_of(c.layout);
  return or_null(is_tile_outer(part, tiled_of(c, {part, {}}), shape(in(c, "tiled_shape"), "tiled_shape"),
                               shape(in(c, "outer_shape"), "outer_shape")));
}

Json direct_sum_kind(const Case& c) {
  return json_of(accept(direct_sum(tile_of(in(c, "left")), shape(in(c, "left_shape"), "left_shape"), tile_of(c.layout),
                                   shape(in(c, "right_shape"), "right_shape"))));
}

Json is_direct_sum_right_kind(const Case& c) {
  return or_null(is_direct_sum_right(tile_of(c.layout), tile_of(in(c, "sum")),
                                     shape(in(c, "interleaved_shape"), "interleaved_shape"),
                                     shape(in(c, "right_shape"), "right_shape")));
}

Json is_direct_sum_left_kind(const Case& c) {
  return or_null(is_direct_sum_left(tile_of(c.layout), tile_of(in(c, "sum")),
                                    shape(in(c, "interleaved_shape"), "interleaved_shape"),
                                    shape(in(c, "left_shape"), "left_shape")));
}

// A slice is judged by its places. Where the file knows of no layout, none has to be found.
Json slice_kind(const Case& c) {
  std::vector<layout::Range> region;
  std::vector<std::int64_t> box;
  for (const auto& r : integer_lists(in(c, "region"), "region")) {
    if (r.size() != 2) throw Malformed{"region is a list of [begin, end]"};
    region.push_back({r[0], r[1]});
    box.push_back(r[1] - r[0]);
  }
  const std::optional<Layout> part = accept(slice(layout_of(c.layout), shape(c.shape, "shape"), region));
  Json out = {{"layout", part ? json_of(*part) : Json()}};
  if (!c.expect.is_object() || !c.expect.contains("values")) return out;
  if (!part) {
    out["values"] = c.expect.contains("layout") && c.expect["layout"].is_null() ? c.expect["values"] : Json();
    return out;
  }
  out["values"] = Json::array();
  for (const Json& v : c.expect["values"]) {
    if (!v.is_array() || v.size() != 2) throw Malformed{"values is a list of [coordinate, place]"};
    const std::int64_t flat = accept(layout::flatten(integers(v[0], "a coordinate"), box));
    out["values"].push_back(Json::array({v[0], json_of(base_place(*part, flat))}));
  }
  return out;
}

Json storage_kind(const Case& c) { return json_of(storage(layout_of(c.layout))); }
Json unpack_kind(const Case& c) { return json_of(accept(unpack(layout_of(c.layout), integer(in(c, "num"), "num")))); }
Json pack_kind(const Case& c) { return json_of(accept(pack(layout_of(c.layout), integer(in(c, "num"), "num")))); }
Json broadcast_kind(const Case& c) {
  return json_of(accept(
      broadcast(tile_of(c.layout), integer(in(c, "num"), "num"), integer(in(c, "position"), "position"), axis(in(c, "axis")))));
}
Json is_trivial_kind(const Case& c) { return is_trivial(layout_of(c.layout)); }
Json is_trainium_kind(const Case& c) { return is_trainium(tile_of(c.layout)); }
Json to_psum_kind(const Case& c) { return json_of(accept(layout::to_psum(tile_of(c.layout)))); }

static std::vector<layout::Argument> arguments(const Json& input) {
  std::vector<layout::Argument> out;
  for (const auto& [name, value] : input.items()) {
    if (name == "factory" || name == "op") continue;
    if (value.is_string())
      out.push_back({name, {}, value.get<std::string>()});
    else if (value.is_boolean())
      out.push_back({name, {value.get<bool>() ? 1 : 0}, {}});
    else if (value.is_array())
      out.push_back({name, integers(value, name.c_str()), {}});
    else
      out.push_back({name, {integer(value, name.c_str())}, {}});
  }
  return out;
}

Json factory(const Case& c) { return json_of(accept(layout::build(text(in(c, "factory"), "factory"), arguments(c.input)))); }
Json trainium_op(const Case& c) { return json_of(accept(layout::build("trainium", arguments(c.input)))); }

static std::vector<layout::Index> index_of(const Json& j) {
  std::vector<layout::Index> out;
  if (!j.is_array()) throw Malformed{"index is a list"};
  for (const Json& i : j) {
    using Kind = layout::Index::Kind;
    if (i.is_object())
      out.push_back({Kind::stride, integer(field(i, "start"), "start"), integer(field(i, "step"), "step")});
    else if (i.is_array() && i.size() == 2)
      out.push_back({Kind::narrow, integer(i[0], "begin"), integer(i[1], "end")});
    else
      out.push_back({Kind::drop, integer(i, "an index"), {}});
  }
  return out;
}

Json sub_view_kind(const Case& c) {
  const layout::SubView v = accept(sub_view(layout_of(c.layout), shape(c.shape, "shape"), index_of(in(c, "index"))));
  Json extents = Json::array();
  for (const layout::Size& e : v.shape) extents.push_back(e.constant() ? Json(*e.constant()) : Json(e.text()));
  return {{"shape", std::move(extents)},
          {"elem_offset", v.offset.constant() ? Json(*v.offset.constant()) : Json(v.offset.text())},
          {"layout", json_of(v.layout)}};
}

Json sub_view_swizzle(const Case& c) {
  const Layout l = layout_of(c.layout);
  const layout::SubView v = accept(sub_view(l, shape(c.shape, "shape"), index_of(in(c, "index"))));
  if (!l.swizzle) throw Refused{"the layout has no swizzle"};
  return {{"offset", v.offset.constant() ? Json(*v.offset.constant()) : Json(v.offset.text())},
          {"period", l.swizzle->period()},
          {"may_move_outside_swizzle", v.offset_moves_out}};
}

Json permute_xor_bits_kind(const Case& c) {
  const std::optional<int> bits = accept(layout::permute_xor_bits(tile_of(c.layout), tile_of(in(c, "destination")), shape_of(c),
                                                                  integer(in(c, "dtype_bytes"), "dtype_bytes"),
                                                                  integer(in(c, "elements_per_lane"), "elements_per_lane")));
  return bits ? Json(*bits) : Json();
}

}  // namespace kir::tools::cases
