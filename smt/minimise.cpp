#include "smt/minimise.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>
#include <utility>

#include "smt/problem.h"

namespace kir::smt {
namespace {

constexpr std::int64_t kSmall = 16;
constexpr int kRounds = 6;
constexpr std::int64_t kMostElements = 64;  // of a view whose elements are taken one by one
constexpr std::int64_t kDifferent = 61;     // numbers that differ, in turn: no size is likely a multiple of it

// `n`: a number at which `fails` was true; becomes one that is nearer to 0, at which it was true when it was asked last.
template <class Fails>
bool lower(std::int64_t& n, const Fails& fails) {
  if (n == 0 || n == INT64_MIN) return false;
  const std::int64_t sign = n < 0 ? -1 : 1, top = n * sign;
  auto take = [&](std::int64_t magnitude) {
    if (!fails(sign * magnitude)) return false;
    n = sign * magnitude;
    return true;
  };
  const std::int64_t few = std::min(top, kSmall);
  for (std::int64_t k = 0; k < few; ++k) {
    if (sign < 0 && k > 0 && fails(k)) {  // a positive number says more than a negative one
      n = k;
      return true;
    }
    if (take(k)) return true;
  }
  if (top <= kSmall) return false;
  std::int64_t low = kSmall - 1;  // does not fail
  bool changed = false;
  for (std::int64_t k = kSmall; k < top && !changed; k = k > top / 2 ? top : k * 2) {
    changed = take(k);
    if (!changed) low = k;
  }
  if (!changed && !take(top - 1)) return false;
  for (std::int64_t high = n * sign; high - low > 1;) {
    const std::int64_t middle = low + (high - low) / 2;
    if (take(middle))
      high = middle;
    else
      low = middle;
  }
  return true;
}

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(n) : std::nullopt;
}

std::int64_t size_of(const LaunchArgs& args) {
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : args.views) bytes += static_cast<std::int64_t>(tensor->bytes.size());
  return bytes;
}

Integer total(const Symbols& symbols) {
  Integer sum = 0;
  for (const auto& [name, n] : symbols) sum += n < 0 ? -Integer{n} : Integer{n};
  return sum;
}

class Search {
 public:
  Search(const Kernel& kernel, const PhysicalProgram* program, const Trial& found, const MinimiseLimits& limits)
      : kernel_(kernel), program_(program), left_(limits) {
    best_.trial = found;
    run_.kir_steps = run_.physical_steps = 100'000 + 4 * found.steps;
  }

  Minimised launch(LaunchRecipe r, const std::vector<Symbols>& launches) {
    best_.symbols = r.symbols;
    best_.args = make_args(kernel_.abi, r);
    auto fails = [&](const Symbols& s) { return fails_at(r, s); };
    // Sizes that depend on each other do not shrink one by one.
    if (!kernel_.abi.where.empty())
      for (const Symbols& s : launches)
        if (total(s) < total(best_.symbols) && fails(s)) break;
    lower_symbols(fails);
    if (r.aliased) {
      LaunchRecipe apart = r;
      apart.aliased = false;
      if (fails_at(apart, Symbols(best_.symbols))) r = apart;
    }
    contents(r);
    return std::move(best_);
  }

  Minimised point(const PointRecipe& p) {
    best_.symbols = p.symbols;
    std::vector<proof::Binding> model = p.model;
    auto run = [&](const Symbols& s, const std::vector<proof::Binding>& m) {
      if (!preconditions_hold(kernel_.abi, s) || spent()) return false;
      return take(try_point(kernel_, program_, p.of_program, s, m, run_), s, {});
    };
    // Positions first: sizes reach above them.
    for (bool changed = true, first = true; changed; first = false) {
      changed = false;
      for (proof::Binding& b : model) {
        std::optional<std::int64_t> n = number(b.value);
        if (!n || b.leaf.find('$') == std::string::npos) continue;
        changed |= lower(*n, [&](std::int64_t v) {
          const std::string before = std::exchange(b.value, std::to_string(v));
          if (run(best_.symbols, model)) return true;
          b.value = before;
          return false;
        });
      }
      if (first || changed) changed |= lower_symbols([&](const Symbols& s) { return run(s, model); });
    }
    return std::move(best_);
  }

 private:
  bool spent() const { return left_.replays <= 0 || left_.steps == 0; }

  // Whether the trial misbehaves as what was found; it is kept then.
  bool take(Trial t, const Symbols& symbols, std::optional<LaunchArgs> args) {
    --left_.replays;
    left_.steps -= std::min(left_.steps, t.steps + 1);
    if (!same_failure(t, best_.trial) || t.rule != best_.trial.rule) return false;
    best_.trial = std::move(t);
    best_.symbols = symbols;
    best_.args = std::move(args);
    return true;
  }

  bool fails_with(LaunchArgs args, const Symbols& symbols) {
    if (spent()) return false;
    left_.steps -= std::min(left_.steps, static_cast<std::uint64_t>(size_of(args)));
    Trial t = try_launch(kernel_, program_, args, run_);
    return take(std::move(t), symbols, std::move(args));
  }

  // With zeros, or with the contents that were found.
  bool fails_at(const LaunchRecipe& found, const Symbols& symbols) {
    if (!preconditions_hold(kernel_.abi, symbols)) return false;
    for (Contents c : {Contents::zeros, found.contents}) {
      LaunchRecipe r = found;
      r.symbols = symbols;
      r.contents = c;
      std::optional<LaunchArgs> args = spent() ? std::nullopt : make_args(kernel_.abi, r);
      if (args && fails_with(std::move(*args), symbols)) return true;
    }
    return false;
  }

  template <class Fails>
  bool lower_symbols(const Fails& fails) {
    bool any = false, changed = true;
    for (int round = 0; round < kRounds && changed; ++round) {
      changed = false;
      for (const SymbolInfo& info : kernel_.abi.symbols) {
        const auto at = best_.symbols.find(info.name);
        if (at == best_.symbols.end()) continue;
        std::int64_t n = at->second;
        changed |= lower(n, [&](std::int64_t v) {
          Symbols s = best_.symbols;
          s[info.name] = v;
          return fails(s);
        });
      }
      any |= changed;
    }
    return any;
  }

  // Zeros, else ones, for as much of the arguments as it may be; and whose contents matter.
  void contents(LaunchRecipe r) {
    if (!best_.args) return;
    const Symbols symbols = best_.symbols;
    r.symbols = symbols;
    r.contents = Contents::zeros;
    std::optional<LaunchArgs> zeros = spent() ? std::nullopt : make_args(kernel_.abi, r);
    const bool all_zeros = zeros && fails_with(std::move(*zeros), symbols);
    auto changed = [&](auto&& edit) {
      LaunchArgs args = deep_copy(*best_.args);
      edit(args);
      return args;
    };
    auto change = [&](auto&& edit) { return fails_with(changed(edit), symbols); };
    // Of what is left out other contents were asked, all of it at once: ones, and numbers that differ from each other.
    std::vector<std::function<void(LaunchArgs&)>> ones, numbers;
    auto matters = [&](auto& others, std::function<void(LaunchArgs&)> edit, bool if_refused) {
      others.push_back(std::move(edit));
      return !still_fails(changed([&](LaunchArgs& args) {
                            for (const auto& other : others) other(args);
                          }),
                          if_refused);
    };
    // `set` writes values in turn to the whole of one argument.
    auto settle = [&](const std::string& name, DType t, const auto& set, auto&& otherwise) {
      auto to = [&](std::vector<Scalar> values) {
        return [set, values = std::move(values)](LaunchArgs& args) { set(args, values); };
      };
      if (all_zeros || change(to({{t, 0}}))) {
        std::vector<Scalar> different;
        for (std::int64_t n = 2; n < 2 + kDifferent; ++n) different.push_back(small_number(t, n));
        // Data preconditions may refuse the numbers.
        if (!matters(ones, to({one(t)}), false) && !matters(numbers, to(std::move(different)), true)) return;
        best_.telling.push_back(name);
        if (numbers.size() == ones.size()) numbers.pop_back();
        ones.pop_back();
        return;
      }
      if (!change(to({one(t)}))) otherwise();
      best_.telling.push_back(name);
    };
    for (const ScalarParam& s : kernel_.abi.scalars)
      settle(s.name, s.dtype, [&s](LaunchArgs& args, const std::vector<Scalar>& v) { args.scalars[s.name] = v[0]; }, [] {});
    std::set<const Tensor*> seen;
    for (const ViewParam& v : kernel_.abi.views) {
      if (seen.contains(best_.args->views.at(v.name).get())) continue;
      auto fill = [&v](LaunchArgs& args, const std::vector<Scalar>& values) {
        Tensor& t = *args.views.at(v.name);
        const std::size_t cells = t.bytes.size() / static_cast<std::size_t>(byte_size(t.dtype));
        for (std::size_t a = 0; a < cells; ++a) t.store(static_cast<std::int64_t>(a), values[a % values.size()]);
      };
      settle(v.name, v.dtype, fill, [&] { elements(v, change); });
      // Each change makes new tensors.
      seen.clear();
      for (const ViewParam& w : kernel_.abi.views) {
        seen.insert(best_.args->views.at(w.name).get());
        if (w.name == v.name) break;
      }
    }
  }

  // Asked for its own sake: what misbehaves is not kept. `if_refused`: the answer where the launch is not one.
  bool still_fails(LaunchArgs args, bool if_refused) {
    if (spent()) return false;
    Minimised kept = best_;
    left_.steps -= std::min(left_.steps, static_cast<std::uint64_t>(size_of(args)));
    Trial t = try_launch(kernel_, program_, args, run_);
    const bool refused = t.what == Misbehaviour::not_run && !t.rule.empty();
    const bool fails = take(std::move(t), best_.symbols, {});
    best_ = std::move(kept);
    return refused ? if_refused : fails;
  }

  template <class Change>
  void elements(const ViewParam& v, const Change& change) {
    const Tensor form = *best_.args->views.at(v.name);
    const std::int64_t cells = static_cast<std::int64_t>(form.bytes.size()) / byte_size(form.dtype);
    if (cells > kMostElements) return;
    for (std::int64_t a = 0; a < cells; ++a)
      for (Scalar value : {Scalar{v.dtype, 0}, one(v.dtype)})
        if (best_.args->views.at(v.name)->load(a) == value ||
            change([&](LaunchArgs& args) { args.views.at(v.name)->store(a, value); }))
          break;
  }

  const Kernel& kernel_;
  const PhysicalProgram* program_;
  MinimiseLimits left_;
  TrialLimits run_;
  Minimised best_;
};

}  // namespace

Minimised minimise(const Kernel& kernel, const PhysicalProgram* program, const Recipe& recipe, const Trial& found,
                   const std::vector<Symbols>& launches, const MinimiseLimits& limits) {
  Search search(kernel, program, found, limits);
  if (const auto* r = std::get_if<LaunchRecipe>(&recipe)) return search.launch(*r, launches);
  return search.point(std::get<PointRecipe>(recipe));
}

std::vector<proof::Binding> minimise_model(const proof::Obligation& o, const std::vector<proof::Binding>& model,
                                           const std::function<bool(const std::vector<proof::Binding>&)>& permitted,
                                           const MinimiseLimits& limits) {
  const Problem problem = make_problem(o);
  if (problem.leaves.size() != model.size()) return model;
  std::vector<Integer> values;
  for (const proof::Binding& b : model) {
    const std::optional<std::int64_t> n = b.value == "true" ? 1 : b.value == "false" ? 0 : number(b.value);
    if (!n) return model;
    values.push_back(*n);
  }
  std::vector<proof::Binding> best = model;
  int left = limits.replays;
  bool changed = true;
  for (int round = 0; round < kRounds && changed; ++round) {
    changed = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool boolean = problem.leaves[i].sort() == Sort::boolean;
      auto n = static_cast<std::int64_t>(values[i]);
      changed |= lower(n, [&](std::int64_t v) {
        if (left-- <= 0) return false;
        std::vector<Integer> at = values;
        at[i] = v;
        std::vector<proof::Binding> m = best;
        m[i].value = boolean ? (v != 0 ? "true" : "false") : std::to_string(v);
        if (check_point(problem, at) != Check::counterexample || !permitted(m)) return false;
        values = std::move(at);
        best = std::move(m);
        return true;
      });
    }
  }
  return best;
}

}  // namespace kir::smt
