// The cache as a user meets it: the same bytes with and without, and never a verdict from a damaged or unwritable one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "core/base/content_store.h"
#include "core/text/text.h"
#include "tests/shell.h"
#include "tests/temporary_folder.h"
#include "tools/lib/validation.h"

namespace {

namespace fs = std::filesystem;
using kir::testing::TemporaryFolder;

const std::string kCorpus = KIR_SOURCE_DIR "/corpus/";
const std::string kSlow = "slice_copy.kir";  // the solver is asked for many of its obligations, so that these are kept

using kir::testing::Ran;

// `before`: shell commands, such as limits. The environment's own cache stays out of it.
Ran run(const std::string& tool, const std::string& arguments, const std::string& before = "", bool errors = true) {
  const std::string command = "unset KIR_CACHE_DIR; " + before + " " KIR_BINARY_DIR "/bin/" + tool + " " + arguments +
                              (errors ? " 2>&1" : " 2>/dev/null");
  return kir::testing::shell(command);
}

Ran validate(const std::string& arguments, const std::string& before = "", bool errors = true) {
  return run("kir-validate", arguments, before, errors);
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> out;
  if (fs::exists(folder))
    for (const auto& e : fs::recursive_directory_iterator(folder))
      if (e.is_regular_file()) out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

void make_old(const fs::path& folder) {
  for (const fs::path& p : entries(folder)) fs::last_write_time(p, fs::file_time_type::clock::now() - std::chrono::hours(1));
}

// How many entries were hit since make_old.
int young(const fs::path& folder) {
  int n = 0;
  for (const fs::path& p : entries(folder))
    n += fs::last_write_time(p) > fs::file_time_type::clock::now() - std::chrono::minutes(30);
  return n;
}

TEST(Cache, the_same_bytes_cold_warm_and_without) {
  TemporaryFolder folder;
  const std::string cache = " --cache " + folder.file("cache"), certificate = folder.file("certificate.json");
  for (const std::string& subject :
       {std::string("softmax.kir"), std::string("must-reject/off_by_one_bound.kir"), std::string("must-reject/malformed.kir"),
        std::string("must-reject/contradictory_where.kir"), std::string("plans/softmax_three_kernels.kir --kernel row_peaks"),
        "softmax.kir --physical " + kCorpus + "physical/softmax_tiled.pir",
        "vector_add.kir --physical " + kCorpus + "hostile/extra_store.pir"})
    for (const std::string options : {" --checks", " --quiet", " --format json"}) {
      const std::string command = kCorpus + subject + options + " --certificate " + certificate;
      const auto seen = [&](const std::string& more) {
        fs::remove(certificate);
        const Ran r = validate(command + more);
        return std::tuple(r.code, r.output, read(certificate));
      };
      const auto without = seen(" --no-cache");
      EXPECT_EQ(seen(cache), without) << command;
      EXPECT_EQ(seen(cache), without) << command;
      EXPECT_EQ(seen(cache + " --cache-mode read-only"), without) << command;
    }
}

TEST(Cache, a_warm_run_reads_one_entry_a_changed_kernel_its_formulas) {
  TemporaryFolder folder;
  const fs::path cache = folder.file("cache");
  const std::string file = folder.file("k.kir"), options = " --quiet --cache " + cache.string();
  const std::string text = read(kCorpus + kSlow);
  std::ofstream(file) << text;
  EXPECT_EQ(validate(file + options).code, 0);
  const std::size_t all = entries(cache).size();
  EXPECT_GT(all, 1u);
  make_old(cache);
  EXPECT_EQ(validate(file + options).code, 0);
  EXPECT_EQ(young(cache), 1);
  EXPECT_EQ(entries(cache).size(), all);

  make_old(cache);
  std::ofstream(file) << text << "\n// another text\n";
  EXPECT_EQ(validate(file + options).code, 0);
  EXPECT_GT(young(cache), 2);

  // Another budget is another question; an outcome that is dumped is one that was reached here.
  make_old(cache);
  EXPECT_EQ(validate(file + options + " --rlimit 39999999 --cache-mode read-only").code, 0);
  EXPECT_EQ(young(cache), 0);
  EXPECT_EQ(validate(file + options + " --dump-smt " + folder.file("smt")).code, 0);
  EXPECT_GT(entries(folder.file("smt")).size(), 10u);

  // kirc shares what is decided.
  make_old(cache);
  EXPECT_EQ(run("kirc", file + " --proofs required --emit nothing --cache " + cache.string()).code, 0);
  EXPECT_GT(young(cache), 0);
}

TEST(Cache, damaged_entries_are_told_and_decided_again) {
  TemporaryFolder folder;
  const fs::path cache = folder.file("cache");
  const std::string command = kCorpus + "row_sum_strict.kir " + kCorpus + "must-reject/off_by_one_bound.kir";
  const std::string cached = command + " --cache " + cache.string();
  const Ran without = validate(command);
  EXPECT_EQ(without.code, 1);
  EXPECT_EQ(validate(cached).code, 1);
  for (double where : {0.0, 0.2, 0.5, 0.999}) {  // header, contents
    for (const fs::path& p : entries(cache)) {
      std::string bytes = read(p);
      bytes[static_cast<std::size_t>(where * static_cast<double>(bytes.size()))] ^= 4;
      std::ofstream(p, std::ios::binary) << bytes;
    }
    const Ran told = validate(cached);
    EXPECT_EQ(told.code, 1);
    EXPECT_NE(told.output.find("note: cache entry " + cache.string()), std::string::npos) << told.output;
    EXPECT_NE(told.output.find("is damaged"), std::string::npos);
    const Ran again = validate(cached);
    EXPECT_EQ(again.output, without.output);
    EXPECT_EQ(again.code, 1);
  }
  // A verdict written into an entry by hand has no digest to go with it.
  for (const fs::path& p : entries(cache)) {
    std::string bytes = read(p);
    for (std::size_t at; (at = bytes.find("REFUTED")) != std::string::npos;) bytes.replace(at, 7, "PROVED!");
    std::ofstream(p, std::ios::binary) << bytes;
  }
  EXPECT_EQ(validate(cached, "", false).output, validate(command, "", false).output);
}

TEST(Cache, one_that_cannot_be_written_is_an_error_and_no_verdict) {
  TemporaryFolder folder;
  const std::string command = kCorpus + kSlow + " --quiet", cache = folder.file("cache");
  std::ofstream(folder.file("file")) << "x";
  // A full disk: writes fail. The last one fails only with the whole rendering, after every obligation was decided.
  for (const std::string limit : {"0", "1"}) {
    const Ran r = validate(command + " --cache " + cache, "ulimit -f " + limit + ";");
    EXPECT_EQ(r.code, 2) << r.output;
    EXPECT_NE(r.output.find("error: the cache cannot be used: "), std::string::npos) << r.output;
    EXPECT_NE(r.output.find("hint: "), std::string::npos);
    EXPECT_EQ(r.output.find("PROVED"), std::string::npos) << r.output;
  }
  EXPECT_EQ(run("kirc", kCorpus + kSlow + " --proofs on --emit nothing --cache " + cache, "ulimit -f 0;").code, 2);
  for (const std::string& options :
       {" --cache " + folder.file("file"), " --cache " + folder.file("file/below"), std::string(" --cache /proc/none"),
        " --cache " + folder.file("none") + " --cache-mode read-only", " --cache " + cache + " --cache-mode never",
        " --cache " + cache + " --cache-limit much"}) {
    const Ran r = validate(command + options);
    EXPECT_EQ(r.code, 2) << options;
    EXPECT_EQ(r.output.find("PROVED"), std::string::npos) << r.output;
  }
  EXPECT_EQ(validate(command + " --cache " + cache).code, 0);
}

TEST(Cache, read_only_writes_nothing_and_a_limit_is_kept) {
  TemporaryFolder folder;
  const std::string command = kCorpus + kSlow + " --quiet", cache = folder.file("cache");
  fs::create_directory(cache);
  EXPECT_EQ(validate(command + " --cache-mode read-only --cache " + cache).code, 0);
  EXPECT_TRUE(fs::is_empty(cache));
  EXPECT_EQ(validate(command + " --cache-limit 1M --cache " + cache).code, 0);
  std::map<fs::path, int> shards;  // one page each
  for (const fs::path& p : entries(cache)) {
    EXPECT_EQ(++shards[p.parent_path()], 1);
    EXPECT_LE(fs::file_size(p), 4096u);
  }
  EXPECT_FALSE(shards.empty());
}

TEST(Cache, the_environment_names_one_and_no_cache_wins) {
  TemporaryFolder folder;
  const std::string command = kCorpus + "vector_add.kir --quiet", named = "export KIR_CACHE_DIR=" + folder.file("cache") + ";";
  EXPECT_EQ(validate(command + " --no-cache", named).code, 0);
  EXPECT_FALSE(fs::exists(folder.file("cache")));
  EXPECT_EQ(validate(command, named).code, 0);
  EXPECT_EQ(entries(folder.file("cache")).empty(), false);
  EXPECT_EQ(validate(command + " --cache " + folder.file("other"), named).code, 0);
  EXPECT_FALSE(entries(folder.file("other")).empty());
}

TEST(Cache, kill_in_the_middle_of_fifty_validations) {
  TemporaryFolder folder;
  const std::string cache = folder.file("cache");
  struct Case {
    std::string file;
    int code;
  };
  const std::vector<Case> cases{{"vector_add.kir", 0},     {"relu.kir", 0},
                                {"two_outputs.kir", 0},    {"must-reject/off_by_one_bound.kir", 1},
                                {"row_sum_strict.kir", 0}, {"must-reject/read_beside_write.kir", 1}};
  const auto start = [&](const std::string& file) {
    const std::string path = kCorpus + file;
    const pid_t child = fork();
    if (child == 0) {
      const int nothing = ::open("/dev/null", O_WRONLY);
      dup2(nothing, STDOUT_FILENO);
      dup2(nothing, STDERR_FILENO);
      execl(KIR_BINARY_DIR "/bin/kir-validate", "kir-validate", "--quiet", "--cache", cache.c_str(), path.c_str(), nullptr);
      _exit(127);
    }
    return child;
  };
  int killed = 0;
  for (int milliseconds : {150, 600}) {
    std::vector<pid_t> children;
    for (std::size_t i = 0; i < 50; ++i) children.push_back(start(cases[i % cases.size()].file));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    for (pid_t child : children) kill(child, SIGKILL);
    for (std::size_t i = 0; i < children.size(); ++i) {
      int status = 0;
      waitpid(children[i], &status, 0);
      killed += WIFSIGNALED(status);
      if (WIFEXITED(status)) {
        EXPECT_EQ(WEXITSTATUS(status), cases[i % cases.size()].code) << cases[i % cases.size()].file;
      }
    }
    // Every entry that is there is whole, and every verdict is what it is without a cache.
    kir::ContentStore store(cache, kir::ContentStore::Mode::read_only);
    for (const fs::path& p : entries(cache)) EXPECT_TRUE(p.extension() == ".tmp" || store.get(p.filename())) << p;
    for (const Case& c : cases) {
      const Ran with = validate(kCorpus + c.file + " --cache " + cache), without = validate(kCorpus + c.file);
      EXPECT_EQ(with.code, c.code);
      EXPECT_EQ(with.output, without.output);
    }
  }
  EXPECT_GT(killed, 0);
}

TEST(Cache, a_validation_is_of_these_texts_this_engine_and_these_options) {
  using kir::tools::Subject;
  const auto subject = [](const std::string& path, const std::string& text) {
    kir::Diagnostics d;
    return Subject{kir::parse_kir(std::make_shared<const kir::SourceFile>(path, text), d)->kernels[0], nullptr, false};
  };
  const std::string text = read(kCorpus + "relu.kir");
  const kir::smt::Engine engine{"sources", "solver", "library"};
  const kir::smt::RunOptions options;
  const auto key = [&](const Subject& s, const kir::smt::RunOptions& o, const kir::smt::Engine& e, const std::string& sources) {
    return kir::tools::validation_key(s, o, e, sources);
  };
  const std::string base = key(subject("a.kir", text), options, engine, "tools");
  EXPECT_EQ(key(subject("a.kir", text), options, engine, "tools"), base);
  EXPECT_NE(key(subject("b.kir", text), options, engine, "tools"), base);
  EXPECT_NE(key(subject("a.kir", text + "\n"), options, engine, "tools"), base);
  EXPECT_NE(key(subject("a.kir", text), options, engine, "tools 2"), base);
  for (const kir::smt::Engine& e : {kir::smt::Engine{"2", "solver", "library"}, kir::smt::Engine{"sources", "2", "library"},
                                    kir::smt::Engine{"sources", "solver", "2"}})
    EXPECT_NE(key(subject("a.kir", text), options, e, "tools"), base);
  kir::smt::RunOptions other = options;
  other.derive.allow_restrictions = true;
  EXPECT_NE(key(subject("a.kir", text), other, engine, "tools"), base);
  other = options;
  other.replay_attempts = 1;
  EXPECT_NE(key(subject("a.kir", text), other, engine, "tools"), base);
  other = options;
  other.decide.rlimit = 1;
  EXPECT_NE(key(subject("a.kir", text), other, engine, "tools"), base);
}

TEST(Cache, only_what_is_final_is_kept) {
  kir::smt::Outcome outcome;
  EXPECT_FALSE(kir::tools::is_final(outcome));
  using kir::proof::Verdict;
  for (Verdict v :
       {Verdict::proved, Verdict::refuted, Verdict::unknown, Verdict::unsupported, Verdict::inconsistent, Verdict::missing}) {
    outcome.decisions = {{.verdict = Verdict::proved}, {.verdict = v}};
    outcome.counterexample_of = {kir::smt::Outcome::kNone, kir::smt::Outcome::kNone};
    EXPECT_EQ(kir::tools::is_final(outcome), v == Verdict::proved);
    outcome.counterexample_of[1] = 0;
    EXPECT_EQ(kir::tools::is_final(outcome), v == Verdict::proved || v == Verdict::refuted);
  }
}

// The digest of the sources is of their names and contents, not of where they lie.
TEST(Cache, one_byte_of_a_source_makes_another_engine) {
  TemporaryFolder folder;
  const auto digest = [&](const std::string& root, const std::string& settings) {
    const std::string command = "cmake -DROOT=" + root + " -DLIST=" + folder.file("list") + " -DSETTINGS=" + settings +
                                " -DNAMESPACE=n -DFUNCTION=f -DOUT=" + folder.file("out.cpp") +
                                " -P " KIR_SOURCE_DIR "/scripts/lib/source-digest.cmake";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return read(folder.file("out.cpp"));
  };
  std::ofstream(folder.file("list")) << "core/a.cpp\nsmt/b.cpp\n";
  for (const char* root : {"x", "y"}) {
    fs::create_directories(folder.path() / root / "core");
    fs::create_directories(folder.path() / root / "smt");
    std::ofstream(folder.path() / root / "core/a.cpp") << "int a;";
    std::ofstream(folder.path() / root / "smt/b.cpp") << "int b;";
  }
  const std::string base = digest(folder.file("x"), "O2");
  EXPECT_NE(base.find("std::string_view f() { return \""), std::string::npos);
  EXPECT_EQ(digest(folder.file("y"), "O2"), base);
  EXPECT_NE(digest(folder.file("y"), "O3"), base);
  std::ofstream(folder.path() / "y/smt/b.cpp") << "int c;";
  EXPECT_NE(digest(folder.file("y"), "O2"), base);
}

}  // namespace
