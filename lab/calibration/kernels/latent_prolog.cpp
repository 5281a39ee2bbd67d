// The products before a latent attention, one phase after the other, with norms and rotations of rows between them. The
// weights of the first two are columns of fractals, as the interface asks.
constexpr uint32_t kBoth = kLatent + 576;  // columns of the first product: latent, and keys with their rotated part

template <Stored kB>
__aicore__ inline void Multiplied(const Plan &p, GM_ADDR a, GM_ADDR b, GM_ADDR c, bool own_head) {
  if (GetBlockIdx() >= p.grid_m * p.grid_n && !own_head) return;
  Product<T, float, true, kB> product(p, InGm<T>(a), InGm<T>(b));
  auto one = [&](const Tile &t) {
    product.Block(t, [&](const LocalTensor<float> &from, uint8_t flag) {
      FixpipeParamsV220 how(t.n, t.m, Up(t.m, 16), p.n, false);
      how.quantPre = QuantMode_t::F322BF16, how.unitFlag = flag;
      Fixpipe(InGm<T>(c)[((uint64_t)t.batch * p.m + t.row) * p.n + t.column], from, how);
    });
  };
  if (!own_head) {
    TilesOf(p, GetBlockIdx(), one);
  } else {
    for (uint32_t head = GetBlockIdx(); head < kHeads; head += kBlocks) {
      TilesOf(p, 0, [&](Tile t) {
        t.batch = head;
        one(t);
      });
    }
  }
  product.End();
}

class Rows {
 public:
  static constexpr uint32_t kLimit = 8192, kX = 0, kY = 4 * kLimit, kF = 8 * kLimit, kG = kF + 4 * kLimit + 256,
                            kGamma = kG + 4 * kLimit;  // half a row of banks apart
  __aicore__ inline void Norm(GM_ADDR from, GM_ADDR gamma, GM_ADDR to) {
    constexpr uint32_t n = kBoth;
    const LocalTensor<float> f = InUb<float>(kF, kLimit), g = InUb<float>(kG, kLimit), by = InUb<float>(kGamma, n),
                             one = InUb<float>(kGamma + 4 * n, 128);
    DataCopy(by, InGm<float>(gamma), n);
    for (uint32_t t = GetBlockIdx(); t < kTokens; t += 2 * kBlocks) {
      stage_.Piece([&](uint32_t b) { DataCopy(InUb<T>(kX + b * 2 * kLimit, kLimit), InGm<T>(from)[(uint64_t)t * n], n); },
                   [&](uint32_t b) {
                     Cast(f, InUb<T>(kX + b * 2 * kLimit, kLimit), RoundMode::CAST_NONE, n), PipeBarrier<PIPE_V>();
                     Mul(g, f, f, n), PipeBarrier<PIPE_V>();
                     WholeReduceSum(one, g, 64, n / 64, 1, 1, 8), PipeBarrier<PIPE_V>();
                     WholeReduceSum(one, one, n / 64, 1, 1, 1, 8), PipeBarrier<PIPE_V>();
                     Adds(one, one, 1e-5f, 8), PipeBarrier<PIPE_V>();
                     Sqrt(one, one, 8), PipeBarrier<PIPE_V>();
                     Brcb(one[64], one, 1, {1, 8}), PipeBarrier<PIPE_V>();
                     Div(f, f, one[64], 64, n / 64, {1, 1, 0, 8, 8, 0}), PipeBarrier<PIPE_V>();
                     Mul(f, f, by, n), PipeBarrier<PIPE_V>();
                     Cast(InUb<T>(kY + b * 2 * kLimit, kLimit), f, RoundMode::CAST_RINT, n);
                   },
                   [&](uint32_t b) { DataCopy(InGm<T>(to)[(uint64_t)t * n], InUb<T>(kY + b * 2 * kLimit, kLimit), n); });
    }
  }
  // The last 64 of 192 columns of each head.
  __aicore__ inline void Rotate(GM_ADDR from, GM_ADDR to) {
    constexpr uint32_t n = kHeads * 64;
    const LocalTensor<float> f = InUb<float>(kF, kLimit), g = InUb<float>(kG, kLimit);
    for (uint32_t t = GetBlockIdx(); t < kTokens; t += 2 * kBlocks) {
      stage_.Piece(
          [&](uint32_t b) {
            RowsIn(InUb<T>(kX + b * 2 * kLimit, kLimit), InGm<T>(from)[(uint64_t)t * kHeads * 192 + 128], kHeads, 64,
                   192);
          },
          [&](uint32_t b) {
            Cast(f, InUb<T>(kX + b * 2 * kLimit, kLimit), RoundMode::CAST_NONE, n), PipeBarrier<PIPE_V>();
            Muls(g, f, 0.5f, n), PipeBarrier<PIPE_V>();
            Muls(f, f, 0.25f, n), PipeBarrier<PIPE_V>();
            Add(f, f, g, n), PipeBarrier<PIPE_V>();
            Cast(InUb<T>(kY + b * 2 * kLimit, kLimit), f, RoundMode::CAST_RINT, n);
          },
          [&](uint32_t b) { DataCopy(InGm<T>(to)[(uint64_t)t * n], InUb<T>(kY + b * 2 * kLimit, kLimit), n); });
    }
  }
  __aicore__ inline void End() { stage_.End(); }

 private:
  Stage stage_;
};

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR down, GM_ADDR up, GM_ADDR by_head, GM_ADDR gamma,
                                             GM_ADDR query, GM_ADDR rotated, GM_ADDR workspace) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GM_ADDR first = workspace;
  GM_ADDR normed = first + (uint64_t)kTokens * kBoth * 2;
  GM_ADDR second = normed + (uint64_t)kTokens * kBoth * 2;
  if ASCEND_IS_AIC {
    Multiplied<Stored::kNz>(kDown, x, down, first, false);
    SyncAll<false>();
    SyncAll<false>();
    Multiplied<Stored::kNz>(kUp, normed, up, second, false);
    SyncAll<false>();
    Multiplied<Stored::kRows>(kByHead, second, by_head, query, true);
  }
  if ASCEND_IS_AIV {
    Rows rows;
    SyncAll<false>();
    rows.Norm(first, gamma, normed);
    SyncAll<false>();
    SyncAll<false>();
    rows.Rotate(second, rotated);
    rows.End();
  }
}
