// Programs from their text form, bound and run.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/interp/launch_args.h"
#include "core/text/text.h"
#include "emit/emit.h"

namespace kir::testing {

inline PhysicalPtr parse_program(const std::string& text) {
  auto source = std::make_shared<SourceFile>("test.pir", text);
  Diagnostics diagnostics;
  PhysicalPtr p = parse_pir(source, diagnostics);
  if (!p) throw std::runtime_error(diagnostics.render(*source));  // fails the test
  return p;
}

// A program of one group over i in 0..N with the given views, launch and body; `%i` is the coordinate.
inline std::string one_group(const std::string& views, const std::string& body,
                             const std::string& launch = "threads 1 pack 4 grid G = ceildiv(O0 + L0, 4)",
                             const std::string& layouts = "") {
  return "pir 1\nprogram test\nabi {\n" + views + "\n dims N: i64\n}\nlaunch { " + launch + " }\n" + layouts +
         "\nspace { g0: (i in 0..N) length L0 = N offset O0 = 0 }\n"
         "dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0(%i = %w - O0)  else -> exit }\n"
         "group g0 (%i: i64 in 0..N) {\n" +
         body + "\n}\n";
}

template <class T>
TensorPtr tensor(DType t, std::vector<std::int64_t> shape, std::initializer_list<T> values) {
  auto out = std::make_shared<Tensor>(Tensor::row_major(t, std::move(shape)));
  std::int64_t i = 0;
  for (T v : values) {
    Scalar s;
    if constexpr (std::is_same_v<T, float>)
      s = Scalar::of_f32(v);
    else if constexpr (std::is_same_v<T, double>)
      s = Scalar::of_f64(v);
    else
      s = Scalar::of_int(t, static_cast<std::int64_t>(v));
    out->store(i++, s);
  }
  return out;
}
inline TensorPtr zeros(DType t, std::vector<std::int64_t> shape) {
  return std::make_shared<Tensor>(Tensor::row_major(t, std::move(shape)));
}

inline std::vector<double> floats(const Tensor& t) {
  std::vector<double> out;
  Tensor d = t.dense();
  for (std::int64_t i = 0; i < d.element_count(); ++i) out.push_back(d.load(i).as_double());
  return out;
}
inline std::vector<std::int64_t> integers(const Tensor& t) {
  std::vector<std::int64_t> out;
  Tensor d = t.dense();
  for (std::int64_t i = 0; i < d.element_count(); ++i) out.push_back(d.load(i).as_signed());
  return out;
}

// "" on success.
inline std::string run_on_host(const PhysicalProgram& program, const LaunchArgs& args) {
  Diagnostics diagnostics;
  auto bound = bind_launch(program.abi, args, diagnostics);
  std::string errors;
  for (const Diagnostic& d : diagnostics.all()) errors += d.id + ": " + d.message + "\n";
  if (!bound) return errors;
  auto kernel = emit::HostKernel::compile(program, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) errors += d.id + ": " + d.message + "\n";
  if (!kernel) return errors;
  return kernel->run(*bound);
}

// The ids of the errors of the emission for the GPU.
inline std::vector<std::string> gpu_errors(const PhysicalProgram& program, const std::string& sm = "sm_90a") {
  Diagnostics diagnostics;
  auto module = emit::emit_nvptx(program, sm, diagnostics);
  std::vector<std::string> ids;
  for (const Diagnostic& d : diagnostics.all()) ids.push_back(d.id);
  EXPECT_EQ(module.has_value(), ids.empty());
  return ids;
}

inline std::string gpu_code(const PhysicalProgram& program) {
  Diagnostics diagnostics;
  auto module = emit::emit_nvptx(program, "sm_90a", diagnostics);
  for (const Diagnostic& d : diagnostics.all()) ADD_FAILURE() << d.id << ": " << d.message;
  if (!module) return "";
  if (emit::toolkit_available()) {
    std::string cubin, log;
    EXPECT_EQ(emit::assemble(module->ptx, "sm_90a", &cubin, &log), "") << module->ptx;
  }
  return module->ptx;
}

inline int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace kir::testing
