// A counterexample as a person reads it, and as JSON.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/source.h"
#include "smt/counterexample.h"

namespace kir::tools {

// The text of a side; may be null.
using SourceOf = std::function<SourcePtr(proof::Side)>;

// "softmax.kir:14:5" with its folders; "" without a place.
std::string place_text(const SourcePtr& source, SourceRange range);
// The line of a place with a caret under it; "" without a place.
std::string caret(const SourcePtr& source, SourceRange range);
// Each line moved to the right.
std::string indented(std::string_view text, std::size_t by = 2);

// How it was run: "run on both interpreters".
std::string_view how(smt::Counterexample::Run run);

// One line for each thing there is to say, each access with its place, source line and caret. Ends with a newline.
std::string story(const smt::Counterexample& c, const SourceOf& source);
nlohmann::ordered_json story_data(const smt::Counterexample& c, const SourceOf& source);

}  // namespace kir::tools
