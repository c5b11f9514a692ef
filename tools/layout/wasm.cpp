// What the page calls in WebAssembly: reserve(n) gives the place for a request of n bytes, answer(n) answers it and gives the
// place of the answer, length() its length. One request at a time.
#ifdef __wasm__

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/layout/answer.h"

namespace {
std::string request_bytes, answer_bytes;
}

extern "C" {

// The distribution's compiler-rt is built with stack protection, which its C library knows nothing of.
__attribute__((weak)) std::uintptr_t __stack_chk_guard = 0x2f6b1d95;
__attribute__((weak, noreturn)) void __stack_chk_fail() { __builtin_trap(); }

__attribute__((export_name("reserve"))) char* kir_reserve(std::size_t length) {
  request_bytes.assign(length, '\0');
  return request_bytes.data();
}

__attribute__((export_name("answer"))) const char* kir_answer(std::size_t length) {
  answer_bytes = kir::tools::answer(std::string_view(request_bytes).substr(0, length));
  return answer_bytes.data();
}

__attribute__((export_name("length"))) std::size_t kir_length() { return answer_bytes.size(); }
}

#endif
