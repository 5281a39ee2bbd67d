// The arithmetic of the language. Float operations are computed in double and rounded once to
// float; integers wrap.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "craft/interpret/interpret.h"

namespace akgen::craft {
using base::Dtype;
using ir::Op;

TileData MakeTile(Dtype dtype, int64_t rows, int64_t cols) {
  TileData t;
  t.dtype = dtype;
  t.rows = rows;
  t.cols = cols;
  if (t.real())
    t.f.resize(rows * cols);
  else
    t.i.resize(rows * cols);
  return t;
}

namespace {
int64_t Saturate(Dtype d, int64_t v) {
  auto clamp = [&](int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; };
  switch (d) {
    case Dtype::kInt8: return clamp(-128, 127);
    case Dtype::kUint8: return clamp(0, 255);
    case Dtype::kInt16: return clamp(-32768, 32767);
    case Dtype::kInt32:
      return clamp(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
    case Dtype::kBool: return v != 0;
    default: return v;
  }
}

int64_t FromFloat(Dtype d, float v) {
  if (std::isnan(v)) return 0;
  constexpr double kLimit = 9223372036854774784.0;
  double whole = std::trunc(static_cast<double>(v));
  if (whole > kLimit) return Saturate(d, std::numeric_limits<int64_t>::max());
  if (whole < -kLimit) return Saturate(d, std::numeric_limits<int64_t>::min());
  return Saturate(d, static_cast<int64_t>(whole));
}

int64_t Wrap(Dtype d, uint64_t v) {
  return d == Dtype::kInt64 ? static_cast<int64_t>(v)
                            : static_cast<int32_t>(static_cast<uint32_t>(v));
}

// Of two zeros the larger is +0.
double Most(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
double Least(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
}  // namespace

double Real1(Op op, double x) {
  switch (op) {
    case Op::k_neg: return -x;
    case Op::k_abs: return std::fabs(x);
    case Op::k_exp: return std::exp(x);
    case Op::k_log: return std::log(x);
    case Op::k_sqrt: return std::sqrt(x);
    case Op::k_rsqrt: return 1.0 / std::sqrt(x);
    case Op::k_reciprocal: return 1.0 / x;
    case Op::k_relu: return std::isnan(x) ? x : x > 0 ? x : 0.0;
    case Op::k_sin: return std::sin(x);
    case Op::k_cos: return std::cos(x);
    case Op::k_tan: return std::tan(x);
    case Op::k_asin: return std::asin(x);
    case Op::k_acos: return std::acos(x);
    case Op::k_atan: return std::atan(x);
    case Op::k_sinh: return std::sinh(x);
    case Op::k_cosh: return std::cosh(x);
    case Op::k_tanh: return std::tanh(x);
    case Op::k_erf: return std::erf(x);
    case Op::k_erfc: return std::erfc(x);
    case Op::k_sigmoid: return 1.0 / (1.0 + std::exp(-x));
    case Op::k_floor: return std::floor(x);
    case Op::k_ceil: return std::ceil(x);
    case Op::k_trunc: return std::trunc(x);
    case Op::k_round: return std::nearbyint(x);
    case Op::k_sign: return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0;
    case Op::k_log2: return std::log2(x);
    case Op::k_log10: return std::log10(x);
    default: return x;
  }
}

double Real2(Op op, double a, double b) {
  switch (op) {
    case Op::k_add: return a + b;
    case Op::k_sub: return a - b;
    case Op::k_mul: return a * b;
    case Op::k_div: return a / b;
    case Op::k_maximum: return Most(a, b);
    case Op::k_minimum: return Least(a, b);
    case Op::k_pow: return std::pow(a, b);
    default: return 0;
  }
}

namespace {
// Rounded down; of a division by zero 0, as for numbers.
int64_t Quotient(Dtype d, int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return Wrap(d, -static_cast<uint64_t>(a));
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int64_t Whole2(Op op, Dtype d, int64_t a, int64_t b) {
  switch (op) {
    case Op::k_add: return Wrap(d, static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    case Op::k_sub: return Wrap(d, static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
    case Op::k_mul: return Wrap(d, static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case Op::k_maximum: return a > b ? a : b;
    case Op::k_minimum: return a < b ? a : b;
    case Op::k_floordiv: return Quotient(d, a, b);
    case Op::k_mod:
      return b == 0 ? 0
                    : Wrap(d, static_cast<uint64_t>(a) - static_cast<uint64_t>(Quotient(d, a, b)) *
                                                             static_cast<uint64_t>(b));
    default: return 0;
  }
}

template <typename N>
bool Holds(Op op, N a, N b) {
  switch (op) {
    case Op::k_eq: return a == b;
    case Op::k_ne: return a != b;
    case Op::k_lt: return a < b;
    case Op::k_le: return a <= b;
    case Op::k_gt: return a > b;
    default: return a >= b;
  }
}

// Element (r, c) of a tile that may have one row or one column.

void Reduce(const ir::Value& v, const TileData& x, TileData& out) {
  bool most = v.op == Op::k_row_max || v.op == Op::k_row_argmax || v.op == Op::k_col_max ||
              v.op == Op::k_all_max;
  bool product = v.op == Op::k_col_prod || v.op == Op::k_row_prod;
  bool sum = v.op == Op::k_row_sum || v.op == Op::k_col_sum || v.op == Op::k_all_sum;
  bool index = v.op == Op::k_row_argmax || v.op == Op::k_row_argmin;
  for (int64_t r = 0; r < out.rows; ++r)
    for (int64_t c = 0; c < out.cols; ++c) {
      int64_t r0 = out.rows == 1 ? 0 : r, r1 = out.rows == 1 ? x.rows : r + 1;
      int64_t c0 = out.cols == 1 && ir::KindOf(v.op) != ir::OpKind::column ? 0 : c;
      int64_t c1 = ir::KindOf(v.op) == ir::OpKind::column ? c + 1 : x.cols;
      if (ir::KindOf(v.op) == ir::OpKind::row) r0 = r, r1 = r + 1;
      double real = 0;
      int64_t whole = 0, best = 0;
      bool first = true;
      for (int64_t i = r0; i < r1; ++i)
        for (int64_t j = c0; j < c1; ++j) {
          double value = x.real() ? x.f[i * x.cols + j] : 0;
          int64_t n = x.real() ? 0 : x.i[i * x.cols + j];
          if (first) {
            real = value, whole = n, best = j;
          } else if (sum || product) {
            real = sum ? real + value : static_cast<float>(real * value);
            whole = Whole2(sum ? Op::k_add : Op::k_mul, x.dtype, whole, n);
          } else {
            // The first NaN wins, as in the largest and smallest value.
            if (!std::isnan(real) && (std::isnan(value) || (most ? value > real : value < real)))
              best = j;
            real = most ? Most(real, value) : Least(real, value);
            whole = most ? std::max(whole, n) : std::min(whole, n);
          }
          first = false;
        }
      int64_t at = r * out.cols + c;
      if (index)
        out.i[at] = best;
      else if (out.real())
        out.f[at] = static_cast<float>(real);
      else
        out.i[at] = whole;
    }
}
// Running sums in double, running products rounded at every step, as those of columns.
void RunAlong(const ir::Value& v, const TileData& x, TileData& out) {
  for (int64_t r = 0; r < out.rows; ++r) {
    double so_far = v.op == Op::k_row_cumprod ? 1.0 : 0.0;
    for (int64_t c = 0; c < out.cols; ++c) {
      double next = x.f[r * x.cols + c];
      so_far = v.op == Op::k_row_cumprod ? static_cast<float>(so_far * next) : so_far + next;
      out.f[r * out.cols + c] = static_cast<float>(so_far);
    }
  }
}

}  // namespace

TileData CastTile(const TileData& x, Dtype to) {
  TileData out = MakeTile(to, x.rows, x.cols);
  for (int64_t n = 0; n < x.rows * x.cols; ++n) {
    if (out.real())
      out.f[n] = RoundTo(to, x.real() ? x.f[n] : static_cast<float>(x.i[n]));
    else
      out.i[n] = x.real() ? FromFloat(to, x.f[n]) : Saturate(to, x.i[n]);
  }
  return out;
}

TileData Evaluate(const ir::Value& v, const std::vector<const TileData*>& args, int64_t rows,
                  int64_t cols) {
  if (v.op == Op::k_cast) return CastTile(*args[0], v.dtype);
  TileData out = MakeTile(v.dtype, rows, cols);
  ir::OpKind kind = ir::KindOf(v.op);
  if (kind == ir::OpKind::row || kind == ir::OpKind::column || kind == ir::OpKind::all)
    return Reduce(v, *args[0], out), out;
  if (kind == ir::OpKind::scan) return RunAlong(v, *args[0], out), out;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      int64_t n = r * cols + c;
      int64_t a = args.empty() ? 0 : At(*args[0], r, c),
              b = args.size() < 2 ? 0 : At(*args[1], r, c);
      if (v.op == Op::k_row_gather) {
        int64_t at = (args[0]->rows == 1 ? 0 : r) * args[0]->cols + args[1]->i[b];
        if (out.real())
          out.f[n] = args[0]->f[at];
        else
          out.i[n] = args[0]->i[at];
      } else if (v.op == Op::k_where) {
        const TileData& from = args[0]->i[a] ? *args[1] : *args[2];
        int64_t at = At(from, r, c);
        if (out.real())
          out.f[n] = from.f[at];
        else
          out.i[n] = from.i[at];
      } else if (kind == ir::OpKind::compare) {
        out.i[n] = args[0]->real() ? Holds(v.op, args[0]->f[a], args[1]->f[b])
                                   : Holds(v.op, args[0]->i[a], args[1]->i[b]);
      } else if (kind == ir::OpKind::logic) {
        int64_t x = args[0]->i[a], y = args.size() > 1 ? args[1]->i[b] : 0;
        out.i[n] = v.op == Op::k_logical_not ? !x : v.op == Op::k_logical_and ? x && y : x || y;
      } else if (kind == ir::OpKind::unary) {
        if (out.real()) {
          out.f[n] = static_cast<float>(Real1(v.op, args[0]->f[a]));
        } else {
          int64_t x = args[0]->i[a];
          bool flip = v.op == Op::k_neg || (v.op == Op::k_abs && x < 0);
          out.i[n] = v.op == Op::k_relu ? std::max<int64_t>(x, 0)
                     : flip             ? Wrap(v.dtype, -static_cast<uint64_t>(x))
                                        : x;
        }
      } else if (out.real()) {
        out.f[n] = static_cast<float>(Real2(v.op, args[0]->f[a], args[1]->f[b]));
      } else {
        out.i[n] = Whole2(v.op, v.dtype, args[0]->i[a], args[1]->i[b]);
      }
    }
  return out;
}

void ReadElement(TileData& to, int64_t at, const uint8_t* from) {
  auto as = [&](auto n) {
    std::memcpy(&n, from, sizeof n);
    return n;
  };
  switch (to.dtype) {
    case Dtype::kFloat16:
    case Dtype::kBfloat16: to.f[at] = ShortValue(to.dtype, as(uint16_t{})); break;
    case Dtype::kFloat32: to.f[at] = as(float{}); break;
    case Dtype::kInt8: {
      const int8_t byte = as(int8_t{});
      to.i[at] = byte;
      break;
    }
    case Dtype::kInt16: to.i[at] = as(int16_t{}); break;
    case Dtype::kInt32: to.i[at] = as(int32_t{}); break;
    case Dtype::kInt64: to.i[at] = as(int64_t{}); break;
    default: to.i[at] = as(uint8_t{}); break;
  }
}

void WriteElement(const TileData& from, int64_t at, uint8_t* to) {
  auto put = [&](auto n) { std::memcpy(to, &n, sizeof n); };
  switch (from.dtype) {
    case Dtype::kFloat16:
    case Dtype::kBfloat16: put(ShortBits(from.dtype, from.f[at])); break;
    case Dtype::kFloat32: put(from.f[at]); break;
    case Dtype::kInt16: put(static_cast<int16_t>(from.i[at])); break;
    case Dtype::kInt32: put(static_cast<int32_t>(from.i[at])); break;
    case Dtype::kInt64: put(from.i[at]); break;
    default: put(static_cast<uint8_t>(from.i[at])); break;
  }
}

}  // namespace akgen::craft
