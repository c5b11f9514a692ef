// Damaged texts, made from the corpus by seeded mutations: each is refused with a placed diagnostic that names its rule, or is
// parsed; what is parsed prints to a text that parses to the same, and runs to an end.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "core/interp/interpreter.h"
#include "core/interp/launch_input.h"
#include "core/kir/plan.h"
#include "tests/core/text_support.h"

namespace kir::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> corpus(std::initializer_list<const char*> folders, const char* extension) {
  std::vector<fs::path> paths;
  for (const char* folder : folders)
    for (const auto& f : fs::recursive_directory_iterator(fs::path(KIR_SOURCE_DIR "/corpus") / folder))
      if (f.path().extension() == extension) paths.push_back(f.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& p : paths) {
    std::ostringstream text;
    text << std::ifstream(p, std::ios::binary).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> out;
  auto part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%' || c == '@';
  };
  auto blank = [](char c) { return c == ' ' || c == '\n'; };
  for (std::size_t at = 0, end; at < text.size(); at = end) {
    end = at + 1;
    for (auto kind : {+part, +blank})
      if (kind(text[at]))
        while (end < text.size() && kind(text[end])) ++end;
    out.push_back(text.substr(at, end - at));
  }
  return out;
}

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> texts, std::uint64_t seed) : texts_(std::move(texts)), random_(seed) {
    for (const std::string& t : texts_)
      for (std::string& token : tokens_of(t))
        if (token[0] != ' ' && token[0] != '\n') tokens_.push_back(std::move(token));
  }

  std::string next() {
    static const std::vector<std::string> kHostile = {"9223372036854775807",
                                                      "9223372036854775808",
                                                      "-1",
                                                      "0",
                                                      "0x",
                                                      "1e999",
                                                      "18446744073709551616",
                                                      "0..",
                                                      "\"",
                                                      "%",
                                                      "@",
                                                      "(",
                                                      ")",
                                                      "[",
                                                      "]",
                                                      "{",
                                                      "}",
                                                      "..",
                                                      "->",
                                                      "!99999999",
                                                      "floordiv 0",
                                                      "mod 0",
                                                      "strides(-1)",
                                                      "strides(0)",
                                                      "align 3",
                                                      "axes(0,0)",
                                                      "perm(0)",
                                                      "f32<9223372036854775807>",
                                                      "f32<0>",
                                                      "vec 3",
                                                      "pos(9)",
                                                      "step 0",
                                                      "step -1",
                                                      "next",
                                                      "yield",
                                                      "while",
                                                      "kernel",
                                                      std::string("\0", 1),
                                                      "\xff",
                                                      "\r",
                                                      "\xe2\x82\xac",
                                                      "nan",
                                                      "N*9223372036854775807"};
    std::string text = texts_[below(texts_.size())];
    for (std::size_t times = 1 + below(3); times > 0; --times) {
      std::vector<std::string> t = tokens_of(text);
      if (t.empty()) break;
      const std::size_t i = below(t.size()), j = below(t.size());
      switch (below(9)) {
        case 0: t.erase(t.begin() + static_cast<std::ptrdiff_t>(i)); break;
        case 1: t.insert(t.begin() + static_cast<std::ptrdiff_t>(i), t[j]); break;
        case 2: std::swap(t[i], t[j]); break;
        case 3:
        case 4: t[i] = tokens_[below(tokens_.size())]; break;
        case 5: t[i] = kHostile[below(kHostile.size())]; break;
        case 6: t[i] += " " + kHostile[below(kHostile.size())] + " "; break;
        case 7: t.resize(i); break;
        default: t[i][below(t[i].size())] = static_cast<char>(random_()); break;
      }
      text.clear();
      for (const std::string& token : t) text += token;
    }
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  std::vector<std::string> texts_, tokens_;
  std::mt19937_64 random_;
};

template <class Result>
void expect_refusal(const Result& r, const std::string& text) {
  ASSERT_TRUE(r.diagnostics.has_errors()) << text;
  for (const Diagnostic& d : r.diagnostics.all()) {
    EXPECT_FALSE(d.id.empty() || d.message.empty()) << text;
    EXPECT_GT(d.range.end, 0u) << d.id << " " << d.message << "\n" << text;
  }
  for (char c : r.text()) EXPECT_TRUE(c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20);
}

template <class Program>
void expect_end(const Program& p) {
  std::vector<GivenArgument> given;
  for (const SymbolInfo& s : p.abi.symbols) given.push_back({s.name, "3"});
  for (const ScalarParam& s : p.abi.scalars) given.push_back({s.name, "random:3"});
  for (const ViewParam& v : p.abi.views) given.push_back({v.name, "random:1"});
  Diagnostics diagnostics;
  const std::optional<LaunchArgs> args = make_arguments(p.abi, given, diagnostics);
  if (!args) return;
  if (std::optional<BoundLaunch> launch = bind_launch(p.abi, *args, diagnostics)) interpret(p, *launch, {.max_steps = 5000});
}

constexpr int kTexts = 1500;

TEST(HostileText, KernelsAreRefusedOrMeanSomething) {
  Mutator mutator(corpus({"."}, ".kir"), 1);
  int parsed = 0;
  for (int i = 0; i < kTexts; ++i) {
    const std::string text = mutator.next();
    const KirResult r = kir_of(text);
    if (!r.module) {
      expect_refusal(r, text);
      continue;
    }
    ++parsed;
    const std::string printed = print(*r.module);
    const KirResult again = kir_of(printed);
    ASSERT_TRUE(again.module) << printed << again.text();
    EXPECT_EQ(print(*again.module), printed);
    for (const auto& k : r.module->kernels) expect_end(*k);
    for (const auto& p : r.module->plans) expect_end(*p);
  }
  EXPECT_GT(parsed, kTexts / 50);
}

TEST(HostileText, ProgramsAreRefusedOrMeanSomething) {
  Mutator mutator(corpus({"physical", "hostile"}, ".pir"), 2);
  int parsed = 0;
  for (int i = 0; i < kTexts; ++i) {
    const std::string text = mutator.next();
    const PirResult r = pir_of(text);
    if (!r.program) {
      expect_refusal(r, text);
      continue;
    }
    ++parsed;
    const std::string printed = print(*r.program);
    const PirResult again = pir_of(printed);
    ASSERT_TRUE(again.program) << printed << again.text();
    EXPECT_EQ(print(*again.program), printed);
    expect_end(*r.program);
  }
  EXPECT_GT(parsed, kTexts / 50);
}

// Texts that scripts/fuzz-text found, cut down to what matters.
TEST(HostileText, WhatTheFuzzerFoundIsRefused) {
  for (const char* text : {
           // coordinates for a view without axes
           "kir 1\nkernel k(t: in f32[], y: out f32[E]) {\n  let rows = gather t[e] for (e in 0..E)\n}\n",
       }) {
    const KirResult r = kir_of(text);
    ASSERT_FALSE(r.module) << text;
    expect_refusal(r, text);
  }
}

TEST(HostileText, WhatIsLongOrDeepIsRefused) {
  auto repeated = [](std::string_view part, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += part;
    return out;
  };
  const std::string head = "kir 1\nkernel k(x: in f32[N], y: out f32[N]) ", body = head + "{ parallel n in 0..N { y[n] = ";
  constexpr int kMany = 100'000;
  for (const std::string& text :
       {body + repeated("(", kMany), body + repeated("-", kMany), body + repeated("x[n] + ", kMany) + "x[n] } }",
        body + "x[" + repeated("n + ", kMany) + "n] } }", head + "where " + repeated("N <= ", kMany) + "N { }",
        head + "where " + repeated("not ", kMany) + "true { }",
        head + "where " + repeated("N >= 1 implies ", kMany) + "true { }", head + "{ " + repeated("if x[0] > 1.0 { ", kMany),
        repeated("{", kMany), body + repeated("9", kMany) + ".0 } }"}) {
    const KirResult r = kir_of(text);
    ASSERT_FALSE(r.module) << text.substr(0, 200);
    expect_refusal(r, text.substr(0, 200));
    EXPECT_LT(r.text().size(), 500'000u);
  }
}

}  // namespace
}  // namespace kir::test
