#include "emit/runtime/bundle.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace kir::runtime {

using Json = nlohmann::ordered_json;

std::string to_json(const Bundle& bundle) {
  Json kernels = Json::array();
  for (const BundleKernel& k : bundle.kernels) {
    Json cases = Json::array();
    for (const BundleCase& c : k.cases) {
      Json views = Json::object(), expected = Json::object();
      for (const auto& [name, v] : c.views) views[name] = {{"seed", v.seed}, {"special", v.special}, {"same_as", v.same_as}};
      for (const auto& [name, e] : c.expected) expected[name] = {{"file", e.file}, {"radius", e.radius}};
      cases.push_back(
          {{"label", c.label}, {"symbols", c.symbols}, {"scalars", c.scalars}, {"views", views}, {"expected", expected}});
    }
    kernels.push_back({{"name", k.name}, {"artifact", k.artifact}, {"cases", cases}});
  }
  return Json{{"format", "kir-bundle"}, {"version", 1}, {"kernels", kernels}}.dump(1) + "\n";
}

std::optional<Bundle> bundle_from_json(const std::string& text, std::string* error) {
  // Missing or mistyped fields throw inside the library; they become one message here.
  try {
    Json j = Json::parse(text);
    if (j.at("format") != "kir-bundle" || j.at("version") != 1) {
      *error = "not a bundle of version 1";
      return std::nullopt;
    }
    Bundle bundle;
    for (const Json& k : j.at("kernels")) {
      BundleKernel kernel{k.at("name"), k.at("artifact"), {}};
      for (const Json& c : k.at("cases")) {
        BundleCase one{c.at("label"), c.at("symbols"), c.at("scalars"), {}, {}};
        for (const auto& [name, v] : c.at("views").items()) one.views[name] = {v.at("seed"), v.at("special"), v.at("same_as")};
        for (const auto& [name, e] : c.at("expected").items()) one.expected[name] = {e.at("file"), e.at("radius")};
        kernel.cases.push_back(std::move(one));
      }
      bundle.kernels.push_back(std::move(kernel));
    }
    return bundle;
  } catch (const Json::exception& e) {
    *error = e.what();
    return std::nullopt;
  }
}

}  // namespace kir::runtime
