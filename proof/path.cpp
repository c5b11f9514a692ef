#include "proof/path.h"

#include <algorithm>

#include "core/base/check.h"

namespace kir::proof {

Expr before(const Path& a, const Path& b, ExprPool& pool) {
  std::vector<Expr> cases, prefix;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const PathStep &x = a[i], &y = b[i];
    const bool x_static = x.binder == Expr(), y_static = y.binder == Expr();
    if (x_static && y_static) {
      if (x.position < y.position) {
        cases.push_back(pool.all_of(prefix));
        break;
      }
      if (x.position > y.position) break;
      continue;
    }
    KIR_CHECK(!x_static && !y_static, "two points of one operation have unlike paths");
    if (x.ordered && y.ordered) {
      std::vector<Expr> here = prefix;
      here.push_back(less(x.binder, y.binder));
      cases.push_back(pool.all_of(here));
    }
    if (!(x.binder == y.binder)) prefix.push_back(equal(x.binder, y.binder));
  }
  return pool.any_of(cases);
}

}  // namespace kir::proof
