// NVIDIA GPUs through LLVM's NVPTX target: PTX 8.5, views in the global address space, math from libdevice.
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include "core/base/check.h"
#include "core/ir/op_table.h"
#include "emit/emit.h"
#include "emit/emitter.h"
#include "emit/llvm_support.h"
#include "emit/ptx_atomic.h"
#include "emit/toolkit.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace kir::emit {
namespace {

constexpr const char* kTriple = "nvptx64-nvidia-cuda";
constexpr unsigned kGlobal = 1;

class NvptxProvider : public Provider {
 public:
  explicit NvptxProvider(llvm::Module& module) : module_(module), libdevice_(libdevice_path()) {}

  unsigned view_address_space() const override { return kGlobal; }
  bool has_threads() const override { return true; }

  llvm::Value* math(llvm::IRBuilder<>& b, OpKind kind, llvm::Value* x, std::string* why) const override {
    if (libdevice_.empty()) {
      *why = "libdevice.10.bc of the CUDA Toolkit, which was not found";
      return nullptr;
    }
    const bool single = x->getType()->isFloatTy();
    std::string name = "__nv_" + std::string(row(kind).name) + (single ? "f" : "");
    uses_libdevice_ = true;
    return b.CreateCall(module_.getOrInsertFunction(name, x->getType(), x->getType()), {x});
  }
  llvm::Value* widen(llvm::IRBuilder<>& b, DType from, llvm::Value* bits) const override {
    llvm::Type* type = half_type(b, from);
    return type ? b.CreateFPExt(b.CreateBitCast(bits, type), b.getFloatTy()) : nullptr;
  }
  llvm::Value* round(llvm::IRBuilder<>& b, llvm::Value* x, DType to) const override {
    llvm::Type* type = half_type(b, to);
    return type && x->getType()->isFloatTy() ? b.CreateBitCast(b.CreateFPTrunc(x, type), b.getInt16Ty()) : nullptr;
  }
  llvm::Value* min_max_nan(llvm::IRBuilder<>& b, bool maximum, llvm::Value* x, llvm::Value* y) const override {
    if (!x->getType()->isFloatTy()) return nullptr;
    return b.CreateBinaryIntrinsic(maximum ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, x, y);
  }
  llvm::Value* atomic_load(llvm::IRBuilder<>& b, llvm::Type* bits, llvm::Value* address,
                           const AtomicPlace& place) const override {
    return ptx::load(b, bits, address, place);
  }
  void atomic_store(llvm::IRBuilder<>& b, llvm::Value* bits, llvm::Value* address, const AtomicPlace& place) const override {
    ptx::store(b, bits, address, place);
  }
  llvm::Value* atomic_cas(llvm::IRBuilder<>& b, llvm::Value* address, llvm::Value* expected, llvm::Value* desired,
                          const AtomicPlace& place) const override {
    return ptx::compare_exchange(b, address, expected, desired, place);
  }
  llvm::Value* atomic_rmw(llvm::IRBuilder<>& b, AtomicOp op, llvm::Value* address, llvm::Value* x,
                          const AtomicPlace& place) const override {
    return ptx::read_modify_write(b, op, address, x, place);
  }
  llvm::Value* thread_index(llvm::IRBuilder<>& b) const override {
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {}, {});
  }
  llvm::Value* block_index(llvm::IRBuilder<>& b) const override {
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x, {}, {});
  }
  void barrier(llvm::IRBuilder<>& b) const override { b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {}); }
  llvm::Value* shuffle_xor(llvm::IRBuilder<>& b, llvm::Value* x, unsigned mask, unsigned members) const override {
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, {},
                             {b.getInt32(members), x, b.getInt32(mask), b.getInt32(0x1f)});
  }

  bool uses_libdevice() const { return uses_libdevice_; }
  const std::string& libdevice() const { return libdevice_; }

 private:
  static llvm::Type* half_type(llvm::IRBuilder<>& b, DType t) {
    return t == DType::f16 ? b.getHalfTy() : t == DType::bf16 ? b.getBFloatTy() : nullptr;
  }
  llvm::Module& module_;
  std::string libdevice_;
  mutable bool uses_libdevice_ = false;
};

const llvm::Target* nvptx_target() {
  static const llvm::Target* target = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string ignored;
    return llvm::TargetRegistry::lookupTarget(kTriple, ignored);
  }();
  KIR_CHECK(target, "LLVM without the NVPTX target");
  return target;
}

bool is_architecture(const std::string& sm) {
  std::unique_ptr<llvm::MCSubtargetInfo> known(nvptx_target()->createMCSubtargetInfo(kTriple, "", ""));
  return sm.rfind("sm_", 0) == 0 && known->isCPUStringValid(sm);
}

std::unique_ptr<llvm::TargetMachine> make_machine(const std::string& sm, Diagnostics& diagnostics) {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  if (!is_architecture(sm)) {
    diagnostics.error("E-08", {}, fmt::format("unknown GPU architecture \"{}\"", sm), "for example sm_90a");
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(nvptx_target()->createTargetMachine(
      kTriple, sm, "+ptx85", options, std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

void annotate_kernel(llvm::Function& f, std::int64_t block) {
  llvm::LLVMContext& c = f.getContext();
  llvm::NamedMDNode* list = f.getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  auto add = [&](const char* key, std::int64_t value) {
    auto* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(c), static_cast<std::uint64_t>(value));
    list->addOperand(llvm::MDNode::get(
        c, {llvm::ConstantAsMetadata::get(&f), llvm::MDString::get(c, key), llvm::ConstantAsMetadata::get(number)}));
  };
  add("kernel", 1);
  add("maxntidx", block);
}

// Takes over the functions of libdevice that the module calls.
void link_libdevice(llvm::Module& module, const std::string& path, LlvmDiagnostics& collected) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) return collected.add(path + ": " + buffer.getError().message());
  auto library = llvm::getLazyBitcodeModule((*buffer)->getMemBufferRef(), module.getContext());
  if (!library) return collected.add(path + ": " + llvm::toString(library.takeError()));
  (*library)->setDataLayout(module.getDataLayout());
  (*library)->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded))
    collected.add("libdevice does not link");
}

}  // namespace

std::string target_problem(const std::string& target) {
  if (target == "host" || is_architecture(target)) return "";
  return fmt::format("target {} is neither host nor a known NVIDIA architecture such as sm_90a", target);
}

std::optional<Module> emit_nvptx(const PhysicalProgram& program, const std::string& sm, Diagnostics& diagnostics) {
  std::unique_ptr<llvm::TargetMachine> machine = make_machine(sm, diagnostics);
  if (!machine) return std::nullopt;
  llvm::LLVMContext context;
  LlvmDiagnostics collected(context);
  llvm::Module module(program.name, context);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(kTriple);
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", std::uint32_t{0});  // libdevice keeps subnormals
  NvptxProvider provider(module);
  Emitter emitter(program, provider, module, diagnostics);
  llvm::Function* kernel = emitter.emit_kernel();
  if (!kernel) return std::nullopt;
  annotate_kernel(*kernel, program.launch.threads * program.launch.pack);
  if (provider.uses_libdevice()) link_libdevice(module, provider.libdevice(), collected);
  if (!collected.clean(diagnostics)) return std::nullopt;
  llvm::internalizeModule(module, [&](const llvm::GlobalValue& v) { return &v == kernel; });
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  KIR_CHECK(!llvm::verifyModule(module, &stream), "malformed LLVM module: {}\n{}", broken, print(module));
  optimise(module, *machine);

  Module out{print(module), "", entry_name(program), emitter.facts()};
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream ptx_stream(ptx);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, ptx_stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    diagnostics.error("E-01", {}, "LLVM cannot write PTX");
    return std::nullopt;
  }
  passes.run(module);
  if (!collected.clean(diagnostics)) return std::nullopt;
  out.ptx = std::string(ptx);
  return out;
}

}  // namespace kir::emit
