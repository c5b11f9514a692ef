// Philox4x32 with ten rounds (core/numeric/philox.h) as a function of the module, made once and called where it is drawn from.
#include <array>

#include "emit/emitter.h"

namespace kir::emit {
namespace {

llvm::Function* make_philox(llvm::Module& module, const std::string& name) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *word = llvm::Type::getInt32Ty(context), *twice = llvm::Type::getInt64Ty(context);
  std::vector<llvm::Type*> words(6, word);
  auto* results = llvm::StructType::get(context, std::vector<llvm::Type*>(4, word));
  auto* f =
      llvm::Function::Create(llvm::FunctionType::get(results, words, false), llvm::GlobalValue::InternalLinkage, name, module);
  f->setDoesNotAccessMemory();
  f->setDoesNotThrow();
  f->setWillReturn();
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", f));
  std::array<llvm::Value*, 2> key = {f->getArg(0), f->getArg(1)};
  std::array<llvm::Value*, 4> counter = {f->getArg(2), f->getArg(3), f->getArg(4), f->getArg(5)};
  for (int round = 0; round < 10; ++round) {
    auto product = [&](llvm::Value* x, std::uint64_t factor) {
      return b.CreateMul(b.CreateZExt(x, twice), b.getInt64(factor));
    };
    auto high = [&](llvm::Value* x) { return b.CreateTrunc(b.CreateLShr(x, 32), word); };
    llvm::Value *p = product(counter[0], 0xD2511F53), *q = product(counter[2], 0xCD9E8D57);
    counter = {b.CreateXor(b.CreateXor(high(q), counter[1]), key[0]), b.CreateTrunc(q, word),
               b.CreateXor(b.CreateXor(high(p), counter[3]), key[1]), b.CreateTrunc(p, word)};
    key = {b.CreateAdd(key[0], b.getInt32(0x9E3779B9)), b.CreateAdd(key[1], b.getInt32(0xBB67AE85))};
  }
  llvm::Value* out = llvm::PoisonValue::get(results);
  for (unsigned i = 0; i < 4; ++i) out = b.CreateInsertValue(out, counter[i], i);
  b.CreateRet(out);
  return f;
}

}  // namespace

void Emitter::emit_philox(const Op& op) {
  const std::string name = "kir.philox4x32_10";
  llvm::Function* f = module_.getFunction(name);
  if (!f) f = make_philox(module_, name);
  std::vector<llvm::Value*> words;
  for (ValueId v : op.operands) words.push_back(scalar(v));
  llvm::Value* drawn = b_.CreateCall(f, words);
  for (unsigned i = 0; i < op.results.size(); ++i) define(op.results[i], b_.CreateExtractValue(drawn, i));
}

}  // namespace kir::emit
