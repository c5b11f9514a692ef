#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/ir/verify.h"
#include "core/layout/text.h"
#include "core/text/pir_parser.h"
#include "core/text/text.h"
#include "core/text/type_name.h"

namespace kir::text {

void PirParser::skip_section() {
  for (; !at(Tok::end); advance()) {
    bool first_on_line = source_->text().substr(last_end_, tok_.begin - last_end_).find('\n') != std::string::npos;
    if (!first_on_line) continue;
    Tok after = at(Tok::name) ? peek(1).kind : Tok::end;
    if ((at(Word::launch) || at(Word::space) || at(Word::workspace)) && after == Tok::lbrace) return;
    if (at(Word::layout) && after == Tok::layout) return;
    if (at(Word::dispatch) && after == Tok::value) return;
    if (at(Word::group) && after == Tok::name) return;
  }
}

void PirParser::section(void (PirParser::*parse)(PhysicalProgram&), PhysicalProgram& p) {
  try {
    (this->*parse)(p);
  } catch (const Recover&) {
    incomplete_ = true;
    skip_section();
  }
}

PhysicalPtr PirParser::parse() {
  auto p = std::make_shared<PhysicalProgram>();
  p->source = source_;
  start_unit();
  p->pool = pool_;
  std::vector<RegionId> roots;
  try {
    expect(Word::pir, "at the head of the file");
    if (!at(Tok::integer) || text_of(tok_.range()) != "1")
      fail("P-01", tok_.range(), fmt::format("physical text version 1 is expected, found {}", found()),
           "the file begins with: pir 1");
    advance();
    expect(Word::program, "after the version");
    p->name = names_.text(plain_name("the program's name").name);
    if (accept(Word::implements)) {
      Token s = expect(Tok::string, "after 'implements'");
      p->implements = source_->text().substr(s.begin + 1, s.end - s.begin - 2);
    }
    pir_abi(*p);
    root_arguments();
  } catch (const Recover&) {
    return nullptr;  // nothing after a broken ABI can be understood
  }
  section(&PirParser::pir_launch, *p);
  while (at(Word::layout)) section(&PirParser::pir_layout, *p);
  section(&PirParser::pir_space, *p);
  if (incomplete_) {  // the dispatch speaks of definitions that are not known
    while (!at(Tok::end) && !(at(Word::group) && peek(1).kind == Tok::name)) advance();
  } else {
    if (at(Word::workspace)) section(&PirParser::pir_workspace, *p);
    section(&PirParser::pir_dispatch, *p);
  }
  while (!at(Tok::end)) {
    if (!at(Word::group)) {
      report("P-03", tok_.range(), fmt::format("expected 'group', found {}", found()));
      advance();
      skip_section();
      continue;
    }
    section(&PirParser::pir_group, *p);
  }
  if (!p->work) p->work = builder_->add_argument(root_, Type::scalar(DType::i64), "w");  // told already; for the verifier
  roots.push_back(root_);
  for (const Group& g : p->groups) roots.push_back(g.region);
  return finish_program(std::move(p), std::move(roots));
}

// --- abi { ... }

void PirParser::pir_abi_item() {
  Token name = plain_name("a parameter");
  expect(Tok::colon, "after the parameter's name");
  if (at_op(OpKind::view)) return view_param(name);
  if (at_op(OpKind::index)) {
    advance();
    param_names_.push_back(name.name);
    abi_.params.push_back({Abi::ParamKind::symbol, index_items_.size()});  // resolved by the dims
    index_items_.push_back(name);
    return;
  }
  scalar_param(name, dtype("of the parameter, or view, index"));
}

void PirParser::pir_dims() {
  struct Range {
    NodeId lo = kNoNode, hi = kNoNode;
  };
  std::vector<Range> ranges;
  do {
    Token name = plain_name("a symbol");
    expect(Tok::colon, "after the symbol");
    DType t = dtype("of the symbol");
    if (t != DType::i64) fail("T-03", since(name.begin), "symbols have type i64");
    bind_symbol(name, false);
    Range r;
    if (accept(Word::in)) {
      r.lo = expression();
      expect(Tok::dots_eq, "between the least and the greatest value");
      r.hi = expression();
    }
    ranges.push_back(r);
  } while (accept(Tok::comma));
  if (ranges.size() != abi_.symbols.size()) throw Recover{};  // a symbol was bound twice
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].lo == kNoNode) continue;
    abi_.symbols[i].lo = index_expr(ranges[i].lo, Sort::integer);
    abi_.symbols[i].hi = index_expr(ranges[i].hi, Sort::integer);
  }
}

void PirParser::pir_abi(PhysicalProgram&) {
  expect(Word::abi, "after the program's name");
  expect(Tok::lbrace, "after 'abi'");
  while (at(Tok::name) && !at(Word::where) && !at(Word::alias) && !(at(Word::dims) && peek(1).kind == Tok::name))
    pir_abi_item();
  if (accept(Word::dims)) pir_dims();
  // A symbol is a parameter when it is listed as one, or when no extent or stride stands for it.
  std::vector<bool> bound(abi_.symbols.size());
  auto symbol_number = [&](NameId name) {
    for (std::size_t i = 0; i < abi_.symbols.size(); ++i)
      if (abi_.symbols[i].name == names_.text(name)) return i;
    return abi_.symbols.size();
  };
  for (const PendingView& v : pending_views_)
    for (const std::vector<NodeId>* list : {&v.shape, &v.strides})
      for (NodeId n : *list) {
        const Node& node = syntax_.nodes[n];
        if (node.kind != NodeKind::name || node.percent) continue;
        if (std::size_t i = symbol_number(node.name); i < bound.size()) bound[i] = true;
      }
  for (Abi::Param& param : abi_.params) {
    if (param.kind != Abi::ParamKind::symbol) continue;
    const Token& name = index_items_[param.index];
    std::size_t i = symbol_number(name.name);
    if (i == abi_.symbols.size())
      fail("T-01", name.range(), fmt::format("'{}' is not listed in dims", names_.text(name.name)),
           "dims lists every launch-visible integer");
    if (abi_.symbols[i].parameter)
      fail("T-02", name.range(), fmt::format("'{}' is already a parameter", names_.text(name.name)));
    abi_.symbols[i].parameter = true;
    param.index = i;
  }
  for (std::size_t i = 0; i < bound.size(); ++i)
    if (!bound[i] && !abi_.symbols[i].parameter) {
      abi_.symbols[i].parameter = true;
      abi_.params.push_back({Abi::ParamKind::symbol, i});
      param_names_.push_back(names_.intern(text_of(abi_.symbols[i].range)));
    }
  resolve_views();
  if (accept(Word::where)) relations();
  if (accept(Word::alias)) alias_facts();
  expect(Tok::rbrace, "to close 'abi'");
}

// --- launch, layouts, space

PirParser::PendingDefinition PirParser::definition(const char* what) {
  PendingDefinition d;
  Token name = plain_name(what);
  d.definition.name = names_.text(name.name);
  d.definition.range = name.range();
  d.token = name;
  expect(Tok::assign, "after the definition's name");
  d.value = expression();
  return d;
}

void PirParser::pir_launch(PhysicalProgram& p) {
  expect(Word::launch, "after the abi");
  expect(Tok::lbrace, "after 'launch'");
  expect(Word::threads, "(threads of a program instance)");
  p.launch.threads = integer("threads", 1, 1024);
  if (accept(Word::pack)) p.launch.pack = integer("pack", 1, 1024);
  expect(Word::grid, "(the number of blocks)");
  grid_ = definition("the grid's name");
  p.launch.grid = grid_.definition.name;
  expect(Tok::rbrace, "to close 'launch'");
}

void PirParser::pir_layout(PhysicalProgram& p) {
  advance();
  Token name = expect(Tok::layout, "after 'layout'");
  expect(Tok::assign, "after the layout's name");
  std::uint32_t begin = tok_.begin;
  while (!at(Tok::end) && !(at(Word::layout) && peek(1).kind == Tok::layout) &&
         !(at(Word::space) && peek(1).kind == Tok::lbrace))
    advance();
  const SourceRange text = since(begin);
  const auto layout = layout::read_tile_layout(text_of(text));
  if (!layout) {
    SourceRange at = text;
    if (const auto column = static_cast<std::uint32_t>(layout.error().column); column > 0 && begin + column <= text.end)
      at = {begin + column - 1, begin + column};
    else if (column > 0)
      at = {text.end, text.end};
    report("P-09", at, fmt::format("no layout: {}", layout.error().why), "a layout reads S[(8,128):(1@m,1@tid)]");
    return;
  }
  p.layouts.push_back({std::string(names_.text(name.name)), *layout});
}

void PirParser::pir_space(PhysicalProgram& p) {
  expect(Word::space, "after the launch and the layouts");
  expect(Tok::lbrace, "after 'space'");
  while (!at(Tok::rbrace)) {
    PendingSegment s;
    std::uint32_t begin = tok_.begin;
    s.segment.group = names_.text(plain_name("the group of the segment").name);
    expect(Tok::colon, "after the group");
    expect(Tok::lparen, "before the domain");
    comma_list(Tok::rparen, [&] {
      s.segment.axes.emplace_back(names_.text(plain_name("an axis").name));
      expect(Word::in, "before the range");
      s.lo.push_back(expression());
      expect(Tok::dots, "between the bounds");
      s.hi.push_back(expression());
    });
    expect(Tok::rparen, "after the domain");
    expect(Word::length, "after the domain");
    pending_definitions_.push_back(definition("the length's name"));
    s.segment.length = pending_definitions_.back().definition.name;
    expect(Word::offset, "after the length");
    pending_definitions_.push_back(definition("the offset's name"));
    s.segment.offset = pending_definitions_.back().definition.name;
    s.segment.range = since(begin);
    pending_segments_.push_back(std::move(s));
  }
  advance();
  resolve_definitions(p);
}

// A definition sees the symbols and the definitions before it; the grid stands last although it is written first.
void PirParser::resolve_definitions(PhysicalProgram& p) {
  if (grid_.value != kNoNode) pending_definitions_.push_back(grid_);
  for (PendingDefinition& d : pending_definitions_) {
    d.definition.value = index_or_one(d.value);
    p.definitions.push_back(d.definition);
    bind(d.token, {.kind = BindingKind::symbol});
  }
  for (PendingSegment& s : pending_segments_) {
    for (std::size_t i = 0; i < s.lo.size(); ++i) {
      s.segment.lo.push_back(index_or_one(s.lo[i]));
      s.segment.hi.push_back(index_or_one(s.hi[i]));
    }
    p.segments.push_back(s.segment);
  }
}

void PirParser::pir_workspace(PhysicalProgram& p) {
  advance();
  expect(Tok::lbrace, "after 'workspace'");
  while (!at(Tok::rbrace)) {
    const Token name = plain_name("a buffer of the workspace");
    if (!check_free(name.name, false, name.range())) throw Recover{};
    bind(name, {.kind = BindingKind::poison});  // until its type is known
    expect(Tok::colon, "after the buffer's name");
    const std::uint32_t begin = tok_.begin;
    Type t = parse_type();
    if (!t.is(TypeKind::view)) fail("T-03", since(begin), "a buffer of the workspace is a view", "b: view f32[M, N]");
    p.workspace.push_back(builder_->add_argument(root_, std::move(t), std::string(names_.text(name.name)), name.range()));
    bind(name, {.kind = BindingKind::value, .value = p.workspace.back()});
  }
  advance();
}

// --- dispatch and groups

void PirParser::pir_dispatch(PhysicalProgram& p) {
  expect(Word::dispatch, "after the space");
  Token work = expect(Tok::value, "as the work id");
  p.work_id = names_.text(work.name);
  expect(Tok::colon, "after the work id");
  Type t = parse_type();
  expect(Tok::assign, "after the type");
  expect(Word::program_id, "(the work id is the program id)");
  p.work = builder_->add_argument(root_, t, p.work_id, work.range());
  Scope scope(*this);
  bind(work, {.kind = BindingKind::value, .value = p.work});
  expect(Tok::lbrace, "before the arms");
  while (!at(Word::else_)) {
    if (at(Tok::rbrace) || at(Tok::end)) fail("P-03", tok_.range(), "the dispatch ends in 'else -> exit'");
    DispatchArm arm;
    PendingArm pending;
    std::uint32_t begin = tok_.begin;
    arm.guard = parse_index(Sort::boolean);
    expect(Tok::arrow, "after the guard");
    pending.group = plain_name("a group");
    expect(Tok::lparen, "before the coordinates");
    comma_list(Tok::rparen, [&] {
      pending.names.push_back(expect(Tok::value, "as a coordinate's name"));
      expect(Tok::assign, "after the coordinate's name");
      arm.coordinates.push_back(parse_index());
    });
    expect(Tok::rparen, "after the coordinates");
    arm.range = since(begin);
    p.arms.push_back(std::move(arm));
    pending_arms_.push_back(std::move(pending));
  }
  advance();
  expect(Tok::arrow, "after 'else'");
  expect(Word::exit_, "after 'else ->'");
  expect(Tok::rbrace, "to close the dispatch");
  scope.close();
}

void PirParser::pir_group(PhysicalProgram& p) {
  std::uint32_t begin = tok_.begin;
  advance();
  Group g;
  g.name = names_.text(plain_name("the group's name").name);
  expect(Tok::lparen, "before the group's coordinates");
  std::vector<Token> names;
  std::vector<Type> types;
  comma_list(Tok::rparen, [&] {
    names.push_back(expect(Tok::value, "as a coordinate"));
    expect(Tok::colon, "after the coordinate");
    types.push_back(parse_type());
    expect(Word::in, "before the range");
    g.lo.push_back(parse_index());
    expect(Tok::dots, "between the bounds");
    g.hi.push_back(parse_index());
  });
  expect(Tok::rparen, "after the group's coordinates");
  g.range = since(begin);
  Scope scope(*this);
  g.region = open_region(names, types);
  block(g.region, {});
  scope.close();
  p.groups.push_back(std::move(g));
}

PhysicalPtr PirParser::finish_program(std::shared_ptr<PhysicalProgram> p, std::vector<RegionId> roots) {
  for (std::size_t i = 0; i < pending_arms_.size(); ++i) {
    const PendingArm& arm = pending_arms_[i];
    std::string_view name = names_.text(arm.group.name);
    auto group = std::find_if(p->groups.begin(), p->groups.end(), [&](const Group& g) { return g.name == name; });
    if (group == p->groups.end()) {
      if (!incomplete_) report("T-01", arm.group.range(), fmt::format("there is no group '{}'", name));
      continue;
    }
    p->arms[i].group = static_cast<std::size_t>(group - p->groups.begin());
    for (const Segment& s : p->segments) {
      if (s.group != name) continue;
      bool equal = arm.names.size() == s.axes.size();
      for (std::size_t k = 0; equal && k < s.axes.size(); ++k) equal = names_.text(arm.names[k].name) == s.axes[k];
      if (!equal)
        report("T-08", arm.group.range(), fmt::format("the coordinates of '{}' are not those of its segment", name),
               fmt::format("the segment's axes are ({})", fmt::join(s.axes, ", ")));
    }
  }
  BodyBuilder::Renumbering map;
  p->body = builder_->freeze(*pool_, roots, &map);
  auto renumber = [&](Expr e) {
    return substitute(e, [&](Expr leaf) {
      return leaf.is(ExprKind::value) && map.values[leaf.value().index]
                 ? pool_->value(map.values[leaf.value().index], leaf.sort())
                 : Expr();
    });
  };
  p->abi = std::move(abi_);
  p->root = map.regions[root_.index];
  p->work = map.values[p->work.index];
  for (ViewParam& v : p->abi.views) v.value = map.values[v.value.index];
  for (ScalarParam& s : p->abi.scalars) s.value = map.values[s.value.index];
  for (ValueId& v : p->workspace) v = map.values[v.index];
  for (DispatchArm& a : p->arms) {
    a.guard = renumber(a.guard);
    for (Expr& c : a.coordinates) c = renumber(c);
  }
  for (Group& g : p->groups) {
    g.region = map.regions[g.region.index];
    for (Expr& e : g.lo) e = renumber(e);
    for (Expr& e : g.hi) e = renumber(e);
  }
  if (any_origin_) p->origin_kernel = p->implements;
  Diagnostics found(1000);
  verify(*p, found);
  for (const Diagnostic& d : found.all()) {
    // After a section that could not be read, what refers to it is no mistake of its own.
    if (incomplete_ && (d.id == "W-03" || d.id == "W-04")) continue;
    if (d.severity == Severity::error) report(d.id.c_str(), d.range, d.message, d.hint, d.operation);
  }
  return failed_ ? nullptr : p;
}

}  // namespace kir::text

namespace kir {

PhysicalPtr parse_pir(SourcePtr source, Diagnostics& diagnostics) {
  if (!text::readable(*source, diagnostics)) return nullptr;
  std::size_t before = diagnostics.error_count();
  PhysicalPtr program = text::PirParser(std::move(source), diagnostics).parse();
  if (!program && diagnostics.error_count() == before) diagnostics.error("P-03", {}, "the program is incomplete");
  return diagnostics.error_count() == before ? program : nullptr;
}

}  // namespace kir
