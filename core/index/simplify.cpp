#include "core/index/simplify.h"

#include "core/index/simplify_engine.h"

namespace kir {

Facts::Facts(ExprPool& pool) : engine_(std::make_unique<SimplifyEngine>(pool)) {}
Facts::Facts(const Facts& other) : engine_(std::make_unique<SimplifyEngine>(*other.engine_)) { engine_->own_fuel(); }
Facts& Facts::operator=(const Facts& other) {
  *this = Facts(other);
  return *this;
}
Facts::Facts(Facts&&) noexcept = default;
Facts& Facts::operator=(Facts&&) noexcept = default;
Facts::~Facts() = default;

void Facts::assume(Expr fact) { engine_->assume(fact); }

bool Facts::contradictory() {
  engine_->refuel();
  engine_->settle();
  return engine_->contradictory();
}

Expr Facts::simplify(Expr e) {
  engine_->refuel();
  engine_->settle();
  return e.sort() == Sort::boolean ? engine_->boolean(e) : engine_->integer(e);
}

std::optional<bool> Facts::decide(Expr e) {
  Expr r = simplify(e);
  if (!r.is(ExprKind::boolean)) return {};
  return r.is_true();
}

Range Facts::range(Expr e) {
  engine_->refuel();
  engine_->settle();
  return engine_->range(engine_->poly(e));
}

std::vector<Expr> Facts::conjunction() {
  engine_->refuel();
  engine_->settle();
  return engine_->conjunction();
}

bool Facts::used_mixed_radix() const { return engine_->lemma_used(); }

Expr simplify(Expr e) { return Facts(e.pool()).simplify(e); }

}  // namespace kir
