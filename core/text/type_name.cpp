#include "core/text/type_name.h"

namespace kir::text {

std::string type_name(const Type& t, const LeafName& leaf) {
  auto list = [&] {
    std::string s;
    for (std::size_t i = 0; i < t.shape.size(); ++i) s += (i ? ", " : "") + to_string(t.shape[i], leaf);
    return s;
  };
  std::string element(name(t.dtype));
  switch (t.kind) {
    case TypeKind::none: return "nothing";
    case TypeKind::scalar: return element;
    case TypeKind::index: return "index";
    case TypeKind::tensor: return element + "[" + list() + "]";
    case TypeKind::view: return "view " + element + "[" + list() + "]";
    case TypeKind::fragment: return element + "<" + list() + (t.layout.empty() ? "" : "; @" + t.layout) + ">";
  }
  return "?";
}

}  // namespace kir::text
