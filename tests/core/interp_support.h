// Runs kernels and programs given as text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/interp/interpreter.h"
#include "core/text/text.h"

namespace kir::testing {

inline std::shared_ptr<const Kernel> parse_kernel(const std::string& text) {
  auto source = std::make_shared<SourceFile>("test.kir", "kir 1\n" + text);
  Diagnostics d;
  std::optional<Module> m = parse_kir(source, d);
  EXPECT_TRUE(m.has_value()) << d.render(*source);
  return m && !m->kernels.empty() ? m->kernels[0] : nullptr;
}

inline PhysicalPtr parse_program(const std::string& text) {
  auto source = std::make_shared<SourceFile>("test.pir", "pir 1\n" + text);
  Diagnostics d;
  PhysicalPtr p = parse_pir(source, d);
  EXPECT_TRUE(p != nullptr) << d.render(*source);
  return p;
}

// Arguments by name. Tensors are given as their elements' literals.
struct Arguments {
  LaunchArgs args;
  Arguments& tensor(const std::string& name, DType t, std::vector<std::int64_t> shape, std::vector<std::string> elements = {}) {
    return strided(name, t, shape, *dense_strides(shape), std::move(elements));
  }
  Arguments& strided(const std::string& name, DType t, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                     std::vector<std::string> elements = {}) {
    auto p = std::make_shared<Tensor>(Tensor::strided(t, std::move(shape), std::move(strides)));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      std::vector<std::int64_t> at(p->shape.size());
      std::int64_t rest = static_cast<std::int64_t>(i);
      for (std::size_t k = at.size(); k-- > 0; rest /= p->shape[k]) at[k] = rest % p->shape[k];
      p->store(p->address(at), *parse_literal(elements[i], t));
    }
    args.views[name] = std::move(p);
    return *this;
  }
  Arguments& random(const std::string& name, DType t, std::vector<std::int64_t> shape, std::uint64_t seed,
                    bool special = false) {
    auto p = std::make_shared<Tensor>(Tensor::row_major(t, std::move(shape)));
    fill_random(*p, seed, special);
    args.views[name] = std::move(p);
    return *this;
  }
  Arguments& scalar(const std::string& name, DType t, const std::string& literal) {
    args.scalars[name] = *parse_literal(literal, t);
    return *this;
  }
  Arguments& symbol(const std::string& name, std::int64_t v) {
    args.symbols[name] = v;
    return *this;
  }
  // The elements of a view as literals, in row-major order.
  std::vector<std::string> elements(const std::string& name) const {
    const Tensor t = args.views.at(name)->dense();
    std::vector<std::string> out;
    for (std::int64_t i = 0; i < t.element_count(); ++i) out.push_back(literal_text(t.load(i)));
    return out;
  }
};

template <class Callable>
InterpretResult run(const Callable& callable, const Arguments& a, const InterpretOptions& options = {}) {
  Diagnostics d;
  std::optional<BoundLaunch> launch = bind_launch(callable->abi, a.args, d);
  EXPECT_TRUE(launch.has_value()) << (d.all().empty() ? "" : d.all()[0].message);
  if (!launch) return {};
  return interpret(*callable, *launch, options);
}

// Runs and expects no error.
template <class Callable>
void run_well(const Callable& callable, const Arguments& a, const InterpretOptions& options = {}) {
  InterpretResult r = run(callable, a, options);
  EXPECT_TRUE(r.ok()) << name(r.error->kind) << ": " << r.error->message;
}

// Runs and expects an error of the kind whose message has these parts.
template <class Callable>
RuntimeError run_badly(const Callable& callable, const Arguments& a, RuntimeErrorKind kind, std::vector<std::string> parts = {},
                       const InterpretOptions& options = {}) {
  InterpretResult r = run(callable, a, options);
  EXPECT_FALSE(r.ok()) << "no error";
  if (r.ok()) return {};
  EXPECT_EQ(name(r.error->kind), name(kind)) << r.error->message;
  for (const std::string& p : parts)
    EXPECT_NE(r.error->message.find(p), std::string::npos) << r.error->message << " lacks " << p;
  return *r.error;
}

using Words = std::vector<std::string>;

}  // namespace kir::testing
