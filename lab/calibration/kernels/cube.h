// Pieces of kernels on the Cube core, by the basic interface: what operators of products are made
// of. Put in front of the kernels of this folder, with the numbers of a row (operators.py).
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline constexpr uint32_t Up(uint32_t n, uint32_t unit) {
  return (n + unit - 1) / unit * unit;
}
__aicore__ inline constexpr uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }
__aicore__ inline constexpr uint32_t Most(uint32_t a, uint32_t b) { return a > b ? a : b; }

template <typename T>
constexpr uint32_t kRow = 32 / sizeof(T);  // elements of a row of a fractal
constexpr uint32_t kHalfL0 = 32768;        // bytes

template <typename T>
__aicore__ inline GlobalTensor<T> InGm(GM_ADDR p) {
  GlobalTensor<T> t;
  t.SetGlobalBuffer((__gm__ T *)p);
  return t;
}
template <typename T>
__aicore__ inline LocalTensor<T> InL1(uint32_t at, uint32_t bytes) {
  return LocalTensor<T>(TPosition::A1, at, bytes / sizeof(T));
}
template <typename T>
__aicore__ inline LocalTensor<T> InL0A(uint32_t which) {
  return LocalTensor<T>(TPosition::A2, which * kHalfL0, kHalfL0 / sizeof(T));
}
template <typename T>
__aicore__ inline LocalTensor<T> InL0B(uint32_t which) {
  return LocalTensor<T>(TPosition::B2, which * kHalfL0, kHalfL0 / sizeof(T));
}

// Rows of a matrix into L1: columns of fractals, each of `high` rows.
template <typename T>
__aicore__ inline void Bring(const LocalTensor<T> &to, const GlobalTensor<T> &from, uint32_t rows,
                             uint32_t columns, uint32_t pitch, uint32_t high) {
  DataCopy(
      to, from,
      Nd2NzParams{1, (uint16_t)rows, (uint16_t)columns, 0, (uint16_t)pitch, (uint16_t)high, 1, 0});
}

// The matrix in L1 as an image of one row.
template <typename T>
__aicore__ inline LoadData3DParamsV2<T> ImageOf(uint32_t high, uint32_t row, uint32_t rows,
                                                uint32_t column, uint32_t columns) {
  LoadData3DParamsV2<T> p;
  p.l1H = 1, p.l1W = high;
  p.mStartPt = row, p.mExtension = Up(rows, 16);
  p.kStartPt = column, p.kExtension = Up(columns, kRow<T>);
  p.channelSize = p.kStartPt + p.kExtension;
  return p;
}
// m rows and columns `at` to `at` + k of A.
template <typename T>
__aicore__ inline void LoadA(const LocalTensor<T> &to, const LocalTensor<T> &from, uint32_t high,
                             uint32_t m, uint32_t at, uint32_t k) {
  LoadData(to, from, ImageOf<T>(high, 0, m, at, k));
}
// Rows `at` to `at` + k of B that is stored by rows along K.
__aicore__ inline void LoadB(const LocalTensor<half> &to, const LocalTensor<half> &from,
                             uint32_t high, uint32_t n, uint32_t at, uint32_t k) {
  LoadData(to, from, ImageOf<half>(high, at, k, 0, n));
}
__aicore__ inline void LoadB(const LocalTensor<bfloat16_t> &to, const LocalTensor<bfloat16_t> &from,
                             uint32_t high, uint32_t n, uint32_t at, uint32_t k) {
  LoadData(to, from, ImageOf<bfloat16_t>(high, at, k, 0, n));
}
__aicore__ inline void LoadB(const LocalTensor<int8_t> &to, const LocalTensor<int8_t> &from,
                             uint32_t high, uint32_t n, uint32_t at, uint32_t k) {
  const uint32_t squares = Up(n, 32) / 32;
  for (uint32_t i = 0; i < Up(k, 32) / 32; ++i) {
    LoadDataWithTranspose(to[i * squares * 1024], from,
                          LoadData2dTransposeParams{(uint16_t)(at / 32 + i), (uint8_t)squares,
                                                    (uint16_t)(high / 32), 1, 0});
  }
}
// Columns `at` to `at` + k of B that is stored by rows along N, `high` of them.
template <typename T>
__aicore__ inline void LoadTurnedB(const LocalTensor<T> &to, const LocalTensor<T> &from,
                                   uint32_t high, uint32_t at, uint32_t k) {
  const uint32_t column = high / 16, wide = Up(k, kRow<T>) / kRow<T>, at_once = 255 / column;
  for (uint32_t i = 0; i < wide; i += at_once) {
    LoadData2DParams p;
    p.startIndex = (at / kRow<T> + i) * column;
    p.repeatTimes = Least(at_once, wide - i) * column;
    p.srcStride = 1;
    LoadData(to[i * column * 16 * kRow<T>], from, p);
  }
}

// C = A B over a grid of cores, B stored by rows along K: how it is cut.
struct Plan {
  uint32_t m, n, k, batch, grid_m, grid_n, single_m, single_n, base_m, base_n, base_k, step_a,
      step_b;
};
struct Tile {
  uint32_t batch, row, column, m, n;
};

// A core's blocks: along M, then N.
template <typename Each>
__aicore__ inline void TilesOf(const Plan &p, uint32_t core, Each each) {
  const uint32_t row0 = core / p.grid_n * p.single_m, column0 = core % p.grid_n * p.single_n;
  const uint32_t row1 = Least(p.m, row0 + p.single_m), column1 = Least(p.n, column0 + p.single_n);
  for (uint32_t b = 0; b < p.batch; ++b) {
    for (uint32_t c = column0; c < column1; c += p.base_n) {
      for (uint32_t r = row0; r < row1; r += p.base_m) {
        each(Tile{b, r, c, Least(p.base_m, row1 - r), Least(p.base_n, column1 - c)});
      }
    }
  }
}

// One block of C after the other. Two buffers in L1 for each operand, two halves of L0A and L0B;
// `kUnit`: unit flags; `kB`: how B lies in Global Memory, by rows along K, as columns of fractals
// (NZ), or by rows along N.
enum class Stored : uint8_t { kRows, kNz, kTurned };
template <typename T, typename C, bool kUnit, Stored kB = Stored::kRows>
class Product {
 public:
  __aicore__ inline Product(const Plan &p, const GlobalTensor<T> &a, const GlobalTensor<T> &b)
      : p_(p),
        a_(a),
        b_(b),
        bytes_a_(Up(p.base_m, 16) * p.step_a * p.base_k * sizeof(T)),
        bytes_b_(Up(p.step_b * p.base_k, 32) * Up(p.base_n, 32) * sizeof(T)),
        c_(TPosition::CO1, 0, 131072 / sizeof(C)) {}

  // store(c, flag): the block from L0C, with this unit flag.
  template <typename Store>
  __aicore__ inline void Block(const Tile &t, Store store) {
    const uint32_t steps = (p_.k + p_.base_k - 1) / p_.base_k;
    const uint32_t high_a = Up(t.m, 16), high_b = kB == Stored::kTurned
                                                      ? Up(t.n, 16)
                                                      : Up(Least(p_.step_b * p_.base_k, p_.k), 32);
    for (uint32_t s = 0; s < steps; ++s) {
      const uint32_t k = Least(p_.base_k, p_.k - s * p_.base_k), in_a = s % p_.step_a,
                     in_b = s % p_.step_b;
      if (in_a == 0) FetchA(t, s, high_a);
      if (in_b == 0) FetchB(t, s, high_b);
      if (in_a == 0) WaitFlag<HardEvent::MTE2_MTE1>(now_a_);
      if (in_b == 0) WaitFlag<HardEvent::MTE2_MTE1>(now_b_ + 4);
      const uint32_t l0 = products_ % 2;
      if (products_ >= 2) WaitFlag<HardEvent::M_MTE1>(l0);
      const LocalTensor<T> a = InL0A<T>(l0), b = InL0B<T>(l0);
      LoadA(a, InL1<T>(now_a_ * bytes_a_, bytes_a_), high_a, t.m, in_a * p_.base_k, k);
      const LocalTensor<T> b1 = InL1<T>(2 * bytes_a_ + now_b_ * bytes_b_, bytes_b_);
      if constexpr (kB == Stored::kTurned)
        LoadTurnedB(b, b1, high_b, in_b * p_.base_k, k);
      else
        LoadB(b, b1, high_b, t.n, in_b * p_.base_k, k);
      const bool last = s + 1 == steps;
      if (last || in_a + 1 == p_.step_a) SetFlag<HardEvent::MTE1_MTE2>(now_a_);
      if (last || in_b + 1 == p_.step_b) SetFlag<HardEvent::MTE1_MTE2>(now_b_ + 4);
      SetFlag<HardEvent::MTE1_M>(l0);
      WaitFlag<HardEvent::MTE1_M>(l0);
      if (!kUnit && s == 0 && stored_) WaitFlag<HardEvent::FIX_M>(0);
      MmadParams how;
      how.m = Up(t.m, 16), how.n = t.n, how.k = k;
      how.unitFlag = kUnit ? (last ? 3 : 2) : 0;
      how.cmatrixInitVal = s == 0;
      Mmad(c_, a, b, how);
      if (Up(t.m, 16) * Up(t.n, 16) < 10 * 256) PipeBarrier<PIPE_M>();
      SetFlag<HardEvent::M_MTE1>(l0);
      ++products_;
    }
    if (!kUnit) {
      SetFlag<HardEvent::M_FIX>(0);
      WaitFlag<HardEvent::M_FIX>(0);
    }
    store(c_, (uint8_t)(kUnit ? 3 : 0));
    if (!kUnit) SetFlag<HardEvent::FIX_M>(0);
    stored_ = true;
  }

  // Before the core ends, or another product begins.
  __aicore__ inline void End() {
    for (uint32_t i = 0; i < 2; ++i) {
      if (i < copies_a_) WaitFlag<HardEvent::MTE1_MTE2>(i);
      if (i < copies_b_) WaitFlag<HardEvent::MTE1_MTE2>(i + 4);
      if (i < products_) WaitFlag<HardEvent::M_MTE1>(i);
    }
    if (!kUnit && stored_) WaitFlag<HardEvent::FIX_M>(0);
  }

 private:
  __aicore__ inline void FetchA(const Tile &t, uint32_t s, uint32_t high) {
    now_a_ = copies_a_ % 2;
    if (copies_a_ >= 2) WaitFlag<HardEvent::MTE1_MTE2>(now_a_);
    const uint32_t k = s * p_.base_k, wide = Least(p_.step_a * p_.base_k, p_.k - k);
    const uint64_t from = ((uint64_t)t.batch * p_.m + t.row) * p_.k + k;
    Bring(InL1<T>(now_a_ * bytes_a_, bytes_a_), a_[from], t.m, wide, p_.k, high);
    SetFlag<HardEvent::MTE2_MTE1>(now_a_);
    ++copies_a_;
  }
  __aicore__ inline void FetchB(const Tile &t, uint32_t s, uint32_t high) {
    now_b_ = copies_b_ % 2;
    if (copies_b_ >= 2) WaitFlag<HardEvent::MTE1_MTE2>(now_b_ + 4);
    const uint32_t k = s * p_.base_k, deep = Least(p_.step_b * p_.base_k, p_.k - k);
    const LocalTensor<T> to = InL1<T>(2 * bytes_a_ + now_b_ * bytes_b_, bytes_b_);
    if constexpr (kB == Stored::kTurned) {
      Bring(to, b_[((uint64_t)t.batch * p_.n + t.column) * p_.k + k], t.n, deep, p_.k, high);
    } else if constexpr (kB == Stored::kNz) {
      const uint64_t from = ((uint64_t)t.batch * p_.n + t.column) * p_.k + k * kRow<T>;
      DataCopy(to, b_[from],
               DataCopyParams{(uint16_t)(Up(t.n, kRow<T>) / kRow<T>), (uint16_t)deep,
                              (uint16_t)(p_.k - deep), (uint16_t)(high - deep)});
    } else {
      const uint64_t from = ((uint64_t)t.batch * p_.k + k) * p_.n + t.column;
      Bring(to, b_[from], deep, t.n, p_.n, high);
    }
    SetFlag<HardEvent::MTE2_MTE1>(now_b_ + 4);
    ++copies_b_;
  }
  const Plan &p_;
  GlobalTensor<T> a_, b_;
  uint32_t bytes_a_, bytes_b_;
  LocalTensor<C> c_;
  uint32_t copies_a_ = 0, copies_b_ = 0, now_a_ = 0, now_b_ = 0, products_ = 0;
  bool stored_ = false;
};

// Loads, Mmads and what orders them, of operands that lie in L1; `results` in L0C at once, one or
// two.
class Multiplier {
 public:
  __aicore__ inline explicit Multiplier(uint32_t results) : most_(results) {}
  // A result begins.
  __aicore__ inline void Begin() {
    if (results_ >= most_) WaitFlag<HardEvent::FIX_M>(results_ % most_);
    fresh_ = true;
  }
  // K in pieces; load_a(to, at, k) and load_b bring a piece into L0.
  template <typename T, typename C, typename A, typename B>
  __aicore__ inline void Multiply(uint32_t m, uint32_t n, uint32_t k, uint32_t piece, A load_a,
                                  B load_b) {
    for (uint32_t at = 0; at < k; at += piece) {
      const uint32_t width = Least(piece, k - at), l0 = products_ % 2;
      if (products_ >= 2) WaitFlag<HardEvent::M_MTE1>(l0);
      const LocalTensor<T> a = InL0A<T>(l0), b = InL0B<T>(l0);
      load_a(a, at, width);
      load_b(b, at, width);
      SetFlag<HardEvent::MTE1_M>(l0);
      WaitFlag<HardEvent::MTE1_M>(l0);
      MmadParams how;
      how.m = Up(m, 16), how.n = n, how.k = width;
      how.cmatrixInitVal = fresh_;
      fresh_ = false;
      Mmad(Result<C>(), a, b, how);
      if (Up(m, 16) * Up(n, 16) < 10 * 256) PipeBarrier<PIPE_M>();
      SetFlag<HardEvent::M_MTE1>(l0);
      ++products_;
    }
  }
  template <typename C, typename Out>
  __aicore__ inline void Store(const GlobalTensor<Out> &to, uint32_t m, uint32_t n,
                               uint32_t pitch) {
    const uint32_t b = results_ % most_;
    SetFlag<HardEvent::M_FIX>(b);
    WaitFlag<HardEvent::M_FIX>(b);
    FixpipeParamsV220 how(n, m, Up(m, 16), pitch, false);
    if constexpr (IsSameType<Out, half>::value) how.quantPre = QuantMode_t::F322F16;
    if constexpr (IsSameType<Out, bfloat16_t>::value) how.quantPre = QuantMode_t::F322BF16;
    Fixpipe(to, Result<C>(), how);
    SetFlag<HardEvent::FIX_M>(b);
    ++results_;
  }
  __aicore__ inline void End() {
    for (uint32_t i = 0; i < 2; ++i) {
      if (i < products_) WaitFlag<HardEvent::M_MTE1>(i);
      if (i < Least(results_, most_)) WaitFlag<HardEvent::FIX_M>(i);
    }
  }

 private:
  template <typename C>
  __aicore__ inline LocalTensor<C> Result() const {
    return LocalTensor<C>(TPosition::CO1, results_ % most_ * 65536, 131072 / most_ / sizeof(C));
  }
  uint32_t most_, products_ = 0, results_ = 0;
  bool fresh_ = true;
};

// Two buffers of L1, filled and emptied in turn, by flags `first` and `first` + 1.
class Buffers {
 public:
  __aicore__ inline Buffers(uint32_t first, uint32_t at, uint32_t bytes)
      : first_(first), at_(at), bytes_(bytes) {}
  template <typename T>
  __aicore__ inline LocalTensor<T> Fill() {
    if (turns_ >= 2) WaitFlag<HardEvent::MTE1_MTE2>(first_ + turns_ % 2);
    return Now<T>();
  }
  template <typename T>
  __aicore__ inline LocalTensor<T> Filled() {
    SetFlag<HardEvent::MTE2_MTE1>(first_ + turns_ % 2);
    WaitFlag<HardEvent::MTE2_MTE1>(first_ + turns_ % 2);
    return Now<T>();
  }
  __aicore__ inline void Emptied() { SetFlag<HardEvent::MTE1_MTE2>(first_ + turns_++ % 2); }
  __aicore__ inline void End() {
    for (uint32_t i = 0; i < 2 && i < turns_; ++i) WaitFlag<HardEvent::MTE1_MTE2>(first_ + i);
  }

 private:
  template <typename T>
  __aicore__ inline LocalTensor<T> Now() const {
    return InL1<T>(at_ + turns_ % 2 * bytes_, bytes_);
  }
  uint32_t first_, at_, bytes_, turns_ = 0;
};

// A Vector core that takes pieces in, works on them and puts them out, in two buffers.
class Stage {
 public:
  template <typename In, typename Work, typename Out>
  __aicore__ inline void Piece(In in, Work work, Out out) {
    const uint32_t b = pieces_ % 2;
    if (pieces_ >= 2) WaitFlag<HardEvent::V_MTE2>(b);
    in(b);
    SetFlag<HardEvent::MTE2_V>(b);
    WaitFlag<HardEvent::MTE2_V>(b);
    if (pieces_ >= 2) WaitFlag<HardEvent::MTE3_V>(b);
    work(b);
    SetFlag<HardEvent::V_MTE2>(b);
    SetFlag<HardEvent::V_MTE3>(b);
    WaitFlag<HardEvent::V_MTE3>(b);
    out(b);
    SetFlag<HardEvent::MTE3_V>(b);
    ++pieces_;
  }
  __aicore__ inline void End() {
    for (uint32_t i = 0; i < 2 && i < pieces_; ++i) {
      WaitFlag<HardEvent::V_MTE2>(i);
      WaitFlag<HardEvent::MTE3_V>(i);
    }
  }

 private:
  uint32_t pieces_ = 0;
};
template <typename T>
__aicore__ inline LocalTensor<T> InUb(uint32_t at, uint32_t elements) {
  return LocalTensor<T>(TPosition::VECCALC, at, elements);
}
// Rows between Global Memory and UB, where they lie close together (n: a multiple of 32 bytes) or
// padded.
template <typename T>
__aicore__ inline void RowsIn(const LocalTensor<T> &to, const GlobalTensor<T> &from, uint32_t rows,
                              uint32_t n, uint32_t pitch) {
  DataCopyPad(to, from,
              DataCopyExtParams{(uint16_t)rows, n * (uint32_t)sizeof(T),
                                (pitch - n) * (uint32_t)sizeof(T), 0, 0},
              DataCopyPadExtParams<T>{false, 0, 0, 0});
}
template <typename T>
__aicore__ inline void RowsOut(const GlobalTensor<T> &to, const LocalTensor<T> &from, uint32_t rows,
                               uint32_t n, uint32_t pitch) {
  DataCopyPad(to, from,
              DataCopyExtParams{(uint16_t)rows, n * (uint32_t)sizeof(T), 0,
                                (pitch - n) * (uint32_t)sizeof(T), 0});
}
// x[row][column] op= y[column], columns in strips of a repeat: one instruction a strip.
template <typename T, typename Op>
__aicore__ inline void ByColumn(uint32_t rows, uint32_t width, Op op) {
  constexpr uint32_t kStrip = 256 / sizeof(T);
  const uint8_t stride = width / kRow<T>;
  for (uint32_t c = 0; c < width; c += kStrip) {
    op(c, (uint64_t)Least(kStrip, width - c), (uint8_t)rows,
       BinaryRepeatParams{1, 1, 1, stride, stride, 0});
  }
}
// Of `all` rows, those of a block's Vector core.
__aicore__ inline uint32_t FirstOf(uint32_t all) { return GetSubBlockIdx() ? (all + 1) / 2 : 0; }
__aicore__ inline uint32_t RowsOf(uint32_t all) {
  return GetSubBlockIdx() ? all / 2 : (all + 1) / 2;
}
