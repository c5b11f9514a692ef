// The CUDA driver API, loaded from libcuda.so.1 at run time. Only what the launcher calls; declared here, so that no CUDA
// header is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kir::runtime::cuda {

using Result = int;  // 0 is success
using Device = int;
using DevicePtr = std::uint64_t;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;

// Options of module_load.
inline constexpr int kErrorLog = 5, kErrorLogBytes = 6;

struct Driver {
  Result (*init)(unsigned flags) = nullptr;
  Result (*device_count)(int* count) = nullptr;
  Result (*device_get)(Device* device, int ordinal) = nullptr;
  Result (*device_name)(char* name, int bytes, Device device) = nullptr;
  Result (*context_retain)(Context* context, Device device) = nullptr;
  Result (*context_release)(Device device) = nullptr;
  Result (*context_set)(Context context) = nullptr;
  Result (*synchronize)() = nullptr;
  Result (*module_load)(Module* module, const void* image, unsigned count, int* options, void** values) = nullptr;
  Result (*module_unload)(Module module) = nullptr;
  Result (*function_get)(Function* function, Module module, const char* name) = nullptr;
  Result (*allocate)(DevicePtr* address, std::size_t bytes) = nullptr;
  Result (*free)(DevicePtr address) = nullptr;
  Result (*copy_in)(DevicePtr to, const void* from, std::size_t bytes) = nullptr;
  Result (*copy_out)(void* to, DevicePtr from, std::size_t bytes) = nullptr;
  Result (*launch)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared_bytes, Stream stream, void** arguments, void** extra) = nullptr;
  Result (*event_create)(Event* event, unsigned flags) = nullptr;
  Result (*event_destroy)(Event event) = nullptr;
  Result (*event_record)(Event event, Stream stream) = nullptr;
  Result (*event_synchronize)(Event event) = nullptr;
  Result (*event_elapsed)(float* milliseconds, Event start, Event end) = nullptr;
  Result (*error_string)(Result code, const char** text) = nullptr;

  std::string describe(Result code) const;
};

// The driver, loaded and initialised once per process; null and *error when there is none.
const Driver* driver(std::string* error);

}  // namespace kir::runtime::cuda
