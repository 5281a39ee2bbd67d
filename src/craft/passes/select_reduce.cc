// Reductions: along the columns of each row, along the rows, over both.
#include <fmt/format.h>

#include "craft/passes/select.h"

namespace akgen::craft {
using base::Dtype;
using ir::Op;

void ReductionSelector::RowReduce(int i) {
  const V& v = w_.value(i);
  const V& x = w_.value(v.args[0]);
  if (x.dtype != Dtype::kFloat32) return WholeReduce(i);
  if (v.op == Op::k_row_prod) {
    Tile running = w_.NewTile(x, Dtype::kFloat32), d = w_.NewTile(v, v.dtype);
    Running(i, running, true);
    w_.EmitRows(x, "$0.SetValue(0, $1.GetValue(#n - 1))", {d, running});
    w_.last().with_previous = true;
    w_.tile(i) = d;
    return;
  }
  Tile src = w_.TileOf(v.args[0]);
  V row = x;
  row.rows = row.most_rows = ir::Int(1);
  bool index = v.op == Op::k_row_argmax || v.op == Op::k_row_argmin;
  Tile work = index || ir::IsConst(x.rows, 1) ? w_.NewTile(row, Dtype::kFloat32) : Scratch(w_, x);
  work.same_row = true;
  if (!index) {
    Tile d = w_.Dest(i);
    const char* how = v.op == Op::k_row_sum ? "kAdd" : v.op == Op::k_row_max ? "kMax" : "kMin";
    w_.Emit(x, fmt::format("RowsReduce<{}>($0, $1, $2, @0, @1, @2, @3)", how), {d, src, work},
            {x.rows, x.cols, RowPitch(w_.kernel(), src.most_rows, src.most_cols),
             RowPitch(w_.kernel(), d.most_rows, d.most_cols)});
    w_.tile(i) = d;
    return;
  }
  V extent = x;  // an instruction for each row, over its columns
  V pair = v;
  pair.rows = pair.most_rows = ir::Int(1);
  pair.cols = pair.most_cols = ir::Int(8);
  Tile found = w_.NewTile(pair, Dtype::kFloat32);  // value and, as bits, index
  found.same_row = true;
  Tile d = w_.NewTile(v, Dtype::kInt32);
  w_.EmitRows(
      extent,
      fmt::format("{}($0, $1, $2, #n, true)", v.op == Op::k_row_argmax ? "ReduceMax" : "ReduceMin"),
      {found, src, work});
  w_.EmitRows(extent, "$0.SetValue(0, $1.template ReinterpretCast<int32_t>().GetValue(1))",
              {d, found});
  w_.last().with_previous = true;
  w_.tile(i) = d;
}

// Of integers, on the scalar unit.
void ReductionSelector::WholeReduce(int i) {
  const V& v = w_.value(i);
  const V& x = w_.value(v.args[0]);
  const ir::OpKind kind = ir::KindOf(v.op);
  const char* how = v.op == Op::k_row_sum || v.op == Op::k_col_sum || v.op == Op::k_all_sum ? "kAdd"
                    : v.op == Op::k_row_max || v.op == Op::k_col_max || v.op == Op::k_all_max
                        ? "kMax"
                    : v.op == Op::k_col_prod ? "kMul"
                                             : "kMin";
  Tile src = w_.TileOf(v.args[0]), d = w_.NewTile(v, v.dtype);
  w_.tile(i) = d;
  w_.Emit(x,
          fmt::format("Whole{}<{}>($0, $1, @0, @1, @2, @3)",
                      kind == ir::OpKind::row      ? "Rows"
                      : kind == ir::OpKind::column ? "Columns"
                                                   : "All",
                      how),
          {d, src},
          {x.rows, x.cols, RowPitch(w_.kernel(), src.most_rows, src.most_cols),
           RowPitch(w_.kernel(), d.most_rows, d.most_cols)});
}

// dst (one row) = src[0] op src[1] op …
void ReductionSelector::ColumnInto(Tile dst, const Tile& src, const V& from,
                                   const std::string& api) {
  if (from.dtype == Dtype::kFloat32 && !ir::IsConst(from.rows, 1)) {
    return w_.Emit(from, fmt::format("ColumnsReduce<k{}>($0, $1, $2, @0, @1, @2)", api),
                   {dst, src, Scratch(w_, from)},
                   {from.rows, from.cols, RowPitch(w_.kernel(), src.most_rows, src.most_cols)});
  }
  V row = from;
  row.rows = ir::Int(1);
  Tile first = src;
  w_.Emit(row,
          from.dtype == Dtype::kInt32 ? "Adds($0, $1, static_cast<int32_t>(0), #n)"
                                      : "Muls($0, $1, 1.0f, #n)",
          {dst, first});
  dst.same_row = true;
  w_.EmitRows(from, fmt::format("if (#r > 0) {}($0, $1, $2, #n)", api), {dst, dst, src});
}

void ReductionSelector::ColumnReduce(int i) {
  const V& v = w_.value(i);
  const V& x = w_.value(v.args[0]);
  if (x.dtype == Dtype::kInt64) return WholeReduce(i);
  const char* api = v.op == Op::k_col_sum   ? "Add"
                    : v.op == Op::k_col_max ? "Max"
                    : v.op == Op::k_col_min ? "Min"
                                            : "Mul";
  Tile src = w_.TileOf(v.args[0]);
  w_.tile(i) = w_.NewTile(v, v.dtype);
  ColumnInto(w_.tile(i), src, x, api);
}

void ReductionSelector::AllReduce(int i) {
  const V& v = w_.value(i);
  const V& x = w_.value(v.args[0]);
  if (x.dtype != Dtype::kFloat32) return WholeReduce(i);
  bool sum = v.op == Op::k_all_sum, most = v.op == Op::k_all_max;
  Tile src = w_.TileOf(v.args[0]);
  V row = x;
  row.rows = row.most_rows = ir::Int(1);
  if (!ir::IsConst(x.rows, 1)) {
    Tile joined = w_.NewTile(row, x.dtype);
    ColumnInto(joined, src, x, sum ? "Add" : most ? "Max" : "Min");
    src = joined;
  }
  Tile work = w_.NewTile(row, Dtype::kFloat32);
  w_.tile(i) = w_.NewTile(v, v.dtype);
  w_.Emit(row,
          fmt::format("{}($0, $1, $2, #n)", sum    ? "ReduceSum"
                                            : most ? "ReduceMax"
                                                   : "ReduceMin"),
          {w_.tile(i), src, work});
}

// 16 rows at once, up to 512 columns at once (emit/lanes.cc).
void ReductionSelector::Running(int i, const Tile& d, bool product) {
  const V& x = w_.value(w_.value(i).args[0]);
  Tile src = w_.TileOf(w_.value(i).args[0]);
  V work = x;
  work.rows = work.most_rows = ir::Int(1);
  ir::S most = ir::Min(ir::Mul(ir::CeilDiv(x.most_cols, ir::Int(8)), ir::Int(8)), ir::Int(512));
  work.most_cols =
      ir::Add(ir::Mul(most, ir::Int(product ? 20 : 37)), ir::Int(product ? 1280 : 2816));
  w_.Emit(x, fmt::format("Lanes{}($0, $1, $2, @0, @1, @2, @3)", product ? "Product" : "Sum"),
          {d, src, w_.NewTile(work, Dtype::kFloat32)},
          {x.rows, x.cols, RowPitch(w_.kernel(), src.most_rows, src.most_cols),
           RowPitch(w_.kernel(), d.most_rows, d.most_cols)});
}

void ReductionSelector::Scan(int i) {
  Tile d = w_.Dest(i);
  Running(i, d, w_.value(i).op == Op::k_row_cumprod);
  w_.tile(i) = d;
}

// 16 rows at once, turned and turned back.
void ReductionSelector::Windows(int i) {
  const V& v = w_.value(i);
  const V& x = w_.value(v.args[0]);
  Tile src = w_.TileOf(v.args[0]), d = w_.Dest(i);
  auto places = [](const ir::S& cols) {
    return ir::Mul(ir::CeilDiv(cols, ir::Int(8)), ir::Int(128));
  };
  V work = x;
  work.rows = work.most_rows = ir::Int(1);
  work.most_cols = ir::Add(ir::Add(places(x.most_cols), places(v.most_cols)), ir::Int(128));
  const char* how = v.op == Op::k_row_window_sum   ? "kAdd"
                    : v.op == Op::k_row_window_max ? "kMax"
                                                   : "kMin";
  std::vector<ir::S> scalars = {x.rows, RowPitch(w_.kernel(), src.most_rows, src.most_cols),
                                RowPitch(w_.kernel(), d.most_rows, d.most_cols)};
  scalars.insert(scalars.end(), v.numbers.begin(), v.numbers.end());
  w_.Emit(
      v,
      fmt::format("LanesWindow<{}>($0, $1, $2, @0, @1, @2, @3, @4, @5, @6, @7, @8, @9, @10)", how),
      {d, src, w_.NewTile(work, Dtype::kFloat32)}, scalars);
  w_.tile(i) = d;
}

void ReductionSelector::Gather(int i) {
  const V& v = w_.value(i);
  const V& places = w_.value(v.args[1]);
  Tile offset = w_.NewTile(places, Dtype::kInt32), src = w_.TileOf(v.args[0]);
  w_.Emit(places, "Muls($0, $1, static_cast<int32_t>(4), #n)", {offset, w_.TileOf(v.args[1])});
  offset.same_row = ir::IsConst(places.rows, 1);
  src.same_row = ir::IsConst(w_.value(v.args[0]).rows, 1) && !ir::IsConst(v.rows, 1);
  w_.tile(i) = w_.NewTile(v, v.dtype);
  w_.EmitRows(v, "Gather($0, $1, $2.template ReinterpretCast<uint32_t>(), 0, #n)",
              {w_.tile(i), src, offset});
}

}  // namespace akgen::craft
