// Conditions. A bool value is a tile of 0.0 and 1.0; where it only chooses, its bits are used at
// once.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "craft/passes/select.h"

namespace akgen::craft {
using base::Dtype;
using ir::Op;

// Bits of `condition` over `shape`; inverted: they are set where the condition does not hold.
Tile MaskSelector::Bits(int condition, const V& shape, bool& inverted) {
  const V& c = w_.value(condition);
  inverted = false;
  Tile bits = w_.NewTile(shape, Dtype::kUint8);
  w_.kernel().temps[bits.temp].bits = true;
  auto emit = [&](std::string text, std::vector<Tile> tiles, std::vector<ir::S> scalars = {}) {
    w_.Emit(shape, std::move(text), std::move(tiles), std::move(scalars));
    w_.last().round64 = true;
  };
  bool compare = ir::KindOf(c.op) == ir::OpKind::compare && w_.SameShape(condition, shape);
  Dtype d = compare ? w_.value(c.args[0]).dtype : Dtype::kFloat32;
  if (compare && (d == Dtype::kFloat32 || d == Dtype::kBool)) {
    static const std::map<Op, const char*> kModes = {{Op::k_eq, "EQ"}, {Op::k_ne, "EQ"},
                                                     {Op::k_lt, "LT"}, {Op::k_le, "LE"},
                                                     {Op::k_gt, "GT"}, {Op::k_ge, "GE"}};
    inverted = c.op == Op::k_ne;  // NE of the unit is false for NaN
    std::string mode = kModes.at(c.op);
    if (w_.IsSplat(c.args[1])) {
      Tile x = w_.Expand(c.args[0], shape);
      emit(fmt::format("CompareScalar($0, $1, static_cast<float>(@0), CMPMODE::{}, #n)", mode),
           {bits, x}, {w_.value(c.args[1]).scalar});
    } else {
      Tile x = w_.Expand(c.args[0], shape), y = w_.Expand(c.args[1], shape);
      emit(fmt::format("Compare($0, $1, $2, CMPMODE::{}, #n)", mode), {bits, x, y});
    }
    return bits;
  }
  if (compare && d == Dtype::kInt32) {
    // The unit tells only whether 32-bit integers are equal: a >= b is max(a, b) == a.
    Tile x = w_.Expand(c.args[0], shape), y = w_.Expand(c.args[1], shape);
    inverted = c.op == Op::k_ne || c.op == Op::k_lt || c.op == Op::k_gt;
    if (c.op != Op::k_eq && c.op != Op::k_ne) {
      Tile m = w_.NewTile(shape, Dtype::kInt32);
      w_.Emit(
          shape,
          fmt::format("{}($0, $1, $2, #n)", c.op == Op::k_ge || c.op == Op::k_lt ? "Max" : "Min"),
          {m, x, y});
      y = m;
    }
    emit("Compare($0, $1, $2, CMPMODE::EQ, #n)", {bits, x, y});
    return bits;
  }
  Tile x = w_.Expand(condition, shape, Dtype::kFloat32);
  inverted = true;
  emit("CompareScalar($0, $1, 0.0f, CMPMODE::EQ, #n)", {bits, x});
  return bits;
}

void MaskSelector::Compare(int i) {
  const V& v = w_.value(i);
  if (w_.value(v.args[0]).dtype == Dtype::kInt64) {
    static const std::map<Op, const char*> kOps = {{Op::k_eq, "=="}, {Op::k_ne, "!="},
                                                   {Op::k_lt, "<"},  {Op::k_le, "<="},
                                                   {Op::k_gt, ">"},  {Op::k_ge, ">="}};
    Tile t = w_.NewTile(v, Dtype::kBool);
    std::vector<Tile> tiles = {t};
    std::vector<ir::S> scalars;
    std::string x[2];
    for (int n = 0; n < 2; ++n) {
      if (w_.IsSplat(v.args[n])) {
        x[n] = fmt::format("static_cast<int64_t>(@{})", scalars.size());
        scalars.push_back(w_.value(v.args[n]).scalar);
      } else if (w_.SameShape(v.args[n], v)) {
        x[n] = fmt::format("${}.GetValue(i)", tiles.size());
        tiles.push_back(w_.tile(v.args[n]));
      } else {
        return w_.Fail(v, "i64 tiles of different shapes are compared", "give both the same shape");
      }
    }
    w_.EmitRows(
        v,
        fmt::format("for (int64_t i = 0; i < #n; ++i) $0.SetValue(i, {} {} {} ? 1.0f : 0.0f)", x[0],
                    kOps.at(v.op), x[1]),
        tiles, scalars);
    w_.tile(i) = t;
    return;
  }
  // Nobody but where() wants it: it takes the bits itself.
  bool chooses_only = true;
  for (size_t j = i + 1; j < w_.size(); ++j)
    for (size_t n = 0; n < w_.value(j).args.size(); ++n)
      if (w_.value(j).args[n] == i &&
          !(w_.value(j).op == Op::k_where && n == 0 && w_.SameShape(i, w_.value(j))))
        chooses_only = false;
  if (chooses_only) return;
  bool inverted = false;
  Tile bits = Bits(i, v, inverted);
  Tile t = w_.NewTile(v, Dtype::kBool);
  w_.Emit(v, fmt::format("Duplicate($0, {}, #n)", inverted ? "0.0f" : "1.0f"), {t});
  w_.Emit(v,
          fmt::format("Select($0, $1, $2, {}, SELMODE::VSEL_TENSOR_SCALAR_MODE, #n)",
                      inverted ? "1.0f" : "0.0f"),
          {t, bits, t});
  w_.tile(i) = t;
}

void MaskSelector::Where(int i) {
  const V& v = w_.value(i);
  if (v.dtype == Dtype::kInt64) {
    Tile c = w_.Expand(v.args[0], v, Dtype::kFloat32);
    std::vector<Tile> tiles = {w_.NewTile(v, v.dtype), c};
    std::vector<ir::S> scalars;
    std::string x[2];
    for (int n = 0; n < 2; ++n) {
      int a = v.args[n + 1];
      if (w_.IsSplat(a)) {
        x[n] = fmt::format("static_cast<int64_t>(@{})", scalars.size());
        scalars.push_back(w_.value(a).scalar);
      } else {
        if (!w_.SameShape(a, v))
          return w_.Fail(v, "i64 tiles of different shapes are chosen from",
                         "give both the same shape");
        x[n] = fmt::format("${}.GetValue(i)", tiles.size());
        tiles.push_back(w_.tile(a));
      }
    }
    w_.tile(i) = tiles[0];
    return w_.EmitRows(
        v,
        fmt::format(
            "for (int64_t i = 0; i < #n; ++i) $0.SetValue(i, $1.GetValue(i) != 0.0f ? {} : {})",
            x[0], x[1]),
        tiles, scalars);
  }
  bool inverted = false;
  Tile a = w_.Expand(v.args[1], v), b = w_.Expand(v.args[2], v);
  Tile bits = Bits(v.args[0], v, inverted);
  if (inverted) std::swap(a, b);
  Tile d = w_.Dest(i);
  std::string as =
      v.dtype == Dtype::kInt32 ? ".template ReinterpretCast<float>()" : "";  // moves bits
  w_.Emit(v,
          fmt::format("Select($0{0}, $1, $2{0}, $3{0}, SELMODE::VSEL_TENSOR_TENSOR_MODE, #n)", as),
          {d, bits, a, b});
  w_.tile(i) = d;
}

void MaskSelector::Logic(int i) {
  const V& v = w_.value(i);
  Tile a = w_.Expand(v.args[0], v, Dtype::kFloat32);
  if (v.op == Op::k_logical_not) {
    Tile d = w_.NewTile(v, Dtype::kBool);
    w_.Emit(v, "Muls($0, $1, -1.0f, #n)", {d, a});
    w_.Emit(v, "Adds($0, $1, 1.0f, #n)", {d, d});
    w_.tile(i) = d;
    return;
  }
  Tile b = w_.Expand(v.args[1], v, Dtype::kFloat32);
  w_.tile(i) = w_.NewTile(v, Dtype::kBool);
  w_.Emit(v, fmt::format("{}($0, $1, $2, #n)", v.op == Op::k_logical_and ? "Mul" : "Max"),
          {w_.tile(i), a, b});
}

}  // namespace akgen::craft
