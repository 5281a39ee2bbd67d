// How far a right lowering may be from the interpreter, element by element. Operations that every
// order of evaluation rounds alike keep the bits; functions of the library may give the neighbour
// (docs/numerics.md), sums may be taken in any order. From there a bound goes through the program:
// through a monotone function by its ends, through a sum by adding up. A comparison of values
// nearer than their bounds can go either way: its bound is infinity.
#include <algorithm>
#include <cmath>
#include <limits>

#include "craft/interpret/interpret.h"

namespace akgen::craft {
using base::Dtype;
using ir::Op;
using ir::OpKind;

namespace {
constexpr double kOpen = std::numeric_limits<double>::infinity();
constexpr double kEps = 1.0 / (1 << 24);  // half a unit in the last place of f32, relative

double Ulp(double y) {
  if (!std::isfinite(y)) return 0;
  float f = std::fabs(static_cast<float>(y));
  return std::isfinite(f)
             ? static_cast<double>(std::nextafter(f, std::numeric_limits<float>::infinity())) - f
             : kOpen;
}

// The unit and the interpreter both round once, but from a last bit of double that may differ.
bool MayBeNeighbour(Op op) {
  switch (op) {
    case Op::k_exp:
    case Op::k_log:
    case Op::k_rsqrt:
    case Op::k_sin:
    case Op::k_cos:
    case Op::k_tan:
    case Op::k_asin:
    case Op::k_acos:
    case Op::k_atan:
    case Op::k_sinh:
    case Op::k_cosh:
    case Op::k_tanh:
    case Op::k_erf:
    case Op::k_erfc:
    case Op::k_sigmoid:
    case Op::k_log2:
    case Op::k_log10:
    case Op::k_pow: return true;
    default: return false;
  }
}

double FromEnds(double y, std::initializer_list<double> ends) {
  double most = 0, size = std::fabs(y);
  for (double v : ends) {
    double d = std::fabs(v - y);
    if (std::isnan(d)) return kOpen;
    most = std::max(most, d);
    size = std::max(size, std::fabs(v));
  }
  return most + Ulp(size);
}

double Bound1(Op op, double x, double e, double y) {
  double own = MayBeNeighbour(op) ? Ulp(y) : 0;
  if (e == 0) return own;
  if (!std::isfinite(e)) return kOpen;
  double low = x - e, high = x + e;
  bool around_zero = low <= 0 && high >= 0;
  if (op == Op::k_neg || op == Op::k_abs || op == Op::k_relu) return e;
  if (op == Op::k_sin || op == Op::k_cos) return std::min(e, 2.0) + own + Ulp(1);
  if ((op == Op::k_reciprocal || op == Op::k_rsqrt || op == Op::k_log || op == Op::k_log2 ||
       op == Op::k_log10) &&
      around_zero)
    return kOpen;
  if (op == Op::k_tan && std::floor(low / M_PI + 0.5) != std::floor(high / M_PI + 0.5))
    return kOpen;
  if (op == Op::k_cosh && around_zero)
    return FromEnds(y, {Real1(op, low), Real1(op, high), 1.0}) + own;
  return FromEnds(y, {Real1(op, low), Real1(op, high)}) + own;
}

double Bound2(Op op, double a, double ea, double b, double eb, double y) {
  double own = MayBeNeighbour(op) ? Ulp(y) : 0;
  if (ea == 0 && eb == 0) return own;
  if (!std::isfinite(ea) || !std::isfinite(eb)) return kOpen;
  if (op == Op::k_maximum || op == Op::k_minimum) return std::max(ea, eb);
  if (op == Op::k_add || op == Op::k_sub) return ea + eb + Ulp(std::fabs(y) + ea + eb);
  if (op == Op::k_div && std::fabs(b) <= eb) return kOpen;
  if (op == Op::k_pow && a - ea <= 0) return kOpen;
  return FromEnds(y, {Real2(op, a - ea, b - eb), Real2(op, a - ea, b + eb),
                      Real2(op, a + ea, b - eb), Real2(op, a + ea, b + eb)}) +
         own;
}

double ErrorOf(const TileData& t, int64_t n) { return t.e.empty() ? 0 : t.e[n]; }
double ValueOf(const TileData& t, int64_t n) {
  return t.real() ? static_cast<double>(t.f[n]) : static_cast<double>(t.i[n]);
}

// The elements of x that element (r, c) of the result is made of.
struct Region {
  int64_t r0, r1, c0, c1;
};
Region RegionOf(OpKind kind, const TileData& x, int64_t r, int64_t c) {
  Region p{0, x.rows, 0, x.cols};
  if (kind == OpKind::row || kind == OpKind::scan) p.r0 = r, p.r1 = r + 1;
  if (kind == OpKind::column) p.c0 = c, p.c1 = c + 1;
  return p;
}

double SumBound(const TileData& x, const Region& p) {
  double size = 0, e = 0, count = static_cast<double>((p.r1 - p.r0) * (p.c1 - p.c0));
  for (int64_t i = p.r0; i < p.r1; ++i)
    for (int64_t j = p.c0; j < p.c1; ++j) {
      double v = ValueOf(x, i * x.cols + j);
      if (std::isfinite(v)) size += std::fabs(v);
      e += ErrorOf(x, i * x.cols + j);
    }
  if (!x.real()) return e;
  if (size + e > std::numeric_limits<float>::max()) return kOpen;  // some order overflows
  return count <= 1 ? e : e + 1.01 * count * kEps * size;
}

double ProductBound(const TileData& x, const Region& p, double y) {
  double grow = 1;
  bool exact = true;
  for (int64_t i = p.r0; i < p.r1; ++i)
    for (int64_t j = p.c0; j < p.c1; ++j) {
      double v = std::fabs(ValueOf(x, i * x.cols + j)), e = ErrorOf(x, i * x.cols + j);
      if (e == 0) continue;
      exact = false;
      if (!(v > 2 * e)) return kOpen;
      grow *= 1 + 2 * e / v;
    }
  return exact ? 0
               : std::fabs(y) * (grow * (1 + 4 * kEps * static_cast<double>(p.r1 - p.r0)) - 1) +
                     Ulp(y);
}

// The same in any order of the factors: partial products may leave the range of floats where the
// whole one does not.
double AnyProductBound(const TileData& x, const Region& p, double y) {
  double own = ProductBound(x, p, y), above = 0, below = 0,
         count = static_cast<double>((p.r1 - p.r0) * (p.c1 - p.c0));
  for (int64_t i = p.r0; i < p.r1; ++i)
    for (int64_t j = p.c0; j < p.c1; ++j) {
      double v = std::fabs(ValueOf(x, i * x.cols + j));
      if (!std::isfinite(v) || v == 0) return own == 0 && count <= 1 ? 0 : kOpen;
      (v > 1 ? above : below) += std::log2(v);
    }
  if (above > 126 || count <= 1) return count <= 1 ? own : kOpen;
  return own + std::fabs(y) * 1.01 * count * kEps +
         (below < -120 ? count * std::exp2(above - 125) : 0);
}

double ExtremeBound(Op op, const TileData& x, const Region& p, int64_t index) {
  double most = 0;
  bool argument = op == Op::k_row_argmax || op == Op::k_row_argmin;
  int64_t best = p.r0 * x.cols + index;
  for (int64_t i = p.r0; i < p.r1; ++i)
    for (int64_t j = p.c0; j < p.c1; ++j) {
      int64_t n = i * x.cols + j;
      double e = ErrorOf(x, n) + (argument ? ErrorOf(x, best) : 0);
      if (argument && n != best && e > 0 && !(std::fabs(ValueOf(x, n) - ValueOf(x, best)) > e))
        return kOpen;
      most = std::max(most, argument ? 0 : e);
    }
  return most;
}

double ReduceBound(const ir::Value& v, const TileData& x, const TileData& out, int64_t r,
                   int64_t c) {
  Region p = RegionOf(ir::KindOf(v.op), x, r, c);
  int64_t n = r * out.cols + c;
  if (v.op == Op::k_row_sum || v.op == Op::k_col_sum || v.op == Op::k_all_sum)
    return SumBound(x, p);
  if (v.op == Op::k_row_cumsum) return p.c1 = c + 1, SumBound(x, p);
  if (v.op == Op::k_row_cumprod) return p.c1 = c + 1, AnyProductBound(x, p, ValueOf(out, n));
  if (v.op == Op::k_row_prod || v.op == Op::k_col_prod)
    return AnyProductBound(x, p, ValueOf(out, n));  // rows are joined by halves
  return ExtremeBound(v.op, x, p, out.real() ? 0 : out.i[n]);
}

double CastBound(const TileData& x, int64_t n, const TileData& out) {
  double e = ErrorOf(x, n), y = ValueOf(out, n);
  if (e == 0) return 0;
  if (!std::isfinite(e)) return kOpen;
  if (out.real()) {
    double low = RoundTo(out.dtype, ValueOf(x, n) - e),
           high = RoundTo(out.dtype, ValueOf(x, n) + e);
    return std::max(std::fabs(low - y), std::fabs(high - y));
  }
  if (!x.real()) return e;
  double low = std::trunc(ValueOf(x, n) - e), high = std::trunc(ValueOf(x, n) + e);
  return low == high ? 0 : std::max(std::fabs(low - y), std::fabs(high - y));
}

double CompareBound(double a, double ea, double b, double eb) {
  const bool never = (std::isnan(a) && std::isfinite(ea)) ||
                     (std::isnan(b) && std::isfinite(eb));  // an open bound may hide a number
  if (ea + eb == 0 || never) return 0;
  return std::fabs(a - b) > ea + eb ? 0 : kOpen;
}

double ElementBound(const ir::Value& v, const std::vector<const TileData*>& args,
                    const TileData& out, int64_t r, int64_t c) {
  int64_t n = r * out.cols + c, at[3] = {};
  double x[3] = {}, e[3] = {};
  for (size_t i = 0; i < args.size() && i < 3; ++i) {
    if (v.op == Op::k_row_gather && i == 0) continue;  // its place is said by the other operand
    at[i] = At(*args[i], r, c);
    x[i] = ValueOf(*args[i], at[i]);
    e[i] = ErrorOf(*args[i], at[i]);
  }
  OpKind kind = ir::KindOf(v.op);
  if (v.op == Op::k_cast) return CastBound(*args[0], n, out);
  if (v.op == Op::k_row_gather)
    return e[1] > 0 ? kOpen
                    : ErrorOf(*args[0],
                              (args[0]->rows == 1 ? 0 : r) * args[0]->cols + args[1]->i[at[1]]);
  if (v.op == Op::k_where) return e[0] > 0 ? kOpen : x[0] != 0 ? e[1] : e[2];
  if (kind == OpKind::compare) return CompareBound(x[0], e[0], x[1], e[1]);
  if (v.op == Op::k_logical_and)
    return (e[0] == 0 && x[0] == 0) || (e[1] == 0 && x[1] == 0) ? 0 : e[0] + e[1];
  if (v.op == Op::k_logical_or)
    return (e[0] == 0 && x[0] != 0) || (e[1] == 0 && x[1] != 0) ? 0 : e[0] + e[1];
  if (kind == OpKind::logic) return e[0];
  if (!out.real())
    return e[0] + e[1] == 0    ? 0
           : v.op == Op::k_mul ? std::fabs(x[0]) * e[1] + std::fabs(x[1]) * e[0] + e[0] * e[1]
                               : e[0] + e[1];
  if (kind == OpKind::unary) return Bound1(v.op, x[0], e[0], out.f[n]);
  return Bound2(v.op, x[0], e[0], x[1], e[1], out.f[n]);
}
}  // namespace

void AddBounds(const ir::Value& v, const std::vector<const TileData*>& args, TileData& out) {
  OpKind kind = ir::KindOf(v.op);
  bool reduces =
      kind == OpKind::row || kind == OpKind::column || kind == OpKind::all || kind == OpKind::scan;
  bool inexact = reduces || MayBeNeighbour(v.op);
  for (const TileData* a : args) inexact |= !a->e.empty();
  if (!inexact) return;
  bool any = false;
  out.e.resize(out.rows * out.cols);
  for (int64_t r = 0; r < out.rows; ++r)
    for (int64_t c = 0; c < out.cols; ++c) {
      double e = reduces ? ReduceBound(v, *args[0], out, r, c) : ElementBound(v, args, out, r, c);
      float rounded = static_cast<float>(e);
      out.e[r * out.cols + c] = std::isnan(e) ? static_cast<float>(kOpen)
                                : rounded < e ? std::nextafter(rounded, static_cast<float>(kOpen))
                                              : rounded;
      any |= e != 0;
    }
  if (!any) out.e.clear();
}

}  // namespace akgen::craft
