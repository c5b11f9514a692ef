// Damages that need a new operation or another place: made in the printed program, of which those that do not parse are left
// out.
#include <fmt/format.h>

#include "core/ir/memory_access.h"
#include "core/ir/op_table.h"
#include "core/text/text.h"
#include "tools/mutants/damages.h"
#include "tools/mutants/mutator.h"

namespace kir::mutants {

using namespace damage;

namespace {

std::string_view text_of(const PhysicalProgram& p) { return p.source->text(); }

// The lines of a statement.
struct Lines {
  std::size_t begin, end;
};
Lines lines_of(std::string_view text, const Op& o) {
  const std::size_t before = o.range.begin == 0 ? std::string_view::npos : text.rfind('\n', o.range.begin - 1);
  return {before == std::string_view::npos ? 0 : before + 1, text.find('\n', std::max(o.range.begin, o.range.end - 1)) + 1};
}

}  // namespace

void Mutator::text() {
  Diagnostics problems;
  const PhysicalPtr printed = parse_pir(std::make_shared<const SourceFile>(p_.name + ".pir", print(p_)), problems);
  if (!printed) return;
  for (std::uint32_t i = 0; i < printed->body.op_count(); ++i) {
    const Op& o = printed->body.op(OpId(i));
    if (!is_memory_access(o.kind) || o.range.begin >= o.range.end) continue;
    shift_coordinates(*printed, o);
    overtake(*printed, OpId(i));
    if (o.kind == OpKind::atomic_rmw) make_plain(*printed, o);
  }
}

void Mutator::add_text(const Damage& d, const Op& o, std::string text) {
  Diagnostics problems;
  PhysicalPtr made = parse_pir(std::make_shared<const SourceFile>(p_.name + ".pir", std::move(text)), problems);
  if (made) out_.push_back({d.name, d.checks, std::string(row(o.kind).name), std::move(made)});
}

void Mutator::shift_coordinates(const PhysicalProgram& printed, const Op& o) {
  const std::string_view text = text_of(printed);
  std::size_t at = text.find('[', o.range.begin);
  int depth = 0;
  for (; at < o.range.end; ++at) {
    const char c = text[at];
    depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    const bool ends = (depth == 1 && c == ',') || (depth == 0 && c == ']');
    if (ends)
      for (const char* by : {" + 1", " - 1"})
        add_text(kShift, o, fmt::format("{}{}{}", text.substr(0, at), by, text.substr(at)));
    if (depth == 0) return;
  }
}

// A store before the load that precedes it in its region; a load behind the store that follows.
void Mutator::overtake(const PhysicalProgram& printed, OpId id) {
  const Body& b = printed.body;
  const Op& o = b.op(id);
  if (!writes_element(o.kind)) return;
  const std::string_view text = text_of(printed);
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
  add_text(kOvertaken, o,
           fmt::format("{}{}{}{}", part(0, theirs.begin), part(mine.begin, mine.end), part(theirs.begin, mine.begin),
                       text.substr(mine.end)));
  add_text(kOvertaken, *before,
           fmt::format("{}{}{}{}", part(0, theirs.begin), part(theirs.end, mine.end), part(theirs.begin, theirs.end),
                       text.substr(mine.end)));
}

// `%old: f32 = atomic_rmw.add c[%i], %v order(relaxed) ... where %p` becomes `store c[%i] = %v where %p`.
void Mutator::make_plain(const PhysicalProgram& printed, const Op& o) {
  const std::string_view text = text_of(printed);
  const Lines lines = lines_of(text, o);
  const std::string_view line = text.substr(lines.begin, lines.end - lines.begin);
  const std::size_t name = line.find("atomic_rmw."), view = line.find(' ', name), value = line.find("], ", name);
  if (value == std::string_view::npos) return;
  const std::size_t end = line.find(' ', value + 3), where = line.find(" where %");
  std::string plain = fmt::format("store{} = {}", line.substr(view, value + 1 - view), line.substr(value + 3, end - value - 3));
  if (where != std::string_view::npos) plain += line.substr(where, line.find_first_of(" \n", where + 8) - where);
  add_text(kPlain, o, fmt::format("{}{}\n{}", text.substr(0, lines.begin), plain, text.substr(lines.end)));
}

}  // namespace kir::mutants
