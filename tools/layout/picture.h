// A still picture of a subject: the elements with what they show on one axis, and the places below.
#pragma once

#include <string>

#include "tools/layout/subject.h"

namespace kir::tools {

// One SVG without references to elsewhere. At most 32 x 64 elements and as many places; a title says what is left out.
std::string svg_of(const Subject& s);

}  // namespace kir::tools
