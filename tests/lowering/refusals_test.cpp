// Kernels without a first program: the refusal names the rule, the place and a way out, and the way out is one.
#include "tests/lowering/support.h"

namespace kir::lowering::testing {
namespace {

struct Refusal {
  const char* rule;
  const char* place;  // line and column of the kernel
  const char* hint;   // a part of it
};

void refused(const std::string& kernel, const Refusal& expected) {
  const std::shared_ptr<const Kernel> k = parse_one("kir 1\n" + kernel);
  ASSERT_TRUE(k);
  Diagnostics d;
  EXPECT_FALSE(compile(*k, {}, d));
  const std::string text = d.render(*k->source);
  for (const std::string& part :
       {"[" + std::string(expected.rule) + "]", "test.kir:" + std::string(expected.place) + ": error: ", std::string("hint: "),
        std::string(expected.hint)})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

void built(const std::string& kernel) { EXPECT_TRUE(build(kernel).result) << kernel; }

TEST(Refusals, OfATensorThatControlChooses) {
  const std::string two =
      "kernel k(x: in f32[N], y: out f32[N], c: i32) {\n  let a = tensor (i in 0..N) { x[i] }\n"
      "  let b = tensor (i in 0..N) { -x[i] }\n";
  refused(two + "  let t = if c > 0 { yield a } else { yield b }\n  parallel i in 0..N { y[i] = t[i] }\n}",
          {"L-02", "5:11", "store the elements to a buffer"});
  built(two +
        "  let t = buffer f32[N]\n  if c > 0 { for i in 0..N { t[i] = a[i] } } else { for i in 0..N { t[i] = b[i] } }\n"
        "  parallel i in 0..N { y[i] = t[i] }\n}");
  built(two + "  parallel i in 0..N {\n let t = if c > 0 { yield a[i] } else { yield b[i] }\n y[i] = t }\n}");
}

TEST(Refusals, OfTensorsOfTensors) {
  auto chain = [](int kept) {
    std::string text = "kernel k(x: in f32[N], y: out f32[N]) {\n  let t0 = tensor (i in 0..N) { x[i] }\n";
    for (int i = 1; i <= 20; ++i) {
      const std::string t = "t" + std::to_string(i - 1), element = "{ " + t + "[i] + " + t + "[N - 1 - i] }\n";
      text += "  let t" + std::to_string(i) +
              (kept && i % kept == 0 ? " = buffer f32[N] init (i) " : " = tensor (i in 0..N) ") + element;
    }
    return text + "  parallel i in 0..N { y[i] = t20[i] }\n}";
  };
  refused(chain(0), {"L-03", "24:3", "keep a tensor that others are made of in a buffer"});
  built(chain(5));
}

TEST(Refusals, OfUnsignedIndices) {
  const std::string kernel =
      "kernel k(x: in f32[N], p: in u64[N], y: out f32[N]) {\n  parallel i in 0..N {\n"
      "    let j: index = convert.uint p[i]\n    y[i] = x[min(max(j, 0), N - 1)]\n  }\n}";
  refused(kernel, {"L-04", "4:20", "convert it as a signed integer (sint)"});
  std::string mended = kernel;
  built(mended.replace(mended.find("uint"), 4, "sint"));
}

TEST(Refusals, OfBuffersWithoutABound) {
  auto kernel = [](const std::string& extent) {
    return "kernel k(x: in i32[N], y: out f32[N]) {\n  parallel i in 0..N {\n    let n = to_index(x[i])\n    let b = buffer "
           "f32[" +
           extent + "]\n    b[0] = 1.0\n    y[i] = b[0]\n  }\n}";
  };
  refused(kernel("n"), {"L-06", "5:13", "as in min(n, N)"});
  built(kernel("min(n, N)"));
}

TEST(Refusals, OfWhatIsKeptWhereNothingIsWritten) {
  refused(
      "kernel k(x: in f32[N], y: out f32[1]) {\n  y[0] = reduce add order(any) over i in 0..N {\n"
      "    let (s, l) = scan add inclusive forward order(any) over j in 0..i { x[j] }\n    l\n  }\n}",
      {"L-07", "4:18", "write the loop around it as a for"});
  built(
      "kernel k(x: in f32[N], y: out f32[1]) {\n  let zero = f32(0.0)\n  let total = for i in 0..N carry (t = zero) {\n"
      "    let (s, l) = scan add inclusive forward order(any) over j in 0..i { x[j] }\n    next t + l\n  }\n  y[0] = total\n}");
}

}  // namespace
}  // namespace kir::lowering::testing
