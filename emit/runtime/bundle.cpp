#include "emit/runtime/bundle.h"

#include "emit/runtime/json_reader.h"

namespace kir::runtime {

std::string to_json(const Bundle& bundle) {
  Json kernels = Json::array();
  for (const BundleKernel& k : bundle.kernels) {
    Json cases = Json::array();
    for (const BundleCase& c : k.cases) {
      Json views = Json::object(), expected = Json::object();
      for (const auto& [name, v] : c.views)
        views[name] = {{"seed", v.seed}, {"special", v.special}, {"same_as", v.same_as}, {"file", v.file}};
      for (const auto& [name, e] : c.expected) expected[name] = {{"file", e.file}, {"radius", e.radius}};
      cases.push_back(
          {{"label", c.label}, {"symbols", c.symbols}, {"scalars", c.scalars}, {"views", views}, {"expected", expected}});
    }
    kernels.push_back({{"name", k.name}, {"artifact", k.artifact}, {"cases", cases}});
  }
  return Json{{"format", "kir-bundle"}, {"version", 1}, {"kernels", kernels}}.dump(1) + "\n";
}

std::optional<Bundle> bundle_from_json(const std::string& text, std::string* error, const std::string& name) {
  const Json j = parse_json(text, name, error);
  if (j.is_discarded()) return std::nullopt;
  JsonReader r(name, error);
  if (r.text(j, "format") != "kir-bundle" || r.integer(j, "version", 1) != 1) r.fail("this is no bundle of version 1");
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min(), kHigh = std::numeric_limits<std::int64_t>::max();
  Bundle bundle;
  for (const Json& k : r.list(j, "kernels")) {
    BundleKernel kernel{r.text(k, "name"), r.text(k, "artifact"), {}};
    for (const Json& c : r.list(k, "cases")) {
      BundleCase one{r.text(c, "label"), {}, {}, {}, {}};
      for (const auto& [key, v] : r.object(c, "symbols").items()) one.symbols[key] = r.as_integer(v, key, kLow, kHigh);
      for (const auto& [key, v] : r.object(c, "scalars").items()) one.scalars[key] = r.as_text(v, key);
      for (const auto& [key, v] : r.object(c, "views").items())
        one.views[key] = {static_cast<std::uint64_t>(r.integer(v, "seed", 0)), r.boolean(v, "special"), r.text(v, "same_as"),
                          r.text(v, "file")};
      for (const auto& [key, e] : r.object(c, "expected").items()) one.expected[key] = {r.text(e, "file"), r.text(e, "radius")};
      if (one.expected.empty()) r.fail(fmt::format("a case of {} expects nothing", kernel.name));
      kernel.cases.push_back(std::move(one));
    }
    if (kernel.cases.empty()) r.fail(fmt::format("{} has no case", kernel.name));
    bundle.kernels.push_back(std::move(kernel));
  }
  if (bundle.kernels.empty()) r.fail("there is no kernel in it");
  return r.good() ? std::optional(std::move(bundle)) : std::nullopt;
}

}  // namespace kir::runtime
