// Helpers of the text and verifier tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/ir/verify.h"
#include "core/text/text.h"

namespace kir::test {

struct KirResult {
  std::optional<Module> module;
  Diagnostics diagnostics{1000};
  SourcePtr source;
  bool has(std::string_view id) const {
    return std::any_of(diagnostics.all().begin(), diagnostics.all().end(), [&](const Diagnostic& d) { return d.id == id; });
  }
  std::string text() const { return diagnostics.render(*source); }
};
struct PirResult {
  PhysicalPtr program;
  Diagnostics diagnostics{1000};
  SourcePtr source;
  bool has(std::string_view id) const {
    return std::any_of(diagnostics.all().begin(), diagnostics.all().end(), [&](const Diagnostic& d) { return d.id == id; });
  }
  std::string text() const { return diagnostics.render(*source); }
};

inline KirResult kir_of(std::string text) {
  KirResult r;
  r.source = std::make_shared<SourceFile>("test.kir", std::move(text));
  r.module = parse_kir(r.source, r.diagnostics);
  return r;
}
inline PirResult pir_of(std::string text) {
  PirResult r;
  r.source = std::make_shared<SourceFile>("test.pir", std::move(text));
  r.program = parse_pir(r.source, r.diagnostics);
  return r;
}

// Expressions of two pools, by their text over the ABI's names.
inline bool same_exprs(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Expr x, Expr y) { return to_string(x) == to_string(y); });
}

inline bool same_abi(const Abi& a, const Abi& b) {
  auto views = [](const ViewParam& x, const ViewParam& y) {
    return x.name == y.name && x.value == y.value && x.access == y.access && x.dtype == y.dtype &&
           same_exprs(x.shape, y.shape) && same_exprs(x.strides, y.strides) && x.explicit_strides == y.explicit_strides &&
           x.align == y.align;
  };
  auto scalars = [](const ScalarParam& x, const ScalarParam& y) {
    return x.name == y.name && x.value == y.value && x.dtype == y.dtype;
  };
  auto optional = [](Expr x, Expr y) {
    return (x == Expr()) == (y == Expr()) && (x == Expr() || to_string(x) == to_string(y));
  };
  auto symbols = [&](const SymbolInfo& x, const SymbolInfo& y) {
    return x.name == y.name && x.parameter == y.parameter && optional(x.lo, y.lo) && optional(x.hi, y.hi);
  };
  auto params = [](const Abi::Param& x, const Abi::Param& y) { return x.kind == y.kind && x.index == y.index; };
  auto aliases = [](const AliasFact& x, const AliasFact& y) { return x.kind == y.kind && x.a == y.a && x.b == y.b; };
  auto equal = [](const auto& x, const auto& y, auto f) { return std::equal(x.begin(), x.end(), y.begin(), y.end(), f); };
  return equal(a.params, b.params, params) && equal(a.views, b.views, views) && equal(a.scalars, b.scalars, scalars) &&
         equal(a.symbols, b.symbols, symbols) && equal(a.aliases, b.aliases, aliases) && same_exprs(a.where, b.where);
}

inline bool contains_op(const Body& body, OpKind kind) {
  for (std::uint32_t i = 0; i < body.op_count(); ++i)
    if (body.op(OpId(i)).kind == kind) return true;
  return false;
}

// The law of the text forms on one text; the printed text comes back.
inline std::string expect_kir_round_trip(const std::string& text) {
  KirResult a = kir_of(text);
  EXPECT_TRUE(a.module) << a.text() << text;
  if (!a.module) return {};
  std::string once = print(*a.module);
  KirResult b = kir_of(once);
  EXPECT_TRUE(b.module) << b.text() << once;
  if (!b.module) return once;
  EXPECT_EQ(print(*b.module), once);
  EXPECT_EQ(a.module->kernels.size(), b.module->kernels.size());
  for (std::size_t i = 0; i < a.module->kernels.size() && i < b.module->kernels.size(); ++i) {
    const Kernel &x = *a.module->kernels[i], &y = *b.module->kernels[i];
    EXPECT_EQ(x.id(), y.id());
    EXPECT_TRUE(same_abi(x.abi, y.abi)) << once;
    EXPECT_TRUE(structurally_equal(x.body, y.body)) << once;
    EXPECT_EQ(content_hash(x), content_hash(y));
    Diagnostics d;
    EXPECT_TRUE(verify(x, d)) << d.render(*a.source);
  }
  return once;
}

inline std::string expect_pir_round_trip(const std::string& text) {
  PirResult a = pir_of(text);
  EXPECT_TRUE(a.program) << a.text() << text;
  if (!a.program) return {};
  std::string once = print(*a.program);
  PirResult b = pir_of(once);
  EXPECT_TRUE(b.program) << b.text() << once;
  if (!b.program) return once;
  const PhysicalProgram &x = *a.program, &y = *b.program;
  EXPECT_EQ(print(y), once);
  EXPECT_TRUE(same_abi(x.abi, y.abi)) << once;
  EXPECT_TRUE(structurally_equal(x.body, y.body)) << once;
  EXPECT_EQ(x.root, y.root);
  EXPECT_EQ(x.work, y.work);
  EXPECT_EQ(content_hash(x), content_hash(y));
  Diagnostics d;
  EXPECT_TRUE(verify(x, d)) << d.render(*a.source);
  return once;
}

}  // namespace kir::test
