// What a scan does for one member after another, and what it does for a segment, has an order: loads of one part see the
// stores of the other.
#include "tests/proof/constructed.h"

namespace kir::test {
namespace {

using proof::ObligationKind;

std::string whole_program(const std::string& kir, const std::string& body) {
  const std::string good = constructed(kir);
  return good.substr(0, good.find("group g0")) + "group g0 () {\n" + body + "}\n";
}

std::string scan_in_place(const std::string& inclusion, const std::string& direction, const std::string& read,
                          const std::string& written) {
  return "  %zero: i32 = constant 0\n  %last: i32 = scan " + inclusion + " " + direction +
         " (%n: i64 in 1..N) map {\n    %a: i64 = index " + read +
         "\n    %v: i32 = load y[%a]\n    yield %v\n  } combine order(any) (%p: i32, %q: i32) {\n    %s: i32 = add %p, %q\n"
         "    yield %s\n  } identity (0) init (%zero) result (%n: i64, %state: i32) {\n    %b: i64 = index " +
         written + "\n    store y[%b] = %state\n  }\n";
}

std::string scan_kernel(const std::string& inclusion, const std::string& direction, const std::string& read,
                        const std::string& written) {
  return "kir 1\nkernel k(y: inout i32[N]) where N >= 1 {\n  let (s, last) = scan add " + inclusion + " " + direction +
         " order(any) over n in 1..N { y[" + read + "] }\n  parallel n in 1..N { y[" + written + "] = s[n - 1] }\n}\n";
}

// The kernel maps all members before it stores anything; the program maps a member, stores its result, and goes on.
TEST(MemberOrder, AScanStoresBetweenItsMembers) {
  struct Case {
    const char *direction, *read, *written;
    bool right;
  };
  for (const char* inclusion : {"inclusive", "exclusive"})
    for (const Case& c :
         {Case{"forward", "n", "n", true}, Case{"forward", "n", "n - 1", true}, Case{"forward", "n - 1", "n", false},
          Case{"reverse", "n", "n", true}, Case{"reverse", "n - 1", "n", true}, Case{"reverse", "n", "n - 1", false}}) {
      const std::string kir = scan_kernel(inclusion, c.direction, c.read, c.written);
      auto of_program = [](const std::string& e) { return "%" + e; };
      Verdicts v = check_refinement(
          kir, whole_program(kir, scan_in_place(inclusion, c.direction, of_program(c.read), of_program(c.written))));
      EXPECT_EQ(v.all_proved(), c.right) << c.direction << " " << c.read << " " << c.written << "\n" << v.failures;
      EXPECT_EQ(v.fails(ObligationKind::load_stable), !c.right) << v.failures;
    }
}

std::string region_scan(const std::string& order, const std::string& summary, const std::string& apply,
                        const std::string& emit) {
  return "  %zero: i32 = constant 0\n  %a: i32 = region_scan [0..N] init (%zero) summarize [%lo: i64..%hi: i64] {\n" + summary +
         "    yield %v\n  } combine order(" + order + ") (%p: i32, %q: i32) {\n    yield %q\n  } apply (%p: i32, %g: i32) {\n" +
         apply + "  } emit [%lo: i64..%hi: i64] (%g: i32) {\n" + emit + "  }\n  %i: i64 = index 0\n  store z[%i] = %a\n";
}

// Whatever stands before the load or the store inside its own region.
TEST(MemberOrder, ASegmentEmitsBeforeItIsSummarized) {
  const std::string filler = "    %j: i64 = index 1\n    %k: i64 = index 2\n    %l: i64 = index 3\n    %m: i64 = index 4\n";
  const std::string load = "    %v: i32 = load y[%lo]\n", store = "    %c: i32 = constant 5\n    store y[%lo] = %c\n";
  const std::string apply = "    %c3: i32 = constant 3\n    %x: i32 = mul %g, %c3\n    %r: i32 = add %x, %p\n    yield %r\n";
  auto loop = [](const std::string& body) {
    return "kir 1\nkernel k(y: inout i32[N], z: inout i32[1]) {\n  let a = for t in 0..N carry (a = i32(0)) {\n" + body +
           "    next a * 3 + v\n  }\n  z[0] = a\n}\n";
  };
  const std::string loads_first = loop("    let v = y[t]\n    y[t] = 5\n"),
                    stores_first = loop("    y[t] = 5\n    let v = y[t]\n");
  for (const std::string& before_load : {std::string(), filler})
    for (const std::string& before_store : {std::string(), filler}) {
      const std::string body = region_scan("strict", before_load + load, apply, before_store + store);
      Verdicts v = check_refinement(loads_first, whole_program(loads_first, body));
      EXPECT_TRUE(v.fails(ObligationKind::load_stable)) << v.failures;
      v = check_refinement(stores_first, whole_program(stores_first, body));
      EXPECT_TRUE(v.all_proved()) << v.failures;
    }
}

TEST(MemberOrder, SoDoesTheWholeAxis) {
  const std::string apply = "    yield %p\n";
  const std::string emit = "    for %t: i64 in %lo..%hi {\n      %c: i32 = constant 5\n      store y[%t] = %c\n    }\n";
  const std::string load = "    %o: i64 = index 0\n    %v: i32 = load y[%o]\n";
  auto all = [](const std::string& before, const std::string& after) {
    return "kir 1\nkernel k(y: inout i32[N], z: inout i32[1]) where N >= 1 {\n" + before +
           "  parallel t in 0..N { y[t] = 5 }\n" + after + "  z[0] = v\n}\n";
  };
  const std::string loads_first = all("  let v = y[0]\n", ""), stores_first = all("", "  let v = y[0]\n");
  Verdicts v = check_refinement(loads_first, whole_program(loads_first, region_scan("tree", load, apply, emit)));
  EXPECT_FALSE(v.all_proved());
  v = check_refinement(stores_first, whole_program(stores_first, region_scan("tree", load, apply, emit)));
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

}  // namespace
}  // namespace kir::test
