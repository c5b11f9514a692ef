// The programs that scripts/gpu-check runs beside the corpus: complete, and right on the host.
#include "tools/bundle/operations.h"

#include "core/interp/interpreter.h"
#include "core/ir/op_table.h"
#include "emit/runtime/bundle_run.h"
#include "run_pir.h"

namespace kir {
namespace {

using namespace testing;

TEST(Trials, EveryPointwiseOperationConversionAndComparisonHasOne) {
  std::map<std::pair<OpKind, int>, int> seen;  // operation and predicate or mode
  for (const tools::Trial& t : tools::operation_trials()) {
    auto p = parse_program(t.text);
    for (std::uint32_t i = 0; i < p->body.op_count(); ++i) {
      const Op& op = p->body.op(OpId(i));
      int detail = 0;
      if (op.kind == OpKind::cmp) detail = static_cast<int>(op.attrs.get<CmpPredicate>(AttrKey::predicate));
      if (op.kind == OpKind::convert) detail = static_cast<int>(op.attrs.get<ConvertMode>(AttrKey::mode));
      ++seen[{op.kind, detail}];
    }
  }
  for (const OpRow& r : op_table()) {
    if (!is_pointwise(r.kind) || r.kind == OpKind::index) continue;
    if (r.kind == OpKind::cmp) {
      for (CmpPredicate p : all_cmp_predicates()) EXPECT_TRUE(seen.contains({r.kind, static_cast<int>(p)})) << name(p);
    } else if (r.kind == OpKind::convert) {
      for (ConvertMode m : all_convert_modes()) EXPECT_TRUE(seen.contains({r.kind, static_cast<int>(m)})) << name(m);
    } else {
      EXPECT_TRUE(seen.contains({r.kind, 0})) << r.name;
    }
  }
}

TEST(Trials, ThreadProgramsGiveTheInterpretersResultsOnTheHost) {
  for (const tools::Trial& t : tools::thread_trials()) {
    if (t.name != "threads_4x3" && t.name != "threads_128x3") continue;  // the others differ in sizes alone
    SCOPED_TRACE(t.name);
    auto p = parse_program(t.text);
    Diagnostics diagnostics;
    auto kernel = emit::HostKernel::compile(*p, diagnostics);
    ASSERT_TRUE(kernel);
    runtime::BundleCase c;
    c.symbols = t.symbols;
    for (std::size_t i = 0; i < p->abi.views.size(); ++i) c.views[p->abi.views[i].name] = {2 + 2 * i, false, ""};
    LaunchArgs a, b;
    ASSERT_EQ(runtime::make_arguments(p->abi, c, "", &a), "");
    ASSERT_EQ(runtime::make_arguments(p->abi, c, "", &b), "");
    ASSERT_EQ(kernel->run(*bind_launch(p->abi, a, diagnostics)), "");
    InterpretResult result = interpret(*p, *bind_launch(p->abi, b, diagnostics));
    ASSERT_TRUE(result.ok()) << result.error->message;
    for (const ViewParam& v : p->abi.views) {
      auto compared = runtime::compare(b.views[v.name]->dense(), *a.views[v.name], nullptr);
      EXPECT_TRUE(compared.ok) << v.name << compared.first;
    }
  }
}

}  // namespace
}  // namespace kir
