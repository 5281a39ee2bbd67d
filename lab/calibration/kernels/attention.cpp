// softmax(Q Kt) V per batch and head, over blocks of query rows and chunks of keys: the Vector cores weigh a chunk
// while the Cube core multiplies the next one. Layout [batch, row, head, width]. kCausal: chunks that no row sees are
// left out, and a bias is added where a mask would be.
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
        Bring(of_q_.Fill<T>(), q_[Place(c.item.batch, c.item.first, kQueries, c.item.head)], c.item.rows, kWidth,
              kPitch, Up(c.item.rows, 16));
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
          [&](const LocalTensor<T> &a, uint32_t at, uint32_t n) {
            LoadA(a, weights, Up(c.item.rows, 16), c.item.rows, at, n);
          },
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
  static constexpr uint32_t kElements = 8192, kX = 0, kY = 8 * kElements, kStrip = kY + 4 * kElements + 256,
                            kAcc = kStrip + 16384, kSmall = kAcc + 4 * kElements;
  __aicore__ inline OnVector(GM_ADDR bias, GM_ADDR out, GM_ADDR workspace) : out_(InGm<T>(out)), workspace_(workspace) {
    DataCopy(bias_, InGm<float>(bias), kChunk);
  }
  __aicore__ inline void Weigh(const Chunk &c) {
    CrossCoreWaitFlag(0);
    const uint32_t from = FirstOf(c.item.rows), rows = RowsOf(c.item.rows), wide = Up(c.keys, 64),
                   each = kElements / wide;
    const GlobalTensor<float> scores = Slot<float>(0, c);
    const GlobalTensor<T> weights = Slot<T>(1, c);
    for (uint32_t r = 0; r < rows; r += each) {
      const uint32_t n = Least(each, rows - r), row = from + r;
      stage_.Piece(
          [&](uint32_t b) {
            RowsIn(InUb<float>(kX + b * 4 * kElements, kElements), scores[row * kChunk], n, wide, kChunk);
          },
          [&](uint32_t b) {
            Softmax(c, InUb<float>(kX + b * 4 * kElements, kElements), InUb<T>(kY + b * 2 * kElements, kElements), r, n,
                    wide);
          },
          [&](uint32_t b) {
            RowsOut(weights[row * kChunk], InUb<T>(kY + b * 2 * kElements, kElements), n, wide, kChunk);
          });
    }
    CrossCoreSetFlag<2, PIPE_MTE3>(1);
  }
  // What was gathered for earlier chunks counts less where the maximum has grown.
  __aicore__ inline void Rescale(const Chunk &c) {
    CrossCoreWaitFlag(2);
    const uint32_t from = FirstOf(c.item.rows), rows = RowsOf(c.item.rows), all = rows * kWidth;
    if (rows == 0) return;
    stage_.Piece(
        [&](uint32_t b) {
          DataCopy(InUb<float>(kX + b * 4 * kElements, kElements), Slot<float>(2, c)[from * kWidth], all);
        },
        [&](uint32_t b) {
          const LocalTensor<float> x = InUb<float>(kX + b * 4 * kElements, kElements),
                                   acc = InUb<float>(kAcc, kElements);
          if (c.key == 0) {
            Adds(acc, x, 0.0f, all);
          } else {
            ByRow(acc, acc, Of(kChange, c.number), rows, kWidth, [](auto &&...a) { Mul(a...); });
            PipeBarrier<PIPE_V>();
            Add(acc, acc, x, all);
          }
          PipeBarrier<PIPE_V>();
          if (!c.last) return;
          ByRow(acc, acc, Of(kSum, c.number), rows, kWidth, [](auto &&...a) { Div(a...); });
          PipeBarrier<PIPE_V>();
          Cast(InUb<T>(kY + b * 2 * kElements, kElements), acc, RoundMode::CAST_RINT, all);
        },
        [&](uint32_t b) {
          if (c.last)
            RowsOut(out_[Place(c.item.batch, c.item.first + from, kQueries, c.item.head)],
                    InUb<T>(kY + b * 2 * kElements, kElements), rows, kWidth, kPitch);
        });
  }
  __aicore__ inline void End() { stage_.End(); }

 private:
  // Numbers of rows, a block of 32 bytes each, after a chunk: maxima, sums, by how much those before count less.
  static constexpr uint32_t kLimit = 0, kSum = 1, kChange = 2, kOther = 3;
  __aicore__ inline LocalTensor<float> Of(uint32_t what, uint32_t number) const {
    return InUb<float>(kSmall + (what * 2 + number % 2) * 2304, 576);
  }
  // op(out, x, y) with a block of y for each row.
  template <typename Op>
  __aicore__ inline void ByRow(const LocalTensor<float> &out, const LocalTensor<float> &x, const LocalTensor<float> &y,
                               uint32_t rows, uint32_t width, Op op) {
    const uint8_t stride = width / 8;
    for (uint32_t c = 0; c < width; c += 64)
      op(out[c], x[c], y, (uint64_t)64, (uint8_t)rows, BinaryRepeatParams{1, 1, 0, stride, stride, 1});
  }
  // Strips of 64 columns into one.
  template <typename Op>
  __aicore__ inline void Fold(const LocalTensor<float> &to, const LocalTensor<float> &x, uint32_t n, uint32_t wide,
                              Op op) {
    DataCopy(to, x, DataCopyParams{(uint16_t)n, 8, (uint16_t)(wide / 8 - 8), 0});
    PipeBarrier<PIPE_V>();
    for (uint32_t c = 64; c < wide; c += 64) {
      op(to, to, x[c], (uint64_t)64, (uint8_t)n, BinaryRepeatParams{1, 1, 1, 8, 8, (uint8_t)(wide / 8)});
      PipeBarrier<PIPE_V>();
    }
  }
  // Rows r to r + n of a chunk.
  __aicore__ inline void Softmax(const Chunk &c, const LocalTensor<float> &x, const LocalTensor<T> &y, uint32_t r,
                                 uint32_t n, uint32_t wide) {
    const uint8_t stride = wide / 8;
    const LocalTensor<float> strip = InUb<float>(kStrip, 4096), small = Of(kOther, 0), by_row = Of(kOther, 1);
    const LocalTensor<float> most = Of(kLimit, c.number)[r * 8], sum = Of(kSum, c.number)[r * 8],
                             change = Of(kChange, c.number)[r * 8], most_before = Of(kLimit, c.number + 1)[r * 8],
                             sum_before = Of(kSum, c.number + 1)[r * 8];
    Muls(x, x, 0.088f, n * wide), PipeBarrier<PIPE_V>();
    if (kCausal) {
      for (uint32_t at = 0; at < wide; at += 64) Add(x[at], x[at], bias_[at], 64, n, {1, 1, 1, stride, stride, 0});
      PipeBarrier<PIPE_V>();
    }
    Fold(strip, x, n, wide, [](auto &&...a) { Max(a...); });
    WholeReduceMax(small, strip, 64, n, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE), PipeBarrier<PIPE_V>();
    Brcb(by_row, small, Up(n, 8) / 8, {1, 8}), PipeBarrier<PIPE_V>();
    if (c.key == 0) {
      Adds(most, by_row, 0.0f, n * 8), PipeBarrier<PIPE_V>();
    } else {
      Max(most, most_before, by_row, n * 8), PipeBarrier<PIPE_V>();
      Sub(change, most_before, most, n * 8), PipeBarrier<PIPE_V>();
      Exp(change, change, n * 8);
    }
    ByRow(x, x, most, n, wide, [](auto &&...a) { Sub(a...); }), PipeBarrier<PIPE_V>();
    Exp(x, x, n * wide), PipeBarrier<PIPE_V>();
    Fold(strip, x, n, wide, [](auto &&...a) { Add(a...); });
    WholeReduceSum(small, strip, 64, n, 1, 1, 8), PipeBarrier<PIPE_V>();
    Brcb(by_row, small, Up(n, 8) / 8, {1, 8}), PipeBarrier<PIPE_V>();
    if (c.key == 0) {
      Adds(sum, by_row, 0.0f, n * 8);
    } else {
      Mul(sum, sum_before, change, n * 8), PipeBarrier<PIPE_V>();
      Add(sum, sum, by_row, n * 8);
    }
    Cast(y, x, RoundMode::CAST_RINT, n * wide);
  }
  template <typename S>
  __aicore__ inline GlobalTensor<S> Slot(uint32_t kind, const Chunk &c) const {
    return InGm<S>(workspace_ + (uint64_t)((kind * kBlocks + GetBlockIdx() / 2) * 2 + c.number % 2) * kSlotBytes);
  }
  GlobalTensor<T> out_;
  GM_ADDR workspace_;
  Stage stage_;
  LocalTensor<float> bias_ = InUb<float>(kSmall + 8 * 2304, kChunk);
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

extern "C" __global__ __aicore__ void kernel(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR bias, GM_ADDR out,
                                             GM_ADDR workspace) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if ASCEND_IS_AIC {
    OnCube cube(q, k, v, workspace);
    Behind(GetBlockIdx(), [&](const Chunk &c) { cube.Scores(c); }, [&](const Chunk &c) { cube.Apply(c); });
    cube.End();
  }
  if ASCEND_IS_AIV {
    OnVector vector(bias, out, workspace);
    Behind(GetBlockIdx() / 2, [&](const Chunk &c) { vector.Weigh(c); }, [&](const Chunk &c) { vector.Rescale(c); });
    vector.End();
  }
}
