// The kernel as a whole: its parameters, what all statements share, and one statement for each output.
#include <algorithm>
#include <array>

#include "tools/fuzz/writer.h"

namespace kir::fuzz {

void Writer::block(std::string head, const std::function<void()>& inside, std::string_view tail) {
  line("{} {{", head);
  const std::size_t axes = axes_.size(), data = data_.size(), arrays = arrays_.size();
  ++indent_;
  ++depth_;
  inside();
  --depth_;
  --indent_;
  axes_.resize(axes);
  data_.resize(data);
  arrays_.resize(arrays);
  line("}}{}", tail);
}

void Writer::producer() {
  using Make = void (Writer::*)();
  static constexpr std::array<std::pair<unsigned, Make>, 19> makers = {{
      {6, &Writer::reduce_operation}, {2, &Writer::reduce_pairs},   {2, &Writer::arg_reduce},      {3, &Writer::scan},
      {4, &Writer::counted_loop},     {2, &Writer::condition_loop}, {2, &Writer::collecting_loop}, {2, &Writer::branch},
      {3, &Writer::tensor},           {3, &Writer::relation},       {1, &Writer::concatenation},   {1, &Writer::iota},
      {2, &Writer::gather},           {2, &Writer::contraction},    {1, &Writer::random_words},    {2, &Writer::buffer},
      {1, &Writer::region_fold},      {1, &Writer::region_scan},    {1, &Writer::assumption},
  }};
  std::array<unsigned, makers.size()> weights{};
  for (std::size_t i = 0; i < makers.size(); ++i) weights[i] = makers[i].first;
  (this->*makers[c_.weighted(weights)].second)();
}

Writer::Domain Writer::domain(std::string_view hint, bool whole) {
  if (ragged_ && !whole && c_.once_in(3)) {
    auto m = std::find_if(axes_.rbegin(), axes_.rend(), [](const Axis& a) { return a.extent == "M"; });
    if (m != axes_.rend()) {
      const std::string part = fresh("r"), v = fresh(hint);
      line("let {} = part x0.0 [to_index(offsets[{}])..to_index(offsets[{} + 1])]", part, m->name, m->name);
      return {fmt::format("{} in {}", v, part), {v, "N"}, false};
    }
  }
  constexpr std::array extents = {"N", "M", "4"};
  const std::string extent = c_.pick(extents), v = fresh(hint);
  return {fmt::format("{} in 0..{}", v, extent), {v, extent}, true};
}

void Writer::store(const Parameter& output, const std::vector<std::string>& at) {
  std::string coordinates;
  for (const std::string& c : at) coordinates += (coordinates.empty() ? "" : ", ") + c;
  std::string v = value(output.array.type);
  std::string where = c_.once_in(6) ? " where " + condition(2) : "";
  line("{}[{}] = {}{}", output.array.name, coordinates, v, where);
}

void Writer::nest(const Parameter& output, std::size_t axis, std::vector<std::string> at) {
  if (depth_ < profile_.depth && c_.once_in(3)) producer();
  if (axis == output.array.extents.size()) {
    if (depth_ >= profile_.depth || !c_.once_in(8)) return store(output, at);
    return block("if " + condition(1), [&] { store(output, at); });
  }
  // One parallel over some of the axes that are left.
  std::size_t take = output.array.extents.size() - axis;
  if (take > 1 && c_.once_in(2)) take = 1;
  std::string domain;
  std::vector<Axis> added;
  for (std::size_t k = 0; k < take; ++k) {
    const std::string& extent = output.array.extents[axis + k];
    std::string v = fresh("p");
    domain += fmt::format("{}{} in 0..{}", k ? ", " : "", v, extent);
    added.push_back({v, extent});
    at.push_back(c_.once_in(8) ? fmt::format("{} - 1 - {}", extent, v) : v);
  }
  block("parallel " + domain, [&] {
    axes_.insert(axes_.end(), added.begin(), added.end());
    nest(output, axis + take, at);
  });
}

void Writer::statement(const Parameter& output) {
  const std::size_t data = data_.size(), arrays = arrays_.size();
  if (output.direction == "inout") {
    constexpr std::array<unsigned, 4> weights = {3, 2, 2, 2};
    switch (c_.weighted(weights)) {
      case 1: return scatter(output);
      case 2: return histogram(output);
      case 3: return atomics(output);
      default: break;
    }
  }
  if (depth_ < profile_.depth && c_.once_in(2)) producer();
  if (output.direction == "inout" && c_.once_in(3))
    block(fmt::format("for t{} in 0..3", serial_++), [&] { nest(output, 0, {}); });
  else
    nest(output, 0, {});
  // What the outermost level made stays, now and then, for the next output to share.
  if (!c_.once_in(3)) {
    data_.resize(data);
    arrays_.resize(arrays);
  }
}

std::string Writer::kernel() {
  static const std::vector<std::vector<std::string>> shapes = {{"N"}, {"M", "N"}, {"M"}, {"4"}, {}};
  const auto shape = [&] { return shapes[c_.below(shapes.size())]; };
  // The first input is one over N, which parts and keys are about.
  parameters_.push_back({{"x0", any_type(), {"N"}}, "in"});
  parameters_.push_back({{"x1", any_type(), {"M", "N"}}, "in"});
  for (std::size_t i = 2, n = 2 + c_.below(3); i < n; ++i)
    parameters_.push_back({{fmt::format("x{}", i), any_type(), shape()}, "in"});
  for (const Parameter& p : parameters_) arrays_.push_back(p.array);
  if ((ragged_ = c_.once_in(3))) {
    parameters_.push_back({{"offsets", DType::i32, {"M + 1"}}, "in"});
    relations_.push_back("nondecreasing(offsets)");
    relations_.push_back("in_range(offsets, 0, N + 1)");
  }
  if ((keyed_ = c_.once_in(3))) {
    parameters_.push_back({{"keys", DType::i32, {"N"}}, "in"});
    relations_.push_back("in_range(keys, 0, M)");
  }
  std::vector<Parameter> outputs;
  for (std::size_t i = 0, n = 1 + c_.below(static_cast<std::size_t>(profile_.outputs)); i < n; ++i) {
    const bool inout = c_.once_in(3);
    Parameter p{{fmt::format("y{}", i), any_type(), shape()}, inout ? "inout" : "out"};
    if (p.array.extents == std::vector<std::string>{"M", "N"} && c_.once_in(5)) p.strides = " strides(1, M)";
    outputs.push_back(p);
  }
  data_.push_back({"alpha", profile_.floats ? DType::f32 : DType::i32});
  for (const Parameter& p : outputs) statement(p);

  std::string head = "kir 1\n\nkernel random(";
  parameters_.insert(parameters_.end(), outputs.begin(), outputs.end());
  for (const Parameter& p : parameters_) {
    std::string shape_text;
    for (const std::string& e : p.array.extents) shape_text += (shape_text.empty() ? "" : ", ") + e;
    head += fmt::format("{}: {} {}[{}]{}, ", p.array.name, p.direction, name(p.array.type), shape_text, p.strides);
  }
  head += fmt::format("alpha: {}, M: index, N: index)\n", profile_.floats ? "f32" : "i32");
  relations_.insert(relations_.begin(), {"M >= 0", "N >= 0"});
  for (std::size_t i = 0; i < relations_.size(); ++i) head += (i ? ", " : "  where ") + relations_[i];
  return head + "\n{\n" + text_ + "}\n";
}

std::string write_kernel(Choices& choices, const Profile& profile) { return Writer(choices, profile).kernel(); }

}  // namespace kir::fuzz
