// Damages that need a new operation or another place: made in the printed form. Those that are no text of the language any more
// are left out.
#include <fmt/format.h>

#include <optional>

#include "core/base/check.h"
#include "core/ir/memory_access.h"
#include "core/ir/op_table.h"
#include "tools/mutants/damages.h"
#include "tools/mutants/mutator.h"

namespace kir::mutants {

using namespace damage;

namespace {

// The lines of a statement.
struct Lines {
  std::size_t begin, end;
};
Lines lines_of(std::string_view text, const Op& o) {
  const std::size_t before = o.range.begin == 0 ? std::string_view::npos : text.rfind('\n', o.range.begin - 1);
  return {before == std::string_view::npos ? 0 : before + 1, text.find('\n', std::max(o.range.begin, o.range.end - 1)) + 1};
}

// A scalar type that holds less, and the conversions there and back.
struct Detour {
  std::string_view type, there, back;
};
std::optional<Detour> detour(DType t) {
  switch (t) {
    case DType::f64: return Detour{"f32", "rn", "rn"};
    case DType::f32:
    case DType::tf32: return Detour{"bf16", "rn", "rn"};
    case DType::f16:
    case DType::bf16: return Detour{"f8e5m2", "rn", "rn"};
    case DType::i64:
    case DType::u64: return Detour{"i32", "wrap", "sint"};
    case DType::i32: return Detour{"i16", "wrap", "sint"};
    case DType::i16: return Detour{"i8", "wrap", "sint"};
    case DType::i1:
    case DType::i8:
    case DType::f8e4m3:
    case DType::f8e5m2: return std::nullopt;
  }
  return std::nullopt;
}

// Names that no value has.
constexpr const char *kOnce = "damaged_once", *kTwice = "damaged_twice";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%'; }

// Where the name of a value stands in a line, from `from` on.
std::size_t find_word(std::string_view line, std::string_view word, std::size_t from) {
  for (std::size_t at = line.find(word, from); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word(line[at - 1]);
    const bool ends = at + word.size() == line.size() || !is_word(line[at + word.size()]);
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

// The ends of the parts of a list in brackets that begins behind `from`.
std::vector<std::size_t> part_ends(std::string_view text, std::size_t from, std::size_t end) {
  std::vector<std::size_t> out;
  std::size_t at = text.find('[', from);
  int depth = 0;
  for (; at < end; ++at) {
    const char c = text[at];
    depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    if ((depth == 1 && c == ',') || (depth == 0 && c == ']')) out.push_back(at);
    if (depth == 0) break;
  }
  return out;
}

}  // namespace

void Mutator::text() {
  Printed p;
  p.text = print();
  if (auto read_back = read(p.text)) {
    p.undamaged = std::move(*read_back);
  } else {
    return;
  }
  KIR_CHECK(p.body().op_count() == b_.op_count(), "what is printed is what was printed");
  for (std::size_t v = 0; v < p.abi().views.size(); ++v) reshape(p, v);
  for (std::uint32_t i = 0; i < p.body().op_count(); ++i) {
    const Op& o = p.body().op(OpId(i));
    if (o.range.begin >= o.range.end) continue;
    if (is_memory_access(o.kind)) {
      shift_coordinates(p, OpId(i));
      overtake(p, OpId(i));
    }
    if (o.kind == OpKind::atomic_rmw) rewrite_atomic(p, OpId(i));
    if (o.kind == OpKind::store || o.kind == OpKind::yield) round_between(p, OpId(i));
  }
}

void Mutator::add_text(const Damage& d, OpId id, std::string where, std::string text) {
  if (auto made = read(std::move(text))) keep(d, id, std::move(where), std::move(*made));
}

void Mutator::reshape(const Printed& p, std::size_t view) {
  const SourceRange range = p.abi().views[view].range;
  const std::string where = "view " + p.abi().views[view].name;
  const std::string_view text = p.text;
  const std::size_t line_end = std::min(text.find('\n', range.begin), text.size());
  const std::vector<std::size_t> ends = part_ends(text, range.begin, line_end);
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const std::size_t before = out_.size();
    add_text(kShape, {}, where, fmt::format("{} + 1{}", text.substr(0, ends[k]), text.substr(ends[k])));
    if (k + 1 < ends.size()) {
      const std::size_t first = k == 0 ? text.find('[', range.begin) + 1 : ends[k - 1] + 2;
      add_text(kShape, {}, where,
               fmt::format("{}{}, {}{}", text.substr(0, first), text.substr(ends[k] + 2, ends[k + 1] - ends[k] - 2),
                           text.substr(first, ends[k] - first), text.substr(ends[k + 1])));
    }
    for (std::size_t made = before; made < out_.size(); ++made) out_[made].abi = true;
  }
}

void Mutator::shift_coordinates(const Printed& p, OpId id) {
  const Op& o = p.body().op(id);
  const std::string_view text = p.text;
  for (std::size_t end : part_ends(text, o.range.begin, o.range.end))
    for (const char* by : {" + 1", " - 1"})
      add_text(kShift, id, place(id), fmt::format("{}{}{}", text.substr(0, end), by, text.substr(end)));
}

// A store before the load that precedes it in its region; a load behind the store that follows.
void Mutator::overtake(const Printed& p, OpId id) {
  const Body& b = p.body();
  const Op& o = b.op(id);
  if (!writes_element(o.kind)) return;
  const std::string_view text = p.text;
  const Lines mine = lines_of(text, o);
  const Op* before = nullptr;
  for (OpId other : b.region(o.parent).ops) {
    const Op& x = b.op(other);
    if (other == id) break;
    if (x.kind == OpKind::load && x.operands[0] == o.operands[0]) before = &x;
  }
  if (!before) return;
  const Lines theirs = lines_of(text, *before);
  const auto part = [&](std::size_t begin, std::size_t end) { return text.substr(begin, end - begin); };
  add_text(kOvertaken, id, place(id),
           fmt::format("{}{}{}{}", part(0, theirs.begin), part(mine.begin, mine.end), part(theirs.begin, mine.begin),
                       text.substr(mine.end)));
  add_text(kOvertaken, id, place(id),
           fmt::format("{}{}{}{}", part(0, theirs.begin), part(theirs.end, mine.end), part(theirs.begin, theirs.end),
                       text.substr(mine.end)));
}

// `%old: f32 = atomic_rmw.add c[%i], %v ... where %p ...` becomes `store c[%i] = %v where %p`; or stands there twice.
void Mutator::rewrite_atomic(const Printed& p, OpId id) {
  const std::string_view text = p.text;
  const Op& o = p.body().op(id);
  const Lines lines = lines_of(text, o);
  const std::string_view line = text.substr(lines.begin, lines.end - lines.begin);
  const std::size_t name = line.find("atomic_rmw."), view = line.find(' ', name), value = line.find("], ", name);
  if (value == std::string_view::npos) return;
  const std::size_t end = line.find_first_of(" \n", value + 3), where = line.find(" where ");
  std::string plain = fmt::format("store{} = {}", line.substr(view, value + 1 - view), line.substr(value + 3, end - value - 3));
  if (where != std::string_view::npos) plain += line.substr(where, line.find_first_of(" \n", where + 7) - where);
  add_text(kPlain, id, place(id), fmt::format("{}{}\n{}", text.substr(0, lines.begin), plain, text.substr(lines.end)));
  const std::string result = value_text(p.body().value(o.results[0]).name);
  const std::size_t at = find_word(line, result, 0);
  if (at == std::string_view::npos) return;
  add_text(kRepeated, id, place(id),
           fmt::format("{}{}{}{}{}", text.substr(0, lines.end), line.substr(0, at), value_text(kOnce),
                       line.substr(at + result.size()), text.substr(lines.end)));
}

// What is stored, or yielded, goes through a type that holds less.
void Mutator::round_between(const Printed& p, OpId id) {
  const Body& b = p.body();
  const Op& o = b.op(id);
  const std::string_view text = p.text;
  const Lines lines = lines_of(text, o);
  const std::string_view line = text.substr(lines.begin, lines.end - lines.begin);
  std::vector<ValueId> values = o.operands;
  if (o.kind == OpKind::store) values = {as_store(b, o).value};
  std::size_t from = o.kind == OpKind::store ? line.find("] = ") : line.find("yield");
  for (ValueId v : values) {
    const Type& t = b.type(v);
    const std::optional<Detour> way = t.is(TypeKind::scalar) ? detour(t.dtype) : std::nullopt;
    if (!way || from == std::string_view::npos) continue;
    const std::string name = value_text(b.value(v).name);
    const std::size_t at = find_word(line, name, from);
    if (at == std::string_view::npos) continue;
    add_text(kRounding, id, place(id),
             fmt::format("{}{}: {} = convert.{} {}\n{}: {} = convert.{} {}\n{}{}{}{}", text.substr(0, lines.begin),
                         definition_text(kOnce), way->type, way->there, name, definition_text(kTwice), kir::name(t.dtype),
                         way->back, value_text(kOnce), line.substr(0, at), value_text(kTwice), line.substr(at + name.size()),
                         text.substr(lines.end)));
  }
}

}  // namespace kir::mutants
