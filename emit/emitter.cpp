#include "emit/emitter.h"

#include "core/base/check.h"
#include "emit/expr_emission.h"

namespace kir::emit {

Emitter::Emitter(const PhysicalProgram& program, const Provider& provider, llvm::Module& module, Diagnostics& diagnostics)
    : program_(program),
      body_(program.body),
      provider_(provider),
      module_(module),
      context_(module.getContext()),
      diagnostics_(diagnostics),
      b_(module.getContext()),
      values_(program.body.value_count()),
      workspace_(plan_workspace(program)) {}

llvm::Function* Emitter::emit_kernel() {
  declare_kernel();
  if (failed_) return nullptr;
  bind_arguments();
  emit_dispatch();
  return failed_ ? nullptr : function_;
}

void Emitter::error(std::string id, SourceRange range, std::string message, std::string hint) {
  failed_ = true;
  diagnostics_.error(std::move(id), range, std::move(message), std::move(hint));
}

llvm::BasicBlock* Emitter::new_block(const std::string& name) { return llvm::BasicBlock::Create(context_, name, function_); }

llvm::Type* Emitter::value_type(DType t) {
  switch (t) {
    case DType::f32:
    case DType::tf32: return b_.getFloatTy();
    case DType::f64: return b_.getDoubleTy();
    case DType::i1:
    case DType::i8:
    case DType::i16:
    case DType::i32:
    case DType::i64:
    case DType::u64:
    case DType::f8e4m3:
    case DType::f8e5m2:
    case DType::f16:
    case DType::bf16: return b_.getIntNTy(static_cast<unsigned>(bit_width(t)));
  }
  KIR_UNREACHABLE("element type");
}

llvm::Type* Emitter::memory_type(DType t) { return t == DType::i1 ? b_.getInt8Ty() : value_type(t); }
llvm::Value* Emitter::to_memory(DType t, llvm::Value* v) { return t == DType::i1 ? b_.CreateZExt(v, b_.getInt8Ty()) : v; }
llvm::Value* Emitter::from_memory(DType t, llvm::Value* v) { return t == DType::i1 ? b_.CreateICmpNE(v, b_.getInt8(0)) : v; }

Lowered Emitter::undefined(const Type& type, SourceRange range) {
  llvm::Value* zero = llvm::Constant::getNullValue(value_type(type.dtype));
  if (!type.is(TypeKind::fragment)) return {{zero}, nullptr};
  const Shape* shape = shape_of(type, range);
  if (!provider_.has_threads()) return {{}, new_array(type, shape ? shape->lanes : 1, range)};
  return {std::vector<llvm::Value*>(static_cast<std::size_t>(shape ? shape->lanes : 1), zero), nullptr};
}

llvm::Value* Emitter::expression(Expr e, unsigned width, const Lane* lane, const Shape* shape) {
  return emit_expr(b_, e, width, [&](Expr leaf) -> llvm::Value* {
    switch (leaf.kind()) {
      case ExprKind::symbol: {
        auto it = symbols_.find(leaf.name());
        return it == symbols_.end() ? nullptr : it->second;
      }
      case ExprKind::value: return lane_value(leaf.value(), lane);
      case ExprKind::position:
        KIR_CHECK(lane && shape, "a position outside of a fragment");
        return coordinate(*shape, static_cast<std::size_t>(leaf.number()), lane->position);
      default: KIR_UNREACHABLE("a bound variable in an executable expression");
    }
  });
}

}  // namespace kir::emit
