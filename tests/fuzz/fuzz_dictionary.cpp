// Prints a libFuzzer dictionary of the text forms: every word of the language, of the operation table and of the enumerations
// that stand in texts, then what is no word.
#include <fmt/format.h>

#include "core/text/words.h"

int main() {
  kir::text::Names names;
  kir::text::WordTable::get().seed(names);
  for (kir::text::NameId id = 0; id < names.size(); ++id) fmt::print("\"{}\"\n", names.text(id));
  for (const char* text : {"kir 1\\x0a",
                           "pir 1\\x0a",
                           "0..N",
                           "-> g(",
                           "<8; @L>",
                           "S[(2,4):(1@m,1@tid)]",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "0x7fc0_0000",
                           "1.0e-5",
                           "-0.0",
                           "nan(0x7fc00001)",
                           "floordiv 0",
                           "strides(0)",
                           "order(strict)",
                           "order(tree)",
                           "order(any)",
                           "identity assumed (",
                           "init (",
                           "map {",
                           "combine (",
                           "!12",
                           "share(invocation)",
                           "axis(0)"})
    fmt::print("\"{}\"\n", text);
}
