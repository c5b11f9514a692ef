#include "core/numeric/scalar.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "core/base/check.h"
#include "core/numeric/float_format.h"
#include "core/numeric/mpfr_float.h"

namespace kir {
namespace {

std::uint64_t low_mask(int bits) { return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

bool is_digit(char c, bool hex) {
  return (c >= '0' && c <= '9') || (hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
}

// Reads digits with single '_' between them; appends them without '_'. False when there is none or '_' is misplaced.
bool take_digits(std::string_view& text, bool hex, std::string& out) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (is_digit(text[i], hex))
      out += text[i++];
    else if (text[i] == '_' && i > 0 && text[i - 1] != '_' && i + 1 < text.size() && is_digit(text[i + 1], hex))
      ++i;
    else
      break;
  }
  text.remove_prefix(i);
  return i > 0;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_hex_prefix(std::string_view& text) { return take(text, "0x") || take(text, "0X"); }

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  const bool hex = take_hex_prefix(text);
  std::string digits;
  if (!take_digits(text, hex, digits) || !text.empty()) return std::nullopt;
  std::uint64_t v = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), v, hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return v;
}

std::optional<Scalar> parse_integer(std::string_view text, DType type) {
  const bool negative = take(text, "-");
  std::optional<std::uint64_t> v = parse_unsigned(text);
  if (!v) return std::nullopt;
  const std::uint64_t mask = low_mask(bit_width(type));
  if (!negative) return *v <= mask ? std::optional(Scalar{type, *v}) : std::nullopt;
  if (type == DType::u64 ? *v != 0 : *v > mask / 2 + 1) return std::nullopt;
  return Scalar{type, (std::uint64_t{0} - *v) & mask};
}

// [digits [. digits] [e [+-] digits]] or the hexadecimal form with p; the text for MPFR, without '_'.
std::optional<std::string> float_digits(std::string_view text, bool hex) {
  std::string out;
  if (!take_digits(text, hex, out)) return std::nullopt;
  if (take(text, ".")) {
    out += '.';
    if (!text.empty() && is_digit(text[0], hex) && !take_digits(text, hex, out)) return std::nullopt;
  }
  const bool exponent = hex ? take(text, "p") || take(text, "P") : take(text, "e") || take(text, "E");
  if (exponent) {
    out += hex ? 'p' : 'e';
    if (take(text, "-"))
      out += '-';
    else
      take(text, "+");
    if (!take_digits(text, false, out)) return std::nullopt;
  }
  return text.empty() ? std::optional(out) : std::nullopt;
}

std::optional<Scalar> parse_float(std::string_view text, DType type) {
  const FloatFormat& f = float_format(type);
  if (text == "nan") return Scalar{type, f.quiet_nan()};
  if (std::string_view inner = text; take(inner, "nan(") && inner.ends_with(')')) {
    inner.remove_suffix(1);
    std::optional<std::uint64_t> bits = parse_unsigned(inner);
    if (!bits || *bits > low_mask(8 * byte_size(type)) || !bits_are_nan(type, *bits)) return std::nullopt;
    return Scalar{type, *bits};
  }
  const bool negative = take(text, "-");
  const std::uint64_t sign = negative ? f.sign_bit() : 0;
  if (text == "inf") return f.infinities ? std::optional(Scalar{type, sign | f.infinity()}) : std::nullopt;
  const bool hex = take_hex_prefix(text);
  std::optional<std::string> digits = float_digits(text, hex);
  if (!digits) return std::nullopt;
  MpfrFloat v;
  char* end = nullptr;
  const int ternary = mpfr_strtofr(v.get(), digits->c_str(), &end, hex ? 16 : 10, MPFR_RNDZ);
  if (*end != '\0') return std::nullopt;
  const std::uint64_t magnitude = round_mpfr_to_format(f, v.get(), ternary != 0);
  if (magnitude > f.max_finite()) return std::nullopt;  // a finite literal must not become infinite or NaN
  return Scalar{type, sign | magnitude};
}

std::string with_point(std::string text) {
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;  // 'n' of inf
}

template <class T>
std::string shortest(T v) {
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, v);
  KIR_CHECK(error == std::errc(), "no room for a number");
  return with_point(std::string(buffer, end));
}

// The fewest decimal digits that read back; the value is exact in double and the formats here need at most 5 digits.
std::string shortest_narrow(const Scalar& s) {
  const double v = s.as_double();
  for (int digits = 1; digits <= 17; ++digits) {
    const std::string text = fmt::format("{:.{}e}", v, digits - 1);
    if (parse_float(text, s.type) == s) {
      double decimal = 0;
      std::from_chars(text.data(), text.data() + text.size(), decimal);
      return shortest(decimal);
    }
  }
  KIR_UNREACHABLE("17 digits identify a double");
}

}  // namespace

Scalar Scalar::of_int(DType type, std::int64_t v) {
  KIR_CHECK(is_integer(type), "{} is no integer type", name(type));
  return {type, static_cast<std::uint64_t>(v) & low_mask(bit_width(type))};
}

Scalar Scalar::of_f32(float v) { return {DType::f32, std::bit_cast<std::uint32_t>(v)}; }
Scalar Scalar::of_f64(double v) { return {DType::f64, std::bit_cast<std::uint64_t>(v)}; }

std::int64_t Scalar::as_signed() const {
  const int unused = 64 - bit_width(type);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::uint64_t Scalar::as_unsigned() const { return bits; }
double Scalar::as_double() const { return format_to_double(type, bits); }
bool Scalar::is_nan() const { return is_float(type) && bits_are_nan(type, bits); }

std::optional<Scalar> parse_literal(std::string_view text, DType type) {
  if (type == DType::i1) {
    if (text == "true") return Scalar::of_bool(true);
    if (text == "false") return Scalar::of_bool(false);
    return std::nullopt;
  }
  return is_float(type) ? parse_float(text, type) : parse_integer(text, type);
}

std::string literal_text(const Scalar& s) {
  if (s.type == DType::i1) return s.bits ? "true" : "false";
  if (is_integer(s.type)) return s.type == DType::u64 ? std::to_string(s.bits) : std::to_string(s.as_signed());
  if (s.is_nan()) return s.bits == float_format(s.type).quiet_nan() ? "nan" : fmt::format("nan({:#x})", s.bits);
  if (s.type == DType::f32) return shortest(std::bit_cast<float>(static_cast<std::uint32_t>(s.bits)));
  if (s.type == DType::f64 || std::isinf(s.as_double())) return shortest(s.as_double());
  // Bits of a tf32 below its mantissa have no literal of their own; they print as the f32 they are.
  if (s.type == DType::tf32 && (s.bits & 0x1fff)) return shortest(std::bit_cast<float>(static_cast<std::uint32_t>(s.bits)));
  return shortest_narrow(s);
}

}  // namespace kir
