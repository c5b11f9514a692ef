#include "core/interp/memory.h"

#include <algorithm>
#include <numeric>

#include "core/base/check.h"

namespace kir {

std::optional<std::vector<std::int64_t>> coordinates_of(std::int64_t address, std::span<const std::int64_t> shape,
                                                        std::span<const std::int64_t> strides) {
  std::vector<std::size_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::ranges::stable_sort(axes, [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
  std::vector<std::int64_t> out(shape.size());
  for (std::size_t k : axes) {
    if (shape[k] < 2 || strides[k] == 0) continue;
    out[k] = std::min(address / strides[k], shape[k] - 1);
    address -= out[k] * strides[k];
  }
  return address == 0 ? std::optional(std::move(out)) : std::nullopt;
}

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

std::size_t Memory::add_buffer(DType t) {
  resources_.emplace_back();
  Resource& r = resources_.back();
  r.tensor = std::make_shared<Tensor>();
  r.tensor->dtype = r.dtype = t;
  r.written = true;
  View v;
  v.dtype = t;
  v.bytes = byte_size(t);
  v.out = true;
  v.resource = resources_.size() - 1;
  views_.push_back(std::move(v));
  return views_.size() - 1;
}

void Memory::make_buffer(std::size_t view, std::vector<std::int64_t> shape) {
  View& v = views_[view];
  Resource& r = resources_[v.resource];
  std::size_t count = 1;
  for (std::int64_t e : shape) count *= static_cast<std::size_t>(e);  // if it wraps, an extent is 0
  v.strides = count ? *dense_strides(shape) : std::vector<std::int64_t>(shape.size());
  v.shape = std::move(shape);
  r.tensor->shape = v.shape;
  r.tensor->strides = v.strides;
  r.tensor->bytes.resize(count * static_cast<std::size_t>(v.bytes));
  v.data = r.tensor->bytes.data();
  r.shadow.assign(count, {});
  for (auto& [address, shadow] : r.atomics) forget(shadow);
  r.atomics.clear();
  r.skipped = false;
  if (tracking_) r.radius.assign(count, 0.0);
}

bool Memory::races(const Past& a, bool write, RaceWitness& witness) const {
  if (!detect_ || a.stamp == 0) return false;
  const std::optional<std::size_t> level = order_.unordered(a.stamp);
  if (!level) return false;
  witness = {a.op, write, *level, a.stamp};
  return true;
}

bool Memory::races(const Past& a, std::span<const Past> more, bool write, RaceWitness& witness) {
  work_ += more.size();
  return races(a, write, witness) ||
         std::any_of(more.begin(), more.end(), [&](const Past& other) { return races(other, write, witness); });
}

void Memory::note(Past& kept, std::vector<Past>& more, OpId op) {
  if (kept.stamp == 0 || !order_.unordered(kept.stamp))
    kept = {order_.now(), op};
  else if (!follow_)
    return;
  else if (!more.empty() && !order_.unordered(more.back().stamp))
    more.back() = {order_.now(), op};
  else {
    more.push_back({order_.now(), op});
    ++kept_;
  }
}

void Memory::forget(AtomicShadow& a) {
  kept_ -= a.more_writes.size() + a.more_reads.size() + a.more_plain_reads.size();
  a = {};
}

AccessFault Memory::readable(const View& v, const Resource& r, std::int64_t address, bool stored) const {
  if (stored) return AccessFault::none;
  if (r.skipped) return AccessFault::skipped;
  const bool empty = v.out || (r.contents && !(*r.contents)[static_cast<std::size_t>(address)]);
  return empty ? AccessFault::uninitialized : AccessFault::none;
}

void Memory::set_contents(const Tensor& tensor, std::vector<bool>& has) {
  for (Resource& r : resources_)
    if (r.tensor.get() == &tensor) r.contents = &has;
}

void Memory::note_contents() {
  for (Resource& r : resources_) {
    if (!r.contents) continue;
    for (std::size_t i = 0; i < r.shadow.size(); ++i)
      if (r.shadow[i].write.stamp != 0) (*r.contents)[i] = true;
    for (const auto& [address, shadow] : r.atomics)
      if (shadow.write.stamp != 0) (*r.contents)[static_cast<std::size_t>(address)] = true;
  }
}

std::uint64_t Memory::get(const View& v, const Resource& r, std::int64_t address) const {
  std::uint64_t word = 0;
  if (v.data) {
    const std::byte* at = v.data + address * v.bytes;
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
  return v.dtype == DType::i1 ? word != 0 : word;
}

void Memory::put(const View& v, Resource& r, std::int64_t address, std::uint64_t word) {
  if (!v.data) {
    r.sparse.cells[address] = word;
    return;
  }
  std::byte* at = v.data + address * v.bytes;
  switch (v.bytes) {
    case 1: std::memcpy(at, &word, 1); break;
    case 2: std::memcpy(at, &word, 2); break;
    case 4: std::memcpy(at, &word, 4); break;
    default: std::memcpy(at, &word, 8); break;
  }
}

AccessFault Memory::load(std::size_t view, std::int64_t address, OpId op, std::uint64_t& word, RaceWitness& witness) {
  const View& v = views_[view];
  Resource& r = resources_[v.resource];
  if (r.written) {
    Shadow& s = shadow(r, address);
    AtomicShadow* a = atomics(r, address);
    if (races(s.write, true, witness) || (a && races(a->write, a->more_writes, true, witness))) return AccessFault::race;
    const AccessFault fault = readable(v, r, address, s.write.stamp != 0 || (a && a->write.stamp != 0));
    if (fault != AccessFault::none) return fault;
    if (s.read.stamp == 0 || !order_.unordered(s.read.stamp))
      s.read = {order_.now(), op};
    else if (follow_)
      note(s.read, r.atomics[address].more_plain_reads, op);
  } else if (const AccessFault fault = readable(v, r, address, false); fault != AccessFault::none) {
    return fault;
  }
  word = get(v, r, address);
  return AccessFault::none;
}

// Of a write with what came before, atomics aside.
bool Memory::races_with_plain(const Shadow& s, const AtomicShadow* a, RaceWitness& witness) {
  return races(s.write, true, witness) || races(s.read, false, witness) ||
         (a && races({}, a->more_plain_reads, false, witness));
}

AccessFault Memory::store(std::size_t view, std::int64_t address, OpId op, std::uint64_t word, RaceWitness& witness) {
  const View& v = views_[view];
  Resource& r = resources_[v.resource];
  KIR_CHECK(r.written, "a store into a view that is only read");
  Shadow& s = shadow(r, address);
  AtomicShadow* a = atomics(r, address);
  if (races_with_plain(s, a, witness)) return AccessFault::race;
  if (a && (races(a->write, a->more_writes, true, witness) || races(a->read, a->more_reads, false, witness)))
    return AccessFault::race;
  s.write = {order_.now(), op};
  // What is unordered with an earlier access is unordered with this one too.
  if (a) forget(*a);
  put(v, r, address, word);
  return AccessFault::none;
}

AccessFault Memory::atomic_read(std::size_t view, std::int64_t address, OpId op, std::uint64_t& word, RaceWitness& witness) {
  const View& v = views_[view];
  Resource& r = resources_[v.resource];
  if (r.written) {
    Shadow& s = shadow(r, address);
    AtomicShadow& a = r.atomics[address];
    if (races(s.write, true, witness)) return AccessFault::race;
    const AccessFault fault = readable(v, r, address, s.write.stamp != 0 || a.write.stamp != 0);
    if (fault != AccessFault::none) return fault;
    note(a.read, a.more_reads, op);
  }
  word = get(v, r, address);
  return AccessFault::none;
}

void Memory::acquire(std::size_t view, std::int64_t address) {
  if (const AtomicShadow* a = atomics(resources_[views_[view].resource], address)) order_.acquire(a->released);
}

AccessFault Memory::atomic_write(std::size_t view, std::int64_t address, OpId op, std::uint64_t word, bool releases,
                                 bool continues, RaceWitness& witness) {
  const View& v = views_[view];
  Resource& r = resources_[v.resource];
  KIR_CHECK(r.written, "a store into a view that is only read");
  AtomicShadow& a = r.atomics[address];
  if (races_with_plain(shadow(r, address), &a, witness)) return AccessFault::race;
  note(a.write, a.more_writes, op);
  if (!continues) a.released = 0;
  if (releases) a.released = order_.release(a.released);
  put(v, r, address, word);
  return AccessFault::none;
}

AccessFault Memory::merge_read(std::size_t view, std::int64_t address, OpId op, std::uint64_t& word, RaceWitness& witness) {
  const View& v = views_[view];
  Resource& r = resources_[v.resource];
  KIR_CHECK(r.written, "a store into a view that is only read");
  Shadow& s = shadow(r, address);
  AtomicShadow* a = atomics(r, address);
  // At the innermost level only members of this operation write.
  if (races(s.write, true, witness) && witness.level + 1 < order_.depth()) return AccessFault::race;
  if (races(s.read, false, witness) ||
      (a && (races({}, a->more_plain_reads, false, witness) || races(a->write, a->more_writes, true, witness) ||
             races(a->read, a->more_reads, false, witness))))
    return AccessFault::race;
  const AccessFault fault = readable(v, r, address, s.write.stamp != 0 || (a && a->write.stamp != 0));
  if (fault != AccessFault::none) return fault;
  s.write = {order_.now(), op};
  word = get(v, r, address);
  return AccessFault::none;
}

void Memory::merge_write(std::size_t view, std::int64_t address, std::uint64_t word) {
  Resource& r = resources_[views_[view].resource];
  if (AtomicShadow* a = atomics(r, address)) forget(*a);
  put(views_[view], r, address, word);
}

std::map<std::int64_t, std::uint64_t> Memory::written(std::size_t view) const {
  const Resource& r = resources_[views_[view].resource];
  std::map<std::int64_t, std::uint64_t> out;
  for (const auto& [address, shadow] : r.sparse_shadow)
    if (shadow.write.stamp != 0) out.emplace(address, r.sparse.cells.at(address));
  for (const auto& [address, shadow] : r.atomics)
    if (shadow.write.stamp != 0) out.emplace(address, r.sparse.cells.at(address));
  return out;
}

void Memory::track_radius() {
  tracking_ = true;
  for (Resource& r : resources_)
    if (r.tensor) r.radius.assign(r.tensor->bytes.size() / static_cast<std::size_t>(byte_size(r.dtype)), 0.0);
}

double Memory::radius(std::size_t view, std::int64_t address) const {
  return tracking_ ? resources_[views_[view].resource].radius[static_cast<std::size_t>(address)] : 0;
}

void Memory::set_radius(std::size_t view, std::int64_t address, double radius) {
  resources_[views_[view].resource].radius[static_cast<std::size_t>(address)] = radius;
}

}  // namespace kir
