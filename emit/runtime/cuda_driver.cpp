#include "emit/runtime/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace kir::runtime::cuda {

std::string Driver::describe(Result code) const {
  const char* text = nullptr;
  if (!error_string || error_string(code, &text) != 0 || !text) return fmt::format("CUDA error {}", code);
  return fmt::format("CUDA error {}: {}", code, text);
}

namespace {

struct Loaded {
  Driver driver;
  std::string error;
};

Loaded load() {
  Loaded out;
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = ::dlerror();
    out.error = fmt::format("no CUDA driver: {}", why ? why : "libcuda.so.1 does not load");
    return out;
  }
  auto get = [&](auto*& function, const char* name) {
    void* symbol = ::dlsym(library, name);
    if (!symbol && out.error.empty()) out.error = fmt::format("the CUDA driver has no {}", name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  Driver& d = out.driver;
  get(d.init, "cuInit");
  get(d.device_count, "cuDeviceGetCount");
  get(d.device_get, "cuDeviceGet");
  get(d.device_name, "cuDeviceGetName");
  get(d.context_retain, "cuDevicePrimaryCtxRetain");
  get(d.context_release, "cuDevicePrimaryCtxRelease_v2");
  get(d.context_set, "cuCtxSetCurrent");
  get(d.synchronize, "cuCtxSynchronize");
  get(d.module_load, "cuModuleLoadDataEx");
  get(d.module_unload, "cuModuleUnload");
  get(d.function_get, "cuModuleGetFunction");
  get(d.allocate, "cuMemAlloc_v2");
  get(d.free, "cuMemFree_v2");
  get(d.copy_in, "cuMemcpyHtoD_v2");
  get(d.copy_out, "cuMemcpyDtoH_v2");
  get(d.launch, "cuLaunchKernel");
  get(d.event_create, "cuEventCreate");
  get(d.event_destroy, "cuEventDestroy_v2");
  get(d.event_record, "cuEventRecord");
  get(d.event_synchronize, "cuEventSynchronize");
  get(d.event_elapsed, "cuEventElapsedTime");
  get(d.error_string, "cuGetErrorString");
  if (out.error.empty())
    if (Result code = d.init(0)) out.error = "the CUDA driver does not start: " + d.describe(code);
  return out;
}

}  // namespace

const Driver* driver(std::string* error) {
  static const Loaded loaded = load();
  if (loaded.error.empty()) return &loaded.driver;
  if (error) *error = loaded.error;
  return nullptr;
}

}  // namespace kir::runtime::cuda
