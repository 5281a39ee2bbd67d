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
Tile Selector::Bits(int condition, const V& shape, bool& inverted) {
  const V& c = s_.values[condition];
  inverted = false;
  Tile bits = NewTile(shape, Dtype::kUint8);
  k_.temps[bits.temp].bits = true;
  auto emit = [&](std::string text, std::vector<Tile> tiles, std::vector<ir::S> scalars = {}) {
    Emit(shape, std::move(text), std::move(tiles), std::move(scalars));
    out_.back().round64 = true;
  };
  bool compare = ir::KindOf(c.op) == ir::OpKind::compare && SameShape(condition, shape);
  Dtype d = compare ? s_.values[c.args[0]].dtype : Dtype::kFloat32;
  if (compare && (d == Dtype::kFloat32 || d == Dtype::kBool)) {
    static const std::map<Op, const char*> kModes = {{Op::k_eq, "EQ"}, {Op::k_ne, "EQ"},
                                                     {Op::k_lt, "LT"}, {Op::k_le, "LE"},
                                                     {Op::k_gt, "GT"}, {Op::k_ge, "GE"}};
    inverted = c.op == Op::k_ne;  // NE of the unit is false for NaN
    std::string mode = kModes.at(c.op);
    if (IsSplat(c.args[1])) {
      Tile x = Expand(c.args[0], shape);
      emit(fmt::format("CompareScalar($0, $1, static_cast<float>(@0), CMPMODE::{}, #n)", mode),
           {bits, x}, {s_.values[c.args[1]].scalar});
    } else {
      Tile x = Expand(c.args[0], shape), y = Expand(c.args[1], shape);
      emit(fmt::format("Compare($0, $1, $2, CMPMODE::{}, #n)", mode), {bits, x, y});
    }
    return bits;
  }
  if (compare && d == Dtype::kInt32) {
    // The unit tells only whether 32-bit integers are equal: a >= b is max(a, b) == a.
    Tile x = Expand(c.args[0], shape), y = Expand(c.args[1], shape);
    inverted = c.op == Op::k_ne || c.op == Op::k_lt || c.op == Op::k_gt;
    if (c.op != Op::k_eq && c.op != Op::k_ne) {
      Tile m = NewTile(shape, Dtype::kInt32);
      Emit(shape,
           fmt::format("{}($0, $1, $2, #n)", c.op == Op::k_ge || c.op == Op::k_lt ? "Max" : "Min"),
           {m, x, y});
      y = m;
    }
    emit("Compare($0, $1, $2, CMPMODE::EQ, #n)", {bits, x, y});
    return bits;
  }
  Tile x = Expand(condition, shape, Dtype::kFloat32);
  inverted = true;
  emit("CompareScalar($0, $1, 0.0f, CMPMODE::EQ, #n)", {bits, x});
  return bits;
}

void Selector::Compare(int i) {
  const V& v = s_.values[i];
  if (s_.values[v.args[0]].dtype == Dtype::kInt64) {
    static const std::map<Op, const char*> kOps = {{Op::k_eq, "=="}, {Op::k_ne, "!="},
                                                   {Op::k_lt, "<"},  {Op::k_le, "<="},
                                                   {Op::k_gt, ">"},  {Op::k_ge, ">="}};
    Tile t = NewTile(v, Dtype::kBool);
    std::vector<Tile> tiles = {t};
    std::vector<ir::S> scalars;
    std::string x[2];
    for (int n = 0; n < 2; ++n) {
      if (IsSplat(v.args[n])) {
        x[n] = fmt::format("static_cast<int64_t>(@{})", scalars.size());
        scalars.push_back(s_.values[v.args[n]].scalar);
      } else if (SameShape(v.args[n], v)) {
        x[n] = fmt::format("${}.GetValue(i)", tiles.size());
        tiles.push_back(tile_[v.args[n]]);
      } else {
        return Fail(v, "i64 tiles of different shapes are compared", "give both the same shape");
      }
    }
    EmitRows(v,
             fmt::format("for (int64_t i = 0; i < #n; ++i) $0.SetValue(i, {} {} {} ? 1.0f : 0.0f)",
                         x[0], kOps.at(v.op), x[1]),
             tiles, scalars);
    tile_[i] = t;
    return;
  }
  // Nobody but where() wants it: it takes the bits itself.
  bool chooses_only = true;
  for (size_t j = i + 1; j < s_.values.size(); ++j)
    for (size_t n = 0; n < s_.values[j].args.size(); ++n)
      if (s_.values[j].args[n] == i &&
          !(s_.values[j].op == Op::k_where && n == 0 && SameShape(i, s_.values[j])))
        chooses_only = false;
  if (chooses_only) return;
  bool inverted = false;
  Tile bits = Bits(i, v, inverted);
  Tile t = NewTile(v, Dtype::kBool);
  Emit(v, fmt::format("Duplicate($0, {}, #n)", inverted ? "0.0f" : "1.0f"), {t});
  Emit(v,
       fmt::format("Select($0, $1, $2, {}, SELMODE::VSEL_TENSOR_SCALAR_MODE, #n)",
                   inverted ? "1.0f" : "0.0f"),
       {t, bits, t});
  tile_[i] = t;
}

void Selector::Where(int i) {
  const V& v = s_.values[i];
  if (v.dtype == Dtype::kInt64) {
    Tile c = Expand(v.args[0], v, Dtype::kFloat32);
    std::vector<Tile> tiles = {NewTile(v, v.dtype), c};
    std::vector<ir::S> scalars;
    std::string x[2];
    for (int n = 0; n < 2; ++n) {
      int a = v.args[n + 1];
      if (IsSplat(a)) {
        x[n] = fmt::format("static_cast<int64_t>(@{})", scalars.size());
        scalars.push_back(s_.values[a].scalar);
      } else {
        if (!SameShape(a, v))
          return Fail(v, "i64 tiles of different shapes are chosen from",
                      "give both the same shape");
        x[n] = fmt::format("${}.GetValue(i)", tiles.size());
        tiles.push_back(tile_[a]);
      }
    }
    tile_[i] = tiles[0];
    return EmitRows(
        v,
        fmt::format(
            "for (int64_t i = 0; i < #n; ++i) $0.SetValue(i, $1.GetValue(i) != 0.0f ? {} : {})",
            x[0], x[1]),
        tiles, scalars);
  }
  bool inverted = false;
  Tile a = Expand(v.args[1], v), b = Expand(v.args[2], v);
  Tile bits = Bits(v.args[0], v, inverted);
  if (inverted) std::swap(a, b);
  Tile d = Dest(i);
  std::string as =
      v.dtype == Dtype::kInt32 ? ".template ReinterpretCast<float>()" : "";  // moves bits
  Emit(v, fmt::format("Select($0{0}, $1, $2{0}, $3{0}, SELMODE::VSEL_TENSOR_TENSOR_MODE, #n)", as),
       {d, bits, a, b});
  tile_[i] = d;
}

void Selector::Logic(int i) {
  const V& v = s_.values[i];
  Tile a = Expand(v.args[0], v, Dtype::kFloat32);
  if (v.op == Op::k_logical_not) {
    Tile d = NewTile(v, Dtype::kBool);
    Emit(v, "Muls($0, $1, -1.0f, #n)", {d, a});
    Emit(v, "Adds($0, $1, 1.0f, #n)", {d, d});
    tile_[i] = d;
    return;
  }
  Tile b = Expand(v.args[1], v, Dtype::kFloat32);
  tile_[i] = NewTile(v, Dtype::kBool);
  Emit(v, fmt::format("{}($0, $1, $2, #n)", v.op == Op::k_logical_and ? "Mul" : "Max"),
       {tile_[i], a, b});
}

}  // namespace akgen::craft
