#include "core/text/words.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/base/check.h"

namespace kir::text {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

std::string_view spelling(std::string_view id, std::string_view text = {}) { return text.empty() ? id : text; }

}  // namespace

WordTable::WordTable() {
#define W(id, ...) add(spelling(#id __VA_OPT__(, ) __VA_ARGS__), {.reserved = true});
  KIR_RESERVED_WORDS(W)
#undef W
#define W(id, ...) add(spelling(#id __VA_OPT__(, ) __VA_ARGS__), {});
  KIR_CONTEXT_WORDS(W)
#undef W
  KIR_CHECK(texts_.size() == static_cast<std::size_t>(Word::count_), "a word is listed twice");
  for (const OpRow& r : op_table()) add(r.name, {.reserved = true, .op = &r});
  for (CmpPredicate p : all_cmp_predicates())
    add("cmp." + std::string(name(p)), {.reserved = true, .op = &row(OpKind::cmp), .suffix = name(p)});
  for (ConvertMode m : all_convert_modes())
    add("convert." + std::string(name(m)), {.reserved = true, .op = &row(OpKind::convert), .suffix = name(m)});
  for (AtomicOp o : all_atomic_ops())
    add("atomic_rmw." + std::string(name(o)), {.reserved = true, .op = &row(OpKind::atomic_rmw), .suffix = name(o)});
  for (int i = 0; i < kDTypeCount; ++i) {
    DType t = static_cast<DType>(i);
    add(name(t), {.reserved = true, .dtype = t});
    add("to_" + std::string(name(t)), {.reserved = true, .to = t});
  }
}

void WordTable::add(std::string_view text, WordInfo info) {
  auto at = std::find(texts_.begin(), texts_.end(), text);
  if (at == texts_.end()) {
    texts_.emplace_back(text);
    infos_.push_back(info);
    return;
  }
  WordInfo& old = infos_[static_cast<std::size_t>(at - texts_.begin())];  // a word that is an operation too
  old.reserved |= info.reserved;
  if (info.op) old.op = info.op;
}

const WordTable& WordTable::get() {
  static const WordTable table;
  return table;
}

void WordTable::seed(Names& names) const {
  for (const std::string& t : texts_) names.intern(t);
}

bool WordTable::is_reserved(std::string_view name) const {
  static const auto* index = [this] {
    auto* map = new std::unordered_map<std::string_view, bool>;
    for (std::size_t i = 0; i < texts_.size(); ++i) map->emplace(texts_[i], infos_[i].reserved);
    return map;
  }();
  auto it = index->find(name);
  return it != index->end() && it->second;
}

std::string_view WordTable::nearest_operation(std::string_view name) const {
  if (name.size() > 40) return {};
  std::string_view best;
  std::size_t distance = std::min(std::max<std::size_t>(1, name.size() / 3) + 1, name.size());  // further away is another word
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const WordInfo& w = infos_[i];
    if (!w.op && !w.to) continue;
    // "max" is nearest to "max.nan": a missing suffix counts little.
    std::string_view candidate = texts_[i];
    std::size_t d = edit_distance(name, candidate);
    if (candidate.substr(0, candidate.find('.')) == name) d = std::min<std::size_t>(d, 1);
    if (d < distance) {
      distance = d;
      best = candidate;
    }
  }
  return best;
}

bool is_identifier(std::string_view s) {
  auto start = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !s.empty() && start(s[0]) &&
         std::all_of(s.begin(), s.end(), [&](char c) { return start(c) || (c >= '0' && c <= '9'); });
}

}  // namespace kir::text
