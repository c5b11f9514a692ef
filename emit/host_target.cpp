// The host: one LLVM function per program, called for each program id by a driver loop, compiled in process by ORC.
//
// Math functions are calls back into this file, under names of our own so that LLVM neither folds nor vectorises them: the C
// library's double versions, which are within one ulp; the float ones are those rounded to float.
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>

#include <cmath>
#include <mutex>

#include "core/base/check.h"
#include "emit/emit.h"
#include "emit/emitter.h"
#include "emit/llvm_support.h"
#include "emit/runtime/launch_values.h"

namespace kir::emit {
namespace {

struct MathFunction {
  OpKind kind;
  const char* symbol;
  double (*function)(double);
};

constexpr MathFunction kMath[] = {
    {OpKind::exp, "kir.math.exp", [](double x) { return std::exp(x); }},
    {OpKind::exp2, "kir.math.exp2", [](double x) { return std::exp2(x); }},
    {OpKind::log, "kir.math.log", [](double x) { return std::log(x); }},
    {OpKind::log2, "kir.math.log2", [](double x) { return std::log2(x); }},
    {OpKind::rsqrt, "kir.math.rsqrt", [](double x) { return 1.0 / std::sqrt(x); }},
    {OpKind::sin, "kir.math.sin", [](double x) { return std::sin(x); }},
    {OpKind::cos, "kir.math.cos", [](double x) { return std::cos(x); }},
    {OpKind::tanh, "kir.math.tanh", [](double x) { return std::tanh(x); }},
    {OpKind::erf, "kir.math.erf", [](double x) { return std::erf(x); }},
};

llvm::AtomicOrdering ordering(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::relaxed: return llvm::AtomicOrdering::Monotonic;
    case MemoryOrder::acquire: return llvm::AtomicOrdering::Acquire;
    case MemoryOrder::release: return llvm::AtomicOrdering::Release;
    case MemoryOrder::acq_rel: return llvm::AtomicOrdering::AcquireRelease;
  }
  KIR_UNREACHABLE("memory order");
}

std::optional<llvm::AtomicRMWInst::BinOp> rmw_operation(AtomicOp op) {
  using Op = llvm::AtomicRMWInst;
  switch (op) {
    case AtomicOp::add: return Op::Add;
    case AtomicOp::min_s: return Op::Min;
    case AtomicOp::max_s: return Op::Max;
    case AtomicOp::min_u: return Op::UMin;
    case AtomicOp::max_u: return Op::UMax;
    case AtomicOp::bit_and: return Op::And;
    case AtomicOp::bit_or: return Op::Or;
    case AtomicOp::bit_xor: return Op::Xor;
    case AtomicOp::exchange: return Op::Xchg;
    case AtomicOp::min_num:
    case AtomicOp::max_num: return std::nullopt;
  }
  KIR_UNREACHABLE("atomic operation");
}

class HostProvider : public Provider {
 public:
  explicit HostProvider(llvm::Module& module) : module_(module) {}

  unsigned view_address_space() const override { return 0; }
  bool has_threads() const override { return false; }

  llvm::Value* math(llvm::IRBuilder<>& b, OpKind kind, llvm::Value* x, std::string* why) const override {
    for (const MathFunction& m : kMath) {
      if (m.kind != kind) continue;
      llvm::Type* f64 = b.getDoubleTy();
      llvm::FunctionCallee callee = module_.getOrInsertFunction(m.symbol, f64, f64);
      auto* f = llvm::cast<llvm::Function>(callee.getCallee());
      f->setDoesNotAccessMemory();
      f->setDoesNotThrow();
      f->setWillReturn();
      return b.CreateFPTrunc(b.CreateCall(callee, {b.CreateFPExt(x, f64)}), x->getType());
    }
    *why = "a math function that the host has not";
    return nullptr;
  }
  llvm::Value* widen(llvm::IRBuilder<>&, DType, llvm::Value*) const override { return nullptr; }
  llvm::Value* round(llvm::IRBuilder<>&, llvm::Value*, DType) const override { return nullptr; }
  llvm::Value* min_max_nan(llvm::IRBuilder<>&, bool, llvm::Value*, llvm::Value*) const override { return nullptr; }
  llvm::Value* atomic_load(llvm::IRBuilder<>& b, llvm::Type* bits, llvm::Value* address,
                           const AtomicPlace& place) const override {
    llvm::LoadInst* load = b.CreateAlignedLoad(bits, address, llvm::Align(bits->getIntegerBitWidth() / 8));
    load->setAtomic(ordering(place.order));
    return load;
  }
  void atomic_store(llvm::IRBuilder<>& b, llvm::Value* bits, llvm::Value* address, const AtomicPlace& place) const override {
    llvm::StoreInst* store = b.CreateAlignedStore(bits, address, llvm::Align(bits->getType()->getIntegerBitWidth() / 8));
    store->setAtomic(ordering(place.order));
  }
  llvm::Value* atomic_cas(llvm::IRBuilder<>& b, llvm::Value* address, llvm::Value* expected, llvm::Value* desired,
                          const AtomicPlace& place) const override {
    const llvm::AtomicOrdering order = ordering(place.order);
    llvm::Value* both = b.CreateAtomicCmpXchg(address, expected, desired, llvm::MaybeAlign(), order,
                                              llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order));
    return b.CreateExtractValue(both, 0);
  }
  llvm::Value* atomic_rmw(llvm::IRBuilder<>& b, AtomicOp op, llvm::Value* address, llvm::Value* x,
                          const AtomicPlace& place) const override {
    const std::optional<llvm::AtomicRMWInst::BinOp> operation = rmw_operation(op);
    return operation ? b.CreateAtomicRMW(*operation, address, x, llvm::MaybeAlign(), ordering(place.order)) : nullptr;
  }
  llvm::Value* thread_index(llvm::IRBuilder<>&) const override { KIR_UNREACHABLE("the host has no threads"); }
  llvm::Value* block_index(llvm::IRBuilder<>&) const override { KIR_UNREACHABLE("the host has no blocks"); }
  void barrier(llvm::IRBuilder<>&) const override { KIR_UNREACHABLE("the host has no barriers"); }
  llvm::Value* shuffle_xor(llvm::IRBuilder<>&, llvm::Value*, unsigned, unsigned) const override {
    KIR_UNREACHABLE("the host has no warps");
  }

 private:
  llvm::Module& module_;
};

constexpr const char* kDriver = "kir.run";

// void kir.run(ptr argv, i64 begin, i64 end): calls the program for begin <= id < end with the arguments in argv, eight
// bytes each.
void emit_driver(llvm::Function* program) {
  llvm::Module& module = *program->getParent();
  llvm::IRBuilder<> b(module.getContext());
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()}, false);
  auto* driver = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, kDriver, module);
  auto* entry = llvm::BasicBlock::Create(module.getContext(), "entry", driver);
  auto* loop = llvm::BasicBlock::Create(module.getContext(), "loop", driver);
  auto* body = llvm::BasicBlock::Create(module.getContext(), "body", driver);
  auto* end = llvm::BasicBlock::Create(module.getContext(), "end", driver);
  b.SetInsertPoint(entry);
  std::vector<llvm::Value*> arguments;
  for (unsigned i = 0; i + 1 < program->arg_size(); ++i) {
    llvm::Value* slot = b.CreateConstGEP1_64(b.getInt64Ty(), driver->getArg(0), i);
    arguments.push_back(b.CreateLoad(program->getArg(i)->getType(), slot, program->getArg(i)->getName()));
  }
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* id = b.CreatePHI(b.getInt64Ty(), 2, "id");
  id->addIncoming(driver->getArg(1), entry);
  b.CreateCondBr(b.CreateICmpSLT(id, driver->getArg(2)), body, end);
  b.SetInsertPoint(body);
  arguments.push_back(id);
  b.CreateCall(program, arguments);
  id->addIncoming(b.CreateAdd(id, b.getInt64(1)), body);
  b.CreateBr(loop);
  b.SetInsertPoint(end);
  b.CreateRetVoid();
}

std::string text_of(llvm::Error e) { return llvm::toString(std::move(e)); }

struct HostModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  AssertedFacts facts;
};

std::optional<llvm::orc::JITTargetMachineBuilder> host_machine(Diagnostics& diagnostics) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) {
    diagnostics.error("E-01", {}, "LLVM: " + text_of(builder.takeError()));
    return std::nullopt;
  }
  builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return *builder;
}

std::optional<HostModule> build(const PhysicalProgram& program, llvm::TargetMachine& machine, Diagnostics& diagnostics) {
  HostModule out;
  out.context = std::make_unique<llvm::LLVMContext>();
  out.module = std::make_unique<llvm::Module>(program.name, *out.context);
  out.module->setDataLayout(machine.createDataLayout());
  out.module->setTargetTriple(machine.getTargetTriple().str());
  LlvmDiagnostics collected(*out.context);
  HostProvider provider(*out.module);
  Emitter emitter(program, provider, *out.module, diagnostics);
  llvm::Function* kernel = emitter.emit_kernel();
  if (!kernel) return std::nullopt;
  emit_driver(kernel);
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  KIR_CHECK(!llvm::verifyModule(*out.module, &stream), "malformed LLVM module: {}\n{}", broken, print(*out.module));
  optimise(*out.module, machine);
  if (!collected.clean(diagnostics)) return std::nullopt;
  out.facts = emitter.facts();
  return out;
}

}  // namespace

std::optional<Module> emit_host(const PhysicalProgram& program, Diagnostics& diagnostics) {
  auto builder = host_machine(diagnostics);
  if (!builder) return std::nullopt;
  auto machine = builder->createTargetMachine();
  if (!machine) {
    diagnostics.error("E-01", {}, "LLVM: " + text_of(machine.takeError()));
    return std::nullopt;
  }
  auto built = build(program, **machine, diagnostics);
  if (!built) return std::nullopt;
  return Module{print(*built->module), "", entry_name(program), built->facts};
}

struct HostKernel::Impl {
  Abi abi;
  std::vector<Definition> definitions;
  std::string grid;
  std::int64_t pack = 1;
  runtime::WorkspaceSize workspace;
  ExprPoolPtr pool;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*run)(const std::uint64_t* arguments, std::int64_t begin, std::int64_t end) = nullptr;
};

HostKernel::HostKernel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HostKernel::~HostKernel() = default;

std::unique_ptr<HostKernel> HostKernel::compile(const PhysicalProgram& program, Diagnostics& diagnostics) {
  auto fail = [&](llvm::Error e) {
    diagnostics.error("E-01", {}, "LLVM: " + text_of(std::move(e)));
    return nullptr;
  };
  auto builder = host_machine(diagnostics);
  if (!builder) return nullptr;
  auto machine = builder->createTargetMachine();
  if (!machine) return fail(machine.takeError());
  auto built = build(program, **machine, diagnostics);
  if (!built) return nullptr;

  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(*builder).create();
  if (!jit) return fail(jit.takeError());
  llvm::orc::JITDylib& library = (*jit)->getMainJITDylib();
  // memset, memcpy, fma, roundeven and the like, where the processor has no instruction.
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess((*jit)->getDataLayout().getGlobalPrefix());
  if (!process) return fail(process.takeError());
  library.addGenerator(std::move(*process));
  llvm::orc::SymbolMap math;
  for (const MathFunction& m : kMath)
    math[(*jit)->mangleAndIntern(m.symbol)] = {llvm::orc::ExecutorAddr::fromPtr(m.function), llvm::JITSymbolFlags::Exported};
  if (llvm::Error e = library.define(llvm::orc::absoluteSymbols(std::move(math)))) return fail(std::move(e));
  llvm::orc::ThreadSafeModule module(std::move(built->module), std::move(built->context));
  if (llvm::Error e = (*jit)->addIRModule(std::move(module))) return fail(std::move(e));
  auto address = (*jit)->lookup(kDriver);
  if (!address) return fail(address.takeError());

  auto impl = std::make_unique<Impl>();
  impl->abi = program.abi;
  impl->definitions = program.definitions;
  impl->grid = program.launch.grid;
  impl->pack = program.launch.pack;
  impl->workspace = plan_workspace(program).size;
  impl->pool = program.pool;
  impl->jit = std::move(*jit);
  impl->run = address->toPtr<void (*)(const std::uint64_t*, std::int64_t, std::int64_t)>();
  return std::unique_ptr<HostKernel>(new HostKernel(std::move(impl)));
}

std::string HostKernel::run(const BoundLaunch& launch) const {
  const Impl& k = *impl_;
  runtime::LaunchValues values;
  if (std::string error = runtime::evaluate_launch(k.abi, k.definitions, k.grid, k.workspace, launch.symbols, &values);
      !error.empty())
    return error;
  if (launch.views.size() != k.abi.views.size() || launch.scalars.size() != k.abi.scalars.size())
    return "the launch was bound to another ABI";
  std::vector<std::uint64_t> arguments;
  for (const TensorPtr& t : launch.views) arguments.push_back(reinterpret_cast<std::uint64_t>(t->bytes.data()));
  for (const Scalar& s : launch.scalars) arguments.push_back(s.bits);
  for (std::int64_t v : values.integers) arguments.push_back(static_cast<std::uint64_t>(v));
  // Instances run one after the other, so that they can share one slice.
  const Integer bytes = Integer{values.slices} + values.slice;
  if (bytes > max_launch_bytes())
    return fmt::format("{} bytes of workspace are more than this machine holds", to_string(bytes));
  std::vector<std::max_align_t> workspace(static_cast<std::size_t>(bytes) / sizeof(std::max_align_t) + 1);
  values.slice = 0;
  runtime::append_workspace(k.workspace, values, reinterpret_cast<std::uint64_t>(workspace.data()), arguments);
  k.run(arguments.data(), 0, values.grid * k.pack);
  return "";
}

}  // namespace kir::emit
