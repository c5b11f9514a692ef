// Tiles (fragments) of physical programs: element by element, in row-major order.
#include <fmt/format.h>

#include "core/base/check.h"
#include "core/interp/machine.h"

namespace kir {
namespace {

// The next coordinate in row-major order.
void advance(std::vector<std::int64_t>& at, const std::vector<std::int64_t>& shape) {
  for (std::size_t k = shape.size(); k > 0 && ++at[k - 1] == shape[k - 1]; --k) at[k - 1] = 0;
}

}  // namespace

bool Machine::tile_index(const Instr& i) {
  TileValue& out = tiles_[i.dst];
  const std::vector<std::int64_t>& shape = code_.tile_shapes[i.dst];
  if (!count_step(i.op, out.words.size())) return false;
  std::vector<std::int64_t> at(shape.size(), 0);
  IndexEnvironment environment = environment_;
  environment.position = at.data();
  const int width = bit_width(i.type);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const IndexCode& code = code_.expressions[i.plan];
  for (std::size_t e = 0; e < out.words.size(); ++e, advance(at, shape)) {
    environment.element = e;
    IndexCode::Result r;
    if (!code.evaluate(environment, r)) return index_fault(r, i.op);
    out.words[e] = static_cast<std::uint64_t>(r.value) & mask;
    out.taint[e] = r.taint;
  }
  return true;
}

bool Machine::tile_pointwise(const Instr& i) {
  TileValue& out = tiles_[i.dst];
  if (!count_step(i.op, out.words.size())) return false;
  const Slot operands[] = {i.a, i.b, i.c};
  const std::uint64_t* words[3] = {};
  const Taint* taints[3] = {};
  std::size_t stride[3] = {};
  for (std::size_t k = 0; k < i.operands; ++k) {
    const bool tile = !code_.tile_shapes[operands[k]].empty();
    words[k] = tile ? tiles_[operands[k]].words.data() : &words_[operands[k]];
    taints[k] = tile ? tiles_[operands[k]].taint.data() : &taint_[operands[k]];
    stride[k] = tile ? 1 : 0;
  }
  for (std::size_t e = 0; e < out.words.size(); ++e) {
    std::uint64_t in[3] = {};
    Taint each[3] = {};
    for (std::size_t k = 0; k < i.operands; ++k) {
      in[k] = words[k][e * stride[k]];
      each[k] = taints[k][e * stride[k]];
    }
    const Taint taint = each[0] | (i.inner != InstrKind::select ? each[1] | each[2] : in[0] ? each[1] : each[2]);
    ScalarError error = ScalarError::none;
    std::uint64_t word = 0;
    if (i.inner == InstrKind::pointwise)
      word = i.function(in, error);
    else
      element_operation(i, in, word, error);
    if (error != ScalarError::none || (taint != 0 && may_fault(i, in, each))) return scalar_fault(i, error, taint, in);
    out.words[e] = word;
    out.taint[e] = taint;
  }
  return true;
}

bool Machine::tile_access(const Instr& i, bool write) {
  const AccessPlan& plan = code_.accesses[i.plan];
  const Slot shaped = write ? plan.value : i.dst;
  // A store's tile may be told by a coordinate alone, when the same scalar goes to all its elements.
  Slot like = shaped;
  for (std::size_t k = 0; code_.tile_shapes[like].empty() && k < plan.coordinates.size(); ++k) like = plan.coordinates[k];
  if (code_.tile_shapes[like].empty() && plan.where != kNoSlot) like = plan.where;
  const std::size_t count = tiles_[like].words.size();
  if (!count_step(i.op, count)) return false;
  auto word = [&](Slot s, std::size_t e) { return code_.tile_shapes[s].empty() ? words_[s] : tiles_[s].words[e]; };
  auto taint = [&](Slot s, std::size_t e) { return code_.tile_shapes[s].empty() ? taint_[s] : tiles_[s].taint[e]; };
  // The elements of one store are unordered: two that write one address race.
  if (write) enter_level([](std::size_t n) { return fmt::format("element {} of the same store", n); });
  for (std::size_t e = 0; e < count; ++e) {
    tile_element_ = static_cast<std::int64_t>(e);
    if (write && !start_instance(i.op)) return false;
    bool active = true;
    if (plan.where != kNoSlot) {
      if (!check_observed(taint(plan.where, e), i.op, "the predicate of an access")) return false;
      active = word(plan.where, e) != 0;
    }
    if (!active) {
      if (write) continue;
      TileValue& out = tiles_[i.dst];
      if (plan.fill != kNoSlot) {
        out.words[e] = word(plan.fill, e);
        out.taint[e] = taint(plan.fill, e);
      } else {
        arbitrary(i.type, out.words[e]);
        out.taint[e] = kArbitrary;
      }
      continue;
    }
    Integer at[kMaxRank];
    for (std::size_t k = 0; k < plan.coordinates.size(); ++k) {
      const Slot s = plan.coordinates[k];
      if (!check_observed(taint(s, e), i.op, "a coordinate")) return false;
      const int unused = 64 - bit_width(body_.type(ValueId(s)).dtype);
      at[k] = static_cast<std::int64_t>(word(s, e) << unused) >> unused;
    }
    std::int64_t address = 0;
    if (!address_of(plan, i.op, at, address)) return false;
    if (write) {
      if (!check_observed(taint(plan.value, e), i.op, "the stored value")) return false;
      if (!write_memory(plan, address, i.op, word(plan.value, e))) return false;
    } else {
      if (!read_memory(plan, address, i.op, tiles_[i.dst].words[e])) return false;
      tiles_[i.dst].taint[e] = 0;
    }
  }
  tile_element_.reset();
  if (write) leave_level();
  return true;
}

bool Machine::splat(const Instr& i) {
  TileValue& out = tiles_[i.dst];
  if (!count_step(i.op, out.words.size())) return false;
  std::fill(out.words.begin(), out.words.end(), words_[i.a]);
  std::fill(out.taint.begin(), out.taint.end(), taint_[i.a]);
  return true;
}

bool Machine::tile_reduce(const Instr& i) {
  const TileReducePlan& plan = code_.tile_reductions[i.plan];
  const TileValue& source = tiles_[plan.source];
  for (std::size_t r = 0; r < plan.origins.size(); ++r) {
    std::size_t k = 0;
    if (plan.init != kNoSlot) {
      const bool tile = !code_.tile_shapes[plan.init].empty();
      words_[plan.left] = tile ? tiles_[plan.init].words[r] : words_[plan.init];
      taint_[plan.left] = tile ? tiles_[plan.init].taint[r] : taint_[plan.init];
    } else {
      words_[plan.left] = source.words[plan.origins[r]];
      taint_[plan.left] = source.taint[plan.origins[r]];
      k = 1;
    }
    for (; k < plan.offsets.size(); ++k) {
      const std::size_t e = plan.origins[r] + plan.offsets[k];
      words_[plan.right] = source.words[e];
      taint_[plan.right] = source.taint[e];
      if (!count_step(i.op) || !run_region(plan.combine)) return false;
      words_[plan.left] = words_[plan.yield];
      taint_[plan.left] = taint_[plan.yield];
    }
    if (plan.scalar_result) {
      words_[i.dst] = words_[plan.left];
      taint_[i.dst] = taint_[plan.left];
    } else {
      tiles_[i.dst].words[r] = words_[plan.left];
      tiles_[i.dst].taint[r] = taint_[plan.left];
    }
  }
  return true;
}

}  // namespace kir
