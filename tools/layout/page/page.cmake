# The explorer's page: core/layout and the questions of tools/layout as WebAssembly, embedded with the page's files into a library.
# Where the toolchain is missing the library holds no WebAssembly, and `kir-layout page` says so.

find_program(KIR_WASM_CLANG clang++-19)
find_program(KIR_WASM_LD NAMES wasm-ld-19 wasm-ld)
set(KIR_WASM_OPTIONS --target=wasm32-wasi -std=c++20 -stdlib=libc++ -Oz -fno-exceptions -fno-rtti -Wall -Wextra -Werror
    -DFMT_HEADER_ONLY -DFMT_EXCEPTIONS=0 -DJSON_NOEXCEPTION)
set(KIR_WASM_LINK --target=wasm32-wasi -fuse-ld=${KIR_WASM_LD} -mexec-model=reactor -Wl,--gc-sections,--strip-all
    -Wl,--stack-first,-z,stack-size=1048576)

# A program with what the page needs of the toolchain: C++ library, its ABI library, and compiler-rt.
if(KIR_WASM_CLANG AND KIR_WASM_LD AND NOT DEFINED KIR_WASM_WORKS)
  set(probe ${CMAKE_BINARY_DIR}/wasm-probe)
  file(WRITE ${probe}.cpp "#include <string>\n#include <fmt/format.h>\n#include <tl/expected.hpp>\n#include <nlohmann/json.hpp>\n"
       "extern \"C\" __attribute__((export_name(\"f\"))) int f(long long a) { return std::to_string(a * (__int128)a > 7).size(); }\n")
  execute_process(COMMAND ${KIR_WASM_CLANG} ${KIR_WASM_OPTIONS} ${KIR_WASM_LINK} ${probe}.cpp -o ${probe}.wasm
                  RESULT_VARIABLE code ERROR_VARIABLE error OUTPUT_QUIET)
  if(code EQUAL 0)
    set(KIR_WASM_WORKS TRUE CACHE INTERNAL "")
  else()
    message(STATUS "WebAssembly toolchain: ${error}")
  endif()
endif()

set(page ${CMAKE_SOURCE_DIR}/tools/layout/page)
set(wasm "")
if(KIR_WASM_WORKS)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/layout/*.cpp)
  list(APPEND sources ${CMAKE_SOURCE_DIR}/core/base/check.cpp)
  foreach(name answer claims grid json presets subject wasm)
    list(APPEND sources ${CMAKE_SOURCE_DIR}/tools/layout/${name}.cpp)
  endforeach()
  set(objects "")
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/wasm)
  foreach(source ${sources})
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR} ${source})
    string(REPLACE "/" "_" object ${relative})
    set(object ${CMAKE_BINARY_DIR}/wasm/${object}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CCACHE} ${KIR_WASM_CLANG} ${KIR_WASM_OPTIONS} -I ${CMAKE_SOURCE_DIR} -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source}
      DEPFILE ${object}.d
      COMMENT "WebAssembly: ${relative}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(wasm ${CMAKE_BINARY_DIR}/kir_layout.wasm)
  add_custom_command(OUTPUT ${wasm} COMMAND ${KIR_WASM_CLANG} ${KIR_WASM_LINK} ${objects} -o ${wasm} DEPENDS ${objects} VERBATIM)
else()
  message(STATUS "No WebAssembly toolchain (clang-19, lld-19, wasi-libc, libc++-19-dev-wasm32, libclang-rt-19-dev-wasm32): "
                 "kir-layout is built without its page")
endif()

set(embedded ${CMAKE_BINARY_DIR}/layout_page_data.cpp)
set(embed ${CMAKE_SOURCE_DIR}/scripts/lib/embed-files.cmake)
add_custom_command(
  OUTPUT ${embedded}
  COMMAND ${CMAKE_COMMAND} -DOUT=${embedded} -DNAMESPACE=kir::tools::page
          "-DFILES=html=${page}/page.html;css=${page}/page.css;js=${page}/page.js;wasm=${wasm}" -P ${embed}
  DEPENDS ${page}/page.html ${page}/page.css ${page}/page.js ${wasm} ${embed}
  VERBATIM)
add_library(kir_layout_page STATIC ${embedded})
