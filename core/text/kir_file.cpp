#include <fmt/format.h>

#include "core/ir/verify.h"
#include "core/text/kir_parser.h"
#include "core/text/text.h"

namespace kir::text {

void KirParser::skip_to_declaration() {
  while (!at(Tok::end) && !at_declaration()) advance();
}

void KirParser::end_of_declaration() {
  if (!at(Tok::end) && !at_declaration())
    fail("P-03", tok_.range(), fmt::format("expected 'kernel', 'fn' or 'plan', found {}", found()));
}

std::optional<Module> KirParser::parse() {
  Module module;
  module.source = source_;
  try {
    expect(Word::kir, "at the head of the file");
    if (!at(Tok::integer) || text_of(tok_.range()) != "1")
      fail("P-01", tok_.range(), fmt::format("KIR version 1 is expected, found {}", found()), "the file begins with: kir 1");
    advance();
    end_of_declaration();
  } catch (const Recover&) {
    skip_to_declaration();
  }
  while (!at(Tok::end)) {
    try {
      if (at(Word::fn))
        helper_declaration();
      else if (at(Word::plan))
        plan_declaration(module);
      else
        kernel_declaration(module);
      end_of_declaration();
    } catch (const Recover&) {
      skip_to_declaration();
    }
    close_scope(0);
  }
  return module;
}

std::vector<KirParser::ConstexprChoice> KirParser::constexpr_list() {
  std::vector<ConstexprChoice> out;
  if (!accept(Tok::lt)) return out;
  do {
    ConstexprChoice c;
    c.name = plain_name("a constexpr");
    auto one_dtype = [&] { c.values.emplace_back(dtype("as the value")); };
    if (accept(Tok::assign)) {
      const WordInfo* w = word();
      if (w && w->dtype)
        one_dtype();
      else
        c.values.emplace_back(integer("the value", INT64_MIN, INT64_MAX));
    } else {
      expect(Tok::colon, "or '=' after the constexpr");
      bool types = at(Word::dtype);
      DType t = DType::i64;
      if (types)
        advance();
      else
        t = dtype("of the constexpr, or 'dtype'");
      if (t != DType::i32 && t != DType::i64) fail("P-03", tok_.range(), "a constexpr is i32, i64 or dtype");
      expect(Word::in, "before the values");
      expect(Tok::lbrace, "before the values");
      std::int64_t lo = t == DType::i32 ? INT32_MIN : INT64_MIN, hi = t == DType::i32 ? INT32_MAX : INT64_MAX;
      do {
        if (types)
          one_dtype();
        else
          c.values.emplace_back(integer("the value", lo, hi));
      } while (accept(Tok::comma));
      expect(Tok::rbrace, "after the values");
    }
    out.push_back(std::move(c));
  } while (accept(Tok::comma));
  expect(Tok::gt, "after the constexprs");
  return out;
}

void KirParser::kernel_declaration(Module& module) {
  constexpr std::size_t kMaxSpecializations = 1024;
  std::uint32_t begin = tok_.begin;
  advance();
  start_unit();
  Token name = plain_name("the kernel's name");
  kernel_names_.insert(name.name);
  std::vector<ConstexprChoice> choices = constexpr_list();
  std::size_t combinations = 1;
  for (const ConstexprChoice& c : choices) {
    combinations *= c.values.size();
    if (combinations > kMaxSpecializations)
      fail("P-05", c.name.range(), fmt::format("the constexprs give more than {} kernels", kMaxSpecializations));
  }
  std::uint32_t rest = tok_.begin;
  for (std::size_t i = 0; i < combinations; ++i) {
    if (i > 0) seek(rest);
    start_unit();
    std::vector<Constexpr> values;
    std::vector<Token> names;
    std::size_t digit = i;  // the last constexpr varies fastest
    for (std::size_t k = choices.size(); k-- > 0;) {
      const ConstexprChoice& c = choices[k];
      values.insert(values.begin(), {std::string(names_.text(c.name.name)), c.values[digit % c.values.size()]});
      names.insert(names.begin(), c.name);
      digit /= c.values.size();
    }
    std::shared_ptr<const Kernel> kernel = kernel_rest(name, begin, std::move(values), names);
    close_scope(0);
    if (!kernel) continue;
    if (!kernel_ids_.insert(kernel->id()).second) {
      report("T-02", name.range(), fmt::format("there are two kernels '{}'", kernel->id()));
      continue;
    }
    module.kernels.push_back(std::move(kernel));
  }
}

// A broken parameter is told and skipped; its names are poison, so that the body is still checked.
void KirParser::parameter() {
  std::size_t views = abi_.views.size();
  std::optional<Token> name;
  try {
    Token param = plain_name("a parameter");
    name = param;
    expect(Tok::colon, "after the parameter's name");
    if (at(Word::in) || at(Word::out) || at(Word::inout)) {
      view_param(param);
      bind_bare_symbols(pending_views_.back());
    } else if (at_op(OpKind::index)) {
      advance();
      index_param(param);
    } else {
      DType t = dtype("of the parameter, or in, out, inout, index");
      if (at(Tok::lbracket))
        fail("P-03", tok_.range(), "a view needs in, out or inout before its element type",
             fmt::format("{}: in {}[...]", names_.text(param.name), kir::name(t)));
      scalar_param(param, t);
    }
    if (!at(Tok::comma) && !at(Tok::rparen))
      fail("P-03", tok_.range(), fmt::format("expected ',' or ')' after the parameter, found {}", found()));
  } catch (const Recover&) {
    if (name && abi_.views.size() == views) poison({LetName{.name = name->name, .range = name->range(), .type = std::nullopt}});
    int open = 0;
    for (; !at(Tok::end) && !at(Tok::lbrace) && !at_declaration(); advance()) {
      if (open == 0 && (at(Tok::comma) || at(Tok::rparen))) return;
      if (at(Tok::lbracket) || at(Tok::lparen)) ++open;
      if ((at(Tok::rbracket) || at(Tok::rparen)) && open > 0) --open;
      if (open > 0 && at(Tok::name) && !(word() && word()->reserved))
        poison({LetName{.name = tok_.name, .range = tok_.range(), .type = std::nullopt}});
    }
  }
}

// "(" parameters ")", alias facts and relations.
void KirParser::parameters() {
  expect(Tok::lparen, "before the parameters");
  comma_list(Tok::rparen, [&] { parameter(); });
  expect(Tok::rparen, "after the parameters");
  resolve_views();
  root_arguments();
  try {
    if (accept(Word::alias)) alias_facts();
  } catch (const Recover&) {
    while (!at(Tok::end) && !at(Tok::rbrace) && !at_declaration()) advance();
    accept(Tok::rbrace);
  }
  try {
    if (accept(Word::where)) relations();
  } catch (const Recover&) {
    while (!at(Tok::end) && !at(Tok::lbrace) && !at_declaration()) advance();
  }
}

std::shared_ptr<const Kernel> KirParser::kernel_rest(const Token& name, std::uint32_t begin, std::vector<Constexpr> constexprs,
                                                     const std::vector<Token>& constexpr_names) {
  for (std::size_t i = 0; i < constexprs.size(); ++i) {
    Binding b;
    if (const DType* t = std::get_if<DType>(&constexprs[i].value))
      b = {.kind = BindingKind::constexpr_dtype, .dtype = *t};
    else
      b = {.kind = BindingKind::constexpr_int, .number = std::get<std::int64_t>(constexprs[i].value)};
    bind(constexpr_names[i], b);
  }
  parameters();
  bool whole = block(root_, {});

  auto kernel = std::make_shared<Kernel>();
  kernel->name = names_.text(name.name);
  kernel->constexprs = std::move(constexprs);
  kernel->abi = std::move(abi_);
  kernel->pool = pool_;
  kernel->source = source_;
  kernel->range = {begin, name.end};
  if (!whole) return nullptr;
  BodyBuilder::Renumbering map;
  kernel->body = builder_->freeze(*pool_, std::span(&root_, 1), &map);
  kernel->root = map.regions[root_.index];
  for (ViewParam& v : kernel->abi.views) v.value = map.values[v.value.index];
  for (ScalarParam& s : kernel->abi.scalars) s.value = map.values[s.value.index];
  kernel->calls = final_calls(map);
  // What is left of a kernel with errors is verified too, so that all its mistakes are told at once.
  Diagnostics found(1000);
  verify(*kernel, found);
  for (const Diagnostic& d : found.all())
    if (d.severity == Severity::error)
      report(d.id.c_str(), d.range, d.message + call_of(*kernel, d.range), d.hint, d.operation);
  return failed_ ? nullptr : kernel;
}

}  // namespace kir::text

namespace kir {

std::optional<Module> parse_kir(SourcePtr source, Diagnostics& diagnostics) {
  if (!text::readable(*source, diagnostics)) return std::nullopt;
  std::size_t before = diagnostics.error_count();
  std::optional<Module> module = text::KirParser(std::move(source), diagnostics).parse();
  return diagnostics.error_count() == before ? std::move(module) : std::nullopt;
}

}  // namespace kir
