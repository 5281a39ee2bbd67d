#include "craft/fuzz/random_stage.h"

#include <fmt/format.h>
#include <array>
#include <string>
#include <vector>

namespace akgen::craft {
namespace {
const char* const kUnary[] = {"exp",  "log",   "sqrt",       "rsqrt",       "reciprocal", "sin",
                              "cos",  "tan",   "asin",       "acos",        "atan",       "sinh",
                              "cosh", "tanh",  "erf",        "erfc",        "sigmoid",    "floor",
                              "ceil", "trunc", "round",      "sign",        "log2",       "log10",
                              "relu", "abs",   "row_cumsum", "row_cumprod", "-"};
const char* const kCompare[] = {"==", "!=", "<", "<=", ">", ">="};
}  // namespace

void RandomStage::Grow(int operations, const std::string& in) {
  for (int i = 0; i < operations; ++i) {
    Val v = One();
    if (v.type == 0) continue;
    text += fmt::format("{}{} = {}\n", in, prefix_ + std::to_string(next_), v.name);
    v.name = prefix_ + std::to_string(next_++);
    values.push_back(v);
  }
}

Val RandomStage::Pick(bool one_row, bool one_col, const std::string& in) {
  for (size_t tries = 0; tries < values.size() * 2; ++tries) {
    const Val& v =
        values[values.size() - 1 -
               static_cast<size_t>(rng_.Below(static_cast<int>((values.size() + 1) / 2)))];
    if (v.one_row == one_row && v.one_col == one_col) return v;
  }
  for (size_t i = values.size(); i-- > 0;)
    if (values[i].one_row == one_row && values[i].one_col == one_col) return values[i];
  Val whole = values[0];
  std::string f = whole.type == 'f' ? whole.name
                  : whole.type == 'l' || whole.type == 'b'
                      ? fmt::format("cast({}, f32)", whole.name)
                      : fmt::format("({} * 1.0)", whole.name);
  text += fmt::format("{}{} = {}\n", in, prefix_ + std::to_string(next_),
                      one_col ? fmt::format("{}({})", one_row ? "all_max" : "row_max", f) : f);
  return {prefix_ + std::to_string(next_++), 'f', one_row, one_col};
}

const Val& RandomStage::Any() {
  return values[rng_.Chance(60)
                    ? values.size() - 1 -
                          rng_.Below(static_cast<int>(std::min<size_t>(3, values.size())))
                    : rng_.Below(static_cast<int>(values.size()))];
}

std::string RandomStage::Number(char type) {
  if (type == 'f' && !floats.empty() && rng_.Chance(30))
    return floats[rng_.Below(static_cast<int>(floats.size()))];
  if (!ints.empty() && rng_.Chance(30)) return ints[rng_.Below(static_cast<int>(ints.size()))];
  return type == 'f' && rng_.Chance(80) ? rng_.Of(kFloats) : rng_.Of(kInts);
}

Val RandomStage::One() {
  Val a = Any();
  int kind = rng_.Below(100);
  if (a.type == 'b') return OfBool(a, kind);
  if (kind < 30) return Unary(a);
  if (kind < 62) return Binary(a);
  if (kind < 74) return elements_alone ? Binary(a) : Reduce(a);
  if (kind < 84) return Condition(a);
  if (kind < 90) return Cast(a);
  if (elements_alone) return Unary(a);
  if (kind < 95) return Places(a);
  return Made(a);
}

Val RandomStage::Places(const Val& a) {
  if (a.one_col || (a.type != 'f' && a.type != 'i')) return {"", 0};
  if (a.type == 'f' && rng_.Chance(60)) {
    static const char* const kWindows[] = {"row_window_sum", "row_window_max", "row_window_min"};
    int size = 1 + rng_.Below(5), step = 1 + rng_.Below(3), apart = 1 + rng_.Below(3),
        before = rng_.Below(8) - 2;
    static const char* const kShapes[] = {"1, {0}, 1, {0}", "{0}, 1, 1, 1", "1, 1, {0}, 1"};
    std::string shape =
        fmt::format(fmt::runtime(rng_.Chance(70) ? kShapes[0] : rng_.Of(kShapes)), cols_);
    return {fmt::format("{}({}, {}, {}, {}, {}, {})", rng_.Of(kWindows), a.name, shape, size, step,
                        apart, before),
            'f', a.one_row, false};
  }
  std::string place = fmt::format("{1} - 1 - iota({0}, {1})", rng_.Of(kInts), cols_);
  for (const Val& b : values)
    if (b.type == 'i' && !b.one_col && rng_.Chance(50)) place = b.name;
  bool one_row = a.one_row;
  for (const Val& b : values)
    if (b.name == place) one_row = a.one_row && b.one_row;
  return {fmt::format("row_gather({}, minimum(maximum({}, 0), {} - 1))", a.name, place, cols_),
          a.type, one_row, false};
}

Val RandomStage::OfBool(const Val& a, int kind) {
  if (kind < 15) return {fmt::format("~{}", a.name), 'b', a.one_row, a.one_col};
  if (kind < 35) {
    for (const Val& b : values)
      if (b.type == 'b')
        return {fmt::format("{} {} {}", a.name, rng_.Chance(50) ? "&" : "|", b.name), 'b',
                a.one_row && b.one_row, a.one_col && b.one_col};
  }
  if (kind < 50)
    return {fmt::format("cast({}, {})", a.name, rng_.Chance(50) ? "f32" : "i32"), 0, a.one_row,
            a.one_col};
  const Val& b = Any();
  if (b.type == 'b' || b.type == 'l') return {"", 0};
  std::string other = rng_.Chance(60) ? Number(b.type) : b.name;
  if (b.type == 'i' && other.find('.') != std::string::npos) other = "1";
  for (const std::string& f : floats)
    if (b.type == 'i' && other == f) other = "1";
  return {rng_.Chance(50) ? fmt::format("where({}, {}, {})", a.name, b.name, other)
                          : fmt::format("where({}, {}, {})", a.name, other, b.name),
          b.type, a.one_row && b.one_row, a.one_col && b.one_col};
}

Val RandomStage::Unary(const Val& a) {
  std::string op = rng_.Of(kUnary);
  if (elements_alone && op.starts_with("row_")) op = "abs";
  if (a.type != 'f') op = rng_.Chance(50) ? "-" : rng_.Chance(50) ? "abs" : "relu";
  return {op == "-" ? "-" + a.name : fmt::format("{}({})", op, a.name), a.type, a.one_row,
          a.one_col};
}

Val RandomStage::Binary(const Val& a) {
  static const char* const kOps[] = {"{} + {}",         "{} - {}", "{} * {}", "maximum({}, {})",
                                     "minimum({}, {})", "{} / {}", "{} ** {}"};
  int op = rng_.Below(a.type == 'l' ? 5 : 7);
  if (op == 6 && rng_.Chance(60)) op = 0;
  if (rng_.Chance(35)) {
    std::string n = Number(a.type);
    bool real = n.find('.') != std::string::npos || n.find('e') != std::string::npos || op >= 5;
    for (const std::string& f : floats) real |= f == n;
    if (a.type == 'l' && real) return {"", 0};
    std::string text = rng_.Chance(70) ? fmt::format(fmt::runtime(kOps[op]), a.name, n)
                                       : fmt::format(fmt::runtime(kOps[op]), n, a.name);
    return {text, a.type == 'i' && real ? 'f' : a.type, a.one_row, a.one_col};
  }
  const Val& b = Any();
  if (!Fits(a, b)) return {"", 0};
  char type = a.type == 'f' || b.type == 'f' || op >= 5 ? 'f'
              : b.type == 'b'                           ? a.type
              : b.type == 'l'                           ? 'l'
                                                        : a.type;
  return {fmt::format(fmt::runtime(kOps[op]), a.name, b.name), type, a.one_row && b.one_row,
          a.one_col && b.one_col};
}

Val RandomStage::Reduce(const Val& a) {
  static const char* const kRow[] = {"row_sum",    "row_max",    "row_min",
                                     "row_argmax", "row_argmin", "row_prod"};
  static const char* const kColumn[] = {"col_sum", "col_max", "col_min", "col_prod"};
  static const char* const kAll[] = {"all_sum", "all_max", "all_min"};
  if (a.type == 'l') return {"", 0};
  std::string f = a.type == 'f' ? a.name : fmt::format("cast({}, f32)", a.name);
  int kind = rng_.Below(10);
  if (kind < 6 || rows_alone) {
    std::string op = rng_.Of(kRow);
    return {fmt::format("{}({})", op, f), op.find("arg") == std::string::npos ? 'f' : 'i',
            a.one_row, true};
  }
  if (kind < 8) return {fmt::format("{}({})", rng_.Of(kColumn), a.name), a.type, true, a.one_col};
  return {fmt::format("{}({})", rng_.Of(kAll), f), 'f', true, true};
}

Val RandomStage::Condition(const Val& a) {
  if (rng_.Chance(50)) {
    std::string n = Number(a.type);
    if (a.type != 'f') n = rng_.Of(kInts);
    return {fmt::format("{} {} {}", a.name, rng_.Of(kCompare), n), 'b', a.one_row, a.one_col};
  }
  const Val& b = Any();
  if (!Fits(a, b) || b.type == 'b') return {"", 0};
  return {fmt::format("{} {} {}", a.name, rng_.Of(kCompare), b.name), 'b', a.one_row && b.one_row,
          a.one_col && b.one_col};
}

Val RandomStage::Cast(const Val& a) {
  static const char* const kTo[] = {"f32", "f16", "bf16", "i32", "i16", "i8", "u8", "i64"};
  std::string to = rng_.Of(kTo);
  char type = to == "i64" ? 'l' : to[0] == 'f' || to[0] == 'b' ? 'f' : 'i';
  // A narrow dtype lives in a buffer only: through it and back.
  if (to == "f32" || to == "i32" || to == "i64")
    return {fmt::format("cast({}, {})", a.name, to), type, a.one_row, a.one_col};
  return {fmt::format("cast(cast({}, {}), {})", a.name, to, type == 'f' ? "f32" : "i32"), type,
          a.one_row, a.one_col};
}

Val RandomStage::Made(const Val& a) {
  if (rng_.Chance(40))
    return {fmt::format("iota({}, {})", rng_.Of(kInts), cols_), 'i', true, false};
  if (rng_.Chance(50))
    return {fmt::format("full({}, {}, {})", rows_, cols_, rng_.Of(kFloats)), 'f', rows_ == "1",
            false};
  return {fmt::format("{} * 1", a.name), a.type == 'b' ? 'i' : a.type, a.one_row, a.one_col};
}

}  // namespace akgen::craft
