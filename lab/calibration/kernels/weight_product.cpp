// A of 16 bits times B of int8, which the Vector cores turn into 16 bits piece by piece, through slots of the
// workspace. Each block has columns of its own, 256 at least, and all of K: as the measured times say of the
// framework's, which grow with K where N is small.
template <typename Each>
__aicore__ inline void ColumnsOf(uint32_t block, Each each) {
  for (uint32_t column = block * kWidth; column < kN; column += kBlocks * kWidth)
    each(column, Least(kWidth, kN - column));
}

constexpr uint32_t kDeep = 128, kSlots = 4, kSlot = kDeep * kWidth, kStrip = 128;  // kStrip: columns of a piece in UB

__aicore__ inline void OnVector(GM_ADDR b, GM_ADDR offset, GM_ADDR scale, GM_ADDR workspace) {
  const GlobalTensor<T> slots = InGm<T>(workspace);
  constexpr uint32_t kElements = 8192, kX = 0, kY = 2 * kElements, kF = kY + 4 * kElements, kH = kF + 4 * kElements,
                     kBy = kH + 2 * kElements + 256;  // half a row of banks apart
  constexpr bool kHalf = IsSameType<T, half>::value;
  using Wide = std::conditional_t<kHalf, half, float>;  // what is computed in
  const LocalTensor<half> h = InUb<half>(kH, kElements);
  const LocalTensor<half> plus = InUb<half>(kBy, kWidth);
  const LocalTensor<Wide> by = InUb<Wide>(kBy + 4 * kWidth, kWidth);
  const GlobalTensor<int8_t> weights = InGm<int8_t>(b);
  Stage stage;
  uint32_t pieces = 0, held = UINT32_MAX;
  const uint32_t block = GetBlockIdx() / 2;
  ColumnsOf(block, [&](uint32_t column, uint32_t width) {
    for (uint32_t k = 0; k < kK; k += kDeep, ++pieces) {
      const uint32_t deep = Least(kDeep, kK - k), from = FirstOf(deep), rows = RowsOf(deep);
      if (pieces >= kSlots) CrossCoreWaitFlag(1);
      for (uint32_t first = 0; first < width; first += kStrip) {
        const uint32_t strip = Least(kStrip, width - first), n = rows * strip;
        stage.Piece(
            [&](uint32_t i) {
              RowsIn(InUb<int8_t>(kX + i * kElements, kElements), weights[(uint64_t)(k + from) * kN + column + first],
                     rows, strip, kN);
              if (held == column) return;
              RowsIn(plus, InGm<half>(offset)[column], 1, width, width);
              RowsIn(by, InGm<Wide>(scale)[column], 1, width, width);
              held = column;
            },
            [&](uint32_t i) {
              const LocalTensor<int8_t> x = InUb<int8_t>(kX + i * kElements, kElements);
              const LocalTensor<T> y = InUb<T>(kY + i * 2 * kElements, kElements);
              const LocalTensor<Wide> w = kHalf ? y.template ReinterpretCast<Wide>() : InUb<Wide>(kF, kElements);
              // The offset is added in half, where both are exact; the factor takes the type of the result.
              const LocalTensor<half> sum = kHalf ? y.template ReinterpretCast<half>() : h;
              Cast(sum, x, RoundMode::CAST_NONE, n);
              PipeBarrier<PIPE_V>();
              ByColumn<half>(rows, strip, [&](uint32_t c, uint64_t mask, uint8_t times, const BinaryRepeatParams &s) {
                Add(sum[c], sum[c], plus[first + c], mask, times, s);
              });
              if constexpr (!kHalf) {
                PipeBarrier<PIPE_V>();
                Cast(w, sum, RoundMode::CAST_NONE, n);
              }
              PipeBarrier<PIPE_V>();
              ByColumn<Wide>(rows, strip, [&](uint32_t c, uint64_t mask, uint8_t times, const BinaryRepeatParams &s) {
                Mul(w[c], w[c], by[first + c], mask, times, s);
              });
              if constexpr (!kHalf) {
                PipeBarrier<PIPE_V>();
                Cast(y, w, RoundMode::CAST_RINT, n);
              }
            },
            [&](uint32_t i) {
              RowsOut(slots[(block * kSlots + pieces % kSlots) * kSlot + from * width + first],
                      InUb<T>(kY + i * 2 * kElements, kElements), rows, strip, width);
            });
      }
      CrossCoreSetFlag<2, PIPE_MTE3>(0);
    }
  });
  for (uint32_t i = 0; i < Least(kSlots, pieces); ++i) CrossCoreWaitFlag(1);
  stage.End();
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR b, GM_ADDR offset, GM_ADDR scale, GM_ADDR c,
                                             GM_ADDR workspace) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  const GlobalTensor<T> slots = InGm<T>(workspace);
  if ASCEND_IS_AIC {
    const GlobalTensor<T> left = InGm<T>(a);
    Multiplier mul(Up(kM, 16) * kWidth > 16384 ? 1 : 2);
    Buffers of_a(0, 0, Up(kM, 16) * 256 * sizeof(T)), of_b(2, 262144, kSlot * sizeof(T));
    uint32_t pieces = 0;
    ColumnsOf(GetBlockIdx(), [&](uint32_t column, uint32_t width) {
      mul.Begin();
      LocalTensor<T> rows;
      for (uint32_t k = 0; k < kK; k += kDeep, ++pieces) {
        const uint32_t deep = Least(kDeep, kK - k);
        if (k % 256 == 0) {
          if (k > 0) of_a.Emptied();
          Bring(of_a.Fill<T>(), left[k], kM, Least(256, kK - k), kK, Up(kM, 16));
          rows = of_a.Filled<T>();
        }
        CrossCoreWaitFlag(0);
        Bring(of_b.Fill<T>(), slots[(GetBlockIdx() * kSlots + pieces % kSlots) * kSlot], deep, width, width,
              Up(deep, 16));
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        const LocalTensor<T> columns = of_b.Filled<T>();
        const uint32_t first = k % 256;
        mul.Multiply<T, float>(
            kM, width, deep, 16384 / kWidth / 16 * 16,
            [&](const LocalTensor<T> &to, uint32_t at, uint32_t n) { LoadA(to, rows, Up(kM, 16), kM, first + at, n); },
            [&](const LocalTensor<T> &to, uint32_t at, uint32_t n) { LoadB(to, columns, Up(deep, 16), width, at, n); });
        of_b.Emptied();
      }
      of_a.Emptied();
      mul.Store<float>(InGm<T>(c)[column], kM, width, kN);
    });
    mul.End(), of_a.End(), of_b.End();
  }
  if ASCEND_IS_AIV { OnVector(b, offset, scale, workspace); }
}
