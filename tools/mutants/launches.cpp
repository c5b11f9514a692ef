#include "tools/mutants/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "core/interp/launch_input.h"

namespace kir::mutants {
namespace {

constexpr std::array<std::int64_t, 8> kSizes = {1, 2, 0, 7, 3, 33, 128, 129};
// No extent of a draw is above the one of these whose turn it is: large ones are rare, since they take long.
constexpr std::array<std::int64_t, 8> kLargest = {7, 3, 33, 2, 7, 1, 129, 33};
constexpr std::array kContents = {smt::Contents::exact, smt::Contents::special, smt::Contents::ordinary, smt::Contents::large};
constexpr std::array<std::string_view, 4> kContentNames = {"exact", "special", "fractional", "large"};
constexpr std::int64_t kMostBytes = 4 << 20;
constexpr std::uint64_t kWitnessResource = 4'000'000;

std::string sizes_text(const smt::Symbols& symbols) {
  std::string out;
  for (const auto& [name, value] : symbols) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, value);
  return out.empty() ? "no sizes" : out;
}

}  // namespace

std::string first_difference(const Kernel& kernel, const BoundLaunch& wanted, const Reference& reference,
                             const BoundLaunch& got) {
  const bool bounded = !reference.exact && has_free_orders(kernel);
  for (std::size_t v = 0; v < wanted.views.size(); ++v) {
    const Comparison c = compare(*wanted.views[v], *got.views[v], bounded ? &reference.radius[v] : nullptr);
    if (c.verdict == Comparison::Verdict::different) return fmt::format("{}: {}", kernel.abi.views[v].name, describe(c));
  }
  return {};
}

bool gives_up(const InterpretResult& r) {
  return r.error && (r.error->kind == RuntimeErrorKind::unsupported || r.error->kind == RuntimeErrorKind::refused_launch ||
                     r.error->kind == RuntimeErrorKind::step_limit);
}

Launches::Launches(KernelPtr kernel, PhysicalPtr program, const DrawOptions& options)
    : kernel_(std::move(kernel)), program_(std::move(program)), options_(options) {
  small_ = smt::small_launches(kernel_->abi, smt::find_witness(kernel_->abi, kWitnessResource), 24);
}

const Launch* Launches::at(std::size_t n) {
  while (launches_.size() <= n && drawn_ < options_.draws) add(drawn_++);
  return n < launches_.size() ? &launches_[n] : nullptr;
}

std::optional<smt::Symbols> Launches::draw_symbols(int draw) const {
  std::mt19937_64 random(options_.seed * 1'000'003 + static_cast<std::uint64_t>(draw));
  const std::int64_t largest = kLargest[static_cast<std::size_t>(draw) % kLargest.size()];
  const auto size = [&](const SymbolInfo& s) {
    if (s.parameter && random() % 8 == 0) return static_cast<std::int64_t>(random() % 5) - 2;
    return std::min(kSizes[random() % kSizes.size()], largest);
  };
  for (int attempt = 0; attempt < 64; ++attempt) {
    smt::Symbols out;
    // Relations between sizes are hard to meet by chance: then one that satisfies them, changed a little.
    const bool near = attempt % 2 == 1 && !small_.empty();
    if (near) out = small_[random() % small_.size()];
    for (const SymbolInfo& s : kernel_->abi.symbols)
      if (!near || random() % 3 == 0) out[s.name] = size(s);
    if (smt::preconditions_hold(kernel_->abi, out)) return out;
  }
  if (small_.empty()) return std::nullopt;
  return small_[static_cast<std::size_t>(draw) % small_.size()];
}

bool Launches::add(int draw) {
  const auto symbols = draw_symbols(draw);
  if (!symbols) return false;
  const std::size_t contents = static_cast<std::size_t>(draw) % kContents.size();
  const std::uint64_t seed = options_.seed * 7'919 + 100'000 + static_cast<std::uint64_t>(draw);
  const bool aliased = draw / 4 % 2 == 1;
  auto args = smt::make_args(kernel_->abi, *symbols, kContents[contents], seed, aliased, kMostBytes);
  if (!args) return false;
  if (kContents[contents] == smt::Contents::ordinary)
    for (auto& [name, tensor] : args->views)
      if (is_float(tensor->dtype)) fill_random(*tensor, 2 * seed + 1, false);  // odd: fractions too
  Launch l;
  l.text = fmt::format("{}; {} contents, seed {}{}", sizes_text(*symbols), kContentNames[contents], seed,
                       aliased && !kernel_->abi.aliases.empty() ? ", aliased" : "");
  l.args = std::move(*args);
  Diagnostics problems;
  auto bound = bind_launch(kernel_->abi, copy_arguments(l.args), problems);
  if (!bound) return false;
  l.wanted = std::move(*bound);
  l.kernel_executes.resize(kernel_->body.op_count());
  l.reference = interpret_reference(*kernel_, l.wanted, {.max_steps = options_.max_steps, .executed = &l.kernel_executes});
  if (gives_up(l.reference.result)) return false;
  l.program_executes.resize(program_->body.op_count());
  if (auto taken = bind_launch(program_->abi, restrict_arguments(copy_arguments(l.args), program_->abi), problems)) {
    l.got = std::move(*taken);
    l.result = interpret(*program_, l.got, {.max_steps = options_.max_steps * 16, .executed = &l.program_executes});
  } else {
    l.refusal = problems.all().empty() ? "no reason given" : problems.all()[0].message;
  }
  if (gives_up(l.result)) return false;
  // What a kernel that errs gives is nothing to compare with.
  if (l.reference.result.ok() && l.refusal.empty()) {
    const std::string differs =
        l.result.error ? l.result.error->message : first_difference(*kernel_, l.wanted, l.reference, l.got);
    if (!differs.empty()) return disagreement_ = fmt::format("{}: {}", l.text, differs), false;
  }
  launches_.push_back(std::move(l));
  return true;
}

}  // namespace kir::mutants
