// The NumPy .npy format (numpy.lib.format): magic, version, header length, a Python dictionary literal with the keys
// descr, fortran_order and shape, then the elements.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/base/check.h"
#include "core/interp/tensor.h"

namespace kir {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are kept little endian");

constexpr std::size_t kMaxHeader = 1 << 16;
constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

// The dictionary literal, as NumPy writes it: string, boolean and integer-tuple values only.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  std::optional<Header> parse() {
    Header h;
    bool descr = false, order = false, shape = false;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':')) return std::nullopt;
      bool* seen = key == "descr" ? &descr : key == "fortran_order" ? &order : key == "shape" ? &shape : nullptr;
      if (!seen || *seen) return std::nullopt;
      *seen = true;
      if (seen == &descr ? !string(h.descr) : seen == &order ? !boolean(h.fortran_order) : !tuple(h.shape)) return std::nullopt;
      if (!take(',') && peek() != '}') return std::nullopt;
    }
    skip();
    return descr && order && shape && at_ == text_.size() ? std::optional(h) : std::nullopt;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    skip();
    if (!text_.substr(at_).starts_with(w)) return false;
    at_ += w.size();
    return true;
  }
  bool string(std::string& out) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return false;
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }
  bool boolean(bool& out) {
    out = word("True");
    return out || word("False");
  }
  bool tuple(std::vector<std::int64_t>& out) {
    if (!take('(')) return false;
    while (!take(')')) {
      if (peek() < '0' || peek() > '9') return false;
      std::int64_t v = 0;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, text_[at_++] - '0', &v)) return false;
      out.push_back(v);
      if (!take(',') && peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// NumPy's code of a type: kind and bytes. Types that NumPy lacks are written as unsigned integers.
std::string descr_of(DType t) {
  switch (t) {
    case DType::i1: return "|b1";
    case DType::i8: return "|i1";
    case DType::i16: return "<i2";
    case DType::i32: return "<i4";
    case DType::i64: return "<i8";
    case DType::u64: return "<u8";
    case DType::f8e4m3:
    case DType::f8e5m2: return "|u1";
    case DType::bf16: return "<u2";
    case DType::tf32: return "<u4";
    case DType::f16: return "<f2";
    case DType::f32: return "<f4";
    case DType::f64: return "<f8";
  }
  KIR_UNREACHABLE("element type");
}

std::optional<DType> own_type(std::string_view code) {
  for (DType t : {DType::i1, DType::i8, DType::i16, DType::i32, DType::i64, DType::u64, DType::f16, DType::f32, DType::f64})
    if (std::string_view(descr_of(t)).substr(1) == code) return t;
  return std::nullopt;
}

// May elements of this code be taken as bits of t?
bool holds_bits_of(std::string_view code, DType t) {
  if (code.size() != 2 || code[1] - '0' != byte_size(t)) return false;
  switch (code[0]) {
    case 'u': return true;
    case 'V': return t == DType::bf16 || t == DType::f8e4m3 || t == DType::f8e5m2;
    case 'i': return t == DType::u64;
    case 'f': return t == DType::tf32;
    default: return false;
  }
}

std::optional<Tensor> fail(std::string* error, std::string text) {
  if (error) *error = std::move(text);
  return std::nullopt;
}

}  // namespace

std::optional<Tensor> read_npy(const std::string& path, std::optional<DType> expected, std::string* error) {
  std::error_code code;
  const std::uintmax_t file_size = std::filesystem::file_size(path, code);
  if (code) return fail(error, fmt::format("{}: {}", path, code.message()));  // no pipe, which might never open
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(error, fmt::format("{}: cannot be read", path));
  auto bad = [&](std::string_view what) { return fail(error, fmt::format("{}: {}", path, what)); };
  char start[8] = {};
  if (!in.read(start, 8) || std::string_view(start, 6) != kMagic) return bad("not a .npy file");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) return bad(fmt::format(".npy version {} is not known", version));
  unsigned char length_bytes[4] = {};
  const int length_size = version == 1 ? 2 : 4;
  if (!in.read(reinterpret_cast<char*>(length_bytes), length_size)) return bad("the header is cut off");
  std::size_t length = 0;
  for (int i = 0; i < length_size; ++i) length |= static_cast<std::size_t>(length_bytes[i]) << (8 * i);
  const std::size_t data_at = 8 + static_cast<std::size_t>(length_size) + length;
  if (data_at > file_size) return bad("the header is cut off");
  if (length > kMaxHeader) return bad("the header is too long");
  std::string text(length, '\0');
  in.read(text.data(), static_cast<std::streamsize>(length));
  std::optional<Header> header = HeaderParser(text).parse();
  if (!in || !header) return bad("the header is malformed");

  if (header->descr.size() < 3) return bad(fmt::format("element type '{}' is not supported", header->descr));
  const char order = header->descr[0];
  const std::string_view element = std::string_view(header->descr).substr(1);
  if (order == '>') return bad("big-endian elements are not supported");
  const std::optional<DType> own = own_type(element);
  DType dtype{};
  if (expected) {
    if (own != expected && !holds_bits_of(element, *expected))
      return bad(fmt::format("element type '{}' does not hold {}", header->descr, name(*expected)));
    dtype = *expected;
  } else {
    if (!own) return bad(fmt::format("element type '{}' needs to be told what it holds", header->descr));
    dtype = *own;
  }
  const std::optional<std::vector<std::int64_t>> strides = dense_strides(header->shape);
  const std::optional<std::int64_t> bytes = strides ? storage_bytes(dtype, header->shape, *strides) : std::nullopt;
  if (!bytes || static_cast<std::uintmax_t>(*bytes) != file_size - data_at)
    return bad(fmt::format("{} bytes of elements do not fit the shape in the header", file_size - data_at));
  if (*bytes > max_launch_bytes()) return bad(fmt::format("{} bytes of elements are more than this machine holds", *bytes));
  Tensor t{dtype, header->shape, *strides, std::vector<std::byte>(static_cast<std::size_t>(*bytes))};
  if (!in.read(reinterpret_cast<char*>(t.bytes.data()), *bytes) && *bytes > 0) return bad("cannot be read to its end");
  if (dtype == DType::i1)
    for (std::byte b : t.bytes)
      if (b > std::byte{1}) return bad("a boolean element is neither 0 nor 1");
  if (header->fortran_order && t.shape.size() > 1) {
    for (std::size_t k = 0; k < t.shape.size(); ++k) t.strides[k] = k == 0 ? 1 : t.strides[k - 1] * t.shape[k - 1];
    return t.dense();
  }
  return t;
}

std::optional<StagedFile> stage_npy(const std::string& path, const Tensor& tensor, std::string* error) {
  const Tensor t = tensor.dense();
  std::string shape;
  for (std::int64_t e : t.shape) shape += fmt::format("{}, ", e);
  if (t.shape.size() > 1)
    shape.resize(shape.size() - 2);
  else if (t.shape.size() == 1)
    shape.pop_back();
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr_of(t.dtype), shape);
  const std::size_t prefix = kMagic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');  // elements start at a multiple of 64 bytes
  header += '\n';
  std::string ignored;
  if (!error) error = &ignored;
  if (header.size() > 0xffff) {
    *error = fmt::format("{}: too many axes", path);
    return std::nullopt;
  }
  const char version_and_length[] = {1, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  const std::string_view elements(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size());
  return StagedFile::write(path, {kMagic, {version_and_length, 4}, header, elements}, error);
}

bool write_npy(const std::string& path, const Tensor& tensor, std::string* error) {
  std::string ignored;
  std::optional<StagedFile> file = stage_npy(path, tensor, error);
  return file && file->commit(error ? error : &ignored);
}

}  // namespace kir
