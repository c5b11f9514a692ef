// Symbolic evaluation of a kernel or a physical program into effect summaries: the list of its memory accesses, each with
// binders, guards, coordinates, value term and program point, and the list of claims that make its execution not
// erroneous. Both sides go through the same evaluation, since the vocabularies share their operations.
//
// An operation that this evaluation does not know becomes a claim with a preset UNSUPPORTED; none is skipped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/kir/kernel.h"
#include "core/pir/program.h"
#include "proof/obligation.h"
#include "proof/term.h"

namespace kir::proof {

enum class BinderKind : std::uint8_t {
  instance,  // KIR parallel, physical program id: unordered, concurrent
  ordered,   // for
  lane,      // position in a fragment: unordered, owned by one thread
  member,    // member of a reduce or tensor domain
};

struct Binder {
  Interval range;
  BinderKind kind = BinderKind::ordered;
};

// A set of views that are one memory in the alias case considered, or the allocations of one buffer.
struct MemoryClass {
  std::string name;  // of its first view
  DType dtype = DType::f32;
  std::vector<Expr> shape, strides;   // of a buffer the extents alone, over the iterations around it
  bool readable_before_write = true;  // false: every view of it is `out`
  bool written = false;               // some operation of the program stores to it
  std::vector<std::size_t> views;     // indices into Abi::views; none: a buffer
  bool told = false;                  // a buffer whose loads are terms over its stores (buffers.h)
  bool is_buffer() const { return views.empty(); }
};

struct Event {
  bool store = false;  // it writes
  // An atomic: its operation, orders and sharing, which its partner has too. Empty: a plain load or store.
  std::string atomic;
  bool reads = false;       // an atomic that finds what is there
  bool ordered = false;     // it acquires or releases
  std::size_t merging = 0;  // of its innermost binders those that are members of one histogram or scatter
  Sharing sharing = Sharing::invocation;
  AtomicScope scope = AtomicScope::system;
  std::size_t memory = 0;
  std::vector<Expr> coordinates;
  std::vector<Expr> allocation;  // of a buffer: the iterations around the buffer, which tell its allocations apart
  std::vector<Binder> binders;   // enclosing, outermost first
  std::vector<Expr> guards;      // conditions under which it happens
  Path path;
  Term value = nullptr;     // store: the value written; load: the load term
  Term expected = nullptr;  // compare-exchange
  Expr thread;              // physical, more than one thread per program: the executing thread; empty: all of them
  SourceRange range;
};

// Known of every execution that is not erroneous, for all values of the binders: context => goal.
struct Fact {
  std::vector<Binder> binders;
  std::vector<Expr> guards;
  Expr goal;
};

// A claim about the execution: context => goal.
struct Claim {
  ObligationKind kind = ObligationKind::kir_safe;
  std::string what;  // "load x[m, n + 1] stays inside [0, N) on axis 1"
  std::vector<Binder> binders;
  std::vector<Expr> guards;
  Expr goal;
  SourceRange range;
  std::optional<Obligation::Preset> preset;
  std::string otherwise_unsupported = {};  // no error of the execution: a limit of this validator
  bool from_equations = false;             // physical: use PhysicalDenotation::equations, not what this claim itself justifies
};

// A value that decides: a condition, a bound, a coordinate. It must not be arbitrary.
struct Use {
  std::vector<Binder> binders;
  std::vector<Expr> guards;
  Expr value;
  SourceRange range;
};

// A `while`: whether it still runs after `forever` iterations.
struct EndlessLoop {
  std::vector<Binder> binders;
  std::vector<Expr> guards;
  Term running;
  SourceRange range;
};

struct DeclaredFold {
  std::shared_ptr<const ReduceNode> node;
  RegionId combine;  // none: a sum of exact products, whose combine is the node's
  SourceRange range;
};

struct Denotation {
  std::vector<MemoryClass> memories;
  std::vector<Event> events;
  std::vector<Claim> claims;
  std::vector<Use> uses;
  std::vector<EndlessLoop> endless;
  std::vector<Expr> base;  // preconditions of the launch: hypotheses of everything
  std::vector<Fact> data;  // data preconditions of the kernel
  // Of a kernel: what its assumes say. Known to whoever may take it for granted that the kernel's execution is not erroneous.
  std::vector<Fact> assumed;
  std::vector<SourceRange> vouched;  // its assume_in_bounds: the author's word, owed by nobody
  std::vector<DeclaredFold> folds;   // each fold of the text whose licence and identity are the author's word
};

// Which views are one memory: class_of[view index]. Without alias facts each view is its own.
struct AliasCase {
  std::vector<std::size_t> class_of;
  std::string text;  // "x and y identical", "" for the only case
};
// Every way the alias facts of a kernel can turn out, at most 2^8; empty when there are too many.
std::vector<AliasCase> alias_cases(const Abi& abi);

// Preconditions of a launch of this ABI: extents and strides at least 0, symbols in 64 bits, `where` (when `with_where`), and
// for identical views equal shapes.
std::vector<Expr> launch_preconditions(const Abi& abi, const AliasCase& alias, bool with_where, ExprPool& pool);
// 1 + sum (extent - 1) * stride of each view, times the element size, is below 2^63 (checked by the launcher).
std::vector<Expr> size_preconditions(const Abi& abi, ExprPool& pool);

Denotation denote(const Kernel& kernel, const AliasCase& alias, TermPool& terms);

struct PhysicalDenotation : Denotation {
  Expr work;                    // the program id, bound in every event
  std::vector<Expr> equations;  // the kernel's preconditions and each definition's equation, nothing derived
};
// `alias` is that of the kernel's ABI, whose views have the same names; `kernel_abi` gives the preconditions.
PhysicalDenotation denote(const PhysicalProgram& program, const Abi& kernel_abi, const AliasCase& alias, TermPool& terms);

// Hypotheses of a claim or event: ranges of the binders, then the guards.
std::vector<Expr> context(const std::vector<Binder>& binders, const std::vector<Expr>& guards);
Expr in_range(const Interval& i);  // lo <= var and var < hi

}  // namespace kir::proof
