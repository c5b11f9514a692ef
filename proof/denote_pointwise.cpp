// Pointwise operations: integers of coordinates become expressions, booleans become boolean expressions over atoms, data
// becomes terms.
#include <fmt/format.h>

#include "proof/denote_body.h"

namespace kir::proof {
namespace {

// Signed comparisons of integers are expressions over leaves; others stay atoms.
std::optional<ExprKind> signed_comparison(CmpPredicate p) {
  switch (p) {
    case CmpPredicate::eq: return ExprKind::eq;
    case CmpPredicate::ne: return ExprKind::ne;
    case CmpPredicate::slt: return ExprKind::lt;
    case CmpPredicate::sle: return ExprKind::le;
    case CmpPredicate::sgt: return ExprKind::gt;
    case CmpPredicate::sge: return ExprKind::ge;
    case CmpPredicate::ult:
    case CmpPredicate::ule:
    case CmpPredicate::ugt:
    case CmpPredicate::uge:
    case CmpPredicate::oeq:
    case CmpPredicate::one:
    case CmpPredicate::olt:
    case CmpPredicate::ole:
    case CmpPredicate::ogt:
    case CmpPredicate::oge:
    case CmpPredicate::ord:
    case CmpPredicate::ueq:
    case CmpPredicate::une:
    case CmpPredicate::fult:
    case CmpPredicate::fule:
    case CmpPredicate::fugt:
    case CmpPredicate::fuge:
    case CmpPredicate::uno: return std::nullopt;
  }
  return std::nullopt;
}

// A formula is a graph whose tree may be exponentially large. One that is too large stays a term: a value without laws.
bool is_small(Expr formula) { return written_out(formula).nodes <= 2000; }

bool is_integer_conversion(ConvertMode m) { return m == ConvertMode::wrap || m == ConvertMode::sint; }

}  // namespace

// A signed reading of an index gives equal values whatever width it was computed in: it counts as i64 on both sides.
Term BodyDenoter::converted_index(Expr e, DType to) {
  if (is_integer(to) && to != DType::i1) return terms_.integer(e, to);
  return terms_.convert(is_float(to) ? ConvertMode::sint : ConvertMode::wrap, to, terms_.integer(e, DType::i64));
}

Expr BodyDenoter::compared(CmpPredicate p, Term a, Term b) {
  auto kind = signed_comparison(p);
  if (kind && a->type != DType::u64 && a->type != DType::i1) return pool_.make(*kind, {terms_.leaf_of(a), terms_.leaf_of(b)});
  return terms_.leaf_of(terms_.cmp(p, a, b));
}

// Equal keys and counters give equal words: a function of its operands, with four results.
void BodyDenoter::run_philox(const Op& op) {
  std::vector<Term> words;
  for (ValueId v : op.operands) words.push_back(term_of(v));
  for (std::size_t i = 0; i < op.results.size(); ++i)
    define(op.results[i], terms_.pointwise(op.kind, DType::i32, words, static_cast<std::int64_t>(i)));
}

void BodyDenoter::run_pointwise(const Op& op) {
  ValueId result = op.results[0];
  const Type& t = type(result);
  auto operand = [&](std::size_t i) { return term_of(op.operands[i]); };
  auto terms = [&] {
    std::vector<Term> all;
    for (ValueId v : op.operands) all.push_back(term_of(v));
    return all;
  };

  if (op.kind == OpKind::constant) return define(result, terms_.literal(op.attrs.get<Scalar>(AttrKey::literal)));
  if (op.kind == OpKind::index) {
    std::vector<Expr> positions = t.is(TypeKind::fragment) ? lanes(t) : std::vector<Expr>{};
    Expr e = pool_.import(op.attrs.get<Expr>(AttrKey::expr), [&](Expr leaf) -> Expr {
      if (leaf.is(ExprKind::value)) return expr_of(leaf.value());
      if (leaf.is(ExprKind::position)) return positions.at(static_cast<std::size_t>(leaf.number()));
      return {};
    });
    std::string what = fmt::format("`{}`", body_.value(result).name.empty() ? "index" : body_.value(result).name);
    // A predicate is computed in 64 bits.
    check_index(e, !t.is(TypeKind::index) && t.dtype == DType::i32 ? DType::i32 : DType::i64, what, op.range, &t);
    return bind(result, SymbolicValue::of(e));
  }
  if (op.kind == OpKind::cmp) {
    CmpPredicate p = op.attrs.get<CmpPredicate>(AttrKey::predicate);
    Term a = operand(0), b = operand(1);
    // Of booleans only equality; their signed order stays an atom.
    bool equality = p == CmpPredicate::eq || p == CmpPredicate::ne;
    if (auto kind = signed_comparison(p); kind && a->type != DType::u64 && (a->type != DType::i1 || equality))
      if (Expr e = pool_.make(*kind, {expr_of(op.operands[0]), expr_of(op.operands[1])}); a->type != DType::i1 || is_small(e))
        return bind(result, SymbolicValue::of(e));
    return define(result, terms_.cmp(p, a, b));
  }
  if (op.kind == OpKind::select) {
    Expr c = expr_of(op.operands[0]);
    if (t.dtype == DType::i1)
      if (Expr e = ite(c, expr_of(op.operands[1]), expr_of(op.operands[2])); is_small(e))
        return bind(result, SymbolicValue::of(e));
    if (operand(1) == operand(2)) decides(c, op.range);  // the term forgets it
    return define(result, terms_.select(c, operand(1), operand(2)));
  }
  if (op.kind == OpKind::convert) {
    ConvertMode m = op.attrs.get<ConvertMode>(AttrKey::mode);
    const SymbolicValue& v = values_[op.operands[0].index];
    bool exact_integer = v.kind == SymbolicValue::Kind::expr && v.expr.sort() == Sort::integer;
    if (exact_integer && is_integer_conversion(m)) return define(result, converted_index(v.expr, t.dtype));
    if (m == ConvertMode::to_bool && exact_integer)
      return bind(result, SymbolicValue::of(not_equal(v.expr, pool_.constant(0))));
    Term a = operand(0);
    // Read without a sign, an integer of 64 bits may be an index beyond them.
    if (t.is(TypeKind::index) && m == ConvertMode::uint && bit_width(a->type) == 64)
      owes_width(less_equal(pool_.constant(0), terms_.leaf_of(terms_.convert(ConvertMode::sint, DType::i64, a))),
                 "an index that is read without a sign fits i64", op.range);
    if (m == ConvertMode::to_sint || m == ConvertMode::to_uint) {
      Claim c{.kind = ObligationKind::kir_safe,
              .what = "the conversion is in range",
              .binders = binders,
              .guards = guards,
              .goal = pool_.boolean(false),
              .range = op.range,
              .preset = Obligation::Preset{
                  Verdict::unknown, "float ranges are not decided; use a saturating conversion (sat_to_sint, sat_to_uint)"}};
      out_.claims.push_back(std::move(c));
    }
    return define(result, terms_.convert(m, t.dtype, a));
  }
  if (t.dtype == DType::i1) {
    auto e = [&](std::size_t i) { return expr_of(op.operands[i]); };
    Expr formula;
    if (op.kind == OpKind::bit_and) formula = both(e(0), e(1));
    if (op.kind == OpKind::bit_or) formula = either(e(0), e(1));
    if (op.kind == OpKind::bit_xor) formula = not_equal(e(0), e(1));
    if (op.kind == OpKind::bit_not) formula = negation(e(0));
    if (formula && is_small(formula)) return bind(result, SymbolicValue::of(formula));
  }
  if (op.kind == OpKind::divt || op.kind == OpKind::remt || op.kind == OpKind::divf || op.kind == OpKind::remf) {
    Expr a = expr_of(op.operands[0]), b = expr_of(op.operands[1]);
    int width = bit_width(t.dtype);
    Expr minimum = pool_.constant(width >= 64 ? INT64_MIN : -(std::int64_t{1} << (width - 1)));
    Expr goal = both(not_equal(b, pool_.constant(0)), negation(both(equal(a, minimum), equal(b, pool_.constant(-1)))));
    claim(ObligationKind::kir_safe, fmt::format("{} does not divide by zero or overflow", row(op.kind).name), goal, op.range,
          &t);
  }
  if (op.kind == OpKind::divu || op.kind == OpKind::remu)
    claim(ObligationKind::kir_safe, fmt::format("{} does not divide by zero", row(op.kind).name),
          not_equal(terms_.leaf_of(operand(1)), pool_.constant(0)), op.range, &t);
  define(result, terms_.pointwise(op.kind, t.dtype, terms()));
}

}  // namespace kir::proof
