#include "smt/f2_terms.h"

#include <bit>

namespace kir::smt {
namespace {

using Rows = std::vector<std::uint64_t>;

// log2 of a constant that is a power of two.
std::optional<int> power(Expr e) {
  if (!e.is(ExprKind::constant) || e.number() < 1) return std::nullopt;
  const auto n = static_cast<std::uint64_t>(e.number());
  return std::has_single_bit(n) ? std::optional(std::countr_zero(n)) : std::nullopt;
}

struct Reader {
  Expr base;
  int bits;

  std::optional<Rows> rows(Expr e) const {
    if (e == base) {
      Rows out;
      for (int i = 0; i < bits; ++i) out.push_back(std::uint64_t{1} << i);
      return out;
    }
    if (e.is_constant(0)) return Rows{};
    if (e.is(ExprKind::add)) return apart(rows(e.kid(0)), rows(e.kid(1)));
    if (e.is(ExprKind::mul))
      for (int k : {0, 1})
        if (const std::optional<int> by = power(e.kid(static_cast<std::size_t>(k))))
          return up(rows(e.kid(static_cast<std::size_t>(1 - k))), *by);
    if (e.is(ExprKind::floordiv))
      if (const std::optional<int> by = power(e.kid(1))) return down(rows(e.kid(0)), *by);
    if (e.is(ExprKind::mod))
      if (const std::optional<int> by = power(e.kid(1))) {
        if (*by != 1) return low(rows(e.kid(0)), *by);
        if (const std::optional<std::uint64_t> p = parity(e.kid(0))) return *p ? Rows{*p} : Rows{};
      }
    return std::nullopt;
  }

  // Of a sum the lowest bit alone is linear: carries go up.
  std::optional<std::uint64_t> parity(Expr e) const {
    if (e.is(ExprKind::add)) {
      const std::optional<std::uint64_t> a = parity(e.kid(0)), b = parity(e.kid(1));
      return a && b ? std::optional(*a ^ *b) : std::nullopt;
    }
    const std::optional<Rows> r = rows(e);
    if (!r) return std::nullopt;
    return r->empty() ? 0 : r->front();
  }

  static std::optional<Rows> apart(std::optional<Rows> a, const std::optional<Rows>& b) {
    if (!a || !b) return std::nullopt;
    if (a->size() < b->size()) a->resize(b->size());
    for (std::size_t i = 0; i < b->size(); ++i) {
      if ((*a)[i] && (*b)[i]) return std::nullopt;
      (*a)[i] |= (*b)[i];
    }
    return a;
  }
  static std::optional<Rows> up(std::optional<Rows> r, int by) {
    if (!r || r->size() + static_cast<std::size_t>(by) > 62) return std::nullopt;
    r->insert(r->begin(), static_cast<std::size_t>(by), 0);
    return r;
  }
  static std::optional<Rows> down(std::optional<Rows> r, int by) {
    if (r) r->erase(r->begin(), r->begin() + std::min<std::ptrdiff_t>(by, static_cast<std::ptrdiff_t>(r->size())));
    return r;
  }
  static std::optional<Rows> low(std::optional<Rows> r, int by) {
    if (r && r->size() > static_cast<std::size_t>(by)) r->resize(static_cast<std::size_t>(by));
    return r;
  }
};

}  // namespace

layout::F2Map BitTerm::map() const {
  std::vector<std::uint64_t> columns(static_cast<std::size_t>(bits));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) columns[j] |= (rows[i] >> j & 1) << i;
  return layout::F2Map(std::move(columns));
}

std::optional<BitTerm> bit_term(Expr term, Expr base, int bits) {
  std::optional<Rows> rows = Reader{base, bits}.rows(term);
  if (!rows) return std::nullopt;
  while (!rows->empty() && rows->back() == 0) rows->pop_back();
  return BitTerm{term, base, bits, std::move(*rows)};
}

}  // namespace kir::smt
