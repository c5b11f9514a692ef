// What decides, told apart by digests: a stored decision is of exactly one engine.
#pragma once

#include <string>
#include <string_view>

namespace kir::smt {

std::string_view engine_sources();  // SHA-256 of the sources of core/, proof/ and smt/ and of how they are compiled

struct Engine {
  std::string sources;         // engine_sources()
  std::string solver;          // solver_version()
  std::string solver_library;  // SHA-256 of the file that the solver's code was loaded from
  friend bool operator==(const Engine&, const Engine&) = default;
};

// SHA-256 of a file's bytes. Throws std::runtime_error when it cannot be read.
std::string file_digest(const std::string& path);

// Of this process. The library (some 30 MB) is read once. Throws std::runtime_error when it cannot be.
const Engine& this_engine();

}  // namespace kir::smt
