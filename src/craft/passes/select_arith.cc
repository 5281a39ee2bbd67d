// Instructions for arithmetic (craft/passes/select.h).
#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "craft/passes/select.h"

namespace akgen::craft {
using base::Dtype;
using ir::Op;

namespace {
// Value of a scalar operand in the instruction's dtype.
std::string ScalarText(Dtype d) {
  return d == Dtype::kInt32   ? "static_cast<int32_t>(@0)"
         : d == Dtype::kInt64 ? "static_cast<int64_t>(@0)"
                              : "static_cast<float>(@0)";
}
}  // namespace

void ArithmeticSelector::Unary(int i) {
  const V& v = w_.value(i);
  if (v.dtype == Dtype::kInt64) return ScalarLoop(i);
  static const std::map<Op, const char*> kPlain = {
      {Op::k_exp, "Exp"},     {Op::k_log, "Ln"},    {Op::k_sqrt, "Sqrt"},
      {Op::k_sin, "Sin"},     {Op::k_cos, "Cos"},   {Op::k_tan, "Tan"},
      {Op::k_asin, "Asin"},   {Op::k_acos, "Acos"}, {Op::k_atan, "Atan"},
      {Op::k_sinh, "Sinh"},   {Op::k_cosh, "Cosh"}, {Op::k_tanh, "Tanh"},
      {Op::k_erf, "Erf"},     {Op::k_erfc, "Erfc"}, {Op::k_sigmoid, "Sigmoid"},
      {Op::k_floor, "Floor"}, {Op::k_ceil, "Ceil"}, {Op::k_trunc, "Trunc"},
      {Op::k_round, "Rint"},  {Op::k_sign, "Sign"}, {Op::k_log2, "Log2"},
      {Op::k_log10, "Log10"}, {Op::k_relu, "Relu"}, {Op::k_abs, "Abs"}};
  Tile x = w_.TileOf(v.args[0]);
  Tile d = w_.Dest(i);
  w_.tile(i) = d;
  if (v.op == Op::k_rsqrt || v.op == Op::k_reciprocal) return Inverse(v, d, x);
  if (v.op == Op::k_neg)
    return w_.Emit(v,
                   v.dtype == Dtype::kInt32 ? "Muls($0, $1, static_cast<int32_t>(-1), #n)"
                                            : "Muls($0, $1, -1.0f, #n)",
                   {d, x});
  if (v.op == Op::k_abs && v.dtype == Dtype::kInt32) {
    Tile negative = w_.NewTile(v, v.dtype);
    w_.Emit(v, "Muls($0, $1, static_cast<int32_t>(-1), #n)", {negative, x});
    return w_.Emit(v, "Max($0, $1, $2, #n)", {d, x, negative});
  }
  w_.Emit(v, fmt::format("{}($0, $1, #n)", kPlain.at(v.op)), {d, x});
}

// 1 / x or 1 / sqrt(x). The instructions Reciprocal and Rsqrt are inaccurate by their pages, Div
// and Sqrt are not.
void ArithmeticSelector::Inverse(const V& v, const Tile& d, const Tile& x) {
  Tile other = w_.NewTile(v, v.dtype);
  if (v.op == Op::k_rsqrt) {  // d may be x
    w_.Emit(v, "Sqrt($0, $1, #n)", {other, x});
    w_.Emit(v, "Duplicate($0, 1.0f, #n)", {d});
    return w_.Emit(v, "Div($0, $1, $2, #n)", {d, d, other});
  }
  w_.Emit(v, "Duplicate($0, 1.0f, #n)", {other});
  w_.Emit(v, "Div($0, $1, $2, #n)", {d, other, x});
}

void ArithmeticSelector::Binary(int i) {
  const V& v = w_.value(i);
  if (v.op == Op::k_floordiv || v.op == Op::k_mod) return Divide(i);
  if (v.dtype == Dtype::kInt64) return ScalarLoop(i);
  static const std::map<Op, const char*> kApi = {
      {Op::k_add, "Add"},     {Op::k_sub, "Sub"},     {Op::k_mul, "Mul"},  {Op::k_div, "Div"},
      {Op::k_maximum, "Max"}, {Op::k_minimum, "Min"}, {Op::k_pow, "Power"}};
  std::string api = kApi.at(v.op);
  int a = v.args[0], b = v.args[1];
  bool commutes = v.op != Op::k_sub && v.op != Op::k_div && v.op != Op::k_pow;
  if (w_.IsSplat(a) && commutes) std::swap(a, b);
  if (w_.IsSplat(b) && w_.SameShape(a, v) && !w_.IsSplat(a) && (commutes || v.op == Op::k_sub)) {
    // a - s is a + (-s), bit for bit.
    // The sign is taken in float: a whole 0 has no other one, and -0.0 - 0 is -0.0.
    Tile x = w_.tile(a);
    w_.tile(i) = w_.Dest(i);
    ir::S scalar = w_.value(b).scalar;
    const bool known = scalar->kind == ir::SKind::kConst && scalar->type == ir::Ty::kFloat;
    if (known && v.op == Op::k_sub) scalar = ir::Float(-scalar->f);
    return w_.Emit(v,
                   fmt::format("{}($0, $1, {}{}, #n)", v.op == Op::k_sub ? "Adds" : api + "s",
                               v.op == Op::k_sub && !known ? "-" : "", ScalarText(v.dtype)),
                   {w_.tile(i), x}, {scalar});
  }
  if (w_.IsSplat(a) && v.op == Op::k_sub && w_.SameShape(b, v) && v.dtype == Dtype::kFloat32) {
    // s - b is (-b) + s.
    Tile x = w_.tile(b);
    Tile d = w_.Dest(i);
    w_.Emit(v, "Muls($0, $1, -1.0f, #n)", {d, x});
    w_.Emit(v, "Adds($0, $1, static_cast<float>(@0), #n)", {d, d}, {w_.value(a).scalar});
    w_.tile(i) = d;
    return;
  }
  if (w_.SameShape(a, v) && w_.SameShape(b, v) && !w_.IsSplat(a) && !w_.IsSplat(b)) {
    Tile x = w_.tile(a), y = w_.tile(b);
    w_.tile(i) = w_.Dest(i);
    return w_.Emit(v, fmt::format("{}($0, $1, $2, #n)", api), {w_.tile(i), x, y});
  }
  if (!w_.IsSplat(a) && !w_.IsSplat(b) && v.op != Op::k_pow) return BinaryRows(i, api);
  Tile x = w_.Expand(a, v), y = w_.Expand(b, v);
  w_.tile(i) = w_.Dest(i);
  w_.Emit(v, fmt::format("{}($0, $1, $2, #n)", api), {w_.tile(i), x, y});
}

// One operand has one row, or one number for each row: a few instructions over all rows
// (emit/kernel.cc, Rows…).
bool ArithmeticSelector::RowForm(int i, const std::string& api) {
  const V& v = w_.value(i);
  if (v.dtype != Dtype::kFloat32 || ir::IsConst(v.rows, 1)) return false;
  auto one = [&](int x) { return ir::IsConst(w_.value(x).cols, 1) && !ir::IsConst(v.cols, 1); };
  auto column = [&](int x) { return one(x) && !ir::IsConst(w_.value(x).rows, 1); };
  auto row = [&](int x) { return !one(x) && ir::IsConst(w_.value(x).rows, 1); };
  int a = v.args[0], b = v.args[1];
  bool first = column(a) || (row(a) && !column(b));
  int small = first ? a : b;
  if (!column(small) && !row(small)) return false;
  Tile full = w_.Expand(first ? b : a, v);
  Tile d = w_.Dest(i);
  w_.Spread(v, fmt::format("k{}{}", api, first ? ", true" : ""), d, full, small);
  w_.tile(i) = d;
  return true;
}
// The same where that does not serve: an instruction for each row, or a scalar read from the
// column.
void ArithmeticSelector::BinaryRows(int i, const std::string& api) {
  if (RowForm(i, api)) return;
  const V& v = w_.value(i);
  int a = v.args[0], b = v.args[1];
  auto single = [&](int x) { return ir::IsConst(w_.value(x).cols, 1) && !ir::IsConst(v.cols, 1); };
  auto one_row = [&](int x) { return ir::IsConst(w_.value(x).rows, 1) && !ir::IsConst(v.rows, 1); };
  auto row = [&](int x) {
    Tile t = w_.tile(x);
    t.same_row = one_row(x);
    return t;
  };
  bool commutes = v.op != Op::k_sub && v.op != Op::k_div;
  if (single(a) && !single(b) && commutes) std::swap(a, b);
  if (single(b) && !single(a) && (commutes || v.op == Op::k_sub)) {
    Tile x = row(a), s = row(b);
    w_.tile(i) = w_.Dest(i);
    std::string scalar = v.op == Op::k_sub ? "-$2.GetValue(0)" : "$2.GetValue(0)";
    return w_.EmitRows(
        v, fmt::format("{}($0, $1, {}, #n)", v.op == Op::k_sub ? "Adds" : api + "s", scalar),
        {w_.tile(i), x, s});
  }
  if (!single(a) && !single(b)) {
    Tile x = row(a), y = row(b);
    w_.tile(i) = w_.Dest(i);
    return w_.EmitRows(v, fmt::format("{}($0, $1, $2, #n)", api), {w_.tile(i), x, y});
  }
  Tile x = w_.Expand(a, v), y = w_.Expand(b, v);
  w_.tile(i) = w_.Dest(i);
  w_.Emit(v, fmt::format("{}($0, $1, $2, #n)", api), {w_.tile(i), x, y});
}

// The vector unit divides in float32 only. By a number of up to kMaxDivisor: the float quotient is
// wrong by less than 2^9 / divisor + 1, and of what that leaves over, which float32 holds, it is
// right when it is rounded down: quotients that are not whole are further from a whole number than
// float32 rounds. By others the scalar unit divides.
void ArithmeticSelector::Divide(int i) {
  constexpr int64_t kMaxDivisor = int64_t{1} << 20;
  const V& v = w_.value(i);
  const int a = v.args[0], b = v.args[1];
  const ir::S& by = w_.value(b).scalar;
  const bool small = w_.IsSplat(b) && by->kind == ir::SKind::kConst && by->type == ir::Ty::kInt &&
                     by->i != 0 && by->i != -1 && std::abs(by->i) <= kMaxDivisor;
  if (v.dtype == Dtype::kInt64 || w_.IsSplat(a) || !small) return ScalarLoop(i);
  const Tile x = w_.TileOf(a);
  const Tile f = w_.NewTile(v, Dtype::kFloat32), divisor = w_.NewTile(v, Dtype::kFloat32),
             quotient = w_.NewTile(v, Dtype::kInt32), left = w_.NewTile(v, Dtype::kInt32);
  const char* times = "Muls($0, $1, static_cast<int32_t>(@0), #n)";
  w_.Emit(v, "Duplicate($0, static_cast<float>(@0), #n)", {divisor}, {by});
  auto divided = [&](const Tile& of) {
    w_.CastStep(v, f, of, "CAST_RINT");
    w_.Emit(v, "Div($0, $1, $2, #n)", {f, f, divisor});
  };
  divided(x);
  w_.CastStep(v, quotient, f, "CAST_TRUNC");
  w_.Emit(v, times, {left, quotient}, {ir::Int(-by->i)});
  w_.Emit(v, "Add($0, $1, $2, #n)", {left, left, x});
  divided(left);
  const Tile d = w_.Dest(i), more = w_.NewTile(v, Dtype::kInt32);
  w_.CastStep(v, more, f, "CAST_FLOOR");
  w_.tile(i) = d;
  if (v.op == Op::k_floordiv) return w_.Emit(v, "Add($0, $1, $2, #n)", {d, quotient, more});
  w_.Emit(v, times, {more, more}, {ir::Int(-by->i)});
  w_.Emit(v, "Add($0, $1, $2, #n)", {d, left, more});
}

// The vector unit has no 64-bit arithmetic: element by element on the scalar unit.
void ArithmeticSelector::ScalarLoop(int i) {
  const V& v = w_.value(i);
  for (int a : v.args)
    if (!w_.IsSplat(a) && !w_.SameShape(a, v) &&
        !(ir::IsConst(w_.value(a).rows, 1) && ir::IsConst(w_.value(a).cols, 1)))
      return w_.Fail(v, fmt::format("{} tiles of different shapes", ir::ShortName(v.dtype)),
                     "the scalar unit computes 64-bit integers and quotients: give both operands "
                     "the same shape");
  std::vector<Tile> tiles = {w_.NewTile(v, v.dtype)};
  std::vector<ir::S> scalars;
  std::vector<std::string> x;
  for (int a : v.args) {
    if (w_.IsSplat(a)) {
      x.push_back(fmt::format("static_cast<int64_t>(@{})", scalars.size()));
      scalars.push_back(w_.value(a).scalar);
    } else {
      x.push_back(fmt::format("${}.GetValue({})", tiles.size(), w_.SameShape(a, v) ? "i" : "0"));
      tiles.push_back(w_.tile(a));
      tiles.back().same_row = !w_.SameShape(a, v);
    }
  }
  static const std::map<Op, const char*> kForms = {{Op::k_add, "{0} + {1}"},
                                                   {Op::k_sub, "{0} - {1}"},
                                                   {Op::k_mul, "{0} * {1}"},
                                                   {Op::k_maximum, "{0} > {1} ? {0} : {1}"},
                                                   {Op::k_minimum, "{0} < {1} ? {0} : {1}"},
                                                   {Op::k_floordiv, "FloorDiv({0}, {1})"},
                                                   {Op::k_mod, "FloorMod({0}, {1})"},
                                                   {Op::k_neg, "-{0}"},
                                                   {Op::k_abs, "{0} < 0 ? -{0} : {0}"},
                                                   {Op::k_relu, "{0} < 0 ? 0 : {0}"}};
  auto form = kForms.find(v.op);
  if (form == kForms.end())
    return w_.Fail(v, fmt::format("{}() on i64", ir::NameOf(v.op)),
                   "convert first: cast(v, f32) or cast(v, i32)");
  std::string value = x.size() == 2 ? fmt::format(fmt::runtime(form->second), x[0], x[1])
                                    : fmt::format(fmt::runtime(form->second), x[0]);
  w_.tile(i) = tiles[0];
  // Row by row: the scalar unit reads nothing of the padding behind a row, which nobody has
  // written.
  w_.EmitRows(v, fmt::format("for (int64_t i = 0; i < #n; ++i) $0.SetValue(i, {})", value), tiles,
              scalars);
}

void ArithmeticSelector::Cast(int i) {
  const V& v = w_.value(i);
  int a = v.args[0];
  const V& x = w_.value(a);
  Dtype from = x.dtype == Dtype::kBool ? Dtype::kFloat32 : x.dtype, to = v.dtype;
  bool small_from = from == Dtype::kInt8 || from == Dtype::kUint8;
  bool small_to = to == Dtype::kInt8 || to == Dtype::kUint8;
  struct Step {
    Dtype to;
    const char* mode;
  };
  std::vector<Step> steps;
  Dtype at = from;
  auto go = [&](Dtype d, const char* mode) {
    if (at != d) steps.push_back({d, mode});
    at = d;
  };
  if (small_from) go(Dtype::kFloat16, "CAST_NONE");
  if (to == Dtype::kBool) {
    return w_.Fail(v, "a cast to bool", "compare: v != 0");
  } else if (to == Dtype::kFloat32) {
    go(Dtype::kFloat32, at == Dtype::kInt32 || at == Dtype::kInt64 ? "CAST_RINT" : "CAST_NONE");
  } else if (to == Dtype::kInt32) {
    if (at == Dtype::kInt16) go(Dtype::kFloat32, "CAST_NONE");
    go(Dtype::kInt32, at == Dtype::kInt64 ? "CAST_NONE" : "CAST_TRUNC");
  } else if (to == Dtype::kInt64) {
    if (at == Dtype::kFloat16 || at == Dtype::kInt16) go(Dtype::kFloat32, "CAST_NONE");
    if (at == Dtype::kFloat32) go(Dtype::kInt64, "CAST_TRUNC");
    go(Dtype::kInt64, "CAST_NONE");
  } else if (to == Dtype::kInt16) {
    if (at == Dtype::kInt64) go(Dtype::kInt32, "CAST_NONE");
    if (at == Dtype::kFloat32 || at == Dtype::kFloat16) go(Dtype::kInt32, "CAST_TRUNC");
    go(Dtype::kInt16, "CAST_NONE");
  } else if (small_to) {
    if (at == Dtype::kInt64) go(Dtype::kInt32, "CAST_NONE");
    if (at == Dtype::kFloat32 && x.dtype != Dtype::kBool) go(Dtype::kInt32, "CAST_TRUNC");
    if (at == Dtype::kInt32) go(Dtype::kFloat32, "CAST_RINT");
    go(Dtype::kFloat16, "CAST_RINT");
    go(to, "CAST_RINT");
  } else {  // f16, bf16
    if (at == Dtype::kFloat16 && to == Dtype::kBfloat16) go(Dtype::kFloat32, "CAST_NONE");
    if (at != Dtype::kFloat32)
      go(Dtype::kFloat32, at == Dtype::kInt32 || at == Dtype::kInt64 ? "CAST_RINT" : "CAST_NONE");
    go(to, "CAST_RINT");
  }
  Tile t = w_.TileOf(a);
  if (steps.empty()) {  // bool to f32
    w_.tile(i) = t;
    return;
  }
  for (size_t s = 0; s < steps.size(); ++s) {
    Tile next = s + 1 == steps.size() ? w_.Dest(i) : w_.NewTile(v, steps[s].to);
    w_.CastStep(v, next, t, steps[s].mode);
    t = next;
  }
  w_.tile(i) = t;
}

}  // namespace akgen::craft
