// int8 times int8. kFused: the scale of a tensor is applied by Fixpipe; else the Vector cores bring int32 tiles to 16
// bits, with a factor per column (and row), through two slots of the workspace.
constexpr uint32_t kSlot = 131072 / 4;

__aicore__ inline void OnVector(GM_ADDR scale, GM_ADDR of_row, GM_ADDR c, GM_ADDR workspace) {
  const GlobalTensor<int32_t> slots = InGm<int32_t>(workspace);
  const GlobalTensor<Out> out = InGm<Out>(c);
  constexpr uint32_t kElements = 6144;  // of a piece
  constexpr uint32_t kX = 0, kY = 8 * kElements, kF = kY + 4 * kElements,
                     kScale = kF + 4 * kElements + 256;  // half a row of banks apart
  const LocalTensor<float> f = InUb<float>(kF, kElements), factors = InUb<float>(kScale, kPlan.base_n),
                           row = InUb<float>(kScale + 4 * 256, 64);
  Stage stage;
  uint32_t tiles = 0, column = UINT32_MAX;
  const uint32_t block = GetBlockIdx() / 2;
  if (kByRow) {
    RowsIn(row, InGm<float>(of_row), 1, 64, 64);
    SetFlag<HardEvent::MTE2_S>(0);
    WaitFlag<HardEvent::MTE2_S>(0);
  }
  TilesOf(kPlan, block, [&](const Tile &t) {
    CrossCoreWaitFlag(0);
    const uint32_t wide = Up(t.n, 8), from = FirstOf(t.m), rows = RowsOf(t.m), each = Most(1, kElements / Up(wide, 16));
    for (uint32_t r = 0; r < rows; r += each) {
      const uint32_t n = Least(each, rows - r);
      const GlobalTensor<int32_t> slot = slots[(block * 2 + tiles % 2) * kSlot + (from + r) * wide];
      stage.Piece(
          [&](uint32_t b) {
            DataCopy(InUb<int32_t>(kX + b * 4 * kElements, kElements), slot, n * wide);
            if (column != t.column) {
              RowsIn(factors, InGm<float>(scale)[t.column], 1, t.n, t.n);
              column = t.column;
            }
          },
          [&](uint32_t b) {
            Cast(f, InUb<int32_t>(kX + b * 4 * kElements, kElements), RoundMode::CAST_NONE, n * wide);
            PipeBarrier<PIPE_V>();
            ByColumn<float>(n, wide, [&](uint32_t c, uint64_t mask, uint8_t times, const BinaryRepeatParams &p) {
              Mul(f[c], f[c], factors[c], mask, times, p);
            });
            PipeBarrier<PIPE_V>();
            if (kByRow) {
              for (uint32_t i = 0; i < n; ++i) Muls(f[i * wide], f[i * wide], row.GetValue((r + i) % 64), wide);
              PipeBarrier<PIPE_V>();
            }
            const LocalTensor<Out> y = InUb<Out>(kY + b * 2 * kElements, kElements);
            if (wide % 16 == 0) {
              Cast(y, f, RoundMode::CAST_RINT, n * wide);
            } else {
              for (uint32_t i = 0; i < n; ++i) Cast(y[i * Up(wide, 16)], f[i * wide], RoundMode::CAST_RINT, wide);
            }
          },
          [&](uint32_t b) {
            const uint64_t at = ((uint64_t)t.batch * kPlan.m + t.row + from + r) * kPlan.n + t.column;
            RowsOut(out[at], InUb<Out>(kY + b * 2 * kElements, kElements), n, t.n, kPlan.n);
          });
    }
    CrossCoreSetFlag<2, PIPE_MTE2>(1);
    ++tiles;
  });
  stage.End();
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR b, GM_ADDR scale, GM_ADDR of_row, GM_ADDR c,
                                             GM_ADDR workspace) {
  KERNEL_TASK_TYPE_DEFAULT(TASK_TYPE);
  const GlobalTensor<int32_t> slots = InGm<int32_t>(workspace);
  if ASCEND_IS_AIC {
    Product<int8_t, int32_t, false> product(kPlan, InGm<int8_t>(a), InGm<int8_t>(b));
    uint32_t tiles = 0;
    TilesOf(kPlan, GetBlockIdx(), [&](const Tile &t) {
      product.Block(t, [&](const LocalTensor<int32_t> &from, uint8_t flag) {
        if constexpr (kFused) {
          FixpipeParamsV220 how(t.n, t.m, Up(t.m, 16), kPlan.n, false);
          how.quantPre = QuantMode_t::DEQF16, how.deqScalar = 0x3a000000, how.unitFlag = flag;
          Fixpipe(InGm<half>(c)[((uint64_t)t.batch * kPlan.m + t.row) * kPlan.n + t.column], from, how);
        } else {
          if (tiles >= 2) CrossCoreWaitFlag(1);
          FixpipeParamsV220 how(t.n, t.m, Up(t.m, 16), Up(t.n, 8), false);
          Fixpipe(slots[(GetBlockIdx() * 2 + tiles % 2) * kSlot], from, how);
          CrossCoreSetFlag<2, PIPE_FIX>(0);
        }
        ++tiles;
      });
    });
    product.End();
    if constexpr (!kFused) {
      for (uint32_t i = 0; i < Least(2, tiles); ++i) CrossCoreWaitFlag(1);
    }
  }
  if constexpr (!kFused) {
    if ASCEND_IS_AIV { OnVector(scale, of_row, c, workspace); }
  }
}
