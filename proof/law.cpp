#include "proof/law.h"

#include "core/text/text.h"

namespace kir::proof {

bool same_values(const Operands& a, const Operands& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i]) && !(a[i].is_nan() && b[i].is_nan())) return false;
  return true;
}

std::string to_string(const Operands& t) {
  std::string s;
  for (const Scalar& v : t) s += (s.empty() ? "" : ", ") + literal_text(v);
  return t.size() == 1 ? s : "(" + s + ")";
}

}  // namespace kir::proof
