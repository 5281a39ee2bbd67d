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
  for (size_t i = 0; i < w_.size() && w_.good(); ++i) One(static_cast<int>(i));
  return w_.Finish(out);
}

void Selector::Write(int i) {
  const V& w = w_.value(i);
  const ir::Buffer& b = w_.kernel().kernel.buffers[w.buffer];
  Tile to{w.buffer, -1, b.dtype, false, b.rows, b.cols};
  // What was read from the buffer and is needed later moves out of the way.
  for (int j = 0; j < i; ++j)
    if (w_.value(j).op == Op::kRead && w_.tile(j).buffer == w.buffer && w_.IsUsedAfter(j, i)) {
      Tile t = w_.NewTile(w_.value(j), w_.value(j).dtype);
      w_.CastStep(w_.value(j), t, w_.tile(j), nullptr);
      w_.tile(j) = t;
    }
  const V& v = w_.value(w.args[0]);
  if (!w_.IsSplat(w.args[0]) && w_.tile(w.args[0]).buffer == w.buffer)
    return;  // went there at once
  if (w_.IsSplat(w.args[0])) {
    if (ElementBytes(b.dtype) == 1 || b.dtype == Dtype::kInt64)
      return w_.Fail(w,
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
    return w_.Emit(w, fmt::format("Duplicate($0, {}, #n)", value), {to}, {v.scalar});
  }
  Tile from = w_.SameShape(w.args[0], w) ? w_.tile(w.args[0]) : w_.Expand(w.args[0], w);
  if (b.dtype != Dtype::kBool) return w_.CastStep(w, to, from, nullptr);
  to.dtype = Dtype::kUint8;
  Tile half = w_.NewTile(w, Dtype::kFloat16);
  w_.CastStep(w, half, from, "CAST_RINT");
  w_.CastStep(w, to, half, "CAST_RINT");
}

void Selector::One(int i) {
  const V& v = w_.value(i);
  switch (v.op) {
    case Op::kRead: {
      const ir::Buffer& b = w_.kernel().kernel.buffers[v.buffer];
      w_.tile(i) = {v.buffer, -1, b.dtype, false, b.rows, b.cols};
      if (b.dtype != Dtype::kBool) return;
      // Bytes in memory, 0.0 and 1.0 in compute.
      Tile half = w_.NewTile(v, Dtype::kFloat16), wide = w_.NewTile(v, Dtype::kFloat32),
           bytes = w_.tile(i);
      bytes.dtype = Dtype::kUint8;
      w_.CastStep(v, half, bytes, nullptr);
      w_.CastStep(v, wide, half, nullptr);
      w_.tile(i) = wide;
      return;
    }
    case Op::kSplat: return;
    case Op::kWrite: return Write(i);
    case Op::k_where: return masks_.Where(i);
    case Op::k_row_gather: return reductions_.Gather(i);
    case Op::k_row_window_sum:
    case Op::k_row_window_max:
    case Op::k_row_window_min: return reductions_.Windows(i);
    case Op::k_cast: return arithmetic_.Cast(i);
    case Op::k_full:
      w_.tile(i) = w_.Dest(i);
      if (v.dtype == Dtype::kInt64)
        return w_.EmitRows(v, "FillLong($0, @0, #n)", {w_.tile(i)}, {v.scalar});
      return w_.Emit(v,
                     fmt::format("Duplicate($0, static_cast<{}>(@0), #n)",
                                 v.dtype == Dtype::kInt32 ? "int32_t" : "float"),
                     {w_.tile(i)}, {v.scalar});
    case Op::k_iota:
      w_.tile(i) = w_.Dest(i);
      return w_.Emit(v, "CreateVecIndex($0, static_cast<int32_t>(@0), #n)", {w_.tile(i)},
                     {v.scalar});
    default: break;
  }
  switch (ir::KindOf(v.op)) {
    case OpKind::unary: return arithmetic_.Unary(i);
    case OpKind::binary: return arithmetic_.Binary(i);
    case OpKind::compare: return masks_.Compare(i);
    case OpKind::logic: return masks_.Logic(i);
    case OpKind::row: return reductions_.RowReduce(i);
    case OpKind::column: return reductions_.ColumnReduce(i);
    case OpKind::all: return reductions_.AllReduce(i);
    case OpKind::scan: return reductions_.Scan(i);
    default: return w_.Fail(v, fmt::format("{}() cannot be lowered", ir::NameOf(v.op)), "");
  }
}

}  // namespace akgen::craft
