// How instructions of a stage are written (craft/passes/select.h).
#include <fmt/format.h>

#include "craft/passes/select.h"

namespace akgen::craft {
using base::Dtype;
using ir::Op;

StageWriter::StageWriter(LoweredKernel& k, const ir::Stmt& stage) : k_(k), s_(stage) {
  tile_.resize(size());
  last_use_.assign(size(), -1);
  for (size_t i = 0; i < size(); ++i)
    for (int a : s_.values[i].args) last_use_[a] = static_cast<int>(i);
}

// Neighbouring loops over the same rows are one loop, unless a row needs what the earlier loop
// leaves at its end.
base::Status StageWriter::Finish(StageCode& out) {
  int group = 0;
  size_t first = 0;
  for (size_t i = 0; i < out_.size(); ++i) {
    Instr& in = out_[i];
    bool joins = i > 0 && in.per_row && out_[i - 1].per_row && ir::Same(in.rows, out_[i - 1].rows);
    for (size_t j = first; joins && j < i && !in.with_previous; ++j) {
      const Tile& written = out_[j].tiles[0];
      for (const Tile& t : in.tiles)
        if (t.same_row && t.temp == written.temp && t.buffer == written.buffer) joins = false;
      for (const Tile& t : out_[j].tiles)
        if (t.same_row && t.temp == in.tiles[0].temp && t.buffer == in.tiles[0].buffer)
          joins = false;
    }
    if (!joins) {
      ++group;
      first = i;
    }
    in.group = group;
  }
  out.instrs = std::move(out_);
  return status_;
}

void StageWriter::Fail(const V& v, const std::string& what, const std::string& fix) {
  if (status_.ok())
    status_ = base::Error{"AK1520", what, fmt::format("line {}", v.place.line), fix};
}

void StageWriter::Emit(const V& shape, std::string text, std::vector<Tile> tiles,
                       std::vector<ir::S> scalars) {
  Instr in;
  in.text = std::move(text);
  in.tiles = std::move(tiles);
  in.scalars = std::move(scalars);
  in.rows = shape.rows;
  in.cols = shape.cols;
  out_.push_back(std::move(in));
}
void StageWriter::EmitRows(const V& shape, std::string text, std::vector<Tile> tiles,
                           std::vector<ir::S> scalars) {
  Emit(shape, std::move(text), std::move(tiles), std::move(scalars));
  out_.back().per_row = true;
}

Tile StageWriter::NewTile(const V& v, Dtype dtype) {
  Tile t;
  t.temp = static_cast<int>(k_.temps.size());
  t.dtype = dtype == Dtype::kBool ? Dtype::kFloat32 : dtype;
  t.most_rows = v.most_rows;
  t.most_cols = v.most_cols;
  k_.temps.push_back({t.dtype, v.most_rows, v.most_cols, -1, false});
  return t;
}

// Straight into a buffer if the next thing that happens is that it is written there and nothing
// read from that buffer is still needed by then except, element by element, by this very value.
Tile StageWriter::Dest(int i) {
  const V& v = s_.values[i];
  if (i + 1 < static_cast<int>(s_.values.size())) {
    const V& w = s_.values[i + 1];
    if (w.op == Op::kWrite && w.args[0] == i && last_use_[i] == i + 1 && ir::Same(w.rows, v.rows) &&
        ir::Same(w.cols, v.cols) && k_.kernel.buffers[w.buffer].dtype == v.dtype &&
        v.dtype != Dtype::kBool) {
      bool free = true;
      for (int j = 0; j < i; ++j)
        if (tile_[j].buffer == w.buffer && last_use_[j] >= i) free = false;
      if (free) {
        const ir::Buffer& b = k_.kernel.buffers[w.buffer];
        return {w.buffer, -1, b.dtype, false, b.rows, b.cols};
      }
    }
  }
  return NewTile(v, v.dtype);
}

bool StageWriter::SameShape(int a, const V& v) const {
  return ir::Same(s_.values[a].rows, v.rows) && ir::Same(s_.values[a].cols, v.cols);
}

Tile StageWriter::TileOf(int value) {
  if (IsSplat(value)) return Expand(value, s_.values[value]);
  return tile_[value];
}

Tile StageWriter::Expand(int a, const V& to) { return Expand(a, to, s_.values[a].dtype); }

Tile StageWriter::Expand(int a, const V& to, Dtype dtype) {
  const V& v = s_.values[a];
  if (!IsSplat(a) && SameShape(a, to)) return tile_[a];
  Tile t = NewTile(to, dtype);
  if (IsSplat(a)) {
    Emit(to,
         fmt::format("Duplicate($0, static_cast<{}>(@0), #n)",
                     dtype == Dtype::kInt32 ? "int32_t" : "float"),
         {t}, {v.scalar});
  } else if (ir::IsConst(v.rows, 1) && ir::IsConst(v.cols, 1)) {
    Tile one = tile_[a];
    Emit(to, "Duplicate($0, $1.GetValue(0), #n)", {t, one});
  } else if (dtype == Dtype::kFloat32 && !ir::IsConst(to.rows, 1)) {
    Spread(to, "kSecond", t, t, a);
  } else if (ir::IsConst(v.cols, 1)) {
    EmitRows(to, "Duplicate($0, $1.GetValue(0), #n)", {t, tile_[a]});
  } else {
    Tile row = tile_[a];
    row.same_row = true;
    EmitRows(to,
             dtype == Dtype::kInt32 ? "Adds($0, $1, static_cast<int32_t>(0), #n)"
                                    : "Muls($0, $1, 1.0f, #n)",
             {t, row});
  }
  return t;
}

// One conversion that the unit has, or a plain copy.
void StageWriter::CastStep(const V& shape, const Tile& to, const Tile& from, const char* mode) {
  if (to.dtype != from.dtype) {
    Emit(shape, fmt::format("Cast($0, $1, RoundMode::{}, #n)", mode ? mode : "CAST_NONE"),
         {to, from});
  } else if (to.dtype == Dtype::kFloat32) {
    Emit(shape, "Muls($0, $1, 1.0f, #n)", {to, from});
  } else if (to.dtype == Dtype::kInt32) {
    Emit(shape, "Adds($0, $1, static_cast<int32_t>(0), #n)", {to, from});
  } else {
    int bytes = ElementBytes(to.dtype);
    if (bytes == 1) {  // through half: in 16-bit lanes an odd last byte would share one with what
                       // nobody has written
      Tile half = NewTile(shape, Dtype::kFloat16);
      Emit(shape, "Cast($0, $1, RoundMode::CAST_NONE, #n)", {half, from});
      return Emit(shape, "Cast($0, $1, RoundMode::CAST_RINT, #n)", {to, half});
    }
    std::string lanes = fmt::format("#n * {}", bytes / 2);
    Emit(shape,
         fmt::format("Or($0.template ReinterpretCast<uint16_t>(), $1.template "
                     "ReinterpretCast<uint16_t>(), $1.template "
                     "ReinterpretCast<uint16_t>(), {})",
                     lanes),
         {to, from});
  }
}

void StageWriter::Spread(const V& v, const std::string& how, const Tile& to, const Tile& full,
                         int small) {
  const V& x = s_.values[small];
  ir::S pitch = RowPitch(k_, to.most_rows, to.most_cols);
  if (ir::IsConst(x.rows, 1))
    return Emit(v, fmt::format("RowsRow<{}>($0, $1, $2, @0, @1, @2)", how),
                {to, full, tile_[small]}, {v.rows, v.cols, pitch});
  Tile work = Scratch(*this, v), column = tile_[small];
  ir::S apart = RowPitch(k_, column.most_rows, column.most_cols);
  Emit(v, fmt::format("RowsColumn<{}>($0, $1, $2, $3, @0, @1, @2, @3)", how),
       {to, full, column, work}, {v.rows, v.cols, pitch, apart});
}

// A row, or the 4096 elements that the helpers of emit/kernel.cc ask for.
Tile Scratch(StageWriter& w, const ir::Value& over) {
  ir::Value row = over;
  row.rows = row.most_rows = ir::Int(1);
  row.most_cols = ir::Call("max", {over.most_cols, ir::Int(4096)}, ir::Ty::kInt);
  return w.NewTile(row, Dtype::kFloat32);
}

}  // namespace akgen::craft
