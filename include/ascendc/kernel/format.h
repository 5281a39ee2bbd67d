// The formatter behind printf: %d %i %u %x %X %o %c %s %p %f %F %e %g and %%, with flags - 0 +
// space #, width, precision and * for both. Length letters (h, l, ll, z) are read and ignored: an
// argument knows its own type.
#ifndef ASCENDC_KERNEL_FORMAT_H
#define ASCENDC_KERNEL_FORMAT_H
#include "kernel/types.h"

struct AkgenFormatArg {
  enum Kind : uint8_t { kNone, kSigned, kUnsigned, kFloat, kText };
  Kind kind = kNone;
  int64_t integer = 0;
  double real = 0;
  const char* text = nullptr;
};

template <typename T>
inline AkgenFormatArg AkgenMakeArg(T value) {
  AkgenFormatArg arg;
  if constexpr (std::is_same_v<T, const char*> || std::is_same_v<T, char*>) {
    arg.kind = AkgenFormatArg::kText;
    arg.text = value;
  } else if constexpr (std::is_pointer_v<T>) {
    arg.kind = AkgenFormatArg::kUnsigned;
    arg.integer = static_cast<int64_t>(reinterpret_cast<uint64_t>(value));
  } else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, half> ||
                       std::is_same_v<T, bfloat16_t>) {
    arg.kind = AkgenFormatArg::kFloat;
    arg.real = static_cast<double>(AscendC::AkgenFloatOf(value));
    if constexpr (std::is_same_v<T, double>) arg.real = value;
  } else if constexpr (std::is_enum_v<T>) {
    arg.kind = AkgenFormatArg::kSigned;
    arg.integer = static_cast<int64_t>(value);
  } else if constexpr (std::is_integral_v<T>) {
    arg.kind = std::is_signed_v<T> ? AkgenFormatArg::kSigned : AkgenFormatArg::kUnsigned;
    // Unsigned values narrower than 64 bits stay positive; the conversion letter decides how they
    // are shown.
    arg.integer = static_cast<int64_t>(value);
    if constexpr (sizeof(T) < 4) arg.integer = static_cast<int32_t>(value);
  } else if constexpr (std::is_convertible_v<T, int8_t> && std::is_same_v<T, int4b_t>) {
    arg.kind = AkgenFormatArg::kSigned;
    arg.integer = static_cast<int8_t>(value);
  } else {
    arg = AkgenMakeArg(value.operator()());
  }
  // %u and %x of a negative 32-bit value show 32 bits.
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) <= 4) arg.real = 32;
  return arg;
}

class AkgenFormatter {
 public:
  const char* text() {
    text_[size_] = 0;
    return text_;
  }
  uint32_t size() const { return size_; }

  void Format(const char* fmt, const AkgenFormatArg* args, uint32_t count) {
    uint32_t next = 0;
    while (*fmt != 0) {
      if (*fmt != '%') {
        Put(*fmt++);
        continue;
      }
      ++fmt;
      Spec spec;
      fmt = Parse(fmt, &spec, args, count, &next);
      if (spec.letter == '%') {
        Put('%');
      } else if (spec.letter != 0) {
        One(spec, next < count ? args[next] : AkgenFormatArg{});
        ++next;
      }
    }
  }

 private:
  struct Spec {
    bool left = false, zero = false, plus = false, space = false, sharp = false;
    int width = 0;
    int precision = -1;
    char letter = 0;
  };

  const char* Parse(const char* p, Spec* spec, const AkgenFormatArg* args, uint32_t count,
                    uint32_t* next) {
    for (;; ++p) {
      if (*p == '-')
        spec->left = true;
      else if (*p == '0')
        spec->zero = true;
      else if (*p == '+')
        spec->plus = true;
      else if (*p == ' ')
        spec->space = true;
      else if (*p == '#')
        spec->sharp = true;
      else
        break;
    }
    p = Number(p, &spec->width, args, count, next);
    if (*p == '.') {
      spec->precision = 0;
      p = Number(p + 1, &spec->precision, args, count, next);
    }
    while (*p == 'l' || *p == 'h' || *p == 'z' || *p == 'j' || *p == 't' || *p == 'L') ++p;
    spec->letter = *p;
    return *p == 0 ? p : p + 1;
  }
  const char* Number(const char* p, int* out, const AkgenFormatArg* args, uint32_t count,
                     uint32_t* next) {
    if (*p == '*') {
      *out = *next < count ? static_cast<int>(args[*next].integer) : 0;
      ++*next;
      return p + 1;
    }
    while (*p >= '0' && *p <= '9') *out = *out * 10 + (*p++ - '0');
    return p;
  }

  void One(const Spec& spec, const AkgenFormatArg& arg) {
    switch (spec.letter) {
      case 'c': {
        const char c[1] = {static_cast<char>(arg.integer)};
        Padded(spec, "", c, 1, false);
        break;
      }
      case 's': {
        const char* s =
            arg.kind == AkgenFormatArg::kText && arg.text != nullptr ? arg.text : "(null)";
        uint32_t len = 0;
        while (s[len] != 0 && (spec.precision < 0 || len < static_cast<uint32_t>(spec.precision)))
          ++len;
        Padded(spec, "", s, len, false);
        break;
      }
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G': Real(spec, arg); break;
      default: Integer(spec, arg); break;
    }
  }

  void Integer(const Spec& spec, const AkgenFormatArg& arg) {
    int64_t value =
        arg.kind == AkgenFormatArg::kFloat ? static_cast<int64_t>(arg.real) : arg.integer;
    if (arg.kind == AkgenFormatArg::kText)
      value = static_cast<int64_t>(reinterpret_cast<uint64_t>(arg.text));
    const bool is_signed = spec.letter == 'd' || spec.letter == 'i';
    uint64_t bits = static_cast<uint64_t>(value);
    const bool negative = is_signed && value < 0;
    if (negative)
      bits = 0 - bits;
    else if (!is_signed && arg.kind == AkgenFormatArg::kSigned && arg.real == 32)
      bits &= 0xffffffffu;
    const uint32_t base = spec.letter == 'x' || spec.letter == 'X' || spec.letter == 'p' ? 16
                          : spec.letter == 'o'                                           ? 8
                                                                                         : 10;
    char digits[72];
    uint32_t n = 0;
    const char* table = spec.letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    for (; bits != 0; bits /= base) digits[n++] = table[bits % base];
    const uint32_t least = spec.precision < 0    ? 1
                           : spec.precision > 40 ? 40
                                                 : static_cast<uint32_t>(spec.precision);
    while (n < least) digits[n++] = '0';
    for (uint32_t i = 0; i < n / 2; ++i) {
      const char c = digits[i];
      digits[i] = digits[n - 1 - i];
      digits[n - 1 - i] = c;
    }
    const bool hex = spec.letter == 'p' || (spec.sharp && base == 16 && value != 0);
    Padded(spec,
           negative     ? "-"
           : !is_signed ? (hex ? "0x" : "")
           : spec.plus  ? "+"
           : spec.space ? " "
                        : "",
           digits, n, spec.zero && spec.precision < 0);
  }

  void Real(const Spec& spec, const AkgenFormatArg& arg) {
    double value = arg.kind == AkgenFormatArg::kFloat ? arg.real : static_cast<double>(arg.integer);
    const uint64_t bits = __builtin_bit_cast(uint64_t, value);
    const bool negative = (bits >> 63) != 0;
    const char* sign = negative ? "-" : spec.plus ? "+" : spec.space ? " " : "";
    if (negative) value = -value;
    if (((bits >> 52) & 0x7ff) == 0x7ff) {
      Padded(spec, sign, (bits << 12) == 0 ? "inf" : "nan", 3, false);
      return;
    }
    int precision = spec.precision < 0 ? 6 : spec.precision > 30 ? 30 : spec.precision;
    char out[400];
    uint32_t n = 0;
    const char letter = spec.letter | 0x20;
    int exponent = 0;
    bool exponential = letter == 'e';
    if (letter != 'f') exponent = Exponent(value);
    if (letter == 'g') {
      if (precision == 0) precision = 1;
      exponential = exponent < -4 || exponent >= precision;
      precision = exponential ? precision - 1 : precision - 1 - exponent;
    }
    if (exponential) value = Scale(value, -exponent);
    n = Fixed(out, value, precision);
    if (exponential && n > 1 && out[0] == '1' &&
        out[1] == '0') {  // rounding carried into a second digit
      ++exponent;
      n = Fixed(out, 1.0, precision);
    }
    if (letter == 'g' && !spec.sharp) n = Trim(out, n);
    if (exponential) n = PutExponent(out, n, exponent);
    Padded(spec, sign, out, n, spec.zero);
  }
  static double Scale(double value, int power) {
    for (; power > 0; --power) value *= 10;
    for (; power < 0; ++power) value /= 10;
    return value;
  }
  static int Exponent(double value) {
    int e = 0;
    if (value == 0) return 0;
    for (; value >= 10; value /= 10) ++e;
    for (; value < 1; value *= 10) --e;
    return e;
  }
  static uint32_t Trim(const char* out, uint32_t n) {
    bool point = false;
    for (uint32_t i = 0; i < n; ++i) point = point || out[i] == '.';
    while (point && out[n - 1] == '0') --n;
    return point && out[n - 1] == '.' ? n - 1 : n;
  }
  static uint32_t PutExponent(char* out, uint32_t n, int e) {
    out[n++] = 'e';
    out[n++] = e < 0 ? '-' : '+';
    if (e < 0) e = -e;
    if (e >= 100) out[n++] = static_cast<char>('0' + e / 100);
    out[n++] = static_cast<char>('0' + e / 10 % 10);
    out[n++] = static_cast<char>('0' + e % 10);
    return n;
  }
  // value >= 0 with precision digits after the point. Whole and fraction as integers where they
  // fit, ties to even.
  static uint32_t Fixed(char* out, double value, int precision) {
    if (value >= 1e15 || precision > 15) return FixedWide(out, value, precision);
    uint64_t whole = static_cast<uint64_t>(value), unit = 1;
    for (int i = 0; i < precision; ++i) unit *= 10;
    const double scaled = (value - static_cast<double>(whole)) * static_cast<double>(unit);
    uint64_t part = static_cast<uint64_t>(scaled);
    const double rest = scaled - static_cast<double>(part);
    if (rest > 0.5 || (rest == 0.5 && ((precision == 0 ? whole : part) & 1))) ++part;
    if (part >= unit) {
      part -= unit;
      ++whole;
    }
    char digits[24];
    uint32_t n = 0, count = 0;
    do digits[count++] = static_cast<char>('0' + whole % 10);
    while ((whole /= 10) != 0);
    while (count > 0) out[n++] = digits[--count];
    if (precision > 0) out[n++] = '.';
    for (int i = 0; i < precision; ++i)
      out[n++] = static_cast<char>('0' + part / (unit /= 10) % 10);
    return n;
  }
  // Digit by digit, for what the integers cannot hold; more than 17 digits of a double mean nothing
  // anyway.
  static uint32_t FixedWide(char* out, double value, int precision) {
    double half_unit = 0.5;
    for (int i = 0; i < precision; ++i) half_unit /= 10;
    value += half_unit;
    uint32_t n = 0;
    int exponent = Exponent(value);
    if (exponent < 0) exponent = 0;
    double unit = Scale(1.0, exponent);
    for (int i = exponent; i >= -precision; --i) {
      int digit = static_cast<int>(value / unit);
      digit = digit > 9 ? 9 : digit < 0 ? 0 : digit;
      out[n++] = static_cast<char>('0' + digit);
      value -= digit * unit;
      unit /= 10;
      if (i == 0 && precision > 0) out[n++] = '.';
    }
    return n;
  }

  void Padded(const Spec& spec, const char* prefix, const char* body, uint32_t len, bool zeros) {
    int fill = spec.width - static_cast<int>(len);
    for (const char* p = prefix; *p != 0; ++p) --fill;
    if (!spec.left && !zeros) Repeat(' ', fill);
    while (*prefix != 0) Put(*prefix++);
    if (!spec.left && zeros) Repeat('0', fill);
    for (uint32_t i = 0; i < len; ++i) Put(body[i]);
    if (spec.left) Repeat(' ', fill);
  }
  void Repeat(char c, int n) {
    for (; n > 0; --n) Put(c);
  }
  void Put(char c) {
    if (size_ < kCapacity) text_[size_++] = c;
  }

  static constexpr uint32_t kCapacity = 1023;  // a longer line is cut
  char text_[kCapacity + 1];
  uint32_t size_ = 0;
};
#endif  // ASCENDC_KERNEL_FORMAT_H
