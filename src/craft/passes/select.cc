#include "craft/passes/select.h"

#include <fmt/format.h>

namespace akgen::craft {
using base::Dtype;
using ir::Op;
using ir::OpKind;

base::Status SelectInstructions(LoweredKernel& k) {
  std::function<base::Status(const ir::Block&)> walk = [&](const ir::Block& b) -> base::Status {
    for (const auto& s : b) {
      for (const auto* inner : {&s->body, &s->other})
        if (auto st = walk(*inner); !st.ok()) return st;
      if (s->kind == ir::Stmt::kStage && s->stage == ir::StageKind::kCompute)
        if (auto st = Selector(k, *s).Run(k.code[s.get()]); !st.ok()) return st;
    }
    return {};
  };
  return walk(k.kernel.body);
}

base::Status Selector::Run(StageCode& out) {
  size_t n = s_.values.size();
  tile_.resize(n);
  last_use_.assign(n, -1);
  for (size_t i = 0; i < n; ++i)
    for (int a : s_.values[i].args) last_use_[a] = static_cast<int>(i);
  for (size_t i = 0; i < n && status_.ok(); ++i) One(static_cast<int>(i));
  Group();
  out.instrs = std::move(out_);
  return status_;
}

// Neighbouring loops over the same rows are one loop, unless a row needs what the earlier loop
// leaves at its end.
void Selector::Group() {
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
}

void Selector::Fail(const V& v, const std::string& what, const std::string& fix) {
  if (status_.ok())
    status_ = base::Error{"AK1520", what, fmt::format("line {}", v.place.line), fix};
}

void Selector::Emit(const V& shape, std::string text, std::vector<Tile> tiles,
                    std::vector<ir::S> scalars) {
  Instr in;
  in.text = std::move(text);
  in.tiles = std::move(tiles);
  in.scalars = std::move(scalars);
  in.rows = shape.rows;
  in.cols = shape.cols;
  out_.push_back(std::move(in));
}
void Selector::EmitRows(const V& shape, std::string text, std::vector<Tile> tiles,
                        std::vector<ir::S> scalars) {
  Emit(shape, std::move(text), std::move(tiles), std::move(scalars));
  out_.back().per_row = true;
}

Tile Selector::NewTile(const V& v, Dtype dtype) {
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
Tile Selector::Dest(int i) {
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

bool Selector::SameShape(int a, const V& v) const {
  return ir::Same(s_.values[a].rows, v.rows) && ir::Same(s_.values[a].cols, v.cols);
}

Tile Selector::TileOf(int value) {
  if (IsSplat(value)) return Expand(value, s_.values[value]);
  return tile_[value];
}

Tile Selector::Expand(int a, const V& to) { return Expand(a, to, s_.values[a].dtype); }

Tile Selector::Expand(int a, const V& to, Dtype dtype) {
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
    RowForm(to, "kSecond", t, t, a);
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

void Selector::Write(int i) {
  const V& w = s_.values[i];
  const ir::Buffer& b = k_.kernel.buffers[w.buffer];
  Tile to{w.buffer, -1, b.dtype, false, b.rows, b.cols};
  // What was read from the buffer and is needed later moves out of the way.
  for (int j = 0; j < i; ++j)
    if (s_.values[j].op == Op::kRead && tile_[j].buffer == w.buffer && last_use_[j] > i) {
      Tile t = NewTile(s_.values[j], s_.values[j].dtype);
      CastStep(s_.values[j], t, tile_[j], nullptr);
      tile_[j] = t;
    }
  const V& v = s_.values[w.args[0]];
  if (!IsSplat(w.args[0]) && tile_[w.args[0]].buffer == w.buffer) return;  // went there at once
  if (IsSplat(w.args[0])) {
    if (ElementBytes(b.dtype) == 1 || b.dtype == Dtype::kInt64)
      return Fail(w,
                  fmt::format("{} cannot be filled: there is no Duplicate for {}", b.name,
                              ir::ShortName(b.dtype)),
                  "write cast(full(...), dtype)");
    static const std::map<Dtype, const char*> kTypes = {{Dtype::kFloat32, "float"},
                                                        {Dtype::kInt32, "int32_t"},
                                                        {Dtype::kFloat16, "half"},
                                                        {Dtype::kInt16, "int16_t"},
                                                        {Dtype::kBfloat16, "bfloat16_t"}};
    std::string value = b.dtype == Dtype::kBfloat16
                            ? "ToBfloat16(@0)"
                            : fmt::format("static_cast<{}>(@0)", kTypes.at(b.dtype));
    return Emit(w, fmt::format("Duplicate($0, {}, #n)", value), {to}, {v.scalar});
  }
  Tile from = SameShape(w.args[0], w) ? tile_[w.args[0]] : Expand(w.args[0], w);
  if (b.dtype != Dtype::kBool) return CastStep(w, to, from, nullptr);
  to.dtype = Dtype::kUint8;
  Tile half = NewTile(w, Dtype::kFloat16);
  CastStep(w, half, from, "CAST_RINT");
  CastStep(w, to, half, "CAST_RINT");
}

void Selector::One(int i) {
  const V& v = s_.values[i];
  switch (v.op) {
    case Op::kRead: {
      const ir::Buffer& b = k_.kernel.buffers[v.buffer];
      tile_[i] = {v.buffer, -1, b.dtype, false, b.rows, b.cols};
      if (b.dtype != Dtype::kBool) return;
      // Bytes in memory, 0.0 and 1.0 in compute.
      Tile half = NewTile(v, Dtype::kFloat16), wide = NewTile(v, Dtype::kFloat32), bytes = tile_[i];
      bytes.dtype = Dtype::kUint8;
      CastStep(v, half, bytes, nullptr);
      CastStep(v, wide, half, nullptr);
      tile_[i] = wide;
      return;
    }
    case Op::kSplat: return;
    case Op::kWrite: return Write(i);
    case Op::k_where: return Where(i);
    case Op::k_row_gather: return Gather(i);
    case Op::k_row_window_sum:
    case Op::k_row_window_max:
    case Op::k_row_window_min: return Windows(i);
    case Op::k_cast: return Cast(i);
    case Op::k_full:
      tile_[i] = Dest(i);
      if (v.dtype == Dtype::kInt64)
        return EmitRows(v, "FillLong($0, @0, #n)", {tile_[i]}, {v.scalar});
      return Emit(v,
                  fmt::format("Duplicate($0, static_cast<{}>(@0), #n)",
                              v.dtype == Dtype::kInt32 ? "int32_t" : "float"),
                  {tile_[i]}, {v.scalar});
    case Op::k_iota:
      tile_[i] = Dest(i);
      return Emit(v, "CreateVecIndex($0, static_cast<int32_t>(@0), #n)", {tile_[i]}, {v.scalar});
    default: break;
  }
  switch (ir::KindOf(v.op)) {
    case OpKind::unary: return Unary(i);
    case OpKind::binary: return Binary(i);
    case OpKind::compare: return Compare(i);
    case OpKind::logic: return Logic(i);
    case OpKind::row: return RowReduce(i);
    case OpKind::column: return ColumnReduce(i);
    case OpKind::all: return AllReduce(i);
    case OpKind::scan: return Scan(i);
    default: return Fail(v, fmt::format("{}() cannot be lowered", ir::NameOf(v.op)), "");
  }
}

}  // namespace akgen::craft
