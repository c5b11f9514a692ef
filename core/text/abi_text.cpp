#include <fmt/format.h>

#include "core/text/parser.h"
#include "core/text/type_name.h"

namespace kir::text {

void Parser::start_unit() {
  failed_ = false;
  depth_ = 0;
  syntax_.clear();
  pool_ = std::make_shared<ExprPool>();
  if (!builder_ || builder_->peek().region_count() > 0) builder_.emplace();  // else frozen, and empty
  abi_ = {};
  pending_views_.clear();
  param_names_.clear();
  root_ = {};
  inlined_.clear();
}

void Parser::bind_symbol(const Token& name, bool parameter) {
  bind(name, {.kind = BindingKind::symbol});
  abi_.symbols.push_back(
      {.name = std::string(names_.text(name.name)), .parameter = parameter, .range = name.range(), .lo = {}, .hi = {}});
}

// A shape symbol is bound by standing alone as an extent or a stride.
void Parser::bind_bare_symbols(const PendingView& v) {
  for (const std::vector<NodeId>* list : {&v.shape, &v.strides})
    for (NodeId n : *list) {
      const Node& node = syntax_.nodes[n];
      if (node.kind != NodeKind::name || node.percent) continue;
      BindingKind bound = slot(node.name, false).kind;
      if (bound != BindingKind::none && bound != BindingKind::poison) continue;
      bind_symbol({Tok::name, node.range.begin, node.range.end, node.name}, false);
    }
}

namespace {
std::optional<Access> access_of(Word w) {
  if (w == Word::in) return Access::in;
  if (w == Word::out) return Access::out;
  if (w == Word::inout) return Access::inout;
  return std::nullopt;
}
}  // namespace

// KIR: in f32[M, N] strides(N, 1) align 16        physical: view f32[M, N] strides(N, 1) in align 16
void Parser::view_param(const Token& name) {
  PendingView v;
  v.view.name = names_.text(name.name);
  v.view.range = name.range();
  auto access = [&] {
    std::optional<Access> a = at(Tok::name) ? access_of(static_cast<Word>(tok_.name)) : std::nullopt;
    if (!a) fail("P-03", tok_.range(), fmt::format("expected in, out or inout, found {}", found()));
    advance();
    v.view.access = *a;
  };
  if (physical_)
    advance();
  else
    access();
  v.view.dtype = dtype("of the view");
  expect(Tok::lbracket, "before the extents");
  v.shape = expression_list(Tok::rbracket);
  if (v.shape.size() > kMaxAxes) fail("P-05", since(name.begin), fmt::format("a view has at most {} axes", kMaxAxes));
  if (accept(Word::strides)) {
    v.view.explicit_strides = true;
    expect(Tok::lparen, "before the strides");
    v.strides = expression_list(Tok::rparen);
  }
  if (physical_) access();
  if (accept(Word::align)) v.view.align = integer("the alignment in bytes", 1, std::int64_t{1} << 30);
  param_names_.push_back(name.name);
  abi_.params.push_back({Abi::ParamKind::view, abi_.views.size()});
  abi_.views.push_back(v.view);
  pending_views_.push_back(std::move(v));
}

void Parser::scalar_param(const Token& name, DType t) {
  param_names_.push_back(name.name);
  abi_.params.push_back({Abi::ParamKind::scalar, abi_.scalars.size()});
  abi_.scalars.push_back({.name = std::string(names_.text(name.name)), .value = {}, .dtype = t, .range = name.range()});
}

void Parser::index_param(const Token& name) {
  param_names_.push_back(name.name);
  abi_.params.push_back({Abi::ParamKind::symbol, abi_.symbols.size()});
  const Binding b = slot(name.name, false);
  if (b.kind != BindingKind::symbol) return bind_symbol(name, true);
  // Already bound by an extent: the parameter is that symbol.
  for (std::size_t i = 0; i < abi_.symbols.size(); ++i)
    if (abi_.symbols[i].name == names_.text(name.name)) {
      if (abi_.symbols[i].parameter)
        fail("T-02", name.range(), fmt::format("'{}' is already a parameter", abi_.symbols[i].name));
      abi_.symbols[i].parameter = true;
      abi_.params.back().index = i;
    }
}

// 1 where the expression has an error, told already: ranks and lists keep their length.
Expr Parser::index_or_one(NodeId n) {
  try {
    return index_expr(n, Sort::integer);
  } catch (const Recover&) {
    return pool_->constant(1);
  }
}

// Extents and strides become expressions once all symbols are bound.
void Parser::resolve_views() {
  for (std::size_t i = 0; i < pending_views_.size(); ++i) {
    const PendingView& p = pending_views_[i];
    ViewParam& v = abi_.views[i];
    for (NodeId n : p.shape) v.shape.push_back(index_or_one(n));
    if (v.explicit_strides) {
      for (NodeId n : p.strides) v.strides.push_back(index_or_one(n));
      if (v.strides.size() == v.rank()) continue;
      report("T-08", v.range, fmt::format("'{}' has {} extents but {} strides", v.name, v.rank(), v.strides.size()));
    }
    v.strides = row_major_strides(*pool_, v.shape);
  }
}

void Parser::root_arguments() {
  root_ = builder_->new_region();
  for (const Abi::Param& p : abi_.params) {
    if (p.kind == Abi::ParamKind::symbol) continue;
    bool view = p.kind == Abi::ParamKind::view;
    std::string& name = view ? abi_.views[p.index].name : abi_.scalars[p.index].name;
    SourceRange range = view ? abi_.views[p.index].range : abi_.scalars[p.index].range;
    Type t =
        view ? Type::view(abi_.views[p.index].dtype, abi_.views[p.index].shape) : Type::scalar(abi_.scalars[p.index].dtype);
    ValueId v = builder_->add_argument(root_, std::move(t), name, range);
    (view ? abi_.views[p.index].value : abi_.scalars[p.index].value) = v;
    bool percent = physical_ && !view;
    bind({percent ? Tok::value : Tok::name, range.begin, range.end, param_names_[&p - abi_.params.data()]},
         {.kind = BindingKind::value, .value = v});
  }
}

std::size_t Parser::view_number() {
  Token t = plain_name("a view");
  for (std::size_t i = 0; i < abi_.views.size(); ++i)
    if (abi_.views[i].name == names_.text(t.name)) return i;
  if (slot(t.name, false).kind == BindingKind::poison) throw Recover{};
  fail("T-01", t.range(), fmt::format("there is no view '{}'", names_.text(t.name)));
}

void Parser::alias_facts() {
  expect(Tok::lbrace, "before the alias facts");
  comma_list(Tok::rbrace, [&] {
    AliasFact f;
    std::uint32_t begin = tok_.begin;
    if (accept(Word::may_alias))
      f.kind = AliasKind::may_alias;
    else if (accept(Word::same))
      f.kind = AliasKind::same;
    else
      fail("P-03", tok_.range(), fmt::format("expected may_alias or same, found {}", found()));
    expect(Tok::lparen, "before the views");
    f.a = view_number();
    expect(Tok::comma, "between the views");
    f.b = view_number();
    expect(Tok::rparen, "after the views");
    f.range = since(begin);
    abi_.aliases.push_back(f);
  });
  expect(Tok::rbrace, "after the alias facts");
}

// nondecreasing(v), in_range(v, lo, hi), unique(v)
bool Parser::data_precondition() {
  const Word w = at(Tok::name) ? static_cast<Word>(tok_.name) : Word::count_;
  DataFact f;
  switch (w) {
    case Word::nondecreasing: f.kind = DataFactKind::nondecreasing; break;
    case Word::in_range: f.kind = DataFactKind::in_range; break;
    case Word::unique: f.kind = DataFactKind::unique; break;
    default: return false;
  }
  if (peek(1).kind != Tok::lparen) return false;
  const std::uint32_t begin = tok_.begin;
  advance();
  advance();
  f.view = view_number();
  if (f.kind == DataFactKind::in_range) {
    expect(Tok::comma, "before the least value");
    f.lo = parse_index();
    expect(Tok::comma, "before the value that all are below");
    f.hi = parse_index();
  }
  expect(Tok::rparen, "after the data precondition");
  f.range = since(begin);
  abi_.data.push_back(f);
  return true;
}

void Parser::relations() {
  do {
    if (data_precondition()) continue;
    std::uint32_t begin = tok_.begin;
    Expr e;
    if (at(Word::divides)) {
      advance();
      expect(Tok::lparen, "after divides");
      Expr a = parse_index();
      expect(Tok::comma, "between the operands of divides");
      Expr b = parse_index();
      expect(Tok::rparen, "after the operands of divides");
      e = equal(mod(b, a), pool_->constant(0));
    } else {
      e = parse_index(Sort::boolean);
    }
    abi_.where.push_back(e);
    abi_.where_ranges.push_back(since(begin));
  } while (accept(Tok::comma));
}

}  // namespace kir::text
