// Calls of helper functions: fn f(a: f32, i: index) -> f32 { ... }
//
// A helper has no meaning of its own in a kernel: each call reads its block again, with the parameters bound to the arguments.
// What can go wrong at a call is told with the calls that lead to it. All that is read again is at most kMaxReadAgain bytes in
// a file: a chain of helpers that doubles at each step is refused early.
#include <fmt/format.h>

#include <algorithm>

#include "core/text/elaborate.h"

namespace kir::text {
namespace {

constexpr std::size_t kMaxReadAgain = std::size_t{8} << 20;
constexpr std::size_t kCallCost = 64;  // of the call itself
constexpr std::size_t kMaxNestedCalls = 32;

}  // namespace

Parser::Frame::Frame(Parser& parser, const Helper& h, SourceRange call)
    : p(parser),
      offset(parser.lexer_.offset()),
      last_end(parser.last_end_),
      tok(parser.tok_),
      ahead_count(parser.ahead_count_) {
  std::copy(std::begin(p.ahead_), std::end(p.ahead_), std::begin(ahead));
  if (!p.spare_rooms_.empty()) {
    room = std::move(p.spare_rooms_.back());
    p.spare_rooms_.pop_back();
  }
  room.names.swap(p.bare_);
  std::swap(room.syntax, p.syntax_);
  scope.swap(p.scope_);
  p.calls_.push_back({h.name.name, call});
  p.seek(h.body);
}

Parser::Frame::~Frame() {
  p.close_scope(0);
  room.names.swap(p.bare_);
  std::swap(room.syntax, p.syntax_);
  scope.swap(p.scope_);
  p.spare_rooms_.push_back(std::move(room));
  p.calls_.pop_back();
  p.lexer_.seek(offset);
  p.last_end_ = last_end;
  p.tok_ = tok;
  p.ahead_count_ = ahead_count;
  std::copy(std::begin(ahead), std::end(ahead), std::begin(p.ahead_));
}

const Parser::Helper* Parser::find_helper(NameId name) const {
  auto it = helpers_.find(name);
  return it == helpers_.end() ? nullptr : &it->second;
}

std::vector<InlinedCall> Parser::final_calls(const BodyBuilder::Renumbering& map) const {
  std::vector<InlinedCall> out;
  for (const InlinedCall& c : inlined_) {
    InlinedCall moved = c;
    moved.first = ~std::uint32_t{0};
    moved.end = 0;
    for (std::uint32_t i = c.first; i < c.end; ++i) {
      if (!map.ops[i]) continue;
      moved.first = std::min(moved.first, map.ops[i].index);
      moved.end = std::max(moved.end, map.ops[i].index + 1);
    }
    if (moved.first < moved.end) out.push_back(std::move(moved));
  }
  return out;
}

std::string Parser::call_of(const Kernel& kernel, SourceRange range) const {
  for (const InlinedCall& c : kernel.calls)
    for (std::uint32_t i = c.first; i < c.end && diagnostics_.error_count() < 20; ++i)
      if (kernel.body.op(OpId(i)).range == range) return fmt::format(" ({})", kernel.call_text(OpId(i)));
  return {};
}

ValueId Parser::helper_call(const Helper& h, NodeId id) {
  const Node n = syntax_.nodes[id];
  const std::string_view name = names_.text(n.name);
  const std::span<const NodeId> kids = syntax_.children(id);
  if (open_blocks_ == 0)
    fail("T-03", n.range, fmt::format("'{}' is called in the head of a kernel", name), "a helper computes values of a block");
  if (kids.size() != h.types.size() && !h.broken)
    fail("P-04", n.range,
         fmt::format("'{}' takes {} operand{}, not {}", name, h.types.size(), h.types.size() == 1 ? "" : "s", kids.size()));
  std::vector<ValueId> arguments;
  for (std::size_t i = 0; i < kids.size(); ++i) {
    ValueId v = value_of(kids[i], i < h.types.size() ? &h.types[i] : nullptr);
    if (i < h.types.size() && type(v) != h.types[i])
      fail("T-04", syntax_.nodes[kids[i]].range,
           fmt::format("'{}' takes {} here, not {}", name, type_name(h.types[i]), type_name(type(v))), "convert it");
    arguments.push_back(v);
  }
  if (h.broken) throw Recover{};
  if (!checked_helper_) return written_out_call(h, arguments, n.range);
  if (h.result.is(TypeKind::index)) return index_op(pool_->constant(0), nullptr, n.range);
  return constant_op({h.result.dtype, 0}, n.range);
}

ValueId Parser::written_out_call(const Helper& h, const std::vector<ValueId>& arguments, SourceRange call) {
  if (calls_.size() >= kMaxNestedCalls)
    fail("P-05", call, fmt::format("calls of helpers nest deeper than {}", kMaxNestedCalls));
  read_again_ += kCallCost + h.end - h.body;
  if (read_again_ > kMaxReadAgain)
    fail("P-05", call,
         fmt::format("written out at their calls the helpers of this file have more than {} bytes", kMaxReadAgain),
         "a chain of helpers that call one another twice doubles at each step");
  const std::uint32_t first = static_cast<std::uint32_t>(builder_->peek().op_count());
  const std::size_t record = inlined_.size();
  inlined_.push_back({std::string(names_.text(h.name.name)), call, first, first});
  std::vector<ValueId> result;
  {
    Frame frame(*this, h, call);
    for (std::size_t i = 0; i < arguments.size(); ++i) bind(h.params[i], {.kind = BindingKind::value, .value = arguments[i]});
    BlockSpec spec = spec_of(OpKind::yield, {h.result});
    spec.capture = &result;
    if (!block(builder_->current(), spec)) throw Recover{};
  }
  inlined_[record].end = static_cast<std::uint32_t>(builder_->peek().op_count());
  if (inlined_[record].end == first) inlined_.resize(record);  // nothing came of it
  if (result.size() != 1) throw Recover{};
  return result[0];
}

}  // namespace kir::text
