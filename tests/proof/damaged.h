// Damaged programs and the checks of the construction verifier that must fail of them.
#pragma once

#include <functional>

#include "core/ir/verify.h"
#include "lowering/rewrite.h"
#include "smt/construction.h"
#include "tests/proof/constructed.h"

namespace kir::test {

struct Subject {
  std::shared_ptr<const Kernel> kernel;
  std::string text;  // of its program
};

inline Subject subject(const std::string& kir) { return {kernel(kir), constructed(kir, true)}; }
inline Subject corpus(const std::string& name) { return subject(read_file("corpus/" + name + ".kir")); }

using Results = std::vector<proof::CheckResult>;

inline Results results_of(const Subject& s, const std::string& text) {
  auto source = std::make_shared<SourceFile>("test.pir", text);
  Diagnostics structure;
  PhysicalPtr p = parse_pir(source, structure);
  if (!p) return proof::check_results(structure, {}, {});
  smt::RunOptions options;
  options.decide.rlimit = 2'000'000;
  options.replay_attempts = 8;
  return smt::verify_construction(*s.kernel, *p, options).checks;
}

inline std::string what_failed(const Results& results) {
  std::string out = "failed:";
  for (const proof::CheckResult& r : results)
    if (r.failed()) out += fmt::format(" {} {}", r.check->id, r.text());
  return out;
}

inline const proof::CheckResult& of(const Results& results, std::string_view check) {
  for (const proof::CheckResult& r : results)
    if (r.check->id == check) return r;
  ADD_FAILURE() << check;
  return results.front();
}

inline void passes(const Subject& s) {
  const Results results = results_of(s, s.text);
  for (const proof::CheckResult& r : results) EXPECT_EQ(r.verdict, proof::Verdict::proved) << r.check->id << "\n" << s.text;
}

struct Change {
  std::string from, to;
};

// Each change alone makes the check fail.
inline void refuses(std::string_view check, const Subject& s, const std::vector<Change>& changes) {
  passes(s);
  for (const Change& c : changes) {
    const std::string text = replaced(s.text, c.from, c.to);
    const Results results = results_of(s, text);
    EXPECT_TRUE(of(results, check).failed()) << check << ": " << c.to << "\n" << what_failed(results);
  }
}

// The same for changes that no text says.
inline void refuses(std::string_view check, const PhysicalProgram& damaged) {
  Diagnostics structure;
  EXPECT_FALSE(verify(damaged, structure)) << check;
  const Results results = proof::check_results(structure, {}, {});
  EXPECT_TRUE(of(results, check).failed()) << check << "\n" << what_failed(results);
}

inline void refuses(std::string_view check, const Subject& s, const std::function<void(PhysicalProgram&)>& change) {
  auto damaged = std::make_shared<PhysicalProgram>(*program(s.text));
  change(*damaged);
  refuses(check, *damaged);
}

using lowering::OpEdit;

// Of the first operation of the kind.
inline void refuses(std::string_view check, const Subject& s, OpKind kind,
                    const std::vector<std::function<void(OpEdit&)>>& changes) {
  const PhysicalPtr p = program(s.text);
  std::uint32_t at = 0;
  while (at < p->body.op_count() && p->body.op(OpId(at)).kind != kind) ++at;
  ASSERT_LT(at, p->body.op_count());
  for (const auto& change : changes)
    refuses(check, *lowering::copy_with(*p, [&](OpId id, OpEdit& e) {
              if (id == OpId(at)) change(e);
            }));
}

inline std::function<void(OpEdit&)> without(AttrKey left_out) {
  return [left_out](OpEdit& e) {
    Attrs left;
    for (const auto& [key, attr] : e.attrs.all())
      if (key != left_out) left.set(key, attr);
    e.attrs = std::move(left);
  };
}
inline void without_operands(OpEdit& e) { e.operands.clear(); }
inline void without_last_operand(OpEdit& e) { e.operands.pop_back(); }
inline void last_operand_twice(OpEdit& e) { e.operands.push_back(e.operands.back()); }
inline void without_last_region(OpEdit& e) { e.regions.pop_back(); }
inline void without_first_region(OpEdit& e) { e.regions.erase(e.regions.begin()); }
inline std::function<void(OpEdit&)> of_type(Type t) {
  return [t](OpEdit& e) { e.types[0] = t; };
}

}  // namespace kir::test
