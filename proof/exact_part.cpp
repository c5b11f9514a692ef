#include "proof/exact_part.h"

#include <algorithm>

namespace kir::proof {

std::vector<std::size_t> exact_components(const Combine& c, TermPool& terms) {
  const std::size_t n = c.results.size();
  if (c.arguments.size() != 2 * n) return {};
  std::vector<bool> rounded(n);
  auto enters = [&](Term t) {
    for (std::size_t j = 0; j < n; ++j)
      if (rounded[j] && (t == c.arguments[j] || t == c.arguments[n + j])) return true;
    return is_float(t->type);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < n; ++i)
      if (!rounded[i] && terms.mentions(c.results[i], enters)) changed = rounded[i] = true;
  }
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < n; ++i)
    if (!rounded[i]) out.push_back(i);
  return out;
}

Combine restricted(const Combine& c, const std::vector<std::size_t>& components) {
  Combine out;
  for (std::size_t i : components) out.arguments.push_back(c.arguments[i]);
  for (std::size_t i : components) out.arguments.push_back(c.arguments[c.results.size() + i]);
  for (std::size_t i : components) out.results.push_back(c.results[i]);
  return out;
}

}  // namespace kir::proof
