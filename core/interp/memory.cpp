#include "core/interp/memory.h"

#include "core/base/check.h"

namespace kir {

void Memory::append(const ViewParam& p, ViewExtent extent, std::size_t resource) {
  View v;
  v.shape = std::move(extent.shape);
  v.strides = std::move(extent.strides);
  v.dtype = p.dtype;
  v.bytes = byte_size(p.dtype);
  v.out = p.access == Access::out;
  v.resource = resource;
  Resource& r = resources_[resource];
  if (r.tensor) v.data = r.tensor->bytes.data();
  if (p.access != Access::in && !r.written) {
    r.written = true;
    if (r.tensor) r.shadow.resize(r.tensor->bytes.size() / static_cast<std::size_t>(v.bytes));
  }
  views_.push_back(std::move(v));
}

void Memory::add_view(const ViewParam& p, ViewExtent extent, TensorPtr tensor) {
  KIR_CHECK(tensor != nullptr, "view {} has a tensor", p.name);
  std::size_t resource = resources_.size();
  for (std::size_t i = 0; i < resources_.size(); ++i)
    if (resources_[i].tensor == tensor) resource = i;
  if (resource == resources_.size()) {
    resources_.emplace_back();
    resources_.back().tensor = std::move(tensor);
    resources_.back().dtype = p.dtype;
  }
  append(p, std::move(extent), resource);
}

void Memory::add_sparse_view(const ViewParam& p, ViewExtent extent, SparseContents contents,
                             std::optional<std::size_t> same_as) {
  std::size_t resource = resources_.size();
  if (same_as) {
    resource = views_[*same_as].resource;
  } else {
    resources_.emplace_back();
    resources_.back().dtype = p.dtype;
    resources_.back().sparse = std::move(contents);
  }
  append(p, std::move(extent), resource);
}

bool Memory::races(std::uint32_t stamp, OpId op, bool write, RaceWitness& witness) const {
  if (stamp == 0) return false;
  const std::optional<std::size_t> level = unordered(stamp);
  if (!level) return false;
  witness = {op, write, *level, stamp};
  return true;
}

AccessFault Memory::load(std::size_t view, std::int64_t address, OpId op, std::uint64_t& word, RaceWitness& witness) {
  const View& v = views_[view];
  Resource& r = resources_[v.resource];
  bool stored = false;
  if (r.written) {
    Shadow& s = shadow(r, address);
    stored = s.write != 0;
    if (detect_ && races(s.write, s.write_op, true, witness)) return AccessFault::race;
    if (!stored && r.skipped) return AccessFault::skipped;
    if (!stored && v.out) return AccessFault::uninitialized;
    if (s.read == 0 || !unordered(s.read)) s.read = now_, s.read_op = op;
  }
  if (v.data) {
    const std::byte* at = v.data + address * v.bytes;
    word = 0;
    switch (v.bytes) {
      case 1: word = static_cast<std::uint64_t>(*at); break;
      case 2: std::memcpy(&word, at, 2); break;
      case 4: std::memcpy(&word, at, 4); break;
      default: std::memcpy(&word, at, 8); break;
    }
  } else if (auto cell = r.sparse.cells.find(address); cell != r.sparse.cells.end()) {
    word = cell->second;
  } else {
    word = random_scalar(v.dtype, r.sparse.seed + 2 * v.resource, static_cast<std::uint64_t>(address), r.sparse.special).bits;
  }
  if (v.dtype == DType::i1) word = word != 0;
  return AccessFault::none;
}

AccessFault Memory::store(std::size_t view, std::int64_t address, OpId op, std::uint64_t word, RaceWitness& witness) {
  const View& v = views_[view];
  Resource& r = resources_[v.resource];
  KIR_CHECK(r.written, "a store into a view that is only read");
  Shadow& s = shadow(r, address);
  if (detect_ && (races(s.write, s.write_op, true, witness) || races(s.read, s.read_op, false, witness)))
    return AccessFault::race;
  s.write = now_;
  s.write_op = op;
  if (v.data) {
    std::byte* at = v.data + address * v.bytes;
    switch (v.bytes) {
      case 1: std::memcpy(at, &word, 1); break;
      case 2: std::memcpy(at, &word, 2); break;
      case 4: std::memcpy(at, &word, 4); break;
      default: std::memcpy(at, &word, 8); break;
    }
  } else {
    r.sparse.cells[address] = word;
  }
  return AccessFault::none;
}

std::map<std::int64_t, std::uint64_t> Memory::written(std::size_t view) const {
  const Resource& r = resources_[views_[view].resource];
  std::map<std::int64_t, std::uint64_t> out;
  for (const auto& [address, shadow] : r.sparse_shadow)
    if (shadow.write != 0) out.emplace(address, r.sparse.cells.at(address));
  return out;
}

void Memory::track_radius() {
  tracking_ = true;
  for (Resource& r : resources_)
    if (r.tensor) r.radius.assign(r.tensor->bytes.size() / static_cast<std::size_t>(byte_size(r.dtype)), 0.0);
}

double Memory::radius(std::size_t view, std::int64_t address) const {
  return resources_[views_[view].resource].radius[static_cast<std::size_t>(address)];
}

void Memory::set_radius(std::size_t view, std::int64_t address, double radius) {
  resources_[views_[view].resource].radius[static_cast<std::size_t>(address)] = radius;
}

void Memory::enter_parallel() {
  ++now_;
  levels_.push_back({now_, now_});
}

std::uint32_t Memory::start_instance() { return levels_.back().instance = ++now_; }

void Memory::leave_parallel() {
  levels_.pop_back();
  ++now_;
}

}  // namespace kir
