// The program that construction makes of a kernel, as a text to be damaged.
#pragma once

#include "lowering/pipeline.h"
#include "tests/proof/support.h"

namespace kir::test {

inline std::string constructed(const std::string& kir, bool origins = false) {
  auto k = kernel(kir);
  Diagnostics diagnostics;
  auto built = k ? lowering::compile(*k, {}, diagnostics) : std::nullopt;
  EXPECT_TRUE(built) << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
  return built ? print(*built->program, {.origins = origins}) : "";
}

struct Damage {
  const char* from;
  const char* to;
};

// The kernel is sound, its construction refines it, and no damaged program does.
inline void expect_only_undamaged(const std::string& kir, std::initializer_list<Damage> faults) {
  Verdicts own = check_kir(kir);
  EXPECT_TRUE(own.all_proved()) << own.failures;
  const std::string good = constructed(kir);
  Verdicts v = check_refinement(kir, good);
  EXPECT_TRUE(v.all_proved()) << v.failures << good;
  for (const Damage& d : faults)
    EXPECT_FALSE(check_refinement(kir, replaced(good, d.from, d.to)).all_proved()) << d.from << " -> " << d.to << "\n" << good;
}

}  // namespace kir::test
