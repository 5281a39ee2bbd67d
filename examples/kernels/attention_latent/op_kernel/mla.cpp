#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

namespace {
using T = DTYPE_QUERY_NOPE;
using InGm = matmul::MatmulType<TPosition::GM, CubeFormat::ND, T>;
using TransposedInGm = matmul::MatmulType<TPosition::GM, CubeFormat::ND, T, true>;
using FloatInGm = matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>;
using Scores = matmul::Matmul<InGm, TransposedInGm, FloatInGm>;
using Values = matmul::Matmul<InGm, InGm, FloatInGm>;

constexpr uint32_t kBlock = 8, kRepeat = 64;  // floats of 32 bytes, of one repeat
constexpr float kNever = -1e30f;              // the score of a key that is not there

template <HardEvent kEvent>
__aicore__ inline void Await() {
  const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(kEvent));
  SetFlag<kEvent>(id);
  WaitFlag<kEvent>(id);
}

// What a Vector core does for its tiles: some heads of one query that share keys and values. A block of the cache at a
// time, `sum` holds what the exponentials add up to so far, `most` their maxima, and `result` the values weighed by them.
class Mla {
 public:
  __aicore__ inline Mla(const MlaTilingData &t, Scores &first, Scores &second, Values &values)
      : t_(t), first_(first), second_(second), values_(values) {}

  __aicore__ inline void Init(GM_ADDR query, GM_ADDR position, GM_ADDR cache, GM_ADDR positions, GM_ADDR blocks,
                              GM_ADDR out, GM_ADDR workspace, TPipe *pipe) {
    query_.SetGlobalBuffer((__gm__ T *)query);
    position_.SetGlobalBuffer((__gm__ T *)position);
    cache_.SetGlobalBuffer((__gm__ T *)cache);
    cached_positions_.SetGlobalBuffer((__gm__ T *)positions);
    blocks_.SetGlobalBuffer((__gm__ int32_t *)blocks);
    out_.SetGlobalBuffer((__gm__ T *)out);
    // Between the products: the scores of both parts, the weights and the values of this core, in the workspace.
    const uint32_t tile = t_.rows * t_.block, of_values = t_.rows * t_.columns;
    GM_ADDR own = workspace + GetBlockIdx() * (tile * (2 * sizeof(float) + sizeof(T)) + of_values * sizeof(float));
    first_gm_.SetGlobalBuffer((__gm__ float *)own, tile);
    second_gm_.SetGlobalBuffer((__gm__ float *)own + tile, tile);
    values_gm_.SetGlobalBuffer((__gm__ float *)own + 2 * tile, of_values);
    weights_gm_.SetGlobalBuffer((__gm__ T *)((__gm__ float *)own + 2 * tile + of_values), tile);
    pipe->InitBuffer(tile_, tile * sizeof(float));
    pipe->InitBuffer(second_tile_, tile * sizeof(float));
    pipe->InitBuffer(weights_, tile * sizeof(T));
    pipe->InitBuffer(values_in_, of_values * sizeof(float));
    pipe->InitBuffer(result_, of_values * sizeof(float));
    pipe->InitBuffer(result_out_, of_values * sizeof(T));
    pipe->InitBuffer(sum_, t_.rows * kBlock * sizeof(float));
    pipe->InitBuffer(most_, t_.rows * kBlock * sizeof(float));
    pipe->InitBuffer(change_, t_.rows * kBlock * sizeof(float));
  }

  __aicore__ inline void Process() {
    // In the cache a token's groups lie side by side; in the workspace the tile is as wide as a block.
    first_.SetOrgShape(t_.rows, t_.block, t_.columns, t_.groups * t_.columns);
    second_.SetOrgShape(t_.rows, t_.block, t_.rope, t_.groups * t_.rope);
    values_.SetOrgShape(t_.rows, t_.groups * t_.columns, t_.block, t_.block, t_.columns);
    const uint32_t tiles = (t_.heads + t_.rows - 1) / t_.rows, of_token = t_.groups * tiles;
    for (uint32_t unit = GetBlockIdx(); unit < t_.tokens * of_token; unit += t_.cores) {
      Tile(unit / of_token, unit % of_token / tiles, unit % tiles * t_.rows);
    }
  }

 private:
  __aicore__ inline void Tile(uint32_t token, uint32_t group, uint32_t row) {
    uint32_t sequence = 0;
    while (token >= t_.until[sequence]) {
      ++sequence;
    }
    const uint32_t rows = min(t_.rows, t_.heads - row);
    const uint64_t head = (static_cast<uint64_t>(token) * t_.groups + group) * t_.heads + row;
    for (uint32_t key = 0; key < t_.keys[sequence]; key += t_.block) {
      const uint32_t keys = min(t_.block, t_.keys[sequence] - key);
      const uint64_t at = static_cast<uint64_t>(blocks_.GetValue(sequence * t_.table + key / t_.block)) * t_.block;
      const uint64_t cached = at * t_.groups + group;
      Product(first_, query_[head * t_.columns], cache_[cached * t_.columns], rows, keys, first_gm_);
      Product(second_, position_[head * t_.rope], cached_positions_[cached * t_.rope], rows, keys, second_gm_);
      Weigh(rows, keys, key > 0);
      values_.SetTail(rows, t_.columns, keys);
      values_.SetTensorA(weights_gm_);
      values_.SetTensorB(cache_[cached * t_.columns]);
      values_.IterateAll(values_gm_);
      Gather(rows, key > 0);
    }
    Finish(rows, head * t_.columns);
  }

  __aicore__ inline void Product(Scores &product, GlobalTensor<T> queries, GlobalTensor<T> cached, uint32_t rows,
                                 uint32_t keys, GlobalTensor<float> &to) {
    product.SetTail(rows, keys);
    product.SetTensorA(queries);
    product.SetTensorB(cached, true);
    product.IterateAll(to);
  }

  __aicore__ inline void Bring(LocalTensor<float> to, GlobalTensor<float> &from, uint32_t rows, uint32_t keys) {
    const uint32_t blocks = (keys + kBlock - 1) / kBlock;
    DataCopyExtParams params{static_cast<uint16_t>(rows), static_cast<uint32_t>(keys * sizeof(float)),
                             static_cast<uint32_t>((t_.block - keys) * sizeof(float)), t_.block / kBlock - blocks, 0};
    DataCopyPadExtParams<float> pad{true, 0, static_cast<uint8_t>(blocks * kBlock - keys), kNever};
    DataCopyPad(to, from, params, pad);
  }

  // The scores become weights for the third product; keys that are not there weigh nothing.
  __aicore__ inline void Weigh(uint32_t rows, uint32_t keys, bool update) {
    LocalTensor<float> tile = tile_.Get<float>(), second = second_tile_.Get<float>(), sum = sum_.Get<float>(),
                       most = most_.Get<float>(), change = change_.Get<float>();
    LocalTensor<T> weights = weights_.Get<T>();
    const uint32_t elements = rows * t_.block;
    Duplicate(tile, kNever, elements);
    Duplicate(second, kNever, elements);
    Await<HardEvent::V_MTE2>();
    Bring(tile, first_gm_, rows, keys);
    Bring(second, second_gm_, rows, keys);
    Await<HardEvent::MTE2_V>();
    Add(tile, tile, second, elements);
    Muls(tile, tile, t_.scale, elements);
    const SoftMaxShapeInfo shape{rows, t_.block, rows, t_.block};
    if (update) {
      SoftmaxFlashV2<float, true>(tile, sum, most, tile, change, sum, most, t_.softmax, shape);
    } else {
      SoftmaxFlashV2<float, false>(tile, sum, most, tile, change, sum, most, t_.softmax, shape);
    }
    Cast(weights, tile, RoundMode::CAST_RINT, elements);
    Await<HardEvent::V_MTE3>();
    DataCopy(weights_gm_, weights, elements);
    Await<HardEvent::MTE3_S>();  // the Cube core is told when they are there
  }

  // What was gathered for earlier blocks counts less where the maximum has grown.
  __aicore__ inline void Gather(uint32_t rows, bool update) {
    LocalTensor<float> result = result_.Get<float>(), values = values_in_.Get<float>(), change = change_.Get<float>();
    const uint32_t elements = rows * t_.columns;
    Await<HardEvent::V_MTE2>();
    DataCopy(update ? values : result, values_gm_, elements);
    Await<HardEvent::MTE2_V>();
    if (update) {
      const BinaryRepeatParams of_rows = OfRows();
      for (uint32_t column = 0; column < t_.columns; column += kRepeat) {
        Mul(result[column], result[column], change, kRepeat, rows, of_rows);
      }
      Add(result, result, values, elements);
    }
  }

  __aicore__ inline void Finish(uint32_t rows, uint64_t at) {
    LocalTensor<float> result = result_.Get<float>(), sum = sum_.Get<float>();
    LocalTensor<T> out = result_out_.Get<T>();
    const BinaryRepeatParams of_rows = OfRows();
    for (uint32_t column = 0; column < t_.columns; column += kRepeat) {
      Div(result[column], result[column], sum, kRepeat, rows, of_rows);
    }
    Await<HardEvent::MTE3_V>();
    Cast(out, result, RoundMode::CAST_RINT, rows * t_.columns);
    Await<HardEvent::V_MTE3>();
    DataCopy(out_[at], out, rows * t_.columns);
  }

  // A repeat for each row, with the eight equal floats of the row in `sum` or `change` for all of it.
  __aicore__ inline BinaryRepeatParams OfRows() const {
    const uint8_t row = static_cast<uint8_t>(t_.columns / kBlock);
    return {1, 1, 0, row, row, 1};
  }

  const MlaTilingData &t_;
  Scores &first_, &second_;
  Values &values_;
  GlobalTensor<T> query_, position_, cache_, cached_positions_, out_, weights_gm_;
  GlobalTensor<int32_t> blocks_;
  GlobalTensor<float> first_gm_, second_gm_, values_gm_;
  TBuf<TPosition::VECCALC> tile_, second_tile_, weights_, values_in_, result_, result_out_, sum_, most_, change_;
};
}  // namespace

extern "C" __global__ __aicore__ void mla(GM_ADDR query_nope, GM_ADDR query_rope, GM_ADDR kv_nope_cache,
                                          GM_ADDR kv_rope_cache, GM_ADDR block_tables, GM_ADDR out, GM_ADDR workspace,
                                          GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  Scores first, second;
  Values values;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), first, &data.first, second, &data.second, values, &data.values);
  // From here on this is the code of the Vector cores.
  if (GetBlockIdx() < data.cores) {
    Mla attention(data, first, second, values);
    attention.Init(query_nope, query_rope, kv_nope_cache, kv_rope_cache, block_tables, out, GetUserWorkspace(workspace),
                   &pipe);
    attention.Process();
  }
  first.End();
  second.End();
  values.End();
}
