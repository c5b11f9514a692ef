// A bundle: artifacts with launches to try and the results they must give, in one folder that needs nothing else on a GPU
// machine. Written by kir-bundle, run by kir-launch.
//
//   bundle.json            the manifest
//   artifacts/<name>/      one artifact folder per kernel
//   expected/<name>/...    dense .npy files
//   given/<name>/...       likewise: contents of inputs
//
// Most arguments are not stored: a view starts as fill_random of a seed in the form that the ABI and the sizes determine
// (core/interp), with what its data preconditions ask for, and so do no bytes that both sides could disagree on. Inputs that
// are right for no reason that the ABI knows are files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kir::runtime {

struct BundleView {
  std::uint64_t seed = 0;
  bool special = false;  // NaN, infinities, extremes among the elements
  std::string same_as;   // the view whose memory it is; "" for its own
  std::string file;      // of its contents, relative to the bundle; "" for random ones
};

struct BundleExpectation {
  std::string file;  // relative to the bundle
  // "": equal bits, NaN payloads aside. Else a file of f64 with a radius for each element: |got - expected| is at most that;
  // an element that differs under an infinite radius is not decided.
  std::string radius;
};

struct BundleCase {
  std::string label;  // "M = 7, N = 33, seed 2"
  std::map<std::string, std::int64_t> symbols;
  std::map<std::string, std::string> scalars;  // as literals
  std::map<std::string, BundleView> views;
  std::map<std::string, BundleExpectation> expected;  // written views
};

struct BundleKernel {
  std::string name;
  std::string artifact;  // relative to the bundle
  std::vector<BundleCase> cases;
};

struct Bundle {
  std::vector<BundleKernel> kernels;
};

std::string to_json(const Bundle& bundle);
// Empty with *error set for what is no bundle, or one that checks nothing. `name` is the file's, for the message.
std::optional<Bundle> bundle_from_json(const std::string& text, std::string* error, const std::string& name = "bundle.json");

}  // namespace kir::runtime
