#include <fmt/format.h>

#include "core/interp/kernel_run.h"
#include "core/kir/plan.h"

namespace kir {
namespace {

class PlanRun {
 public:
  PlanRun(const Plan& plan, const BoundLaunch& launch, const InterpretOptions& options)
      : plan_(plan), launch_(launch), options_(options) {}

  InterpretResult run() {
    if (std::string why = mismatch(plan_.abi, launch_); !why.empty()) return refused({}, std::move(why));
    for (std::size_t i = 0; i < plan_.abi.views.size(); ++i)
      if (plan_.abi.views[i].access == Access::out) uninitialised(launch_.views[i]);
    __int128 bytes = 0;
    for (const Temporary& t : plan_.temporaries)
      if (!allocate(t, bytes)) return std::move(result_);
    for (std::size_t i = 0; i < plan_.launches.size(); ++i)
      if (!step(i)) break;
    return std::move(result_);
  }

 private:
  InterpretResult refused(SourceRange range, std::string message) {
    result_.error = RuntimeError{RuntimeErrorKind::refused_launch, range, std::move(message)};
    return result_;
  }

  // Elements that share their memory with a view that has contents have them.
  void uninitialised(const TensorPtr& t) {
    for (std::size_t i = 0; i < plan_.abi.views.size(); ++i)
      if (plan_.abi.views[i].access != Access::out && launch_.views[i] == t) return;
    contents_[t.get()].resize(t->bytes.size() / static_cast<std::size_t>(byte_size(t->dtype)));
  }

  bool value_of(Expr e, SourceRange range, std::string_view what, std::int64_t& out) {
    const EvalResult r = evaluate(e, [&](Expr leaf) -> std::optional<Integer> {
      auto it = leaf.is(ExprKind::symbol) ? launch_.symbols.find(leaf.name()) : launch_.symbols.end();
      return it == launch_.symbols.end() ? std::nullopt : std::optional<Integer>(it->second);
    });
    if (!r.ok()) {
      refused(range, fmt::format("{} is {}, which has no value here", what, to_string(e)));
    } else if (r.value < INT64_MIN || r.value > INT64_MAX) {
      refused(range, fmt::format("{} is {}, beyond 64 bits", what, to_string(r.value)));
    } else {
      out = static_cast<std::int64_t>(r.value);
      return true;
    }
    return false;
  }

  bool allocate(const Temporary& t, __int128& bytes) {
    std::vector<std::int64_t> shape(t.shape.size());
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (!value_of(t.shape[k], t.range, fmt::format("extent {} of {}", k, t.name), shape[k])) return false;
      if (shape[k] < 0) {
        refused(t.range, fmt::format("extent {} of {} is {}", k, t.name, shape[k]));
        return false;
      }
    }
    const std::optional<std::vector<std::int64_t>> strides = dense_strides(shape);
    const std::optional<std::int64_t> size = strides ? storage_bytes(t.dtype, shape, *strides) : std::nullopt;
    const std::int64_t most = max_launch_bytes();
    if (size) bytes += *size;
    if (!size || bytes > most) {
      refused(t.range,
              fmt::format("with {} of extents ({}) the temporaries take more than the {} bytes that this machine has for them",
                          t.name, fmt::join(shape, ", "), most));
      return false;
    }
    temporaries_.push_back(std::make_shared<Tensor>(Tensor::row_major(t.dtype, std::move(shape))));
    uninitialised(temporaries_.back());
    return true;
  }

  // The parts of a message that name the launch.
  std::string title(std::size_t i) const { return fmt::format("launch {}, {}", i + 1, plan_.launches[i].kernel->id()); }

  bool step(std::size_t i) {
    const PlanLaunch& l = plan_.launches[i];
    const Abi& abi = l.kernel->abi;
    LaunchArgs args;
    for (std::size_t k = 0; k < abi.views.size(); ++k) {
      const BufferRef& b = l.buffers[k];
      args.views[abi.views[k].name] = b.temporary ? temporaries_[b.index] : launch_.views[b.index];
    }
    for (std::size_t k = 0; k < abi.scalars.size(); ++k) {
      const std::size_t* from = std::get_if<std::size_t>(&l.scalars[k]);
      args.scalars[abi.scalars[k].name] = from ? launch_.scalars[*from] : std::get<Scalar>(l.scalars[k]);
    }
    for (std::size_t k = 0; k < abi.symbols.size(); ++k) {
      if (!abi.symbols[k].parameter) continue;
      std::int64_t& value = args.symbols[abi.symbols[k].name];
      if (!value_of(l.symbols[k], l.range, fmt::format("{}: {}", title(i), abi.symbols[k].name), value)) return false;
    }
    Diagnostics diagnostics;
    const std::optional<BoundLaunch> bound = bind_launch(abi, args, diagnostics);
    if (!bound) {
      refused(l.range, fmt::format("{}: {}", title(i), diagnostics.all().front().message));
      return false;
    }
    InterpretOptions options = options_;
    options.executed = nullptr;  // each launch has a body and memory of its own
    options.watch = nullptr;
    options.max_steps -= std::min(options.max_steps, result_.steps);
    InterpretResult one = interpret_within(*l.kernel, *bound, options, contents_);
    result_.steps += one.steps;
    if (!one.error) return true;
    result_.error = std::move(one.error);
    result_.error->append(fmt::format(" (in {})", title(i)));
    return false;
  }

  const Plan& plan_;
  const BoundLaunch& launch_;
  const InterpretOptions& options_;
  std::vector<TensorPtr> temporaries_;
  Contents contents_;
  InterpretResult result_;
};

}  // namespace

InterpretResult interpret(const Plan& plan, const BoundLaunch& launch, const InterpretOptions& options) {
  return PlanRun(plan, launch, options).run();
}

}  // namespace kir
