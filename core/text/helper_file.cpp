// Declarations of helper functions.
//
// A helper may call helpers that stand before it, so no call comes back to itself. Its block is checked once where it stands,
// calls in it then standing for a value of their type; so its mistakes are told there and once.
#include <fmt/format.h>

#include "core/ir/verify.h"
#include "core/text/kir_parser.h"
#include "core/text/type_name.h"

namespace kir::text {

void KirParser::helper_declaration() {
  advance();
  start_unit();
  Helper h;
  h.name = plain_name("the helper's name");
  bool known = helpers_.contains(h.name.name);
  if (known) report("T-02", h.name.range(), fmt::format("there are two helpers '{}'", names_.text(h.name.name)));
  try {
    helper_head(h);
    check_helper(h);
    h.broken = failed_;
  } catch (const Recover&) {
    h.broken = true;
    if (!known) helpers_.emplace(h.name.name, std::move(h));
    throw;
  }
  if (!known) helpers_.emplace(h.name.name, std::move(h));
}

// (a: f32, i: index) -> f32
void KirParser::helper_head(Helper& h) {
  auto scalar = [&](const char* what) {
    SourceRange range = tok_.range();
    Type t = parse_type();
    if (!t.is(TypeKind::scalar) && !t.is(TypeKind::index))
      fail("T-03", range, fmt::format("{} of a helper is {}; it must be a data scalar or an index", what, type_name(t)));
    return t;
  };
  expect(Tok::lparen, "before the parameters");
  comma_list(Tok::rparen, [&] {
    h.params.push_back(plain_name("a parameter"));
    expect(Tok::colon, "after the parameter's name");
    h.types.push_back(scalar("a parameter"));
  });
  expect(Tok::rparen, "after the parameters");
  expect(Tok::arrow, "and the type of the result");
  h.result = scalar("the result");
  h.body = tok_.begin;
}

// The block by itself, as the body of a kernel whose data scalars are the parameters.
void KirParser::check_helper(Helper& h) {
  auto kernel = std::make_shared<Kernel>();
  kernel->name = names_.text(h.name.name);
  kernel->range = h.name.range();
  root_ = builder_->new_region();
  Scope scope(*this);
  builder_->enter(root_);
  for (std::size_t i = 0; i < h.params.size(); ++i) {
    const bool index = h.types[i].is(TypeKind::index);
    const Type t = index ? Type::scalar(DType::i64) : h.types[i];
    const SourceRange range = h.params[i].range();
    std::string name(names_.text(h.params[i].name));
    ValueId v = builder_->add_argument(root_, t, name, range);
    kernel->abi.params.push_back({Abi::ParamKind::scalar, i});
    kernel->abi.scalars.push_back({.name = std::move(name), .value = v, .dtype = t.dtype, .range = range});
    if (index) {
      Attrs attrs;
      attrs.set(AttrKey::mode, ConvertMode::sint);
      v = pointwise(OpKind::convert, {v}, std::move(attrs), &h.types[i], range);
    }
    bind(h.params[i], {.kind = BindingKind::value, .value = v});
  }
  builder_->leave();
  std::vector<ValueId> result;
  BlockSpec spec = spec_of(OpKind::yield, {h.result});
  spec.capture = &result;
  checked_helper_ = h.name.name;
  bool whole = false;
  try {
    whole = block(root_, spec);
  } catch (const Recover&) {
    checked_helper_.reset();
    throw;
  }
  checked_helper_.reset();
  h.end = last_end_;
  if (!whole) {
    failed_ = true;
    return;
  }
  if (result.size() != 1)
    return report("T-08", h.name.range(), fmt::format("'{}' gives {} values instead of one", kernel->name, result.size()));
  if (type(result[0]) != h.result)
    return report(
        "T-04", h.name.range(),
        fmt::format("'{}' is declared to give {} but gives {}", kernel->name, type_name(h.result), type_name(type(result[0]))));
  builder_->enter(root_);
  emit(OpKind::yield, {}, {}, {}, {}, h.name.range());
  builder_->leave();
  if (failed_) return;
  BodyBuilder::Renumbering map;
  kernel->body = builder_->freeze(*pool_, std::span(&root_, 1), &map);
  kernel->root = map.regions[root_.index];
  kernel->pool = pool_;
  for (ScalarParam& s : kernel->abi.scalars) s.value = map.values[s.value.index];
  Diagnostics found(1000);
  verify(*kernel, found);
  for (const Diagnostic& d : found.all())
    if (d.severity == Severity::error) report(d.id.c_str(), d.range, d.message, d.hint, d.operation);
}

}  // namespace kir::text
