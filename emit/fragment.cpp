// Fragments: their storage, element-wise evaluation, and reduction.
//
// Host: a fragment is an array on the stack, an operation is a loop over it. GPU: registers, unrolled. One thread owns
// everything when the program has one; else element i of n is in register i div T of thread i mod T, which as a layout is
// S[(n/T, T):(1@m, 1@tid)], for fragments of rank 1.
//
// A tile_reduce over threads folds each thread's registers, then butterflies inside each warp with the lower thread's
// operand on the left, then folds one word per warp from shared memory, in ascending order, in every thread: all threads
// get the same bits. That brackets and (between registers) permutes, as order `any` allows. For `tree` the butterfly runs
// for each register by itself, which keeps the operands' order. `strict` is refused.
#include "core/base/check.h"
#include "emit/emitter.h"

namespace kir::emit {
namespace {

constexpr std::int64_t kMaxRegistersPerFragment = 256;
constexpr std::int64_t kMaxStackBytes = 4 << 20;

}  // namespace

const Emitter::Shape* Emitter::shape_of(const Type& type, SourceRange range) {
  std::string key = type.layout + ":";
  Shape s;
  for (Expr e : type.shape) {
    if (!e.is(ExprKind::constant) || e.number() < 1) {
      error("E-04", range, fmt::format("a fragment's extent {} is no positive constant", to_string(e)));
      return nullptr;
    }
    s.extents.push_back(e.number());
    s.elements *= e.number();
    key += fmt::format("{},", e.number());
    if (s.elements > (std::int64_t{1} << 30)) {
      error("E-07", range, "a fragment of more than 2^30 elements");
      return nullptr;
    }
  }
  if (auto it = shapes_.find(key); it != shapes_.end()) return &it->second;
  s.lanes = s.elements;
  if (provider_.has_threads()) {
    const layout::TileLayout* layout = nullptr;
    for (const NamedLayout& l : program_.layouts)
      if (l.name == type.layout) layout = &l.layout;
    const layout::Axis m = layout::Axis::memory(), tid = *layout::Axis::find("tid");
    std::vector<layout::Iter> given, wanted;
    if (layout)
      for (const layout::Iter& i : layout->shard())
        if (!i.extent.is(1)) given.push_back(i);
    const std::int64_t t = threads();
    const std::int64_t registers = s.elements / t;
    if (t == 1) {
      for (const layout::Iter& i : given)
        if (i.axis != m) {
          error("E-04", range,
                fmt::format("layout @{} has an axis {}, but the program has one thread", type.layout, i.axis.name()));
          return nullptr;
        }
    } else {
      if (registers > 1) wanted.push_back({registers, 1, m});
      wanted.push_back({t, 1, tid});
      if (!layout || !layout->replica().empty() || !layout->offset().empty() || type.rank() != 1 ||
          registers * t != s.elements || given != wanted) {
        error("E-04", range,
              fmt::format("a fragment {} of {} elements over {} threads",
                          type.layout.empty() ? "without layout" : "@" + type.layout, s.elements, t),
              fmt::format("this provider spreads fragments of rank 1 by S[(n/{0},{0}):(1@m,1@tid)]", t));
        return nullptr;
      }
      s.distributed = true;
      s.lanes = registers;
    }
    if (s.lanes > kMaxRegistersPerFragment) {
      error("E-07", range,
            fmt::format("a fragment of {} registers per thread (at most {})", s.lanes, kMaxRegistersPerFragment));
      return nullptr;
    }
  }
  return &shapes_.emplace(key, std::move(s)).first->second;
}

llvm::Value* Emitter::new_array(const Type& type, std::int64_t count, SourceRange range) {
  llvm::Type* element = memory_type(type.dtype);
  const std::int64_t bytes =
      count * static_cast<std::int64_t>(module_.getDataLayout().getTypeAllocSize(element).getFixedValue());
  array_bytes_ += bytes;
  if (array_bytes_ > kMaxStackBytes && !failed_)
    error("E-07", range, fmt::format("the fragments of the program need more than {} bytes", kMaxStackBytes));
  if (failed_) count = 1;
  llvm::BasicBlock& entry = function_->getEntryBlock();
  Builder at(&entry, entry.begin());
  llvm::AllocaInst* a = at.CreateAlloca(llvm::ArrayType::get(element, static_cast<std::uint64_t>(count)));
  a->setAlignment(llvm::Align(64));
  return a;
}

llvm::Value* Emitter::lane_of(const Lowered& fragment, const Type& type, llvm::Value* index) {
  if (!fragment.array) return fragment.lanes.at(llvm::cast<llvm::ConstantInt>(index)->getZExtValue());
  llvm::Type* element = memory_type(type.dtype);
  return from_memory(type.dtype, b_.CreateLoad(element, b_.CreateGEP(element, fragment.array, index)));
}

llvm::Value* Emitter::lane_value(ValueId v, const Lane* lane) {
  const Type& type = body_.type(v);
  if (!type.is(TypeKind::fragment)) return scalar(v);
  KIR_CHECK(lane, "a fragment where a scalar is wanted");
  return lane_of(values_[v.index], type, lane->index);
}

llvm::Value* Emitter::coordinate(const Shape& shape, std::size_t axis, llvm::Value* position) {
  KIR_CHECK(axis < shape.extents.size(), "pos({}) of a fragment of rank {}", axis, shape.extents.size());
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.extents.size(); ++i) inner *= shape.extents[i];
  llvm::Value* c = inner == 1 ? position : b_.CreateUDiv(position, b_.getInt64(static_cast<std::uint64_t>(inner)));
  return axis == 0 ? c : b_.CreateURem(c, b_.getInt64(static_cast<std::uint64_t>(shape.extents[axis])));
}

void Emitter::each_lane(const Type& type, SourceRange range, const std::function<void(const Lane&)>& body) {
  const Shape* shape = shape_of(type, range);
  if (!shape) return;
  if (!provider_.has_threads()) {
    counted_loop(b_.getInt64(0), b_.getInt64(static_cast<std::uint64_t>(shape->lanes)), b_.getInt64(1), {}, {}, "lane",
                 [&](llvm::Value* i, std::vector<Lowered>) -> std::vector<Lowered> {
                   body({i, i});
                   return {};
                 });
    return;
  }
  llvm::Value* tid = shape->distributed ? b_.CreateZExt(provider_.thread_index(b_), b_.getInt64Ty()) : b_.getInt64(0);
  const std::int64_t stride = shape->distributed ? threads() : 1;
  for (std::int64_t i = 0; i < shape->lanes; ++i)
    body({b_.getInt64(static_cast<std::uint64_t>(i)), b_.CreateAdd(tid, b_.getInt64(static_cast<std::uint64_t>(i * stride)))});
}

Lowered Emitter::map_lanes(const Type& type, SourceRange range, const std::function<llvm::Value*(const Lane&)>& body) {
  if (!type.is(TypeKind::fragment)) {
    llvm::Value* zero = b_.getInt64(0);
    return {{body({zero, zero})}, nullptr};
  }
  const Shape* shape = shape_of(type, range);
  if (!shape) return undefined(type, range);
  Lowered out;
  if (!provider_.has_threads()) out.array = new_array(type, shape->lanes, range);
  each_lane(type, range, [&](const Lane& lane) {
    llvm::Value* v = body(lane);
    if (!out.array) {
      out.lanes.push_back(v);
      return;
    }
    llvm::Type* element = memory_type(type.dtype);
    b_.CreateStore(to_memory(type.dtype, v), b_.CreateGEP(element, out.array, lane.index));
  });
  return out;
}

void Emitter::emit_splat(const Op& op) {
  define(op.results[0], map_lanes(body_.type(op.results[0]), op.range, [&](const Lane&) { return scalar(op.operands[0]); }));
}

llvm::Value* Emitter::combine(const Op& op, llvm::Value* left, llvm::Value* right) {
  const Region& region = body_.region(op.regions[0]);
  define(region.args.at(0), left);
  define(region.args.at(1), right);
  std::vector<Lowered> out = emit_region(op.regions[0]);
  return failed_ ? left : out.at(0).lanes.at(0);
}

void Emitter::emit_tile_reduce(const Op& op) {
  const Type& source = body_.type(op.operands[0]);
  const Type& result = body_.type(op.results[0]);
  const Lowered fragment = values_[op.operands[0].index];
  const Shape* found = shape_of(source, op.range);
  if (!found) return;
  const Shape shape = *found;
  const auto& axes = op.attrs.get<IntList>(AttrKey::axes);
  const Order order = op.attrs.get<Order>(AttrKey::order);
  auto with_init = [&](llvm::Value* v, const Lane* lane) {
    return op.operands.size() > 1 ? combine(op, lane_value(op.operands[1], lane), v) : v;
  };

  if (shape.distributed) {
    if (order == Order::strict)
      return error("E-05", op.range, "a strict tile_reduce over the threads of a program",
                   "use order(any) or order(tree) where the kernel allows it, or one thread");
    if (threads() > 32 ? threads() % 32 != 0 : (threads() & (threads() - 1)) != 0)
      return error(
          "E-06", op.range,
          fmt::format("a tile_reduce over {} threads: neither a power of two up to 32 nor a multiple of 32", threads()));
    llvm::Value* total = nullptr;
    for (llvm::Value* lane : fragment.lanes) {
      llvm::Value* part = order == Order::tree ? reduce_over_threads(op, source.dtype, lane) : lane;
      total = total ? combine(op, total, part) : part;
    }
    if (order == Order::any) total = reduce_over_threads(op, source.dtype, total);
    return define(op.results[0], with_init(total, nullptr));
  }

  // Row-major over the remaining axes; for each of them over the reduced axes.
  std::vector<bool> reduced(shape.extents.size());
  for (std::int64_t a : axes) reduced.at(static_cast<std::size_t>(a)) = true;
  Shape rest, inner;
  for (std::size_t i = 0; i < shape.extents.size(); ++i) {
    Shape& part = reduced[i] ? inner : rest;
    part.extents.push_back(shape.extents[i]);
    part.elements *= shape.extents[i];
  }
  auto source_index = [&](llvm::Value* outer, llvm::Value* member) {
    llvm::Value* index = b_.getInt64(0);
    std::size_t r = 0, q = 0;
    for (std::size_t i = 0; i < shape.extents.size(); ++i) {
      llvm::Value* c = reduced[i] ? coordinate(inner, q++, member) : coordinate(rest, r++, outer);
      index = b_.CreateAdd(b_.CreateMul(index, b_.getInt64(static_cast<std::uint64_t>(shape.extents[i]))), c);
    }
    return index;
  };
  auto reduce_one = [&](const Lane& lane, const Lane* init_lane) -> llvm::Value* {
    llvm::Value* acc = with_init(lane_of(fragment, source, source_index(lane.position, b_.getInt64(0))), init_lane);
    if (fragment.array) {
      const Type scalar_type = Type::scalar(source.dtype);
      const Type* types[] = {&scalar_type};
      const Lowered start[] = {{{acc}, nullptr}};
      auto out = counted_loop(b_.getInt64(1), b_.getInt64(static_cast<std::uint64_t>(inner.elements)), b_.getInt64(1), types,
                              start, "member", [&](llvm::Value* i, std::vector<Lowered> a) -> std::vector<Lowered> {
                                llvm::Value* x = lane_of(fragment, source, source_index(lane.position, i));
                                return {{{combine(op, a[0].lanes[0], x)}, nullptr}};
                              });
      return out[0].lanes[0];
    }
    for (std::int64_t i = 1; i < inner.elements; ++i)
      acc =
          combine(op, acc, lane_of(fragment, source, source_index(lane.position, b_.getInt64(static_cast<std::uint64_t>(i)))));
    return acc;
  };
  define(op.results[0], map_lanes(result, op.range, [&](const Lane& lane) {
           return reduce_one(lane, result.is(TypeKind::fragment) ? &lane : nullptr);
         }));
}

llvm::Value* Emitter::reduce_over_threads(const Op& op, DType t, llvm::Value* x) {
  const auto total = static_cast<unsigned>(threads());
  const unsigned members = total >= 32 ? 0xffffffffu : (1u << total) - 1;
  llvm::Value* tid = provider_.thread_index(b_);
  auto shuffle = [&](llvm::Value* v, unsigned mask) -> llvm::Value* {
    llvm::Type* type = v->getType();
    const auto width = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
    llvm::Value* bits = type->isIntegerTy() ? v : b_.CreateBitCast(v, b_.getIntNTy(width));
    llvm::Value* out;
    if (width <= 32) {
      llvm::Value* word = provider_.shuffle_xor(b_, b_.CreateZExt(bits, b_.getInt32Ty()), mask, members);
      out = b_.CreateTrunc(word, b_.getIntNTy(width));
    } else {
      llvm::Value* low = provider_.shuffle_xor(b_, b_.CreateTrunc(bits, b_.getInt32Ty()), mask, members);
      llvm::Value* high = provider_.shuffle_xor(b_, b_.CreateTrunc(b_.CreateLShr(bits, 32), b_.getInt32Ty()), mask, members);
      out = b_.CreateOr(b_.CreateZExt(low, b_.getInt64Ty()), b_.CreateShl(b_.CreateZExt(high, b_.getInt64Ty()), 32));
    }
    return type->isIntegerTy() ? out : b_.CreateBitCast(out, type);
  };
  for (unsigned d = 1; d < std::min(total, 32u); d *= 2) {
    llvm::Value* other = shuffle(x, d);
    llvm::Value* lower = b_.CreateICmpEQ(b_.CreateAnd(tid, b_.getInt32(d)), b_.getInt32(0));
    x = combine(op, b_.CreateSelect(lower, x, other), b_.CreateSelect(lower, other, x));
  }
  if (total <= 32) return x;

  const unsigned warps = total / 32;
  llvm::Type* element = memory_type(t);
  auto* array = llvm::ArrayType::get(element, warps);
  auto* scratch =
      new llvm::GlobalVariable(module_, array, false, llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(array),
                               "kir.scratch", nullptr, llvm::GlobalValue::NotThreadLocal, 3);
  scratch->setAlignment(llvm::Align(16));
  if (loop_depth_ > 0) provider_.barrier(b_);  // the last round's readers are done
  llvm::Value* first = b_.CreateICmpEQ(b_.CreateAnd(tid, b_.getInt32(31)), b_.getInt32(0));
  when(first, [&] { b_.CreateStore(to_memory(t, x), b_.CreateGEP(element, scratch, b_.CreateLShr(tid, 5))); });
  provider_.barrier(b_);
  llvm::Value* acc = nullptr;
  for (unsigned w = 0; w < warps; ++w) {
    llvm::Value* word = from_memory(t, b_.CreateLoad(element, b_.CreateGEP(element, scratch, b_.getInt32(w))));
    acc = acc ? combine(op, acc, word) : word;
  }
  return acc;
}

}  // namespace kir::emit
