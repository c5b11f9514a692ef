#include <fmt/format.h>

#include "core/text/parser.h"
#include "core/text/type_name.h"

namespace kir::text {
namespace {

struct RegionScope {
  RegionScope(BodyBuilder& b, RegionId r, int& count) : builder(b), open(count) {
    builder.enter(r);
    ++open;
  }
  ~RegionScope() {
    builder.leave();
    --open;
  }
  BodyBuilder& builder;
  int& open;
};

template <class T>
struct Restore {
  explicit Restore(T& v) : variable(v), before(v) {}
  ~Restore() { variable = before; }
  T& variable;
  T before;
};

}  // namespace

bool Parser::block(RegionId region, const BlockSpec& spec) {
  Depth depth(*this);
  const Token open = expect(Tok::lbrace, "before the block");
  RegionScope scope(*builder_, region, open_blocks_);
  Scope names(*this);
  Restore loop(loop_);
  if (spec.terminator == OpKind::next)
    loop_ = &spec.expected;
  else if (!spec.branch)
    loop_ = nullptr;
  bool ended = false, broken = false;
  while (!at(Tok::rbrace) && !at(Tok::end) && !at_declaration()) {
    std::uint32_t begin = tok_.begin;
    std::size_t nodes = syntax_.nodes.size(), kids = syntax_.kids.size(), ops = syntax_.chain_ops.size();
    std::size_t waiting = syntax_.waiting.size();
    try {
      if (ended) fail("P-08", tok_.range(), fmt::format("nothing may follow '{}' in its block", row(spec.terminator).name));
      statement(spec, ended);
    } catch (const Recover&) {
      broken = true;
      if (tok_.begin == begin) advance();
      skip_statement();
    }
    syntax_.nodes.resize(nodes);
    syntax_.kids.resize(kids);
    syntax_.chain_ops.resize(ops);
    syntax_.waiting.resize(waiting);
  }
  SourceRange close = tok_.range();
  names.close();
  if (!ended && !spec.values) {
    end_block(spec, {}, close);
    ended = true;
  }
  if (!accept(Tok::rbrace)) {
    report(
        "P-03", close,
        fmt::format("expected '}}' to close the block of line {}, found {}", source_->line_column(open.begin).line, found()));
    return false;
  }
  if (!ended && !broken) report("P-08", close, fmt::format("the block must end in '{} ...'", row(spec.terminator).name));
  return ended;
}

void Parser::statement(const BlockSpec& spec, bool& ended) {
  if (after_bad() && source_->text().substr(last_end_, tok_.begin - last_end_).find('\n') == std::string::npos) {
    last_bad_.reset();
    throw Recover{};  // the rest of a statement that was not readable
  }
  if (physical_ && at(Tok::name) && peek(1).kind == Tok::colon && !(word() && word()->reserved)) return view_statement();
  if (physical_ && (at(Tok::value) || at(Tok::lparen))) {
    Tok after = peek(1).kind, second = at(Tok::lparen) && after == Tok::value ? peek(2).kind : Tok::end;
    bool defines = at(Tok::value) ? after == Tok::colon || after == Tok::assign : second == Tok::colon || second == Tok::comma;
    if (defines) return value_statement();
  }
  if (at(Word::let)) {
    if (physical_) fail("P-03", tok_.range(), "'let' belongs to KIR", "write %name: type = ...");
    return let_statement();
  }
  if (const WordInfo* w = word(); w && w->op) {
    std::uint32_t begin = tok_.begin;
    switch (w->op->kind) {
      case OpKind::store: return store_statement();
      case OpKind::parallel: return parallel_statement();
      case OpKind::assume: return assume_statement();
      case OpKind::assume_in_bounds: return assume_in_bounds_statement();
      case OpKind::scatter: return scatter_statement();
      case OpKind::histogram: return histogram_statement();
      case OpKind::atomic_store:
      case OpKind::atomic_rmw:
      case OpKind::atomic_cas: atomic_rhs(); return origin_clause();
      case OpKind::for_loop: for_rhs(); return origin_clause();
      case OpKind::while_loop: while_rhs(); return origin_clause();
      case OpKind::if_else: if_rhs(nullptr); return origin_clause();
      case OpKind::yield:
      case OpKind::next:
        if (w->op->kind != spec.terminator)
          fail("P-08", tok_.range(), fmt::format("this block ends in '{}'", row(spec.terminator).name));
        terminator(spec.terminator, spec.expected, spec.masked, spec.capture);
        ended = true;
        return;
      case OpKind::break_loop:
      case OpKind::continue_loop:
        loop_exit(spec);
        ended = true;
        return;
      case OpKind::reduce:
      case OpKind::arg_reduce:
      case OpKind::scan:
      case OpKind::contract:
      case OpKind::tensor:
      case OpKind::tile_reduce:
      case OpKind::region_fold:
        if (spec.values) {  // as the block's value
          std::vector<ValueId> v = rhs({LetName{.type = spec.expected.empty() ? std::nullopt : spec.expected[0]}});
          end_block(spec, std::move(v), since(begin));
          ended = true;
          return;
        }
        break;
      default: break;
    }
  }
  std::uint32_t begin = tok_.begin;
  if (!at(Tok::name) && !spec.values)
    fail("P-03", tok_.range(), fmt::format("expected a statement, found {}", found()),
         at(Tok::semicolon) ? "nothing stands between statements" : "");
  Token base = tok_;
  bool simple = at(Tok::name) && peek(1).kind == Tok::lbracket;
  NodeId e = expression();
  const Node n = syntax_.nodes[e];
  if (at(Tok::assign) && simple && n.kind == NodeKind::access) {
    return store_to(base, syntax_.children(e), begin);
  }
  if (at(Tok::assign))
    fail("P-03", tok_.range(), "'=' after something that is no element",
         physical_ ? ""
                   : "a name is bound once, with let; a loop carries what changes; elements are stored one by one: v[i] = e");
  if (!spec.values)
    fail("P-03", n.range, "an expression is no statement",
         physical_ ? "give it a name: %a = ..." : "give it a name: let a = ...");
  expression_end(spec, e);
  ended = true;
}

void Parser::expression_end(const BlockSpec& spec, NodeId e) {
  if (spec.terminator != OpKind::yield) fail("P-08", syntax_.nodes[e].range, "a loop body ends in 'next ...'");
  const Type* expected = !spec.expected.empty() && spec.expected[0] ? &*spec.expected[0] : nullptr;
  ValueId v = value_of(e, expected);
  end_block(spec, {v}, syntax_.nodes[e].range);
}

void Parser::end_block(const BlockSpec& spec, std::vector<ValueId> values, SourceRange range) {
  if (spec.capture)
    *spec.capture = std::move(values);
  else
    emit(spec.terminator, std::move(values), {}, {}, {}, range);
}

void Parser::loop_exit(const BlockSpec& spec) {
  const OpRow& exit = *word()->op;
  if (!spec.branch || !loop_)
    fail("P-08", tok_.range(), fmt::format("'{}' ends a branch of an if inside a loop", exit.name),
         spec.branch ? "" : fmt::format("write if c {{ {} ... }}", exit.name));
  terminator(exit.kind, *loop_, false, nullptr);
}

void Parser::terminator(OpKind kind, const std::vector<std::optional<Type>>& expected, bool masked,
                        std::vector<ValueId>* capture) {
  std::uint32_t begin = tok_.begin;
  advance();
  std::vector<ValueId> values;
  if (!at(Tok::rbrace) && !at(Tok::bang)) {
    std::size_t i = 0;
    do {
      values.push_back(value_of(expression(), i < expected.size() && expected[i] ? &*expected[i] : nullptr));
      ++i;
    } while (accept(Tok::comma));
  }
  if (masked && accept(Word::where)) values.push_back(value_of(expression(), &*expected.back()));
  if (capture)
    *capture = std::move(values);
  else
    emit(kind, std::move(values), {}, {}, {}, since(begin));
  origin_clause();
}

void Parser::let_statement() {
  std::uint32_t begin = tok_.begin;
  advance();
  std::vector<LetName> names;
  bool tuple = accept(Tok::lparen);
  try {
    do {
      Token name = fresh_name("a name");
      names.push_back({name.name, name.range(), std::nullopt});
      if (accept(Tok::colon)) names.back().type = parse_type();
    } while (tuple && accept(Tok::comma));
    if (tuple) expect(Tok::rparen, "after the names");
  } catch (const Recover&) {
    poison(names);
    throw;
  }
  let_rest(std::move(names), begin);
}

void Parser::value_statement() {
  std::uint32_t begin = tok_.begin;
  std::vector<LetName> names;
  bool tuple = accept(Tok::lparen);
  try {
    do {
      Token name = fresh_name("a value name");
      names.push_back({name.name, name.range(), std::nullopt});
      if (accept(Tok::colon)) names.back().type = parse_type();
    } while (tuple && accept(Tok::comma));
    if (tuple) expect(Tok::rparen, "after the names");
  } catch (const Recover&) {
    poison(names);
    throw;
  }
  let_rest(std::move(names), begin);
}

// A view is spelled without '%', as those of the ABI are: row: view f32[N] = buffer ...
void Parser::view_statement() {
  std::uint32_t begin = tok_.begin;
  Token name = plain_name("a view's name");
  std::vector<LetName> names{{name.name, name.range(), std::nullopt}};
  try {
    expect(Tok::colon, "after the view's name");
    names[0].type = parse_type();
    if (!names[0].type->is(TypeKind::view)) fail("T-03", name.range(), "only a view is named without '%'");
  } catch (const Recover&) {
    poison(names);
    throw;
  }
  let_rest(std::move(names), begin);
}

void Parser::let_rest(std::vector<LetName> names, std::uint32_t begin) {
  const bool view = names[0].type && names[0].type->is(TypeKind::view);
  const bool percent = physical_ && !view;
  for (const LetName& n : names) check_free(n.name, percent, n.range);
  try {
    expect(Tok::assign, "after the names");
    std::size_t before = builder_->peek().value_count();
    const bool part = at_op(OpKind::part);
    std::vector<ValueId> values = rhs(names);
    origin_clause();
    if (names.size() == 1 && !names[0].type && part) return part_names(names[0], values);
    if (values.size() != names.size())
      fail("T-08", since(begin), fmt::format("{} names for {} results", names.size(), values.size()),
           values.size() > 1 && !physical_ ? "let (a, b) = ...: a name for each result" : "");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].type && *names[i].type != type(values[i]))
        fail("T-04", names[i].range,
             fmt::format("'{}' is declared {} but is {}", names_.text(names[i].name), type_name(*names[i].type),
                         type_name(type(values[i]))));
      bool fresh = values[i].index >= before && builder_->peek().value(values[i]).name.empty();
      if (fresh) builder_->set_name(values[i], std::string(names_.text(names[i].name)));
      Token name{percent ? Tok::value : Tok::name, names[i].range.begin, names[i].range.end, names[i].name};
      bind(name, {.kind = BindingKind::value, .value = values[i]});
    }
  } catch (const Recover&) {
    poison(names);
    throw;
  }
}

void Parser::store_statement() {
  std::uint32_t begin = tok_.begin;
  advance();
  Token base = plain_name("a view");
  store_to(base, coordinates(), begin);
}

void Parser::store_to(const Token& base, std::span<const NodeId> coords, std::uint32_t begin) {
  std::string name(names_.text(base.name));
  const Binding b = slot(base.name, false);
  if (b.kind == BindingKind::poison) throw Recover{};
  if (b.kind == BindingKind::none) fail("T-01", base.range(), fmt::format("'{}' is not bound here", name));
  if (b.kind != BindingKind::value || !type(b.value).is(TypeKind::view))
    fail("T-03", base.range(), fmt::format("'{}' is no view", name), "only views can be stored to");
  if (coords.size() != type(b.value).rank())
    fail("T-08", base.range(), fmt::format("'{}' has rank {}, not {}", name, type(b.value).rank(), coords.size()));
  std::vector<ValueId> operands;
  operands.reserve(coords.size() + 3);
  operands.push_back(b.value);
  for (NodeId c : coords) operands.push_back(coordinate(c));
  expect(Tok::assign, "before the stored value");
  Type element = Type::scalar(type(b.value).dtype);
  // In a physical program the value may be a fragment, so the element type is only what a literal becomes.
  std::vector<ValueId> value =
      physical_ ? std::vector<ValueId>{value_of(expression(), &element)} : rhs({LetName{.type = element}});
  if (value.size() != 1) fail("T-08", since(begin), fmt::format("a store takes one value, not {}", value.size()));
  operands.push_back(value[0]);
  if (accept(Word::where)) {
    Term where = elaborate(expression(), nullptr);
    Type i1 = Type::scalar(DType::i1);
    operands.push_back(term_value(where, where.kind == Term::literal ? &i1 : nullptr));
  }
  Attrs attrs;
  if (physical_ && accept(Word::vec)) attrs.set(AttrKey::vector, integer("the elements per access", 1, 1024));
  emit(OpKind::store, std::move(operands), std::move(attrs), {}, {}, since(begin));
  origin_clause();
}

void Parser::parallel_statement() {
  std::uint32_t begin = tok_.begin;
  if (physical_) fail("P-04", tok_.range(), "a physical program has no 'parallel'");
  advance();
  Domain d = domain(false);
  Scope names(*this);
  RegionId region = open_region(d.names, d.types);
  SourceRange head = since(begin);
  bool ok = block(region, {});
  names.close();
  if (!ok) throw Recover{};
  Attrs attrs;
  attrs.set(AttrKey::ranges, std::move(d.ranges));
  emit(OpKind::parallel, {}, std::move(attrs), {region}, {}, head);
}

void Parser::assume_statement() {
  std::uint32_t begin = tok_.begin;
  advance();
  Type i1 = Type::scalar(DType::i1);
  ValueId v = value_of(expression(), &i1);
  emit(OpKind::assume, {v}, {}, {}, {}, since(begin));
  origin_clause();
}

void Parser::origin_clause() {
  if (!physical_ || !at(Tok::bang)) return;
  OpId op = last_op_;
  advance();
  std::int64_t origin = integer("an origin", 0, 0xfffffffe);
  builder_->set_origin(op, OpId(static_cast<std::uint32_t>(origin)));
  any_origin_ = true;
}

}  // namespace kir::text
