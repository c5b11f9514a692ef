// Buffers: their place (workspace.h), their addresses, their initial elements.
#include "core/base/check.h"
#include "emit/emitter.h"

namespace kir::emit {

// A buffer lies row-major.
const Emitter::Storage& Emitter::hold(ValueId buffer, std::span<const Expr> extents) {
  Storage storage{body_.type(buffer).dtype, false, {}, {}};
  for (Expr e : extents)
    storage.extents.push_back(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, expression(e, 64), b_.getInt64(0)));
  llvm::Value* stride = b_.getInt64(1);
  for (std::size_t k = storage.extents.size(); k-- > 0;) {
    storage.strides.insert(storage.strides.begin(), stride);
    stride = b_.CreateMul(stride, storage.extents[k]);
  }
  return buffers_[buffer] = std::move(storage);
}

void Emitter::emit_buffer(const Op& op) {
  const ValueId view = op.results[0];
  const Type& type = body_.type(view);
  if (threads() > 1) return error("E-09", op.range, "a buffer in a program of several threads has no code");
  const Workspace::Place& place = workspace_.places.at(view);
  const Storage storage = hold(view, op.attrs.get<ExprList>(AttrKey::extents));
  if (place.local) {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    Builder at(&entry, entry.begin());
    const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(place.elements, 1));
    llvm::AllocaInst* a = at.CreateAlloca(llvm::ArrayType::get(memory_type(type.dtype), count));
    a->setAlignment(llvm::Align(16));
    define(view, a);
  } else {
    define(view, b_.CreatePtrAdd(slice_, expression(place.offset, 64)));
  }
  if (op.regions.empty()) return;
  const Region& initial = body_.region(op.regions[0]);
  std::function<void(std::size_t)> nest = [&](std::size_t axis) {
    if (axis == initial.args.size()) {
      std::vector<Lowered> value = emit_region(op.regions[0]);
      if (failed_) return;
      b_.CreateAlignedStore(to_memory(type.dtype, value.at(0).lanes.at(0)), element_address(view, initial.args, nullptr),
                            llvm::Align(static_cast<std::uint64_t>(byte_size(type.dtype))));
      return;
    }
    counted_loop(b_.getInt64(0), storage.extents[axis], b_.getInt64(1), {}, {}, body_.value(initial.args[axis]).name,
                 [&](llvm::Value* c, std::vector<Lowered>) {
                   define(initial.args[axis], c);
                   nest(axis + 1);
                   return std::vector<Lowered>{};
                 });
  };
  ++loop_depth_;
  nest(0);
  --loop_depth_;
}

Emitter::Storage Emitter::storage_of(ValueId view) {
  if (auto it = buffers_.find(view); it != buffers_.end()) return it->second;
  const ViewParam* param = program_.abi.find_view(view);
  KIR_CHECK(param, "an access to something that is neither a view of the ABI nor a buffer");
  bool aliased = false;
  for (const AliasFact& f : program_.abi.aliases)
    aliased = aliased || &program_.abi.views[f.a] == param || &program_.abi.views[f.b] == param;
  Storage out{param->dtype, param->access == Access::in && !aliased, {}, {}};
  for (Expr e : param->strides) out.strides.push_back(expression(e, 64));
  return out;
}

}  // namespace kir::emit
