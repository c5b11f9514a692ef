#include "core/interp/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/ir/op_table.h"

namespace kir {

std::string_view name(RuntimeErrorKind k) {
  static constexpr std::string_view kNames[] = {
      "out_of_bounds",   "uninitialized_read", "division",   "conversion",     "empty_reduction", "failed_assume",
      "zero_divisor",    "bad_step",           "race",       "index_overflow", "arbitrary_value", "shape_mismatch",
      "launch_overflow", "violated_licence",   "step_limit", "refused_launch", "unsupported",
  };
  static_assert(std::size(kNames) == static_cast<std::size_t>(RuntimeErrorKind::unsupported) + 1);
  return kNames[static_cast<std::size_t>(k)];
}

Machine::Machine(const Body& body, const Abi& abi, const Code& code, Memory& memory, const InterpretOptions& options)
    : body_(body), abi_(abi), code_(code), memory_(memory), options_(options) {
  const std::size_t n = body.value_count();
  words_.resize(n);
  integers_.resize(code.integer_slots);
  taint_.resize(n);
  radius_.resize(n);
  tensors_.resize(n);
  tiles_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (code.tile_shapes[i].empty()) continue;
    std::size_t count = 1;
    for (std::int64_t e : code.tile_shapes[i]) count *= static_cast<std::size_t>(std::max<std::int64_t>(e, 0));
    tiles_[i].words.resize(count);
    tiles_[i].taint.resize(count);
  }
  KIR_CHECK(code.buffer_types.empty() || memory.view_count() == abi.views.size(), "buffers come after the views of the ABI");
  for (DType t : code.buffer_types) memory.add_buffer(t);
  memory.set_follow_releases(code.follows_releases);
  environment_.words = words_.data();
  environment_.integers = integers_.data();
  environment_.taint = taint_.data();
  environment_.tiles = tiles_.data();
}

void Machine::set_integer(Slot s, Integer v) {
  const int width = code_.integer_width[s];
  if (width == 0)
    integers_[s] = v;
  else
    words_[s] = width == 64 ? static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v) & ((std::uint64_t{1} << width) - 1);
  taint_[s] = 0;
}

Integer Machine::integer(Slot s) const {
  const int width = code_.integer_width[s];
  if (width == 0) return integers_[s];
  return static_cast<std::int64_t>(words_[s] << (64 - width)) >> (64 - width);
}

bool Machine::run_region(RegionId r) {
  for (const Instr& i : code_.regions[r.index].instrs)
    if (!execute(i)) return false;
  return true;
}

bool Machine::count_step(OpId op, std::uint64_t n) {
  steps_ += n;
  if (steps_ <= options_.max_steps) return true;
  return fail(RuntimeErrorKind::step_limit, op, fmt::format("more than {} steps", options_.max_steps));
}

bool Machine::execute(const Instr& i) {
  if (++steps_ > options_.max_steps) return count_step(i.op, 0);
  if (options_.executed != nullptr) (*options_.executed)[i.op.index] = true;
  switch (i.kind) {
    case InstrKind::constant: words_[i.dst] = i.word; return true;
    case InstrKind::index: return index(i);
    case InstrKind::pointwise:
    case InstrKind::select:
    case InstrKind::cmp:
    case InstrKind::convert: return pointwise(i);
    case InstrKind::select_index:
    case InstrKind::convert_from_index:
    case InstrKind::convert_to_index: return convert_index(i);
    case InstrKind::load: return load(i);
    case InstrKind::store: return store(i);
    case InstrKind::in_bounds: return in_bounds(i);
    case InstrKind::atomic: return atomic(i);
    case InstrKind::buffer: return buffer(i);
    case InstrKind::scatter: return scatter(i);
    case InstrKind::histogram: return histogram(i);
    case InstrKind::elem: return elem(i);
    case InstrKind::extents: return extents(code_.extents[i.plan], i.op);
    case InstrKind::reshape: return reshape(i);
    case InstrKind::tensor_compute: return tensor_compute(i);
    case InstrKind::concat: return concat(i);
    case InstrKind::iota: return iota(i);
    case InstrKind::gather: return gather(i);
    case InstrKind::part: return part(i);
    case InstrKind::philox: return philox(i);
    case InstrKind::tensor_pointwise: return tensor_pointwise(i);
    case InstrKind::tile_index: return tile_index(i);
    case InstrKind::tile_pointwise: return tile_pointwise(i);
    case InstrKind::tile_load: return tile_access(i, false);
    case InstrKind::tile_store: return tile_access(i, true);
    case InstrKind::splat: return splat(i);
    case InstrKind::tile_reduce: return tile_reduce(i);
    case InstrKind::parallel: return parallel(i);
    case InstrKind::for_loop: return for_loop(i);
    case InstrKind::while_loop: return while_loop(i);
    case InstrKind::if_else: return if_else(i);
    case InstrKind::assume: return assume(i);
    case InstrKind::reduce: return reduce(i);
    case InstrKind::arg_reduce: return arg_reduce(i);
    case InstrKind::scan: return scan(i);
    case InstrKind::contract: return contract(i);
    case InstrKind::region_fold: return region_fold(i);
    case InstrKind::region_scan: return region_scan(i);
    case InstrKind::unsupported:
      return fail(RuntimeErrorKind::unsupported, i.op,
                  fmt::format("{} with these operands is not interpreted", row(body_.op(i.op).kind).name));
  }
  KIR_UNREACHABLE("instruction");
}

bool Machine::extents(const ExtentsPlan& plan, OpId op) {
  for (const ExtentsPlan::Item& item : plan.items) {
    Integer minus = 0;
    if (!evaluate(item.expression, op, integers_[item.to])) return false;
    if (item.minus != kNoSlot && !evaluate(item.minus, op, minus)) return false;
    integers_[item.to] -= minus;
  }
  return true;
}

std::string_view Machine::verb(OpId id) const {
  const Op* op = &body_.op(id);
  if (row(op->kind).terminator && body_.region(op->parent).parent) op = &body_.op(body_.region(op->parent).parent);
  return row(op->kind).name;
}

std::string Machine::value_name(Slot s) const {
  const std::string& name = body_.value(ValueId(s)).name;
  return name.empty() ? fmt::format("v{}", s) : name;
}

// The variables of the domain that a region runs over. A combine runs for the member that was mapped last.
std::span<const ValueId> Machine::member_variables(const Op& op, RegionId r) const {
  if (!op.attrs.has(AttrKey::ranges) && !op.attrs.has(AttrKey::extents)) return {};
  const std::size_t which = static_cast<std::size_t>(std::find(op.regions.begin(), op.regions.end(), r) - op.regions.begin());
  const bool pointwise = row(op.kind).regions[which].contents == Contents::pointwise;
  if (pointwise && op.kind == OpKind::contract) return {};  // its members have variables on both sides
  const std::span<const ValueId> args(body_.region(pointwise ? op.regions[0] : r).args);
  // A slice's region has the bounds of the segment, then the state.
  return op.kind == OpKind::region_scan ? args.first(std::min<std::size_t>(args.size(), 2)) : args;
}

std::vector<NamedValue> Machine::variables(OpId op) const {
  std::vector<NamedValue> found;
  auto variable = [&](ValueId v) { found.push_back({value_name(v.index), integer(v.index)}); };
  RegionId r = op ? body_.op(op).parent : RegionId{};
  if (updating_)
    for (std::size_t k = updating_->arguments.size(); k-- > 0;) variable(ValueId(updating_->arguments[k]));
  while (r) {
    const Region& region = body_.region(r);
    if (!region.parent) {
      for (std::size_t k = region.args.size(); k-- > 0;) {
        const Type& t = body_.type(region.args[k]);
        // The coordinates of a group; a kernel's root has views and data scalars.
        if (t.is(TypeKind::scalar) && std::none_of(abi_.scalars.begin(), abi_.scalars.end(),
                                                   [&](const ScalarParam& p) { return p.value == region.args[k]; }))
          variable(region.args[k]);
      }
      break;
    }
    const Op& parent = body_.op(region.parent);
    if (parent.kind == OpKind::for_loop)
      variable(region.args[0]);
    else
      for (std::span<const ValueId> members = member_variables(parent, r); !members.empty();
           members = members.first(members.size() - 1))
        variable(members.back());
    r = parent.parent;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

bool Machine::fail(RuntimeErrorKind kind, OpId op, std::string message) {
  failed_ = op;
  RuntimeError e{
      kind, op ? body_.op(op).range : SourceRange{}, message, std::move(message), {op, program_, tile_element_, variables(op)}};
  if (program_) e.message += fmt::format(" in program {}", *program_);
  for (std::size_t k = 0; k < e.at.variables.size(); ++k)
    e.message += fmt::format("{}{} = {}", k ? ", " : " with ", e.at.variables[k].name, to_string(e.at.variables[k].value));
  error_ = std::move(e);
  return false;
}

bool Machine::fail_at(RuntimeErrorKind kind, SourceRange range, std::string message) {
  RuntimeError e{kind, range, message, std::move(message), {{}, program_}};
  if (program_) e.message += fmt::format(" in program {}", *program_);
  error_ = std::move(e);
  return false;
}

bool Machine::check_observed(Taint t, OpId op, std::string_view what) {
  if (t == 0) return true;
  if (t & kUndecided) {
    undecided_ = true;
    return fail(RuntimeErrorKind::unsupported, op, fmt::format("{} differs between permitted executions", what));
  }
  if (t & kSkipped)
    return fail(RuntimeErrorKind::unsupported, op, fmt::format("{} depends on a part that the replay left out", what));
  return fail(RuntimeErrorKind::arbitrary_value, op,
              fmt::format("{} is arbitrary: it depends on a masked load without a fill", what));
}

std::string Machine::fault_text(const IndexCode::Result& r) const {
  const std::string text =
      to_string(r.where, [&](Expr leaf) { return leaf.is(ExprKind::value) ? value_name(leaf.value().index) : std::string(); });
  switch (r.fault) {
    case IndexFault::zero_divisor: return fmt::format("the divisor of {} is zero", text);
    case IndexFault::overflow:  // an index of a kernel has no type: only the interpreter's own width ends it
      return fmt::format("{} leaves {}", text,
                         r.exact ? "the 128 bits in which the interpreter computes indices" : "the range of its integer type");
    case IndexFault::unbound: return fmt::format("{} has no value here", text);
    case IndexFault::none: break;
  }
  KIR_UNREACHABLE("no fault");
}

static RuntimeErrorKind kind_of(IndexFault f) {
  return f == IndexFault::zero_divisor ? RuntimeErrorKind::zero_divisor
         : f == IndexFault::overflow   ? RuntimeErrorKind::index_overflow
                                       : RuntimeErrorKind::unsupported;
}

bool Machine::index_fault(const IndexCode::Result& r, OpId op) {
  if (r.taint) return check_observed(r.taint, op, "an integer expression at fault");
  return fail(kind_of(r.fault), op, fault_text(r));
}

bool Machine::evaluate_at(const IndexCode& code, SourceRange range, Integer& out) {
  IndexCode::Result r;
  if (!code.evaluate(environment_, r)) return fail_at(kind_of(r.fault), range, fault_text(r));
  out = r.value;
  return true;
}

bool Machine::evaluate(std::uint32_t expression, OpId op, Integer& out) {
  IndexCode::Result r;
  if (!code_.expressions[expression].evaluate(environment_, r)) return index_fault(r, op);
  out = r.value;
  return check_observed(r.taint, op, "a bound");
}

void Machine::enter_level(std::function<std::string(std::size_t)> name) {
  memory_.order().enter_parallel();
  levels_.push_back({{}, std::move(name)});
}

bool Machine::start_instance(OpId op) {
  if (memory_.exhausted())
    return fail(RuntimeErrorKind::step_limit, op, "more unordered instances, releases or accesses than can be kept apart");
  const std::uint32_t stamp = memory_.order().start_instance();
  if (levels_.back().starts.size() < kRememberedInstances) levels_.back().starts.push_back(stamp);
  return true;
}

void Machine::leave_level() {
  memory_.order().leave_parallel();
  levels_.pop_back();
}

void Machine::take(Slot s, TypeKind kind, Buffered& out) const {
  out.taint = taint_[s];
  switch (kind) {
    case TypeKind::scalar:
      out.word = words_[s];
      out.radius = radius_[s];
      break;
    case TypeKind::index: out.integer = integers_[s]; break;
    case TypeKind::tensor: out.tensor = tensors_[s]; break;
    case TypeKind::fragment: out.tile = tiles_[s]; break;
    case TypeKind::none:
    case TypeKind::view: break;
  }
}

void Machine::put(Slot s, TypeKind kind, Buffered&& in) {
  taint_[s] = in.taint;
  switch (kind) {
    case TypeKind::scalar:
      words_[s] = in.word;
      radius_[s] = in.radius;
      break;
    case TypeKind::index: integers_[s] = in.integer; break;
    case TypeKind::tensor: tensors_[s] = std::move(in.tensor); break;
    case TypeKind::fragment: tiles_[s] = std::move(in.tile); break;
    case TypeKind::none:
    case TypeKind::view: break;
  }
}

bool Machine::move(const MovePlan& plan, OpId op) {
  if (plan.buffered) {
    std::vector<Buffered> values(plan.moves.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const MovePlan::Move& m = plan.moves[k];
      if (m.access == kNoSlot)
        take(m.from, m.kind, values[k]);
      else if (!materialize(code_.accesses[m.access], op, values[k].tensor))
        return false;
    }
    for (std::size_t k = 0; k < values.size(); ++k) put(plan.moves[k].to, plan.moves[k].kind, std::move(values[k]));
    return true;
  }
  for (const MovePlan::Move& m : plan.moves) {
    switch (m.kind) {
      case TypeKind::scalar:
        words_[m.to] = words_[m.from];
        taint_[m.to] = taint_[m.from];
        radius_[m.to] = radius_[m.from];
        break;
      case TypeKind::index:
        integers_[m.to] = integers_[m.from];
        taint_[m.to] = taint_[m.from];
        break;
      case TypeKind::tensor:
        if (m.access == kNoSlot)
          tensors_[m.to] = tensors_[m.from];
        else if (!materialize(code_.accesses[m.access], op, tensors_[m.to]))
          return false;
        break;
      case TypeKind::fragment: tiles_[m.to] = tiles_[m.from]; break;
      case TypeKind::none:
      case TypeKind::view: return fail(RuntimeErrorKind::unsupported, op, "a view is handed on as a value");
    }
  }
  return true;
}

}  // namespace kir
