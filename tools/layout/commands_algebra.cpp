#include <fmt/format.h>

#include "core/layout/algebra.h"
#include "core/layout/factory.h"
#include "core/layout/text.h"
#include "tools/layout/command.h"

namespace kir::tools {
namespace {

using layout::Layout;
using layout::Shape;
using layout::TileLayout;

// The texts of an operation's arguments, by their names on the command line.
struct Texts {
  std::string first, second, first_shape, second_shape, list, axis = "m";
  std::int64_t number = 0;
  bool flag = false;
};

std::vector<std::size_t> positions(const std::string& field, const std::string& text) {
  std::vector<std::size_t> out;
  for (std::int64_t i : need(read_numbers(field, text), text)) {
    if (i < 0) throw Refusal{{field, 0, fmt::format("{} is no position", i)}, {}};
    out.push_back(static_cast<std::size_t>(i));
  }
  return out;
}

int show_part(const std::optional<Layout>& part, const char* without, bool json) {
  if (part) return show_layout(*part, json);
  if (json)
    fmt::print("{}\n", Json{{"layout", nullptr}}.dump(2));
  else
    fmt::print("{}\n", without);
  return 1;
}
int show_part(const std::optional<TileLayout>& part, const char* without, bool json) {
  return show_part(part ? std::optional(Layout{*part, {}}) : std::nullopt, without, json);
}

int show_tile(TileLayout l, bool json) { return show_layout({std::move(l), {}}, json); }

std::string joined(const std::vector<std::size_t>& v) {
  std::string out;
  for (std::size_t i : v) out += fmt::format("{}{}", out.empty() ? "" : ", ", i);
  return "(" + out + ")";
}

// "2:6, 1, 0::2": [begin, end), one index, start::step.
std::vector<layout::Index> index_of(const std::string& text) {
  std::vector<layout::Index> out;
  using Kind = layout::Index::Kind;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, end - at);
    const std::size_t colon = item.find(':');
    const bool step = colon != std::string::npos && item.compare(colon, 2, "::") == 0;
    auto size = [&](const std::string& part, std::size_t offset) {
      layout::Result<layout::Size> s = layout::parse_size(part);
      if (!s) {
        Complaint c = complaint_of("index", s.error());
        c.column += at + offset;
        throw Refusal{c, text};
      }
      return *std::move(s);
    };
    if (colon == std::string::npos)
      out.push_back({Kind::drop, size(item, 0), {}});
    else
      out.push_back({step ? Kind::stride : Kind::narrow, size(item.substr(0, colon), 0),
                     size(item.substr(colon + (step ? 2 : 1)), colon + (step ? 2 : 1))});
    at = end + 1;
  }
  return out;
}

int compose_command(const Texts& t, bool json) {
  const Layout outer = layout_argument(t.first);
  if (!outer.swizzle) return show_tile(need(compose(outer.tile, tile_argument(t.second)), "compose"), json);
  if (outer.tile != *TileLayout::make({{outer.swizzle->period(), 1}}))
    throw Refusal{{"compose", 0, "the outer function is a swizzle alone or a layout without one"}, {}};
  return show_layout(need(compose(*outer.swizzle, tile_argument(t.second)), "compose"), json);
}

int group_command(const Texts& t, bool json) {
  const layout::Grouped g = need(group(tile_argument(t.first), shape_argument("by", t.first_shape)), "group");
  if (json) {
    fmt::print("{}\n", Json{{"layout", to_string(g.layout)}, {"separators", g.separators}}.dump(2));
    return 0;
  }
  fmt::print("{}\nseparators {}\n", to_string(g.layout), joined(g.separators));
  return 0;
}

int sub_view_command(const Texts& t, bool json) {
  const layout::SubView v =
      need(sub_view(layout_argument(t.first), shape_argument("shape", t.first_shape), index_of(t.list)), "view");
  std::vector<std::string> extents;
  std::string shape;
  for (const layout::Size& e : v.shape) {
    extents.push_back(e.text());
    shape += fmt::format("{}{}", shape.empty() ? "" : ", ", e.text());
  }
  if (json) {
    fmt::print("{}\n", Json{{"layout", to_string(v.layout)},
                            {"shape", extents},
                            {"offset", v.offset.text()},
                            {"offset_moves_out", v.offset_moves_out}}
                           .dump(2));
    return 0;
  }
  fmt::print("{}\nshape ({}), offset {}\n", to_string(v.layout), shape, v.offset.text());
  if (v.layout.swizzle)
    fmt::print("the offset {} behind the swizzle\n", v.offset_moves_out ? "may be added" : "may not be added");
  return 0;
}

int slice_command(const Texts& t, bool json) {
  std::vector<layout::Range> region;
  for (const layout::Index& i : index_of(t.list)) {
    if (i.kind != layout::Index::Kind::narrow) throw Refusal{{"region", 0, "each dimension is begin:end"}, t.list};
    region.push_back({i.begin, i.end});
  }
  return show_part(need(slice(layout_argument(t.first), shape_argument("shape", t.first_shape), region), "slice"),
                   "no layout has these places", json);
}

}  // namespace

void add_algebra_commands(CommandLine& line) {
  using Options = std::function<void(CLI::App&, Texts&)>;
  auto add = [&](const char* name, const char* help, const Options& options, std::function<int(const Texts&, bool)> run) {
    add_command<Texts>(line, name, help, "Algebra", options, std::move(run));
  };
  const Options one = [](CLI::App& app, Texts& t) { app.add_option("LAYOUT", t.first, "a layout")->required(); };
  auto with = [one](const Options& more) {
    return Options([one, more](CLI::App& app, Texts& t) {
      one(app, t);
      more(app, t);
    });
  };
  auto text = [](const char* option, std::string Texts::* member, const char* help) {
    return Options([=](CLI::App& app, Texts& t) { app.add_option(option, t.*member, help)->required(); });
  };
  auto both = [](const Options& a, const Options& b) {
    return Options([a, b](CLI::App& app, Texts& t) {
      a(app, t);
      b(app, t);
    });
  };
  const Options number = [](CLI::App& app, Texts& t) { app.add_option("NUMBER", t.number, "a number")->required(); };
  auto two = [&](const char* first, const char* second) {
    return both(text(first, &Texts::first, "a layout"), text(second, &Texts::second, "a layout"));
  };
  auto shapes = [&](const char* first, const char* second) {
    return both(text(first, &Texts::first_shape, "as \"8, 8\""), text(second, &Texts::second_shape, "as \"8, 8\""));
  };

  add("compose", "x -> OUTER(INNER(x)); OUTER may be swizzle(M,B,S)", two("OUTER", "INNER"), compose_command);
  add("canonicalize", "the same map with the fewest iters",
      with([](CLI::App& app, Texts& t) { app.add_flag("--threads", t.flag, "also fuse thread axes of nested scopes"); }),
      [](const Texts& t, bool json) {
        return t.flag ? show_tile(canonicalize_threads(tile_argument(t.first)), json)
                      : show_layout(canonicalize(layout_argument(t.first)), json);
      });
  add("group", "split so that each dimension of a shape is a run of iters",
      with(text("--by", &Texts::first_shape, "the shape")), group_command);
  add("permute", "shard iters in another order", with(text("--perm", &Texts::list, "positions, as \"2, 0, 1\"")),
      [](const Texts& t, bool json) {
        return show_tile(need(permute_dims(tile_argument(t.first), positions("perm", t.list)), "permute"), json);
      });
  add("tile", "INNER repeated at the places of OUTER", both(two("OUTER", "INNER"), shapes("--outer-shape", "--inner-shape")),
      [](const Texts& t, bool json) {
        return show_layout(need(tile(tile_argument(t.first), shape_argument("outer-shape", t.first_shape),
                                     layout_argument(t.second), shape_argument("inner-shape", t.second_shape)),
                                "tile"),
                           json);
      });
  add("tile-to", "repeated row-major up to a shape", with(shapes("--shape", "--to")), [](const Texts& t, bool json) {
    return show_layout(
        need(tile_to(layout_argument(t.first), shape_argument("shape", t.first_shape), shape_argument("to", t.second_shape)),
             "tile-to"),
        json);
  });
  add("is-tile-inner", "the outer layout, when LAYOUT is the inner part of TILED; exit 1 when it is not",
      both(two("LAYOUT", "TILED"), shapes("--tiled-shape", "--inner-shape")), [](const Texts& t, bool json) {
        return show_part(
            need(is_tile_inner(layout_argument(t.first), layout_argument(t.second),
                               shape_argument("tiled-shape", t.first_shape), shape_argument("inner-shape", t.second_shape)),
                 "is-tile-inner"),
            "it is not the inner part", json);
      });
  add("is-tile-outer", "the inner layout, when LAYOUT is the outer part of TILED; exit 1 when it is not",
      both(two("LAYOUT", "TILED"), shapes("--tiled-shape", "--outer-shape")), [](const Texts& t, bool json) {
        return show_part(
            need(is_tile_outer(tile_argument(t.first), layout_argument(t.second), shape_argument("tiled-shape", t.first_shape),
                               shape_argument("outer-shape", t.second_shape)),
                 "is-tile-outer"),
            "it is not the outer part", json);
      });
  add("direct-sum", "LEFT + RIGHT over interleaved dimensions",
      both(two("LEFT", "RIGHT"), shapes("--left-shape", "--right-shape")), [](const Texts& t, bool json) {
        return show_tile(need(direct_sum(tile_argument(t.first), shape_argument("left-shape", t.first_shape),
                                         tile_argument(t.second), shape_argument("right-shape", t.second_shape)),
                              "direct-sum"),
                         json);
      });
  add("slice", "the layout of a box; exit 1 when none has its places",
      with(both(text("--shape", &Texts::first_shape, "of the whole"),
                text("--region", &Texts::list, "begin:end of each dimension, as \"2:4, 0:64\""))),
      slice_command);
  add("view", "an indexed tensor: shape, offset and layout",
      with(both(text("--shape", &Texts::first_shape, "of the whole"),
                text("--index", &Texts::list, "of each dimension an index, begin:end or start::step, as \"1, 2:6, 0::2\""))),
      sub_view_command);
  add("storage", "without threads and devices", one,
      [](const Texts& t, bool json) { return show_layout(storage(layout_argument(t.first)), json); });
  add("unpack", "each element becomes NUMBER neighbours", with(number),
      [](const Texts& t, bool json) { return show_layout(need(unpack(layout_argument(t.first), t.number), "unpack"), json); });
  add("pack", "each NUMBER neighbours become one element", with(number),
      [](const Texts& t, bool json) { return show_layout(need(pack(layout_argument(t.first), t.number), "pack"), json); });
  add("broadcast", "a new iter of stride 0",
      with(both(text("--extent", &Texts::list, "how often"),
                [](CLI::App& app, Texts& t) {
                  t.number = -1;
                  app.add_option("--position", t.number, "before which iter; -1: last")->capture_default_str();
                  app.add_option("--axis", t.axis, "on which axis")->capture_default_str();
                })),
      [](const Texts& t, bool json) {
        const std::optional<layout::Axis> axis = layout::Axis::find(t.axis);
        if (!axis) throw Refusal{{"axis", 0, fmt::format("there is no axis {}; `kir-layout axes` lists them", t.axis)}, {}};
        return show_tile(
            need(broadcast(tile_argument(t.first), need(layout::parse_size(t.list), "extent"), t.number, *axis), "broadcast"),
            json);
      });
  add("inverse", "the layout that undoes it; --right: that it undoes",
      with([](CLI::App& app, Texts& t) { app.add_flag("--right", t.flag, "the right inverse"); }),
      [](const Texts& t, bool json) {
        return show_tile(need(t.flag ? right_inverse(tile_argument(t.first)) : left_inverse(tile_argument(t.first)), "inverse"),
                         json);
      });
  add("complement", "what it leaves out of [0, SIZE)", with(text("--cosize", &Texts::list, "the size")),
      [](const Texts& t, bool json) {
        return show_tile(need(complement(tile_argument(t.first), need(layout::parse_size(t.list), "cosize")), "complement"),
                         json);
      });
  add("to-psum", "positions on F in banks of 512", one,
      [](const Texts& t, bool json) { return show_tile(need(layout::to_psum(tile_argument(t.first)), "to-psum"), json); });
}

}  // namespace kir::tools
