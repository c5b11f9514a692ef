// Reductions stay structured: domain, map region, typed combine region, order licence, identity and initial value are the
// physical operation's own payload.
#include "lowering/translate.h"

namespace kir::lowering {

void Translator::reduce(OpId id) { structured(id); }

}  // namespace kir::lowering
