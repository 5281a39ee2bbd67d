#include "standins.h"

#include <algorithm>

#include "standin_parts.h"

namespace akgen::calibration {

uint32_t BytesOf(Type t) {
  switch (t) {
    case Type::none: return 0;
    case Type::int8: return 1;
    case Type::float32: return 4;
    default: return 2;
  }
}

namespace {
void Widen(const LocalTensor<float>& to, const LocalTensor<float>& from, uint32_t n) {
  Adds(to, from, 0.0f, n);
}
template <typename T>
void Widen(const LocalTensor<float>& to, const LocalTensor<T>& from, uint32_t n) {
  Cast(to, from, RoundMode::CAST_NONE, n);
}
void Narrow(const LocalTensor<float>& to, const LocalTensor<float>& from, uint32_t n) {
  Adds(to, from, 0.0f, n);
}
template <typename T>
void Narrow(const LocalTensor<T>& to, const LocalTensor<float>& from, uint32_t n) {
  Cast(to, from, RoundMode::CAST_RINT, n);
}
// int8 goes through half.
void Narrow8(const LocalTensor<int8_t>& to, const LocalTensor<float>& from, uint32_t n) {
  LocalTensor<half> h = from.ReinterpretCast<half>();
  Cast(h, from, RoundMode::CAST_RINT, n);
  Cast(to, h, RoundMode::CAST_RINT, n);
}

// x := work(x), in float; a and b are as large.
void Compute(Work work, const LocalTensor<float>& x, const LocalTensor<float>& a,
             const LocalTensor<float>& b, uint32_t n) {
  switch (work) {
    case Work::sigmoid:
      Muls(x, x, -1.0f, n);
      Exp(x, x, n);
      Adds(x, x, 1.0f, n);
      Duplicate(a, 1.0f, n);
      Div(x, a, x, n);
      return;
    case Work::mish:  // x tanh(ln(1 + exp x))
      Exp(a, x, n);
      Adds(a, a, 1.0f, n);
      Ln(a, a, n);
      Muls(a, a, 2.0f, n);
      Exp(a, a, n);
      Adds(b, a, -1.0f, n);
      Adds(a, a, 1.0f, n);
      Div(a, b, a, n);
      Mul(x, x, a, n);
      return;
    case Work::affine_exp:
      Muls(x, x, 1.5f, n);
      Adds(x, x, 0.5f, n);
      Exp(x, x, n);
      return;
    case Work::muls: Muls(x, x, 1.5f, n); return;
    case Work::exp: Exp(x, x, n); return;
    case Work::mul: Mul(x, x, a, n); return;
    case Work::cast: return;
  }
}

template <typename I, typename J, typename O>
void Pass(const Elementwise& e, uint8_t* in, uint8_t* in1, uint8_t* out) {
  constexpr bool two = !std::is_same_v<J, void>;
  using Second = std::conditional_t<two, J, I>;
  const uint32_t floats = e.work == Work::cast ? 1 : e.work == Work::mish ? 3 : 2;
  const uint32_t each = 2 * (sizeof(I) + (two ? sizeof(Second) : 0) + sizeof(O)) + floats * 4;
  uint32_t tile = kUb / each / 128 * 128 - 64;  // operands half a row of banks apart
  const Part mine((e.n + 127) / 128);
  const uint64_t end = std::min<uint64_t>(mine.end * 128, e.n);
  const uint64_t share = end > mine.first * 128 ? end - mine.first * 128 : 0;
  tile = std::max(128u, std::min(tile, UpTo((share + 1) / 2, 128)));
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> xs, x1s;
  TQue<QuePosition::VECOUT, 2> ys;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(xs, 2, tile * sizeof(I));
  if (two) pipe.InitBuffer(x1s, 2, tile * sizeof(Second));
  pipe.InitBuffer(ys, 2, tile * sizeof(O));
  pipe.InitBuffer(buffer, tile * 4 * floats);
  LocalTensor<float> f = buffer.Get<float>(), a = f[floats > 1 ? tile : 0],
                     b = f[floats > 2 ? 2 * tile : 0];
  for (uint64_t at = mine.first * 128; at < end; at += tile) {
    const uint32_t n = uint32_t(std::min<uint64_t>(tile, end - at));
    LocalTensor<I> x = xs.AllocTensor<I>();
    In(x, in + at * sizeof(I), 1, n);
    xs.EnQue(x);
    if constexpr (two) {
      LocalTensor<Second> y = x1s.AllocTensor<Second>();
      In(y, in1 + at * sizeof(Second), 1, n);
      x1s.EnQue(y);
    }
    x = xs.DeQue<I>();
    LocalTensor<O> o = ys.AllocTensor<O>();
    if constexpr (std::is_same_v<I, int8_t>) {
      Cast(f.ReinterpretCast<half>(), x, RoundMode::CAST_NONE, n);
      if constexpr (std::is_same_v<O, half>)
        Cast(o, x, RoundMode::CAST_NONE, n);
      else
        Narrow(o, f, n);
    } else {
      Widen(f, x, n);
      if constexpr (two) {
        LocalTensor<Second> y = x1s.DeQue<Second>();
        Widen(a, y, n);
        x1s.FreeTensor(y);
      }
      Compute(e.work, f, a, b, n);
      Narrow(o, f, n);
    }
    xs.FreeTensor(x);
    ys.EnQue(o);
    o = ys.DeQue<O>();
    Out(out + at * sizeof(O), o, 1, n);
    ys.FreeTensor(o);
  }
}

template <typename I, typename O>
void PassOf(const Elementwise& e, uint8_t* in, uint8_t* in1, uint8_t* out) {
  if (e.in1 == Type::none)
    Pass<I, void, O>(e, in, in1, out);
  else if constexpr (!std::is_same_v<I, int8_t>)
    Pass<I, I, O>(e, in, in1, out);
}

template <typename I>
void ToType(const Elementwise& e, uint8_t* in, uint8_t* in1, uint8_t* out) {
  if (e.out == Type::float32)
    PassOf<I, float>(e, in, in1, out);
  else if (e.out == Type::bfloat16)
    PassOf<I, bfloat16_t>(e, in, in1, out);
  else
    PassOf<I, half>(e, in, in1, out);
}
}  // namespace

void RunElementwise(const Elementwise& e, uint8_t* in, uint8_t* in1, uint8_t* out) {
  switch (e.in) {
    case Type::float32: return ToType<float>(e, in, in1, out);
    case Type::bfloat16: return ToType<bfloat16_t>(e, in, in1, out);
    case Type::int8: return ToType<int8_t>(e, in, in1, out);
    default: return ToType<half>(e, in, in1, out);
  }
}

namespace {
struct RowScratch {
  LocalTensor<float> x, work, sum;
};

// Waits for the vector unit and reads what a reduction left.
float Value(const LocalTensor<float>& sum) { return sum.GetValue(0); }

void SoftmaxRow(const RowScratch& s, uint32_t n) {
  ReduceMax(s.sum, s.x, s.work, int32_t(n));
  Adds(s.x, s.x, -Value(s.sum), n);
  Exp(s.x, s.x, n);
  ReduceSum(s.sum, s.x, s.work, int32_t(n));
  Muls(s.x, s.x, 1.0f / (1.0f + Value(s.sum)), n);
}

void QuantRow(const RowScratch& s, const LocalTensor<int8_t>& out, const LocalTensor<float>& scales,
              uint32_t row, uint32_t n) {
  Abs(s.work, s.x, n);
  ReduceMax(s.sum, s.work, s.work, int32_t(n));
  const float most = Value(s.sum) + 1.0f;
  scales.SetValue(row, most / 127.0f);
  Muls(s.x, s.x, 127.0f / most, n);
  Narrow8(out, s.x, n);
}

void RmsRow(const RowScratch& s, const LocalTensor<float>& gamma, uint32_t n) {
  Mul(s.work, s.x, s.x, n);
  ReduceSum(s.sum, s.work, s.work, int32_t(n));
  Muls(s.x, s.x, 1.0f / (1.0f + Value(s.sum)), n);
  Mul(s.x, s.x, gamma, n);
}

// Rows that fit beside each other in UB, and the buffers of a kernel over them.
template <typename T>
void Softmax(const RowKernel& r, uint8_t* memory) {
  const uint32_t n = r.columns, pad = UpTo(n, 32 / sizeof(T)), wide = UpTo(n, 64);
  const Part mine(r.rows);
  const uint32_t fit = std::max(1u, (kUb - wide * 8) / (4 * pad * uint32_t(sizeof(T))));
  const uint32_t most = std::max(1u, std::min({fit, uint32_t(mine.end - mine.first + 1) / 2, 64u}));
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> xs;
  TQue<QuePosition::VECOUT, 2> ys;
  TBuf<TPosition::VECCALC> buffer;
  const uint32_t deep = 4 * pad * sizeof(T) * most + wide * 8 + 64 > kUb + 8192 ? 1 : 2;
  pipe.InitBuffer(xs, deep, most * pad * sizeof(T));
  pipe.InitBuffer(ys, deep, most * pad * sizeof(T));
  pipe.InitBuffer(buffer, wide * 8 + 64);
  LocalTensor<float> f = buffer.Get<float>();
  const RowScratch s{f, f[wide], f[2 * wide]};
  for (uint64_t at = mine.first; at < mine.end; at += most) {
    const uint32_t rows = uint32_t(std::min<uint64_t>(most, mine.end - at));
    LocalTensor<T> x = xs.AllocTensor<T>();
    In(x, memory + at * n * sizeof(T), rows, n);
    xs.EnQue(x);
    x = xs.DeQue<T>();
    LocalTensor<T> y = ys.AllocTensor<T>();
    for (uint32_t row = 0; row < rows; ++row) {
      Widen(s.x, x[row * pad], n);
      SoftmaxRow(s, n);
      Narrow(y[row * pad], s.x, n);
    }
    xs.FreeTensor(x);
    ys.EnQue(y);
    y = ys.DeQue<T>();
    Out(memory + kBetween + at * n * sizeof(T), y, rows, n);
    ys.FreeTensor(y);
  }
}

// With `add`: x + x1 first, which is an output too, and a root mean square norm.
template <typename T>
void Quant(const RowKernel& r, bool add, uint8_t* memory) {
  const uint32_t n = r.columns, pad = UpTo(n, 32), wide = UpTo(n, 64);
  const Part mine(r.rows);
  const uint32_t fixed = wide * (add ? 12 : 8) + 2048, row_bytes = pad * (add ? 7 : 3);
  const uint32_t deep = fixed + 2 * row_bytes <= kUb + 8192 ? 2 : 1;
  const uint32_t fit = fixed + deep * row_bytes < kUb ? (kUb - fixed) / (deep * row_bytes) : 1;
  const uint32_t most = std::max(1u, std::min({fit, uint32_t(mine.end - mine.first + 1) / 2, 64u}));
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> xs, x1s;
  TQue<QuePosition::VECOUT, 2> ys, sums, scales;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(xs, deep, most * pad * sizeof(T));
  if (add)
    pipe.InitBuffer(x1s, deep, most * pad * sizeof(T)),
        pipe.InitBuffer(sums, deep, most * pad * sizeof(T));
  pipe.InitBuffer(ys, deep, most * pad);
  pipe.InitBuffer(scales, 2, UpTo(most * 4, 32));
  pipe.InitBuffer(buffer, wide * (add ? 12 : 8) + 64);
  LocalTensor<float> f = buffer.Get<float>();
  const RowScratch s{f, f[wide], f[(add ? 3 : 2) * wide]};
  LocalTensor<float> gamma = f[add ? 2 * wide : 0];
  if (add) {
    LocalTensor<T> g = xs.AllocTensor<T>();
    In(g, memory + 4 * kBetween / 2, 1, n);
    xs.EnQue(g);
    g = xs.DeQue<T>();
    Widen(gamma, g, n);
    xs.FreeTensor(g);
  }
  for (uint64_t at = mine.first; at < mine.end; at += most) {
    const uint32_t rows = uint32_t(std::min<uint64_t>(most, mine.end - at));
    LocalTensor<T> x = xs.AllocTensor<T>(), x1, sum;
    In(x, memory + at * n * sizeof(T), rows, n);
    xs.EnQue(x);
    if (add) {
      x1 = x1s.AllocTensor<T>();
      In(x1, memory + kBetween / 2 + at * n * sizeof(T), rows, n);
      x1s.EnQue(x1);
      x1 = x1s.DeQue<T>();
      sum = sums.AllocTensor<T>();
    }
    x = xs.DeQue<T>();
    LocalTensor<int8_t> y = ys.AllocTensor<int8_t>();
    LocalTensor<float> scale = scales.AllocTensor<float>();
    const uint32_t step = UpTo(n, 32 / sizeof(T)), step8 = UpTo(n, 32);
    for (uint32_t row = 0; row < rows; ++row) {
      Widen(s.x, x[row * step], n);
      if (add) {
        Widen(s.work, x1[row * step], n);
        Add(s.x, s.x, s.work, n);
        Narrow(sum[row * step], s.x, n);
        RmsRow(s, gamma, n);
      }
      QuantRow(s, y[row * step8], scale, row, n);
    }
    xs.FreeTensor(x);
    if (add) {
      x1s.FreeTensor(x1);
      sums.EnQue(sum);
      sum = sums.DeQue<T>();
      Out(memory + kBetween + at * n * sizeof(T), sum, rows, n);
      sums.FreeTensor(sum);
    }
    ys.EnQue(y), scales.EnQue(scale);
    y = ys.DeQue<int8_t>(), scale = scales.DeQue<float>();
    Out(memory + 3 * kBetween / 2 + at * n, y, rows, n);
    Out(memory + 7 * kBetween / 4 + at * 4, scale, 1, rows);
    ys.FreeTensor(y), scales.FreeTensor(scale);
  }
}

// Adds the sum of n elements at `from` to acc[0], in tiles.
template <typename T>
struct Summer {
  static constexpr uint32_t kTile = sizeof(T) == 4 ? 8 * 1024 : 12 * 1024;
  TQue<QuePosition::VECIN, 2> xs;
  TBuf<TPosition::VECCALC> buffer;
  LocalTensor<float> f, part;
  explicit Summer(TPipe& pipe) {
    pipe.InitBuffer(xs, 2, kTile * sizeof(T));
    pipe.InitBuffer(buffer, kTile * 4 + 64);
    f = buffer.Get<float>(), part = f[kTile];
  }
  void Add(const LocalTensor<float>& acc, const uint8_t* from, uint64_t n, bool absolute) {
    const uint32_t tile = std::max(128u, std::min(kTile, UpTo((n + 1) / 2, 128)));
    for (uint64_t at = 0; at < n; at += tile) {
      const uint32_t m = uint32_t(std::min<uint64_t>(tile, n - at));
      LocalTensor<T> x = xs.template AllocTensor<T>();
      In(x, from + at * sizeof(T), 1, m);
      xs.EnQue(x);
      x = xs.template DeQue<T>();
      Widen(f, x, m);
      xs.FreeTensor(x);
      if (absolute) Abs(f, f, m);
      ReduceSum(part, f, f, int32_t(m));
      AscendC::Add(acc, acc, part, 8);
    }
  }
};

template <typename T>
void Mean(const RowKernel& r, uint8_t* memory) {
  TPipe pipe;
  Summer<T> summer(pipe);
  TQue<QuePosition::VECOUT, 2> ys;
  pipe.InitBuffer(ys, 2, 64);
  const Part mine(r.rows);
  for (uint64_t row = mine.first; row < mine.end; ++row) {
    LocalTensor<float> y = ys.AllocTensor<float>();
    Duplicate(y, 0.0f, 8);
    summer.Add(y, memory + row * r.columns * sizeof(T), r.columns, false);
    Muls(y, y, 1.0f / float(r.columns), 8);
    ys.EnQue(y);
    y = ys.DeQue<float>();
    Out(memory + kBetween + row * sizeof(T), y, 1, 1);
    ys.FreeTensor(y);
  }
}

template <typename T>
void RowsOf(const RowKernel& r, uint8_t* memory) {
  switch (r.work) {
    case RowWork::softmax: return Softmax<T>(r, memory);
    case RowWork::mean: return Mean<T>(r, memory);
    default: return Quant<T>(r, r.work == RowWork::add_rms_norm_dynamic_quant, memory);
  }
}

template <typename T>
void GroupsOf(const GroupNorm& g, uint8_t* memory) {
  TPipe pipe;
  Summer<T> summer(pipe);
  constexpr uint32_t kTile = Summer<T>::kTile;
  TQue<QuePosition::VECOUT, 2> ys;
  TBuf<TPosition::VECCALC> sums, affine;
  pipe.InitBuffer(ys, 2, kTile / 2 * sizeof(T));
  pipe.InitBuffer(sums, 64);
  pipe.InitBuffer(affine, UpTo(2 * g.channels * 4, 32) + 64);
  LocalTensor<float> sum = sums.Get<float>(), scale = affine.Get<float>();
  const uint64_t n = uint64_t(g.channels) * g.area;
  const Part mine(g.groups);
  for (uint64_t group = mine.first; group < mine.end; ++group) {
    uint8_t* from = memory + group * n * sizeof(T);
    Duplicate(sum, 0.0f, 8);
    summer.Add(sum, from, n, true);
    const float mean = Value(sum) / float(n);
    In(scale, memory + kBetween / 2, 2, g.channels);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    for (uint32_t c = 0; c < g.channels; ++c) {
      const float up = 1.0f + scale.GetValue(c), shift = mean + scale.GetValue(c);
      for (uint32_t at = 0; at < g.area; at += kTile / 2) {
        const uint32_t m = std::min(kTile / 2, g.area - at);
        const uint64_t place = uint64_t(c) * g.area + at;
        LocalTensor<T> x = summer.xs.template AllocTensor<T>();
        In(x, from + place * sizeof(T), 1, m);
        summer.xs.EnQue(x);
        x = summer.xs.template DeQue<T>();
        LocalTensor<T> y = ys.AllocTensor<T>();
        Widen(summer.f, x, m);
        summer.xs.FreeTensor(x);
        Muls(summer.f, summer.f, up, m);
        Adds(summer.f, summer.f, shift, m);
        Narrow(y, summer.f, m);
        ys.EnQue(y);
        y = ys.DeQue<T>();
        Out(memory + kBetween + (group * n + place) * sizeof(T), y, 1, m);
        ys.FreeTensor(y);
      }
    }
  }
}

template <typename T>
void NormsOf(const ListNorm& l, uint8_t* memory) {
  TPipe pipe;
  Summer<T> summer(pipe);
  TQue<QuePosition::VECOUT, 2> ys;
  TQue<QuePosition::VECIN, 1> parts;
  pipe.InitBuffer(ys, 2, 64);
  pipe.InitBuffer(parts, 1, 64 * 32);
  for (uint32_t t = 0; t < l.tensors; ++t) {
    const Part mine((l.n + 127) / 128);
    const uint64_t first = mine.first * 128, end = std::min<uint64_t>(mine.end * 128, l.n);
    LocalTensor<float> y = ys.AllocTensor<float>();
    Duplicate(y, 0.0f, 8);
    if (end > first) summer.Add(y, memory + (t * l.n + first) * sizeof(T), end - first, true);
    ys.EnQue(y);
    y = ys.DeQue<float>();
    Out(memory + kBetween + (uint64_t(t) * GetBlockNum() + GetBlockIdx()) * 32, y, 1, 8);
    ys.FreeTensor(y);
  }
  SyncAll();
  for (uint32_t t = GetBlockIdx(); t < l.tensors; t += GetBlockNum()) {
    LocalTensor<float> p = parts.AllocTensor<float>();
    const uint32_t n = uint32_t(GetBlockNum()) * 8;
    In(p, memory + kBetween + uint64_t(t) * GetBlockNum() * 32, 1, n);
    parts.EnQue(p);
    p = parts.DeQue<float>();
    LocalTensor<float> y = ys.AllocTensor<float>();
    ReduceSum(y, p, summer.f, int32_t(n));
    Sqrt(y, y, 8);
    parts.FreeTensor(p);
    ys.EnQue(y);
    y = ys.DeQue<float>();
    Out(memory + kBetween + (uint64_t{1} << 20) + t * 4, y, 1, 1);
    ys.FreeTensor(y);
  }
}

template <template <typename> class F, typename... A>
void ByType(Type t, A... a) {
  if (t == Type::float32)
    F<float>()(a...);
  else if (t == Type::bfloat16)
    F<bfloat16_t>()(a...);
  else
    F<half>()(a...);
}
template <typename T>
struct RowsFor {
  void operator()(const RowKernel* r, uint8_t* m) const { RowsOf<T>(*r, m); }
};
template <typename T>
struct GroupsFor {
  void operator()(const GroupNorm* g, uint8_t* m) const { GroupsOf<T>(*g, m); }
};
template <typename T>
struct NormsFor {
  void operator()(const ListNorm* l, uint8_t* m) const { NormsOf<T>(*l, m); }
};
}  // namespace

void RunRows(const RowKernel& r, uint8_t* memory) { ByType<RowsFor>(r.type, &r, memory); }
void RunGroupNorm(const GroupNorm& g, uint8_t* memory) { ByType<GroupsFor>(g.type, &g, memory); }
void RunListNorm(const ListNorm& l, uint8_t* memory) { ByType<NormsFor>(l.type, &l, memory); }

}  // namespace akgen::calibration
