// softmax(Q Kt) V per batch and head, over blocks of query rows and chunks of keys: the Vector cores weigh a chunk while
// the Cube core multiplies the next one. Layout [batch, row, head, width].
constexpr uint32_t kTile = kWidth > 128 ? 64 : 128;  // rows of queries: two results fit into L0C
constexpr uint32_t kChunk = 512, kSlotBytes = 512 * 1024, kPitch = kHeads * kWidth;

struct Item {
  uint32_t batch, head, first, rows;
};
struct Chunk {
  Item item;
  uint32_t key, keys, number;
  bool last;
};
// The longest first, so that blocks end together.
template <typename Each>
__aicore__ inline void ItemsOf(uint32_t block, Each each) {
  constexpr uint32_t kTiles = Up(kQueries, kTile) / kTile, kAll = kTiles * kBatch * kHeads;
  for (uint32_t i = block; i < kAll; i += kBlocks) {
    const uint32_t first = (kTiles - 1 - i / (kBatch * kHeads)) * kTile;
    each(Item{i / kHeads % kBatch, i % kHeads, first, Least(kTile, kQueries - first)});
  }
}
template <typename Each>
__aicore__ inline void ChunksOf(uint32_t block, Each each) {
  uint32_t number = 0;
  ItemsOf(block, [&](const Item &i) {
    const uint32_t keys = kCausal ? Least(kKeys, kKeys - kQueries + i.first + i.rows) : kKeys;
    for (uint32_t k = 0; k < keys; k += kChunk) {
      each(Chunk{i, k, Least(kChunk, keys - k), number++, k + kChunk >= keys});
    }
  });
}
__aicore__ inline uint64_t Place(uint32_t batch, uint32_t row, uint32_t rows, uint32_t head) {
  return (((uint64_t)batch * rows + row) * kHeads + head) * kWidth;
}

class OnCube {
 public:
  __aicore__ inline OnCube(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR workspace)
      : q_(InGm<T>(q)), k_(InGm<T>(k)), v_(InGm<T>(v)), workspace_(workspace) {}
  __aicore__ inline void Scores(const Chunk &c) {
    const GlobalTensor<float> to = Slot<float>(0, c);
    for (uint32_t n = 0; n < c.keys; n += 128) {
      const uint32_t columns = Least(128, c.keys - n), high = Up(columns, 16);
      mul_.Begin();
      if (c.key == 0 && n == 0) {
        if (queries_held_) of_q_.Emptied();
        Bring(of_q_.Fill<T>(), q_[Place(c.item.batch, c.item.first, kQueries, c.item.head)], c.item.rows, kWidth, kPitch,
              Up(c.item.rows, 16));
        queries_ = of_q_.Filled<T>();
        queries_held_ = true;
      }
      Bring(of_k_.Fill<T>(), k_[Place(c.item.batch, c.key + n, kKeys, c.item.head)], columns, kWidth, kPitch, high);
      const LocalTensor<T> keys = of_k_.Filled<T>();
      mul_.Multiply<T, float>(
          c.item.rows, columns, kWidth, 128,
          [&](const LocalTensor<T> &a, uint32_t at, uint32_t k) {
            LoadA(a, queries_, Up(c.item.rows, 16), c.item.rows, at, k);
          },
          [&](const LocalTensor<T> &b, uint32_t at, uint32_t k) { LoadTurnedB(b, keys, high, at, k); });
      of_k_.Emptied();
      mul_.Store<float>(to[n], c.item.rows, columns, kChunk);
    }
    CrossCoreSetFlag<2, PIPE_FIX>(0);
  }
  __aicore__ inline void Apply(const Chunk &c) {
    const GlobalTensor<T> from = Slot<T>(1, c);
    CrossCoreWaitFlag(1);
    mul_.Begin();
    for (uint32_t k = 0; k < c.keys; k += 128) {
      const uint32_t deep = Least(128, c.keys - k), high = Up(deep, 16);
      Bring(of_p_.Fill<T>(), from[k], c.item.rows, deep, kChunk, Up(c.item.rows, 16));
      const LocalTensor<T> weights = of_p_.Filled<T>();
      Bring(of_k_.Fill<T>(), v_[Place(c.item.batch, c.key + k, kKeys, c.item.head)], deep, kWidth, kPitch, high);
      const LocalTensor<T> values = of_k_.Filled<T>();
      mul_.Multiply<T, float>(
          c.item.rows, kWidth, deep, kWidth > 128 ? 64 : 128,
          [&](const LocalTensor<T> &a, uint32_t at, uint32_t n) { LoadA(a, weights, Up(c.item.rows, 16), c.item.rows, at, n); },
          [&](const LocalTensor<T> &b, uint32_t at, uint32_t n) { LoadB(b, values, high, kWidth, at, n); });
      of_p_.Emptied(), of_k_.Emptied();
    }
    mul_.Store<float>(Slot<float>(2, c), c.item.rows, kWidth, kWidth);
    CrossCoreSetFlag<2, PIPE_FIX>(2);
  }
  __aicore__ inline void End() {
    if (queries_held_) of_q_.Emptied();
    mul_.End(), of_q_.End(), of_k_.End(), of_p_.End();
  }
  template <typename S>
  __aicore__ inline GlobalTensor<S> Slot(uint32_t kind, const Chunk &c) const {
    return InGm<S>(workspace_ + (uint64_t)((kind * kBlocks + GetBlockIdx()) * 2 + c.number % 2) * kSlotBytes);
  }

 private:
  GlobalTensor<T> q_, k_, v_;
  GM_ADDR workspace_;
  Multiplier mul_{2};
  Buffers of_q_{0, 0, 65536}, of_k_{2, 131072, 65536}, of_p_{4, 262144, 65536};
  LocalTensor<T> queries_;
  bool queries_held_ = false;
};

class OnVector {
 public:
  static constexpr uint32_t kElements = 8192, kX = 0, kY = 8 * kElements, kF = kY + 4 * kElements + 256, kSmall = kF + 4 * kElements;
  __aicore__ inline OnVector(GM_ADDR out, GM_ADDR workspace) : out_(InGm<T>(out)), workspace_(workspace) {
    Duplicate(most_, 0.0f, 1024), Duplicate(sum_, 0.0f, 1024), Duplicate(change_, 1.0f, 1024);
    Duplicate(mask_, 0.0f, kChunk);
  }
  __aicore__ inline void Weigh(const Chunk &c) {
    CrossCoreWaitFlag(0);
    const uint32_t from = FirstOf(c.item.rows), rows = RowsOf(c.item.rows), wide = Up(c.keys, 64), each = Least(64, Most(1, kElements / wide));
    const GlobalTensor<float> scores = Slot<float>(0, c);
    const GlobalTensor<T> weights = Slot<T>(1, c);
    for (uint32_t r = 0; r < rows; r += each) {
      const uint32_t n = Least(each, rows - r), all = n * wide, row = from + r;
      stage_.Piece(
          [&](uint32_t b) { RowsIn(InUb<float>(kX + b * 4 * kElements, kElements), scores[row * kChunk], n, wide, kChunk); },
          [&](uint32_t b) { Softmax(InUb<float>(kX + b * 4 * kElements, kElements), InUb<T>(kY + b * 2 * kElements, kElements), n, wide, all); },
          [&](uint32_t b) { RowsOut(weights[row * kChunk], InUb<T>(kY + b * 2 * kElements, kElements), n, wide, kChunk); });
    }
    CrossCoreSetFlag<2, PIPE_MTE3>(1);
  }
  __aicore__ inline void Rescale(const Chunk &c) {
    CrossCoreWaitFlag(2);
    const uint32_t from = FirstOf(c.item.rows), rows = RowsOf(c.item.rows), each = Least(64, Most(1, kElements / kWidth));
    const GlobalTensor<float> values = Slot<float>(2, c);
    for (uint32_t r = 0; r < rows; r += each) {
      const uint32_t n = Least(each, rows - r), all = n * kWidth, row = from + r;
      stage_.Piece(
          [&](uint32_t b) { DataCopy(InUb<float>(kX + b * 4 * kElements, kElements), values[row * kWidth], all); },
          [&](uint32_t b) {
            const LocalTensor<float> x = InUb<float>(kX + b * 4 * kElements, kElements), f = InUb<float>(kF, kElements);
            ByRow(f, f, change_, n, kWidth, [](auto &&...a) { Mul(a...); });
            PipeBarrier<PIPE_V>();
            Add(f, f, x, all);
            if (!c.last) return;
            PipeBarrier<PIPE_V>();
            ByRow(f, f, change_, n, kWidth, [](auto &&...a) { Div(a...); });
            PipeBarrier<PIPE_V>();
            Cast(InUb<T>(kY + b * 2 * kElements, kElements), f, RoundMode::CAST_RINT, all);
          },
          [&](uint32_t b) {
            if (c.last)
              RowsOut(out_[Place(c.item.batch, c.item.first + row, kQueries, c.item.head)],
                      InUb<T>(kY + b * 2 * kElements, kElements), n, kWidth, kPitch);
          });
    }
  }
  __aicore__ inline void End() { stage_.End(); }

 private:
  // op(out, x, y) with a block of y for each row.
  template <typename Op>
  __aicore__ inline void ByRow(const LocalTensor<float> &out, const LocalTensor<float> &x, const LocalTensor<float> &y,
                               uint32_t rows, uint32_t width, Op op) {
    const uint8_t stride = width / 8;
    for (uint32_t c = 0; c < width; c += 64) op(out[c], x[c], y, (uint64_t)64, (uint8_t)rows, BinaryRepeatParams{1, 1, 0, stride, stride, 1});
  }
  __aicore__ inline void Softmax(const LocalTensor<float> &x, const LocalTensor<T> &y, uint32_t n, uint32_t wide, uint32_t all) {
    const uint8_t stride = wide / 8;
    Muls(x, x, 0.088f, all);
    PipeBarrier<PIPE_V>();
    if (kCausal) {
      for (uint32_t c = 0; c < wide; c += 64) Add(x[c], x[c], mask_[c], 64, n, {1, 1, 1, stride, stride, 0});
      PipeBarrier<PIPE_V>();
    }
    // Maxima of rows: strips into the first, then within it.
    const LocalTensor<float> strip = InUb<float>(kF, kElements);
    DataCopy(strip, x, {(uint16_t)n, 8, (uint16_t)(wide / 8 - 8), 0});
    PipeBarrier<PIPE_V>();
    for (uint32_t c = 64; c < wide; c += 64) {
      Max(strip, strip, x[c], 64, n, {1, 1, 1, 8, 8, stride});
      PipeBarrier<PIPE_V>();
    }
    WholeReduceMax(small_, strip, 64, n, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    PipeBarrier<PIPE_V>();
    Brcb(most_, small_, Up(n, 8) / 8, {1, 8});
    PipeBarrier<PIPE_V>();
    Max(change_, most_, sum_, n * 8), PipeBarrier<PIPE_V>();
    ByRow(x, x, most_, n, wide, [](auto &&...a) { Sub(a...); });
    PipeBarrier<PIPE_V>();
    Exp(x, x, all);
    PipeBarrier<PIPE_V>();
    DataCopy(strip, x, {(uint16_t)n, 8, (uint16_t)(wide / 8 - 8), 0});
    PipeBarrier<PIPE_V>();
    for (uint32_t c = 64; c < wide; c += 64) {
      Add(strip, strip, x[c], 64, n, {1, 1, 1, 8, 8, stride});
      PipeBarrier<PIPE_V>();
    }
    WholeReduceSum(small_, strip, 64, n, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    Brcb(sum_, small_, Up(n, 8) / 8, {1, 8});
    PipeBarrier<PIPE_V>();
    Mul(sum_, sum_, change_, n * 8), Exp(change_, most_, n * 8);
    Cast(y, x, RoundMode::CAST_RINT, all);
  }
  template <typename S>
  __aicore__ inline GlobalTensor<S> Slot(uint32_t kind, const Chunk &c) const {
    return InGm<S>(workspace_ + (uint64_t)((kind * kBlocks + GetBlockIdx() / 2) * 2 + c.number % 2) * kSlotBytes);
  }
  GlobalTensor<T> out_;
  GM_ADDR workspace_;
  Stage stage_;
  LocalTensor<float> most_ = InUb<float>(kSmall, 1024), sum_ = InUb<float>(kSmall + 4096, 1024),
                     change_ = InUb<float>(kSmall + 8192, 1024), small_ = InUb<float>(kSmall + 12288, 1024),
                     mask_ = InUb<float>(kSmall + 16384, kChunk);
};

// apply(c) of each chunk comes behind begin(c) of the next.
template <typename Begin, typename Apply>
__aicore__ inline void Behind(uint32_t block, Begin begin, Apply apply) {
  Chunk before{};
  ChunksOf(block, [&](const Chunk &c) {
    begin(c);
    if (c.number) apply(before);
    before = c;
  });
  if (before.keys) apply(before);
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR out, GM_ADDR workspace) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if ASCEND_IS_AIC {
    OnCube cube(q, k, v, workspace);
    Behind(GetBlockIdx(), [&](const Chunk &c) { cube.Scores(c); }, [&](const Chunk &c) { cube.Apply(c); });
    cube.End();
  }
  if ASCEND_IS_AIV {
    OnVector vector(out, workspace);
    Behind(GetBlockIdx() / 2, [&](const Chunk &c) { vector.Weigh(c); }, [&](const Chunk &c) { vector.Rescale(c); });
    vector.End();
  }
}
