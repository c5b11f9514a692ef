#include "emit/runtime/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>

#include "emit/runtime/cuda_driver.h"
#include "emit/runtime/launch_values.h"

namespace kir::runtime {

struct Gpu::Impl {
  const cuda::Driver* driver = nullptr;
  cuda::Device device = 0;
  cuda::Context context = nullptr;
  std::string name;
};

Gpu::Gpu(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Gpu::~Gpu() {
  if (impl_ && impl_->context) impl_->driver->context_release(impl_->device);
}

std::unique_ptr<Gpu> Gpu::open(std::string* error) {
  auto impl = std::make_unique<Impl>();
  impl->driver = cuda::driver(error);
  if (!impl->driver) return nullptr;
  const cuda::Driver& d = *impl->driver;
  auto fail = [&](std::string message) {
    if (error) *error = std::move(message);
    return nullptr;
  };
  int count = 0;
  if (cuda::Result code = d.device_count(&count)) return fail(d.describe(code));
  if (count == 0) return fail("no CUDA device");
  if (cuda::Result code = d.device_get(&impl->device, 0)) return fail(d.describe(code));
  std::array<char, 256> name{};
  if (d.device_name(name.data(), static_cast<int>(name.size()) - 1, impl->device) == 0) impl->name = name.data();
  if (cuda::Result code = d.context_retain(&impl->context, impl->device)) return fail(d.describe(code));
  return std::unique_ptr<Gpu>(new Gpu(std::move(impl)));
}

std::string Gpu::device_name() const { return impl_->name; }

namespace {

// What one launch holds on the device, released on every way out.
class Resources {
 public:
  explicit Resources(const cuda::Driver& d) : d_(d) {}
  ~Resources() {
    for (cuda::Event e : events_) d_.event_destroy(e);
    for (cuda::DevicePtr p : memory_) d_.free(p);
    if (module_) d_.module_unload(module_);
  }
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  std::string load(const std::string& image, const std::string& kernel, cuda::Function* function) {
    std::array<char, 8192> log{};
    int options[] = {cuda::kErrorLog, cuda::kErrorLogBytes};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
    if (cuda::Result code = d_.module_load(&module_, image.c_str(), 2, options, values))
      return fmt::format("the code does not load: {}{}{}", d_.describe(code), log[0] ? "; " : "", log.data());
    if (cuda::Result code = d_.function_get(function, module_, kernel.c_str()))
      return fmt::format("no kernel {}: {}", kernel, d_.describe(code));
    return "";
  }
  std::string allocate(std::size_t bytes, cuda::DevicePtr* out) {
    if (cuda::Result code = d_.allocate(out, bytes)) return fmt::format("{} bytes of GPU memory: {}", bytes, d_.describe(code));
    memory_.push_back(*out);
    return "";
  }
  std::string event(cuda::Event* out) {
    if (cuda::Result code = d_.event_create(out, 0)) return d_.describe(code);
    events_.push_back(*out);
    return "";
  }

 private:
  const cuda::Driver& d_;
  cuda::Module module_ = nullptr;
  std::vector<cuda::DevicePtr> memory_;
  std::vector<cuda::Event> events_;
};

}  // namespace

std::string Gpu::run(const LaunchDescription& d, const std::string& image, const LaunchArgs& args,
                     double* kernel_milliseconds) {
  const cuda::Driver& cu = *impl_->driver;
  Diagnostics diagnostics;
  std::optional<BoundLaunch> launch = bind_launch(d.abi, args, diagnostics);
  if (!launch) {
    std::string text;
    for (const Diagnostic& e : diagnostics.all()) text += fmt::format("{}{} [{}]", text.empty() ? "" : "; ", e.message, e.id);
    return text;
  }
  std::vector<Definition> definitions;
  for (const auto& [n, value] : d.definitions) definitions.push_back({n, value, {}});
  LaunchValues values;
  if (std::string e = evaluate_launch(d.abi, definitions, d.grid, d.workspace, launch->symbols, &values); !e.empty()) return e;
  if (kernel_milliseconds) *kernel_milliseconds = 0;
  if (values.grid == 0) return "";

  if (cuda::Result code = cu.context_set(impl_->context)) return cu.describe(code);
  Resources resources(cu);
  cuda::Function function = nullptr;
  if (std::string e = resources.load(image, d.kernel_name, &function); !e.empty()) return e;

  // One device copy per tensor, so that aliasing views stay aliases.
  std::map<const Tensor*, cuda::DevicePtr> copies;
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < launch->views.size(); ++i) {
    const ViewParam& view = d.abi.views[i];
    const Tensor& t = *launch->views[i];
    auto [it, fresh] = copies.try_emplace(&t, 0);
    if (fresh && !t.bytes.empty()) {
      if (std::string e = resources.allocate(t.bytes.size(), &it->second); !e.empty()) return e;
      if (cuda::Result code = cu.copy_in(it->second, t.bytes.data(), t.bytes.size())) return cu.describe(code);
    }
    const auto align = static_cast<std::uint64_t>(std::max<std::int64_t>(view.align, byte_size(view.dtype)));
    if (it->second % align != 0) return fmt::format("view {} is not aligned to {} bytes", view.name, align);
    words.push_back(it->second);
  }
  for (const Scalar& s : launch->scalars) words.push_back(s.bits);
  for (std::int64_t v : values.integers) words.push_back(static_cast<std::uint64_t>(v));
  const __int128 bytes = values.slices + static_cast<__int128>(values.grid) * d.pack * values.slice;
  if (bytes > std::numeric_limits<std::int64_t>::max()) return "the workspace exceeds the address space";
  cuda::DevicePtr workspace = 0;
  if (bytes > 0)
    if (std::string e = resources.allocate(static_cast<std::size_t>(bytes), &workspace); !e.empty()) return e;
  append_workspace(d.workspace, values, workspace, words);
  std::vector<void*> arguments;
  for (std::uint64_t& w : words) arguments.push_back(&w);  // little-endian: narrow arguments are the low bytes

  cuda::Event start = nullptr, end = nullptr;
  if (kernel_milliseconds) {
    if (std::string e = resources.event(&start); !e.empty()) return e;
    if (std::string e = resources.event(&end); !e.empty()) return e;
    cu.event_record(start, nullptr);
  }
  if (cuda::Result code =
          cu.launch(function, static_cast<unsigned>(values.grid), 1, 1, static_cast<unsigned>(d.threads * d.pack), 1, 1,
                    static_cast<unsigned>(d.shared_bytes), nullptr, arguments.data(), nullptr))
    return "the launch failed: " + cu.describe(code);
  if (kernel_milliseconds) cu.event_record(end, nullptr);
  if (cuda::Result code = cu.synchronize()) return "the kernel failed: " + cu.describe(code);
  if (kernel_milliseconds) {
    float ms = 0;
    if (cuda::Result code = cu.event_elapsed(&ms, start, end)) return cu.describe(code);
    *kernel_milliseconds = ms;
  }
  for (std::size_t i = 0; i < launch->views.size(); ++i) {
    Tensor& t = *launch->views[i];
    if (d.abi.views[i].access == Access::in || t.bytes.empty()) continue;
    if (cuda::Result code = cu.copy_out(t.bytes.data(), copies.at(&t), t.bytes.size())) return cu.describe(code);
  }
  return "";
}

}  // namespace kir::runtime
