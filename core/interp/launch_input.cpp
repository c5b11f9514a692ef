#include "core/interp/launch_input.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "core/interp/launch_data.h"
#include "core/interp/tensor_text.h"

namespace kir {
namespace {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T v{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(v) : std::nullopt;
}

struct RandomText {
  std::uint64_t seed = 0;
  bool special = false;
};

std::optional<RandomText> parse_random(std::string_view text) {
  if (!text.starts_with("random:")) return std::nullopt;
  text.remove_prefix(7);
  RandomText out;
  out.special = text.ends_with(":special");
  if (out.special) text.remove_suffix(8);
  std::optional<std::uint64_t> seed = parse_number<std::uint64_t>(text);
  if (!seed) return std::nullopt;
  out.seed = *seed;
  return out;
}

class Maker {
 public:
  Maker(const Abi& abi, Diagnostics& diagnostics) : abi_(abi), diagnostics_(diagnostics) {}

  std::optional<LaunchArgs> run(const std::vector<GivenArgument>& given) {
    const std::size_t before = diagnostics_.error_count();
    files_.resize(abi_.views.size());
    texts_.resize(abi_.views.size());
    std::set<std::string> names;
    for (const GivenArgument& g : given) {
      if (!names.insert(g.name).second) diagnostics_.error("A-02", {}, fmt::format("{} is given twice", g.name));
      take(g);
    }
    if (diagnostics_.error_count() != before) return std::nullopt;
    LaunchArgs known{.symbols = args_.symbols};
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (files_[i]) known.views[abi_.views[i].name] = files_[i];
    std::optional<std::map<std::string, std::int64_t>> symbols = symbols_of_extents(abi_, known, diagnostics_);
    if (!symbols) return std::nullopt;
    std::optional<LaunchLayout> layout = resolve_layout(abi_, *symbols, diagnostics_);
    if (!layout || !fits_this_machine(abi_, *layout, diagnostics_)) return std::nullopt;
    for (std::size_t i = 0; i < abi_.views.size(); ++i) make_view(i, layout->views[i], layout->symbols);
    share();
    if (diagnostics_.error_count() != before) return std::nullopt;
    args_.symbols = std::move(*symbols);
    return std::move(args_);
  }

 private:
  void fail(SourceRange range, std::string message) { diagnostics_.error("A-14", range, std::move(message)); }

  void take(const GivenArgument& g) {
    for (std::size_t i = 0; i < abi_.views.size(); ++i)
      if (abi_.views[i].name == g.name) return take_view(i, g.text);
    for (const ScalarParam& p : abi_.scalars)
      if (p.name == g.name) return take_scalar(p, g.text);
    if (const SymbolInfo* s = abi_.find_symbol(g.name)) {
      std::optional<std::int64_t> v = parse_number<std::int64_t>(g.text);
      if (!v) return fail(s->range, fmt::format("'{}' is no integer of 64 bits for {}", g.text, g.name));
      args_.symbols[g.name] = *v;
      return;
    }
    diagnostics_.error("A-02", {}, fmt::format("there is no parameter {}", g.name));
  }

  void take_scalar(const ScalarParam& p, const std::string& text) {
    if (std::optional<RandomText> r = parse_random(text))
      args_.scalars[p.name] = random_scalar(p.dtype, r->seed, 0, r->special);
    else if (std::optional<Scalar> s = parse_literal(text, p.dtype))
      args_.scalars[p.name] = *s;
    else
      fail(p.range, fmt::format("'{}' is no {} for {}", text, name(p.dtype), p.name));
  }

  void take_view(std::size_t i, const std::string& text) {
    const ViewParam& p = abi_.views[i];
    texts_[i] = text;
    if (text == "zeros" || parse_random(text)) return;
    if (text.starts_with('@')) {
      bool known = false;
      for (const ViewParam& other : abi_.views) known = known || (other.name == text.substr(1) && &other != &p);
      if (!known) fail(p.range, fmt::format("'{}' names no other view for {}", text, p.name));
      return;
    }
    const bool listed = !text.ends_with(".npy") && (text.starts_with('[') || p.rank() == 0);
    if (!listed && !text.ends_with(".npy"))
      return fail(p.range,
                  fmt::format("'{}' is neither an .npy file nor [v, ...], random:SEED, zeros or @VIEW for {}", text, p.name));
    std::string error;
    if (std::optional<Tensor> t = listed ? parse_tensor(text, p.dtype, &error) : read_npy(text, p.dtype, &error))
      files_[i] = std::make_shared<Tensor>(std::move(*t));
    else
      fail(p.range, fmt::format("view {}: {}", p.name, error));
  }

  void make_view(std::size_t i, const ViewExtent& extent, const std::map<std::string, std::int64_t>& symbols) {
    const ViewParam& p = abi_.views[i];
    const std::string& text = texts_[i];
    if (text.starts_with('@') || (text.empty() && p.access != Access::out)) return;
    if (files_[i] && files_[i]->shape != extent.shape) {  // bind_launch says what is wrong with it
      args_.views[p.name] = files_[i];
      return;
    }
    auto t = std::make_shared<Tensor>(Tensor::strided(p.dtype, extent.shape, extent.strides));
    if (std::optional<RandomText> r = parse_random(text)) {
      fill_random(*t, r->seed, r->special);
      arrange_data(abi_, i, symbols, r->seed, *t);  // where it cannot, bind_launch says what does not hold
    }
    if (files_[i] && !lay_out(*files_[i], *t))
      return fail(p.range, fmt::format("view {}: elements that are one address (strides ({})) differ in the argument", p.name,
                                       fmt::join(extent.strides, ", ")));
    args_.views[p.name] = std::move(t);
  }

  // Copies the logical elements; false when two that share an address differ.
  static bool lay_out(const Tensor& dense, Tensor& to) {
    if (dense.bytes.empty()) return true;
    if (dense.strides == to.strides) {
      to.bytes = dense.bytes;
      return true;
    }
    for (bool check : {false, true})
      for (std::int64_t i = 0; i < dense.element_count(); ++i) {
        std::vector<std::int64_t> at(dense.shape.size());
        std::int64_t rest = i;
        for (std::size_t k = at.size(); k-- > 0; rest /= dense.shape[k]) at[k] = rest % dense.shape[k];
        if (!check)
          to.store(to.address(at), dense.load(i));
        else if (to.load(to.address(at)) != dense.load(i))
          return false;
      }
    return true;
  }

  void share() {
    auto view = [&](const std::string& n) {
      auto it = args_.views.find(n);
      return it == args_.views.end() ? nullptr : it->second;
    };
    for (std::size_t i = 0; i < abi_.views.size(); ++i)
      if (texts_[i].starts_with('@')) {
        if (TensorPtr t = view(texts_[i].substr(1)))
          args_.views[abi_.views[i].name] = t;
        else
          fail(abi_.views[i].range,
               fmt::format("view {} has no memory of its own for {}", texts_[i].substr(1), abi_.views[i].name));
      }
    for (const AliasFact& f : abi_.aliases) {
      if (f.kind != AliasKind::same) continue;
      const bool a = !texts_[f.a].empty(), b = !texts_[f.b].empty();
      if (a != b) args_.views[abi_.views[a ? f.b : f.a].name] = view(abi_.views[a ? f.a : f.b].name);
    }
  }

  const Abi& abi_;
  Diagnostics& diagnostics_;
  LaunchArgs args_;
  std::vector<TensorPtr> files_;  // contents with a shape of their own: files and arrays written out
  std::vector<std::string> texts_;
};

}  // namespace

std::optional<LaunchArgs> make_arguments(const Abi& abi, const std::vector<GivenArgument>& given, Diagnostics& diagnostics) {
  return Maker(abi, diagnostics).run(given);
}

LaunchArgs copy_arguments(const LaunchArgs& args) {
  LaunchArgs out = args;
  std::map<Tensor*, TensorPtr> copies;
  for (auto& [name, t] : out.views) {
    TensorPtr& copy = copies[t.get()];
    if (!copy) copy = std::make_shared<Tensor>(*t);
    t = copy;
  }
  return out;
}

LaunchArgs restrict_arguments(const LaunchArgs& args, const Abi& abi) {
  LaunchArgs out = args;
  std::erase_if(out.symbols, [&](const auto& s) { return abi.find_symbol(s.first) == nullptr; });
  return out;
}

}  // namespace kir
