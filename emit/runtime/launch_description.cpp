// launch.json: the launch description as text. Expressions stand in their printed form and are parsed back; every field is
// checked, so that a damaged file is an error and not a wrong launch.
#include <fmt/format.h>

#include "core/index/parse_expr.h"
#include "emit/runtime/json_reader.h"
#include "emit/runtime/launcher.h"

namespace kir::runtime {
namespace {

Json texts(const std::vector<Expr>& list) {
  Json out = Json::array();
  for (Expr e : list) out.push_back(to_string(e));
  return out;
}

class Reader : public JsonReader {
 public:
  Reader(ExprPool& pool, const std::string& name, std::string* error) : JsonReader(name, error), pool_(pool) {}

  Expr expression(const Json& v, Sort sort) {
    const std::string text = as_text(v, "an expression");
    std::string why;
    const Expr e = good() ? parse_expr(pool_, text, &why) : Expr();
    if (good() && e == Expr()) fail(fmt::format("{}: {}", text, why));
    if (good() && e.sort() != sort) fail(fmt::format("{} is of the wrong kind", text));
    return good() ? e : Expr();
  }
  std::vector<Expr> expressions(const Json& object, const char* key, Sort sort = Sort::integer) {
    std::vector<Expr> out;
    for (const Json& v : list(object, key)) out.push_back(expression(v, sort));
    return out;
  }
  DType dtype(const Json& object) {
    const std::string n = text(object, "dtype");
    const auto t = dtype_from_name(n);
    if (good() && !t) fail(fmt::format("unknown dtype \"{}\"", n));
    return t.value_or(DType::f32);
  }

 private:
  ExprPool& pool_;
};

Json abi_to_json(const Abi& abi) {
  Json params = Json::array();
  for (const Abi::Param& p : abi.params) {
    switch (p.kind) {
      case Abi::ParamKind::view: params.push_back(abi.views[p.index].name); break;
      case Abi::ParamKind::scalar: params.push_back(abi.scalars[p.index].name); break;
      case Abi::ParamKind::symbol: params.push_back(abi.symbols[p.index].name); break;
    }
  }
  Json views = Json::array(), scalars = Json::array(), symbols = Json::array(), aliases = Json::array();
  for (const ViewParam& v : abi.views)
    views.push_back({{"name", v.name},
                     {"access", name(v.access)},
                     {"dtype", name(v.dtype)},
                     {"shape", texts(v.shape)},
                     {"strides", texts(v.strides)},
                     {"align", v.align}});
  for (const ScalarParam& s : abi.scalars) scalars.push_back({{"name", s.name}, {"dtype", name(s.dtype)}});
  for (const SymbolInfo& s : abi.symbols) {
    Json j = {{"name", s.name}, {"parameter", s.parameter}};
    if (s.lo) j["lo"] = to_string(s.lo);
    if (s.hi) j["hi"] = to_string(s.hi);
    symbols.push_back(std::move(j));
  }
  for (const AliasFact& f : abi.aliases)
    aliases.push_back(
        {{"kind", f.kind == AliasKind::same ? "same" : "may_alias"}, {"a", abi.views[f.a].name}, {"b", abi.views[f.b].name}});
  Json data = Json::array();
  for (const DataFact& f : abi.data) {
    Json j = {{"kind", name(f.kind)}, {"view", abi.views[f.view].name}};
    if (f.kind == DataFactKind::in_range) j.update({{"lo", to_string(f.lo)}, {"hi", to_string(f.hi)}});
    data.push_back(std::move(j));
  }
  return {{"params", params},          {"views", views}, {"scalars", scalars}, {"symbols", symbols}, {"aliases", aliases},
          {"where", texts(abi.where)}, {"data", data}};
}

Abi abi_from_json(const Json& j, Reader& r) {
  Abi abi;
  std::map<std::string, Abi::Param> by_name;
  auto declare = [&](const std::string& n, Abi::ParamKind kind, std::size_t index) {
    if (n.empty() || !by_name.emplace(n, Abi::Param{kind, index}).second)
      r.fail(fmt::format("the name \"{}\" is empty or used twice", n));
  };
  for (const Json& v : r.list(j, "views")) {
    ViewParam p;
    p.name = r.text(v, "name");
    std::string access = r.text(v, "access");
    if (access == "in")
      p.access = Access::in;
    else if (access == "out")
      p.access = Access::out;
    else if (access == "inout")
      p.access = Access::inout;
    else
      r.fail(fmt::format("unknown access \"{}\"", access));
    p.dtype = r.dtype(v);
    p.shape = r.expressions(v, "shape");
    p.strides = r.expressions(v, "strides");
    p.explicit_strides = true;
    p.align = r.integer(v, "align", 0);
    if (p.shape.size() != p.strides.size())
      r.fail(fmt::format("view {} has {} extents and {} strides", p.name, p.shape.size(), p.strides.size()));
    declare(p.name, Abi::ParamKind::view, abi.views.size());
    abi.views.push_back(std::move(p));
  }
  for (const Json& s : r.list(j, "scalars")) {
    declare(r.text(s, "name"), Abi::ParamKind::scalar, abi.scalars.size());
    abi.scalars.push_back({.name = r.text(s, "name"), .dtype = r.dtype(s)});
  }
  for (const Json& s : r.list(j, "symbols")) {
    SymbolInfo info{.name = r.text(s, "name"), .parameter = r.boolean(s, "parameter")};
    if (s.is_object() && s.contains("lo")) info.lo = r.expression(s.at("lo"), Sort::integer);
    if (s.is_object() && s.contains("hi")) info.hi = r.expression(s.at("hi"), Sort::integer);
    declare(info.name, Abi::ParamKind::symbol, abi.symbols.size());
    abi.symbols.push_back(std::move(info));
  }
  for (const Json& p : r.list(j, "params")) {
    auto found = p.is_string() ? by_name.find(p.get<std::string>()) : by_name.end();
    if (found == by_name.end())
      r.fail("a parameter that is not declared");
    else
      abi.params.push_back(found->second);
  }
  for (const Json& a : r.list(j, "aliases")) {
    AliasFact f;
    std::string kind = r.text(a, "kind");
    if (kind != "same" && kind != "may_alias") r.fail(fmt::format("unknown alias fact \"{}\"", kind));
    f.kind = kind == "same" ? AliasKind::same : AliasKind::may_alias;
    for (auto [key, index] : {std::pair{"a", &f.a}, std::pair{"b", &f.b}}) {
      auto found = by_name.find(r.text(a, key));
      if (found == by_name.end() || found->second.kind != Abi::ParamKind::view)
        r.fail("an alias fact about something that is no view");
      else
        *index = found->second.index;
    }
    abi.aliases.push_back(f);
  }
  abi.where = r.expressions(j, "where", Sort::boolean);
  abi.where_ranges.resize(abi.where.size());
  for (const Json& d : r.list(j, "data")) {
    DataFact f;
    const std::string kind = r.text(d, "kind");
    const DataFactKind* known = nullptr;
    static constexpr DataFactKind kKinds[] = {DataFactKind::nondecreasing, DataFactKind::in_range, DataFactKind::unique};
    for (const DataFactKind& k : kKinds)
      if (name(k) == kind) known = &k;
    if (known)
      f.kind = *known;
    else
      r.fail(fmt::format("unknown data precondition \"{}\"", kind));
    auto found = by_name.find(r.text(d, "view"));
    if (found == by_name.end() || found->second.kind != Abi::ParamKind::view)
      r.fail("a data precondition of something that is no view");
    else
      f.view = found->second.index;
    if (r.good()) {
      const ViewParam& v = abi.views[f.view];
      if (v.access != Access::in || !is_integer(v.dtype) || (f.kind == DataFactKind::nondecreasing && v.rank() != 1))
        r.fail(fmt::format("{} is no precondition of the view {}", kind, v.name));
    }
    if (f.kind == DataFactKind::in_range) {
      f.lo = r.expression(r.at(d, "lo"), Sort::integer);
      f.hi = r.expression(r.at(d, "hi"), Sort::integer);
    }
    abi.data.push_back(std::move(f));
  }
  return abi;
}

}  // namespace

std::string to_json(const LaunchDescription& d) {
  Json definitions = Json::array();
  for (const auto& [n, value] : d.definitions) definitions.push_back({{"name", n}, {"value", to_string(value)}});
  Json j = {{"format", "kir-launch"},
            {"version", d.version},
            {"kernel", d.kernel_name},
            {"target", d.target},
            {"abi", abi_to_json(d.abi)},
            {"definitions", definitions},
            {"grid", d.grid},
            {"threads", d.threads},
            {"pack", d.pack},
            {"shared_bytes", d.shared_bytes},
            {"asserted", d.asserted}};
  if (!d.workspace.empty()) {
    j["workspace"] = {{"alignment", kWorkspaceAlignment}, {"shared", texts(d.workspace.shared)}};
    if (d.workspace.slice) j["workspace"]["slice"] = to_string(d.workspace.slice);
  }
  return j.dump(2) + "\n";
}

std::optional<LaunchDescription> from_json(const std::string& text, std::string* error, const std::string& name) {
  const Json j = parse_json(text, name, error);
  if (j.is_discarded()) return std::nullopt;
  LaunchDescription d;
  d.pool = std::make_shared<ExprPool>();
  Reader r(*d.pool, name, error);
  if (r.good() && r.text(j, "format") != "kir-launch") r.fail("not a launch description");
  d.version = static_cast<int>(r.integer(j, "version", 1, std::numeric_limits<int>::max()));
  if (r.good() && d.version != 1) r.fail(fmt::format("version {} is unknown", d.version));
  d.kernel_name = r.text(j, "kernel");
  d.target = r.text(j, "target");
  d.abi = abi_from_json(r.at(j, "abi"), r);
  for (const Json& def : r.list(j, "definitions"))
    d.definitions.emplace_back(r.text(def, "name"), r.expression(r.at(def, "value"), Sort::integer));
  d.grid = r.text(j, "grid");
  d.threads = r.integer(j, "threads", 1, 1024);
  d.pack = r.integer(j, "pack", 1, 1024);
  if (r.good() && d.threads * d.pack > 1024) r.fail("a block of more than 1024 threads");
  d.shared_bytes = r.integer(j, "shared_bytes", 0, std::int64_t{1} << 20);
  if (j.is_object() && j.contains("workspace")) {
    const Json& w = j.at("workspace");
    r.integer(w, "alignment", kWorkspaceAlignment, kWorkspaceAlignment);
    d.workspace.shared = r.expressions(w, "shared");
    if (w.is_object() && w.contains("slice")) d.workspace.slice = r.expression(w.at("slice"), Sort::integer);
  }
  for (const Json& fact : r.list(j, "asserted")) {
    if (fact.is_string())
      d.asserted.push_back(fact.get<std::string>());
    else
      r.fail("an asserted fact is no string");
  }
  if (!r.good()) return std::nullopt;
  return d;
}

}  // namespace kir::runtime
