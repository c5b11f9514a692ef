// Launches that are refused before anything runs, with the rule and the values in the message.
#include <gtest/gtest.h>

#include "core/interp/launch_args.h"

namespace kir {
namespace {

struct Fixture {
  ExprPool pool;
  Abi abi;
  LaunchArgs args;
  Diagnostics diagnostics;

  Expr symbol(const std::string& n) { return pool.symbol(n); }
  void add_symbol(const std::string& n, bool parameter = false) { abi.symbols.push_back({.name = n, .parameter = parameter}); }
  void add_view(const std::string& n, Access access, std::vector<Expr> shape, std::vector<Expr> strides = {}) {
    const bool given = !strides.empty();
    if (!given) strides = row_major_strides(pool, shape);
    abi.views.push_back(
        {.name = n, .access = access, .dtype = DType::f32, .shape = shape, .strides = strides, .explicit_strides = given});
  }
  void give(const std::string& n, std::vector<std::int64_t> shape) {
    args.views[n] = std::make_shared<Tensor>(Tensor::row_major(DType::f32, std::move(shape)));
  }
  void give(const std::string& n, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
    args.views[n] = std::make_shared<Tensor>(Tensor::strided(DType::f32, std::move(shape), std::move(strides)));
  }
  std::optional<BoundLaunch> bind() { return bind_launch(abi, args, diagnostics); }
  // Expects exactly one error, of this rule, whose message has these parts.
  void expect(const std::string& id, std::vector<std::string> parts = {}) {
    EXPECT_FALSE(bind().has_value());
    ASSERT_EQ(diagnostics.error_count(), 1u) << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
    EXPECT_EQ(diagnostics.all()[0].id, id) << diagnostics.all()[0].message;
    for (const std::string& p : parts)
      EXPECT_NE(diagnostics.all()[0].message.find(p), std::string::npos) << diagnostics.all()[0].message << " lacks " << p;
  }
};

// x: in f32[M, N], y: out f32[M, N], where N >= 1, with an index parameter and a data scalar
struct Basic : Fixture {
  Basic() {
    add_symbol("M");
    add_symbol("N");
    add_symbol("k", true);
    add_view("x", Access::in, {symbol("M"), symbol("N")});
    add_view("y", Access::out, {symbol("M"), symbol("N")});
    abi.scalars.push_back({.name = "alpha", .dtype = DType::f32});
    abi.where.push_back(greater_equal(symbol("N"), pool.constant(1)));
    abi.where_ranges.push_back({10, 20});
    give("x", {3, 4});
    give("y", {3, 4});
    args.scalars["alpha"] = Scalar::of_f32(2);
    args.symbols["k"] = 5;
  }
};

TEST(BindLaunch, BindsSymbolsFromExtents) {
  Basic f;
  auto launch = f.bind();
  ASSERT_TRUE(launch.has_value());
  EXPECT_EQ(launch->symbols, (std::map<std::string, std::int64_t>{{"M", 3}, {"N", 4}, {"k", 5}}));
  EXPECT_EQ(launch->views.size(), 2u);
  EXPECT_EQ(launch->scalars.size(), 1u);
}

TEST(BindLaunch, A01Missing) {
  Basic view, scalar, symbol;
  view.args.views.erase("y");
  view.expect("A-01", {"y"});
  scalar.args.scalars.clear();
  scalar.expect("A-01", {"alpha"});
  symbol.args.symbols.clear();
  symbol.expect("A-01", {"k"});
}

TEST(BindLaunch, A02Unknown) {
  Basic f, g;
  f.args.symbols["Q"] = 1;
  f.expect("A-02", {"Q"});
  g.args.scalars["x"] = Scalar::of_f32(0);
  g.expect("A-02", {"x is a view"});
}

TEST(BindLaunch, A03ElementType) {
  Basic f, g;
  f.args.views["x"] = std::make_shared<Tensor>(Tensor::row_major(DType::f64, {3, 4}));
  f.expect("A-03", {"x", "f32", "f64"});
  g.args.scalars["alpha"] = Scalar::of_f64(1);
  g.expect("A-03", {"alpha"});
}

TEST(BindLaunch, A04RankAndMalformedTensors) {
  Basic f, g;
  f.give("x", {3, 4, 1});
  f.expect("A-04", {"rank 2", "rank 3"});
  g.args.views["x"]->bytes.resize(7);
  g.expect("A-04", {"7 bytes"});
}

TEST(BindLaunch, A05InconsistentSymbols) {
  Basic f, g;
  f.give("y", {3, 5});
  f.expect("A-05", {"N is 4", "extent 1 of x", "5", "extent 1 of y"});
  g.args.symbols["M"] = 2;
  g.expect("A-05", {"M is 2", "the argument", "3"});
}

TEST(BindLaunch, A06DerivedExtents) {
  Fixture f;
  f.add_symbol("N");
  f.add_view("x", Access::in, {f.symbol("N")});
  f.add_view("y", Access::out, {f.symbol("N") - 2});
  f.give("x", {10});
  f.give("y", {9});
  f.expect("A-06", {"extent 0 of y is 9", "N - 2 is 8", "N = 10"});
}

TEST(BindLaunch, A07Strides) {
  Basic f;
  f.give("x", {3, 4}, {5, 1});
  f.expect("A-07", {"stride 0 of x is 5", "is 4"});
  Basic one;  // the stride of an axis with one member does not matter
  one.give("x", {1, 4}, {77, 1});
  one.give("y", {1, 4});
  EXPECT_TRUE(one.bind().has_value());
}

TEST(BindLaunch, StrideSymbolsAreBound) {
  Fixture f;
  f.add_symbol("N");
  f.add_symbol("S");
  f.add_view("x", Access::inout, {f.symbol("N")}, {f.symbol("S")});
  f.give("x", {4}, {3});
  auto launch = f.bind();
  ASSERT_TRUE(launch.has_value());
  EXPECT_EQ(launch->symbols.at("S"), 3);
}

TEST(BindLaunch, A08RelationsNameTheirValues) {
  Basic f;
  f.give("x", {3, 0});
  f.give("y", {3, 0});
  f.expect("A-08", {"N >= 1", "does not hold", "N = 0"});
  EXPECT_EQ(f.diagnostics.all()[0].range, (SourceRange{10, 20}));
  Basic g;
  g.abi.where = {equal(mod(g.symbol("N"), g.symbol("k")), g.pool.constant(0))};
  g.args.symbols["k"] = 0;
  g.expect("A-08", {"divides by zero", "k = 0"});
}

TEST(BindLaunch, A09SharedMemory) {
  Basic f;
  f.args.views["y"] = f.args.views["x"];
  f.expect("A-09", {"x and y share memory"});
  Basic allowed;
  allowed.args.views["y"] = allowed.args.views["x"];
  allowed.abi.aliases.push_back({AliasKind::may_alias, 0, 1, {}});
  EXPECT_TRUE(allowed.bind().has_value());
  Basic apart;
  apart.abi.aliases.push_back({AliasKind::may_alias, 1, 0, {}});
  EXPECT_TRUE(apart.bind().has_value());
}

TEST(BindLaunch, A10SameViews) {
  Basic f;
  f.abi.aliases.push_back({AliasKind::same, 0, 1, {}});
  f.expect("A-10", {"x and y are declared the same"});
}

TEST(BindLaunch, A11SizesAndSigns) {
  Fixture f;
  f.add_symbol("N", true);
  f.add_view("y", Access::out, {f.symbol("N") - 2});
  f.give("y", {0});
  f.args.symbols["N"] = 1;
  f.expect("A-11", {"extent 0 of view y is -1", "N = 1"});
  Fixture g;
  g.add_symbol("N");
  g.add_view("x", Access::in, {g.pool.constant(0), g.symbol("N"), g.pool.constant(8)},
             {g.symbol("N") * 8, g.pool.constant(8), g.pool.constant(1)});
  g.args.views["x"] = std::make_shared<Tensor>(Tensor{DType::f32, {0, INT64_MAX / 16, 8}, {0, 8, 1}, {}});
  g.expect("A-11", {"exceeds the address space"});
}

TEST(BindLaunch, A12WrittenViewsAreInjective) {
  auto with = [](std::vector<std::int64_t> shape, std::vector<std::int64_t> strides, Access access) {
    Fixture f;
    std::vector<Expr> e, s;
    for (std::int64_t v : shape) e.push_back(f.pool.constant(v));
    for (std::int64_t v : strides) s.push_back(f.pool.constant(v));
    f.add_view("y", access, e, s);
    f.give("y", shape, strides);
    const bool bound = f.bind().has_value();
    EXPECT_TRUE(bound || f.diagnostics.all()[0].id == "A-12");
    return bound ? std::string() : f.diagnostics.all()[0].message;
  };
  EXPECT_EQ(with({4, 3}, {3, 1}, Access::out), "");
  EXPECT_EQ(with({4, 3}, {1, 4}, Access::out), "");
  EXPECT_EQ(with({2, 3}, {3, 2}, Access::out), "");  // 0 2 4 3 5 7: injective, though strides do not nest
  EXPECT_EQ(with({1, 3}, {0, 1}, Access::inout), "");
  EXPECT_EQ(with({0, 3}, {0, 1}, Access::inout), "");
  EXPECT_EQ(with({4, 3}, {0, 1}, Access::in), "");
  EXPECT_NE(with({4, 3}, {0, 1}, Access::out).find("(0, 0) and (1, 0)"), std::string::npos);
  EXPECT_NE(with({4, 3}, {2, 1}, Access::inout).find("one address"), std::string::npos);
  EXPECT_NE(with({2000, 2000}, {3, 2}, Access::out).find("cannot be shown"), std::string::npos);
}

TEST(BindLaunch, A13DeclaredRangesOfPhysicalPrograms) {
  Basic f;
  f.abi.symbols[0].hi = f.pool.constant(2);
  f.expect("A-13", {"M = 3", "above", "2"});
}

TEST(BindLaunch, AllErrorsAreReportedAtOnce) {
  Basic f;
  f.args.views.erase("x");
  f.args.scalars.clear();
  f.args.symbols["Q"] = 1;
  EXPECT_FALSE(f.bind().has_value());
  EXPECT_EQ(f.diagnostics.error_count(), 3u);
}

}  // namespace
}  // namespace kir
