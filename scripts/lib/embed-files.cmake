# Writes OUT, a C++ file with `std::string_view NAMESPACE::NAME()` for each NAME=PATH of the list FILES: the bytes of the file, none
# where PATH is empty.
set(text "// Made by scripts/lib/embed-files.cmake.\n#include <string_view>\n\nnamespace ${NAMESPACE} {\n")
foreach(item ${FILES})
  string(FIND "${item}" "=" at)
  string(SUBSTRING "${item}" 0 ${at} name)
  math(EXPR at "${at} + 1")
  string(SUBSTRING "${item}" ${at} -1 path)
  set(bytes "")
  set(size 0)
  if(path)
    file(SIZE "${path}" size)
    file(READ "${path}" hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  endif()
  string(APPEND text "static const unsigned char ${name}_bytes[] = {${bytes}0};\n"
         "std::string_view ${name}() { return {reinterpret_cast<const char*>(${name}_bytes), ${size}}; }\n")
endforeach()
file(WRITE "${OUT}" "${text}}  // namespace ${NAMESPACE}\n")
