// The evaluator's common part: regions, translation of expressions, claims about index computations.
#include "proof/denote_body.h"

#include <fmt/format.h>

namespace kir::proof {

std::vector<ValueId> BodyDenoter::run_region(RegionId region) {
  path.push_back({});
  std::vector<ValueId> yielded;
  int position = 0;
  for (OpId id : body_.region(region).ops) {
    const Op& op = body_.op(id);
    path.back().position = position++;
    if (row(op.kind).terminator) {
      yielded.assign(op.operands.begin(), op.operands.end());
      break;
    }
    run(id);
  }
  path.pop_back();
  return yielded;
}

void BodyDenoter::run(OpId id) {
  const Op& op = body_.op(id);
  switch (op.kind) {
    case OpKind::constant:
    case OpKind::index:
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::neg:
    case OpKind::abs:
    case OpKind::div:
    case OpKind::fma:
    case OpKind::min_nan:
    case OpKind::max_nan:
    case OpKind::min_num:
    case OpKind::max_num:
    case OpKind::sqrt:
    case OpKind::floor:
    case OpKind::ceil:
    case OpKind::trunc:
    case OpKind::round_even:
    case OpKind::exp:
    case OpKind::exp2:
    case OpKind::log:
    case OpKind::log2:
    case OpKind::rsqrt:
    case OpKind::sin:
    case OpKind::cos:
    case OpKind::tanh:
    case OpKind::erf:
    case OpKind::divt:
    case OpKind::remt:
    case OpKind::divf:
    case OpKind::remf:
    case OpKind::divu:
    case OpKind::remu:
    case OpKind::min_s:
    case OpKind::max_s:
    case OpKind::min_u:
    case OpKind::max_u:
    case OpKind::bit_and:
    case OpKind::bit_or:
    case OpKind::bit_xor:
    case OpKind::bit_not:
    case OpKind::shl:
    case OpKind::shrl:
    case OpKind::shra:
    case OpKind::cmp:
    case OpKind::select:
    case OpKind::convert: return run_pointwise(op);
    case OpKind::load:
    case OpKind::store: return run_memory(op);
    case OpKind::atomic_load:
    case OpKind::atomic_store:
    case OpKind::atomic_rmw:
    case OpKind::atomic_cas: return run_atomic(op);
    case OpKind::scatter:
    case OpKind::histogram: return run_update(op);
    case OpKind::tensor:
    case OpKind::elem:
    case OpKind::view:
    case OpKind::transpose:
    case OpKind::slice:
    case OpKind::broadcast:
    case OpKind::reshape: return run_relation(op);
    case OpKind::concat:
    case OpKind::iota:
    case OpKind::gather: return run_made_tensor(op);
    case OpKind::part: return run_part(op);
    case OpKind::parallel: return run_parallel(op);
    case OpKind::for_loop:
    case OpKind::while_loop: return run_loop(op);
    case OpKind::if_else: return run_if(op);
    case OpKind::assume: {
      Expr c = expr_of(op.operands[0]);
      decides(c, op.range);
      if (physical_) {
        claim(ObligationKind::precondition_implied, "the assumption of the physical program follows from the KIR", c, op.range);
      } else {
        // Owed like any other way to go wrong; what comes after may rest on it.
        claim(ObligationKind::kir_safe, "the assumption holds", c, op.range);
        assume(c);
      }
      return;
    }
    case OpKind::assume_in_bounds: return run_assume_in_bounds(op);
    case OpKind::buffer: return run_buffer(op);
    case OpKind::scan: return run_scan(op);
    case OpKind::region_fold: return run_region_fold(op);
    case OpKind::region_scan: return run_region_scan(op);
    case OpKind::break_loop:
    case OpKind::continue_loop:
    case OpKind::yield:
    case OpKind::next: return;  // handled by run_region
    case OpKind::philox4x32_10: return run_philox(op);
    case OpKind::reduce: return run_reduce(op);
    case OpKind::arg_reduce: return run_arg_reduce(op);
    case OpKind::contract: return run_contract(op);
    case OpKind::splat:
    case OpKind::tile_reduce: return run_fragment(op);
  }
  KIR_UNREACHABLE("operation kind");
}

// What comes after may rest on it, here and in whatever stands for this kernel.
void BodyDenoter::assume(Expr known) {
  out_.assumed.push_back({binders, guards, known});
  guards.push_back(known);
}

void BodyDenoter::run_unsupported(const Op& op, std::string why) {
  Claim c{.kind = ObligationKind::effect_paired,
          .what = fmt::format("{} is understood", row(op.kind).name),
          .binders = binders,
          .guards = guards,
          .goal = pool_.boolean(false),
          .range = op.range,
          .preset = Obligation::Preset{Verdict::unsupported, std::move(why)}};
  out_.claims.push_back(std::move(c));
  for (ValueId r : op.results) {
    // Data that nothing is known of. An index is so too: an obligation over it speaks of no point that could be evaluated.
    const Term unknown = terms_.fresh_argument(type(r).dtype);
    if (type(r).is(TypeKind::index))
      define(r, SymbolicValue::of(terms_.leaf_of(unknown)));
    else if (type(r).is(TypeKind::tensor))
      bind(r, {SymbolicValue::Kind::relation, {}, nullptr, unknown_tensor(r)});
    else
      define(r, unknown);
  }
}

std::shared_ptr<const RelationValue> BodyDenoter::unknown_tensor(ValueId v) {
  auto made = std::make_shared<RelationValue>();
  made->tensor = true;
  made->name = body_.value(v).name;
  made->dtype = type(v).dtype;
  for (Expr extent : type(v).shape) made->vars.push_back({pool_.fresh("c"), pool_.constant(0), translate(extent)});
  made->body = terms_.fresh_argument(made->dtype);
  return made;
}

Expr BodyDenoter::translate(Expr e) {
  return pool_.import(e, [&](Expr leaf) -> Expr {
    switch (leaf.kind()) {
      case ExprKind::value: return expr_of(leaf.value());
      default: return {};  // symbols by name; positions are replaced by run_pointwise before
    }
  });
}

Expr BodyDenoter::expr_of(ValueId v) {
  const SymbolicValue& s = values_[v.index];
  if (s.kind == SymbolicValue::Kind::expr) return s.expr;
  KIR_CHECK(s.kind == SymbolicValue::Kind::term, "value {} has no integer meaning", v.index);
  return terms_.leaf_of(s.term);
}

Term BodyDenoter::term_of(const SymbolicValue& s, const Type& t) const {
  if (s.kind == SymbolicValue::Kind::term) return s.term;
  KIR_CHECK(s.kind == SymbolicValue::Kind::expr, "a value has no data meaning");
  if (s.expr.sort() == Sort::boolean) return terms_.boolean(s.expr);
  return terms_.integer(s.expr, t.is(TypeKind::index) ? DType::i64 : t.dtype);
}

Term BodyDenoter::term_of(ValueId v) { return term_of(values_[v.index], type(v)); }

void BodyDenoter::define(ValueId v, Term t) {
  if (type(v).dtype == DType::i1 && !type(v).is(TypeKind::index))
    bind(v, SymbolicValue::of(terms_.leaf_of(t)));
  else if (type(v).is(TypeKind::index))
    bind(v, SymbolicValue::of(terms_.leaf_of(t)));
  else
    bind(v, SymbolicValue::of(t));
}

void BodyDenoter::claim(ObligationKind kind, std::string what, Expr goal, SourceRange range, const Type* fragment) {
  if (goal.is_true()) return;
  Claim c{
      .kind = kind, .what = std::move(what), .binders = binders, .guards = guards, .goal = goal, .range = range, .preset = {}};
  if (fragment && fragment->is(TypeKind::fragment)) {
    std::vector<Expr> vars = lanes(*fragment);
    for (std::size_t i = 0; i < vars.size(); ++i)
      c.binders.push_back({{vars[i], pool_.constant(0), pool_.import(fragment->shape[i], {})}, BinderKind::lane});
  }
  out_.claims.push_back(std::move(c));
}

void BodyDenoter::decides(Expr e, SourceRange range, const std::vector<Binder>& under, const std::vector<Expr>& when) {
  auto is_data = [&](Expr leaf) { return terms_.term_of_leaf(leaf) != nullptr; };
  if (mentions(e, is_data)) out_.uses.push_back({under, when, e, range});
}

namespace {

// Every divisor of e with the conditions under which it is evaluated.
void divisors(Expr e, std::vector<Expr>& conditions, std::vector<Expr>& out) {
  auto under = [&](Expr condition, Expr x) {
    conditions.push_back(condition);
    divisors(x, conditions, out);
    conditions.pop_back();
  };
  switch (e.kind()) {
    case ExprKind::ite:
      divisors(e.kid(0), conditions, out);
      under(e.kid(0), e.kid(1));
      under(negation(e.kid(0)), e.kid(2));
      return;
    case ExprKind::logical_and:
    case ExprKind::implies:
      divisors(e.kid(0), conditions, out);
      under(e.kid(0), e.kid(1));
      return;
    case ExprKind::logical_or:
      divisors(e.kid(0), conditions, out);
      under(negation(e.kid(0)), e.kid(1));
      return;
    default: break;
  }
  for (Expr k : e.kids()) divisors(k, conditions, out);
  if (e.is(ExprKind::floordiv) || e.is(ExprKind::mod) || e.is(ExprKind::ceildiv)) {
    Expr d = e.kid(1);
    if (d.is(ExprKind::constant) && d.number() != 0) return;
    Expr goal = not_equal(d, d.pool().constant(0));
    if (!conditions.empty()) goal = implies(d.pool().all_of(conditions), goal);
    out.push_back(goal);
  }
}

void nodes(Expr e, std::vector<Expr>& out) {
  for (Expr k : e.kids()) nodes(k, out);
  if (e.sort() == Sort::integer && !e.is(ExprKind::symbol) && !e.is(ExprKind::value) && !e.is(ExprKind::variable)) {
    for (Expr seen : out)
      if (seen == e) return;
    out.push_back(e);
  }
}

}  // namespace

std::vector<Expr> nonzero_divisors(Expr e) {
  std::vector<Expr> conditions, out;
  divisors(e, conditions, out);
  return out;
}

void BodyDenoter::check_index(Expr e, DType t, std::string what, SourceRange range, const Type* fragment) {
  if (std::vector<Expr> goals = nonzero_divisors(e); !goals.empty())
    claim(physical_ ? ObligationKind::index_no_overflow : ObligationKind::kir_safe, fmt::format("no zero divisor in {}", what),
          pool_.all_of(goals), range, fragment);
  if (!physical_) return;
  std::vector<Expr> all, fits;
  nodes(e, all);
  Expr lo = pool_.constant(t == DType::i32 ? INT32_MIN : INT64_MIN);
  Expr hi = pool_.constant(t == DType::i32 ? INT32_MAX : INT64_MAX);
  for (Expr n : all) {
    if (n.is(ExprKind::constant) && (t != DType::i32 || (n.number() >= INT32_MIN && n.number() <= INT32_MAX))) continue;
    fits.push_back(both(less_equal(lo, n), less_equal(n, hi)));
  }
  if (t == DType::i32)  // leaves come in 64 bits: the cast must fit too
    for (Expr l : leaves(e))
      if (l.sort() == Sort::integer) fits.push_back(both(less_equal(lo, l), less_equal(l, hi)));
  if (!fits.empty())
    claim(ObligationKind::index_no_overflow, fmt::format("{} fits {} at every step", what, name(t)), pool_.all_of(fits), range,
          fragment);
}

void BodyDenoter::owes_width(Expr fits, std::string what, SourceRange range) {
  if (physical_ || fits.is_true()) return;
  claim(ObligationKind::index_no_overflow, std::move(what), fits, range);
  out_.claims.back().otherwise_unsupported = "coordinates that may lie beyond 64 bits";
}

void BodyDenoter::owes_width(ValueId index, SourceRange range) {
  if (!type(index).is(TypeKind::index)) return;
  if (const Expr e = expr_of(index); !e.is(ExprKind::constant) && !terms_.term_of_leaf(e))
    owes_width(fits_index(e), "an index that is handed on fits i64", range);
}

std::vector<Expr> BodyDenoter::lanes(const Type& fragment) {
  std::vector<std::int64_t> shape;
  for (Expr e : fragment.shape) shape.push_back(e.number());
  std::vector<Expr>& vars = lanes_[shape];
  while (vars.size() < shape.size()) vars.push_back(pool_.fresh(fmt::format("lane{}", vars.size())));
  return vars;
}

std::vector<Interval> BodyDenoter::bind_lanes(const Type& fragment, TermPool::Substitution& s) {
  std::vector<Expr> canonical = lanes(fragment);
  std::vector<Interval> out;
  for (std::size_t i = 0; i < canonical.size(); ++i) {
    Expr v = pool_.fresh(fmt::format("p{}", i));
    s.exprs.emplace(canonical[i].node(), v);
    out.push_back({v, pool_.constant(0), pool_.constant(fragment.shape[i].number())});
  }
  return out;
}

Expr BodyDenoter::thread_of(const Type& fragment, const std::vector<Interval>& positions, bool first_copy) const {
  if (!physical_ || physical_->launch.threads == 1) return {};
  const layout::TileLayout* layout = nullptr;
  for (const NamedLayout& l : physical_->layouts)
    if (l.name == fragment.layout) layout = &l.layout;
  if (!layout || (!first_copy && !layout->copies().is(1))) return {};
  const layout::Axis tid = *layout::Axis::find("tid");
  Expr x = pool_.constant(0);
  for (const Interval& p : positions) x = x * p.hi + p.var;
  Expr thread = pool_.constant(*layout->offset_on(tid).constant());
  for (std::size_t i = layout->shard().size(); i-- > 0;) {
    const layout::Iter& it = layout->shard()[i];
    const Expr extent = pool_.constant(*it.extent.constant()), digit = mod(x, extent);
    x = floordiv(x, extent);
    if (it.axis == tid) thread = thread + digit * *it.stride.constant();
  }
  return thread;
}

Interval BodyDenoter::translate_range(const Value& v, Expr lo, Expr hi, SourceRange range) {
  Interval out{pool_.fresh(v.name.empty() ? "i" : v.name), translate(lo), translate(hi)};
  DType t = v.type.is(TypeKind::index) ? DType::i64 : v.type.dtype;
  decides(out.lo, range);
  decides(out.hi, range);
  check_index(out.lo, t, fmt::format("the lower bound of {}", v.name), range);
  check_index(out.hi, t, fmt::format("the upper bound of {}", v.name), range);
  if (physical_ && t == DType::i32)
    for (Expr bound : {out.lo, out.hi})
      claim(ObligationKind::index_no_overflow, fmt::format("the bounds of {} fit i32", v.name),
            both(less_equal(pool_.constant(INT32_MIN), bound), less_equal(bound, pool_.constant(INT32_MAX))), range);
  return out;
}

std::vector<Interval> BodyDenoter::translate_ranges(const Op& op, RegionId region) {
  const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  std::vector<Interval> out;
  for (std::size_t i = 0; i < body_.region(region).args.size() && 2 * i + 1 < ranges.size(); ++i) {
    ValueId arg = body_.region(region).args[i];
    out.push_back(translate_range(body_.value(arg), ranges[2 * i], ranges[2 * i + 1], op.range));
    bind(arg, SymbolicValue::of(out.back().var));
  }
  return out;
}

}  // namespace kir::proof
