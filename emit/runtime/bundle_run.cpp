#include "emit/runtime/bundle_run.h"

#include <fmt/format.h>

#include <cmath>

#include "core/interp/launch_data.h"

namespace kir::runtime {

std::string make_arguments(const Abi& abi, const BundleCase& c, const std::string& bundle, LaunchArgs* args) {
  Diagnostics diagnostics;
  auto layout = resolve_layout(abi, c.symbols, diagnostics);
  if (!layout || !fits_this_machine(abi, *layout, diagnostics)) {
    std::string text;
    for (const Diagnostic& d : diagnostics.all()) text += (text.empty() ? "" : "; ") + d.message;
    return text;
  }
  args->symbols = c.symbols;
  for (std::size_t i = 0; i < abi.views.size(); ++i) {
    const ViewParam& view = abi.views[i];
    auto found = c.views.find(view.name);
    if (found == c.views.end()) return fmt::format("view {} is not described", view.name);
    if (!found->second.same_as.empty()) continue;
    auto t = std::make_shared<Tensor>(Tensor::strided(view.dtype, layout->views[i].shape, layout->views[i].strides));
    if (!found->second.file.empty()) {
      std::string error;
      const std::optional<Tensor> given = read_npy(bundle + "/" + found->second.file, view.dtype, &error);
      if (!given) return error;
      if (given->shape != t->shape || given->dtype != t->dtype) return found->second.file + " has another form";
      t->assign(*given);
      args->views[view.name] = std::move(t);
      continue;
    }
    fill_random(*t, found->second.seed, found->second.special);
    arrange_data(abi, i, layout->symbols, found->second.seed, *t);  // where it cannot, bind_launch says what does not hold
    args->views[view.name] = std::move(t);
  }
  for (const auto& [name, v] : c.views) {
    if (v.same_as.empty()) continue;
    auto target = args->views.find(v.same_as);
    if (target == args->views.end()) return fmt::format("view {} is to be {}, which has no memory of its own", name, v.same_as);
    args->views[name] = target->second;
  }
  for (const ScalarParam& s : abi.scalars) {
    auto found = c.scalars.find(s.name);
    if (found == c.scalars.end()) return fmt::format("scalar {} is not given", s.name);
    auto value = parse_literal(found->second, s.dtype);
    if (!value) return fmt::format("{} is no literal of type {}", found->second, name(s.dtype));
    args->scalars[s.name] = *value;
  }
  return "";
}

Comparison compare(const Tensor& expected, const Tensor& got, const Tensor* radius) {
  Comparison out;
  Tensor dense = got.dense();
  if (expected.shape != dense.shape || expected.dtype != dense.dtype || (radius && radius->shape != expected.shape)) {
    out.ok = false;
    out.first = " has another shape or element type";
    return out;
  }
  out.elements = dense.element_count();
  for (std::int64_t i = 0; i < out.elements; ++i) {
    const Scalar want = expected.load(i), have = dense.load(i);
    const double allowed = radius ? radius->load(i).as_double() : 0;
    if (want == have || (is_float(want.type) && want.is_nan() && have.is_nan())) continue;
    if (std::isinf(allowed)) {
      ++out.undecided;
      continue;
    }
    auto number = [](const Scalar& s) { return is_float(s.type) ? s.as_double() : static_cast<double>(s.as_signed()); };
    const double difference = std::abs(number(want) - number(have));
    if (!std::isnan(difference)) out.max_error = std::max(out.max_error, difference);
    if ((radius && difference <= allowed) || !out.ok) continue;
    out.ok = false;
    std::string place;
    std::int64_t rest = i;
    for (std::size_t k = dense.shape.size(); k-- > 0; rest /= dense.shape[k])
      place = fmt::format("{}{}{}", rest % dense.shape[k], place.empty() ? "" : ", ", place);
    out.first = fmt::format("[{}] is {}, not {}", place, literal_text(have), literal_text(want));
    if (radius) out.first += fmt::format(" within {:.3g}", allowed);
  }
  return out;
}

}  // namespace kir::runtime
