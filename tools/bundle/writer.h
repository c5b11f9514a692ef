// Writes a bundle (emit/runtime/bundle.h): artifacts, launches, and the results that the interpreters give.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/kir/kernel.h"
#include "core/pir/program.h"
#include "emit/runtime/bundle_run.h"

namespace kir::tools {

// Why no bundle was written; caught in main.
struct Trouble : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What the corpus' JSON says about a kernel.
struct CorpusEntry {
  std::string name;  // the kernel's id
  struct Sizes {
    std::map<std::string, std::int64_t> symbols;
    std::map<std::string, std::string> scalars;  // data scalars, as literals
  };
  std::vector<Sizes> sizes;  // at least one
  // Where random contents are not right: stored cases, whose inputs are files `in.<view>.npy` of the folder.
  struct Stored {
    std::string folder;
    Sizes sizes;
  };
  std::vector<Stored> stored;
  bool constructed = true;        // false: only the reference interpreter runs it
  std::set<std::string> inexact;  // written views that are not the same bits on every provider
};
// Of a FILE.json; the stored cases are in CORPUS/expected.
std::vector<CorpusEntry> corpus_entries(const std::string& path, const std::string& corpus);

class BundleWriter {
 public:
  BundleWriter(std::filesystem::path out, std::string target) : out_(std::move(out)), target_(std::move(target)) {}

  // `program` implements `kernel`; the reference interpreter says what is right. Unless the program keeps the kernel's order of
  // evaluation, only launches whose results do not depend on it are made.
  void add_kernel(const std::string& name, const Kernel& kernel, const PhysicalProgram& program, const CorpusEntry& entry,
                  bool same_order);

  // A program by itself; the physical interpreter says what is right, within `ulp` units in the last place.
  void add_program(const std::string& name, const PhysicalProgram& program, const std::map<std::string, std::int64_t>& symbols,
                   std::uint64_t seed, bool special, int ulp);

  void finish() const;
  std::size_t programs() const { return bundle_.kernels.size(); }
  std::size_t cases() const;
  std::size_t left_out() const { return left_out_; }  // their contents made them erroneous

 private:
  void write_program(const std::string& name, const PhysicalProgram& program) const;
  void add_case(runtime::BundleKernel& k, const Kernel& kernel, const CorpusEntry& entry, const CorpusEntry::Sizes& sizes,
                std::uint64_t seed, bool special, bool aliased, const std::string& stored = {});
  void save(const std::string& file, const Tensor& t) const;

  std::filesystem::path out_;
  std::string target_;
  runtime::Bundle bundle_;
  std::size_t left_out_ = 0;
};

}  // namespace kir::tools
