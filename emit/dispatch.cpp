// The kernel's frame: arguments, program id, work id, the first arm whose guard holds, its group's body.
#include "core/base/check.h"
#include "emit/emitter.h"

namespace kir::emit {
namespace {

constexpr std::int64_t kMaxThreadsPerBlock = 1024;

bool named_by_an_alias_fact(const Abi& abi, std::size_t view) {
  for (const AliasFact& f : abi.aliases)
    if (f.a == view || f.b == view) return true;
  return false;
}

}  // namespace

std::string entry_name(const PhysicalProgram& program) { return "kir_" + program.name; }

void Emitter::declare_kernel() {
  const Abi& abi = program_.abi;
  const LaunchShape& launch = program_.launch;
  if (launch.threads < 1 || launch.pack < 1 || (launch.threads > 1 && launch.pack > 1))
    return error("E-06", {},
                 fmt::format("{} threads, pack {}: one of them must be 1, both at least 1", launch.threads, launch.pack));
  if (provider_.has_threads() && launch.threads * launch.pack > kMaxThreadsPerBlock)
    return error("E-06", {},
                 fmt::format("a block of {} threads (at most {})", launch.threads * launch.pack, kMaxThreadsPerBlock));

  std::vector<llvm::Type*> types;
  std::vector<std::string> names;
  for (const ViewParam& v : abi.views) {
    types.push_back(llvm::PointerType::get(context_, provider_.view_address_space()));
    names.push_back(v.name);
  }
  for (const ScalarParam& s : abi.scalars) {
    types.push_back(memory_type(s.dtype));
    names.push_back(s.name);
  }
  for (const SymbolInfo& s : abi.symbols) {
    types.push_back(b_.getInt64Ty());
    names.push_back(s.name);
  }
  for (const Definition& d : program_.definitions) {
    types.push_back(b_.getInt64Ty());
    names.push_back(d.name);
  }
  for (ValueId v : program_.workspace) {
    types.push_back(llvm::PointerType::get(context_, provider_.view_address_space()));
    names.push_back(body_.value(v).name);
  }
  if (workspace_.size.slice) {
    types.push_back(llvm::PointerType::get(context_, provider_.view_address_space()));
    names.push_back("workspace");
    types.push_back(b_.getInt64Ty());
    names.push_back("workspace.slice");
  }
  if (!provider_.has_threads()) {
    types.push_back(b_.getInt64Ty());
    names.push_back("program");
  }
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
  function_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, entry_name(program_), module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  for (std::size_t i = 0; i < names.size(); ++i) function_->getArg(static_cast<unsigned>(i))->setName(names[i]);

  for (std::size_t i = 0; i < abi.views.size(); ++i) {
    if (named_by_an_alias_fact(abi, i)) continue;
    const ViewParam& v = abi.views[i];
    auto arg = static_cast<unsigned>(i);
    function_->addParamAttr(arg, llvm::Attribute::NoAlias);
    facts_.push_back({"view " + v.name, "noalias", "no alias fact names it; a launch whose views overlap is refused"});
    if (v.access == Access::in) {
      function_->addParamAttr(arg, llvm::Attribute::ReadOnly);
      facts_.push_back({"view " + v.name, "readonly, invariant loads",
                        "it is `in`, which no program stores to, and no other view overlaps it"});
    }
  }
  for (const ViewParam& v : abi.views)
    facts_.push_back({"view " + v.name, fmt::format("accesses aligned to {} bytes", byte_size(v.dtype)),
                      "a base address is a multiple of the element size; strides are whole elements"});
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
}

void Emitter::bind_arguments() {
  // Arrays of fragments go into a block of their own at the front, so that each exists once for a call.
  llvm::BasicBlock* body = new_block("start");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  unsigned next = 0;
  for (const ViewParam& v : program_.abi.views) define(v.value, function_->getArg(next++));
  for (const ScalarParam& s : program_.abi.scalars) define(s.value, from_memory(s.dtype, function_->getArg(next++)));
  for (const SymbolInfo& s : program_.abi.symbols) symbols_[s.name] = function_->getArg(next++);
  for (const Definition& d : program_.definitions) symbols_[d.name] = function_->getArg(next++);
  for (ValueId v : program_.workspace) {
    define(v, function_->getArg(next++));
    hold(v, body_.type(v).shape);
  }
  if (!workspace_.size.slice) return;
  llvm::Value* begin = function_->getArg(next++);
  slice_ = b_.CreatePtrAdd(begin, b_.CreateMul(program_id(), function_->getArg(next++)));
}

llvm::Value* Emitter::program_id() {
  if (!provider_.has_threads()) return function_->getArg(static_cast<unsigned>(function_->arg_size() - 1));
  llvm::Value* block = b_.CreateZExt(provider_.block_index(b_), b_.getInt64Ty());
  if (program_.launch.threads > 1) return block;
  llvm::Value* pack = b_.getInt64(static_cast<std::uint64_t>(program_.launch.pack));
  llvm::Value* thread = b_.CreateZExt(provider_.thread_index(b_), b_.getInt64Ty());
  return b_.CreateAdd(b_.CreateMul(block, pack), thread);
}

void Emitter::emit_dispatch() {
  llvm::BasicBlock* exit = llvm::BasicBlock::Create(context_, "exit");
  define(program_.work, b_.CreateSExtOrTrunc(program_id(), value_type(body_.type(program_.work).dtype)));
  for (const DispatchArm& arm : program_.arms) {
    llvm::BasicBlock* taken = new_block(program_.groups[arm.group].name);
    llvm::BasicBlock* other = new_block("next.arm");
    b_.CreateCondBr(expression(arm.guard, 64), taken, other);
    b_.SetInsertPoint(taken);
    const Region& region = body_.region(program_.groups[arm.group].region);
    KIR_CHECK(region.args.size() == arm.coordinates.size(), "coordinates of a dispatch arm");
    // In 64 bits, then narrowed to the coordinate's type: only the coordinate itself owes to fit it.
    std::vector<llvm::Value*> coordinates;
    for (Expr e : arm.coordinates) coordinates.push_back(expression(e, 64));
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      define(region.args[i], b_.CreateSExtOrTrunc(coordinates[i], value_type(body_.type(region.args[i]).dtype)));
    group_ = arm.group;
    emit_region(program_.groups[arm.group].region);
    b_.CreateBr(exit);
    b_.SetInsertPoint(other);
  }
  b_.CreateBr(exit);
  exit->insertInto(function_);
  b_.SetInsertPoint(exit);
  b_.CreateRetVoid();
}

}  // namespace kir::emit
