#include "lowering/construct.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "lowering/claims.h"
#include "lowering/facts.h"
#include "lowering/fuse.h"
#include "lowering/group.h"
#include "lowering/segment.h"
#include "lowering/translate.h"

namespace kir::lowering {
namespace {

// The ABI with its expressions in another pool; values are set by the caller.
Abi import_abi(const Abi& abi, ExprPool& pool) {
  Abi out = abi;
  auto import = [&](Expr& e) {
    if (e) e = pool.import(e, {});
  };
  for (ViewParam& v : out.views) {
    for (Expr& e : v.shape) import(e);
    for (Expr& e : v.strides) import(e);
  }
  for (SymbolInfo& s : out.symbols) {
    import(s.lo);
    import(s.hi);
  }
  for (Expr& e : out.where) import(e);
  for (DataFact& f : out.data) {
    import(f.lo);
    import(f.hi);
  }
  return out;
}

Type import_type(const Type& t, ExprPool& pool) {
  Type out = t;
  for (Expr& e : out.shape) e = pool.import(e, {});
  return out;
}

}  // namespace

std::optional<Construction> construct(const Kernel& kernel, Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  KernelFacts facts(kernel);
  if (!settle_tensors(facts, diagnostics)) return std::nullopt;
  std::vector<GroupPlan> groups = form_groups(facts);

  auto program = std::make_shared<PhysicalProgram>();
  program->pool = std::make_shared<ExprPool>();
  ExprPool& pool = *program->pool;
  SpacePlan space = plan_space(facts, groups, pool);

  Construction out;
  Claims claims(facts, space, out.ledger);
  claims.space();

  program->name = kernel.name;
  program->implements = kernel.name;
  program->origin_kernel = kernel.id();
  program->source = kernel.source;
  program->abi = import_abi(kernel.abi, pool);
  program->launch = {.threads = 1, .pack = space.pack, .grid = space.grid_name};

  BodyBuilder builder;
  RegionId root = builder.new_region();
  builder.set_region_origin(root, kernel.root);
  std::unordered_map<ValueId, ValueId> root_map;
  std::set<std::string> reserved;
  for (ValueId a : kernel.body.region(kernel.root).args) {
    const Value& v = kernel.body.value(a);
    root_map.emplace(a, builder.add_argument(root, import_type(v.type, pool), v.name, v.range, a));
    reserved.insert(v.name);
  }
  program->work_id = free_name(kernel.abi, "w");
  reserved.insert(program->work_id);
  for (const SymbolInfo& s : kernel.abi.symbols) reserved.insert(s.name);
  for (const SegmentPlan& s : space.segments) reserved.insert({s.length_name, s.offset_name});
  reserved.insert(space.grid_name);
  for (const GroupPlan& g : groups)
    for (const SharedBuffer& s : g.workset.shared) {
      const ValueId kir = kernel.body.op(s.buffer).results[0];
      const Value& v = kernel.body.value(kir);
      Type type = v.type;
      for (Expr& e : type.shape) e = pool.import(facts.expand(e), {});
      std::string name = v.name.empty() ? "b" : v.name;
      while (!reserved.insert(name).second) name += '_';
      program->workspace.push_back(builder.add_argument(root, std::move(type), name, v.range, kir));
      root_map.emplace(kir, program->workspace.back());
    }
  ValueId work = builder.add_argument(root, Type::scalar(DType::i64), program->work_id);

  std::vector<RegionId> roots = {root};
  Translator translator(facts, builder, pool, claims, diagnostics, root_map, reserved);
  for (std::size_t g = 0; g < groups.size(); ++g) roots.push_back(translator.group(g, groups[g]));
  if (diagnostics.error_count() != errors_before) return std::nullopt;

  BodyBuilder::Renumbering renumbered;
  program->body = builder.freeze(pool, roots, &renumbered);
  program->root = renumbered.regions[root.index];
  program->work = renumbered.values[work.index];
  for (ValueId& v : program->workspace) v = renumbered.values[v.index];
  for (ViewParam& v : program->abi.views) v.value = renumbered.values[root_map.at(v.value).index];
  for (ScalarParam& s : program->abi.scalars) s.value = renumbered.values[root_map.at(s.value).index];

  Expr w = pool.value(program->work);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const SegmentPlan& s = space.segments[g];
    program->definitions.push_back({s.length_name, s.length, {}});
    program->definitions.push_back({s.offset_name, s.offset, {}});
    program->segments.push_back({s.group, s.axes, s.lo, s.hi, s.length_name, s.offset_name, {}});
    Expr begin = pool.symbol(s.offset_name);
    Expr end = begin + pool.symbol(s.length_name);
    program->arms.push_back({both(less_equal(begin, w), less(w, end)), g, decode(s.lo, s.extent, w - begin), {}});
    program->groups.push_back({s.group, renumbered.regions[roots[g + 1].index], s.lo, s.hi, {}});
    out.explanations.push_back({s.group, std::move(groups[g].lines)});
  }
  program->definitions.push_back({space.grid_name, space.grid, {}});
  out.program = std::move(program);
  return out;
}

}  // namespace kir::lowering
