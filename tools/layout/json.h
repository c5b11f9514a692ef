// Layouts, places and decisions as JSON. Integers beyond 2^53 become strings, since JavaScript would round them.
#pragma once

#include <nlohmann/json.hpp>

#include "core/layout/decide.h"
#include "tools/layout/claims.h"
#include "tools/layout/subject.h"

namespace kir::tools {

using Json = nlohmann::ordered_json;

Json json_of(std::int64_t number);
Json json_of(const std::vector<std::int64_t>& numbers);
Json json_of(const layout::Place& place);                        // {"laneid": 4, "m": 1}; zeros left out
Json json_of(const layout::Witness& w, const Subject* subject);  // coordinates too where the subject is known
Json json_of(const Claim& claim, const Subject* subject);
Json json_of(const Complaint& complaint);
Json json_of(const layout::Layout& l);  // {"text", "size", "copies", "symbols", "axes": [...]}

}  // namespace kir::tools
