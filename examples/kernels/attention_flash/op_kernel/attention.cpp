#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

namespace {
using HalfInGm = matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>;
using TurnedInGm = matmul::MatmulType<TPosition::GM, CubeFormat::ND, half, true>;
using FloatInGm = matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>;
using Scores = matmul::Matmul<HalfInGm, TurnedInGm, FloatInGm>;
using Values = matmul::Matmul<HalfInGm, HalfInGm, FloatInGm>;

constexpr uint32_t kColumns = 64, kBlock = 8;  // of a head; floats of 32 bytes
constexpr float kScale = 0.125f;

template <HardEvent kEvent>
__aicore__ inline void Await() {
  const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(kEvent));
  SetFlag<kEvent>(id);
  WaitFlag<kEvent>(id);
}

// What a Vector core does for its tiles of queries: out = softmax(q k^T / 8) v, a block of keys at a time. After each
// block `sum` holds what the exponentials add up to so far, `most` their maxima, and `out` the values weighed by them.
class Attention {
 public:
  __aicore__ inline Attention(const AttentionTilingData &t, Scores &scores, Values &values)
      : t_(t), scores_(scores), values_(values) {}

  __aicore__ inline void Init(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR out, GM_ADDR workspace, TPipe *pipe) {
    q_.SetGlobalBuffer((__gm__ half *)q);
    k_.SetGlobalBuffer((__gm__ half *)k);
    v_.SetGlobalBuffer((__gm__ half *)v);
    out_.SetGlobalBuffer((__gm__ half *)out);
    // Between the products: the scores, the weights and the values of this core, in the workspace.
    const uint32_t tile = t_.rows * t_.keys, of_values = t_.rows * kColumns;
    GM_ADDR own = workspace + GetBlockIdx() * (tile * (sizeof(float) + sizeof(half)) + of_values * sizeof(float));
    scores_gm_.SetGlobalBuffer((__gm__ float *)own, tile);
    weights_gm_.SetGlobalBuffer((__gm__ half *)(own + tile * sizeof(float)), tile);
    values_gm_.SetGlobalBuffer((__gm__ float *)(own + tile * (sizeof(float) + sizeof(half))), of_values);
    pipe->InitBuffer(tile_, tile * sizeof(float));
    pipe->InitBuffer(weights_, tile * sizeof(half));
    pipe->InitBuffer(values_in_, of_values * sizeof(float));
    pipe->InitBuffer(result_, of_values * sizeof(float));
    pipe->InitBuffer(result_half_, of_values * sizeof(half));
    pipe->InitBuffer(sum_, t_.rows * kBlock * sizeof(float));
    pipe->InitBuffer(most_, t_.rows * kBlock * sizeof(float));
    pipe->InitBuffer(change_, t_.rows * kBlock * sizeof(float));
  }

  __aicore__ inline void Process() {
    const uint32_t tiles = (t_.m + t_.rows - 1) / t_.rows;
    for (uint32_t unit = GetBlockIdx(); unit < t_.heads * tiles; unit += t_.cores) {
      Tile(unit / tiles, unit % tiles * t_.rows);
    }
  }

 private:
  __aicore__ inline void Tile(uint32_t head, uint32_t row) {
    const uint32_t rows = min(t_.rows, t_.m - row);
    const uint64_t queries = (static_cast<uint64_t>(head) * t_.m + row) * kColumns;
    LocalTensor<float> result = result_.Get<float>(), sum = sum_.Get<float>();
    for (uint32_t key = 0; key < t_.n; key += t_.keys) {
      const uint64_t keys = (static_cast<uint64_t>(head) * t_.n + key) * kColumns;
      scores_.SetTail(rows);
      scores_.SetTensorA(q_[queries]);
      scores_.SetTensorB(k_[keys], true);
      scores_.IterateAll(scores_gm_);
      Weigh(rows, key > 0);
      values_.SetTail(rows);
      values_.SetTensorA(weights_gm_);
      values_.SetTensorB(v_[keys]);
      values_.IterateAll(values_gm_);
      Gather(rows, key > 0);
    }
    LocalTensor<half> half_result = result_half_.Get<half>();
    Div(result, result, sum, kColumns, rows, {1, 1, 0, 8, 8, 1});
    Await<HardEvent::MTE3_V>();
    Cast(half_result, result, RoundMode::CAST_RINT, rows * kColumns);
    Await<HardEvent::V_MTE3>();
    DataCopy(out_[queries], half_result, rows * kColumns);
  }

  // The scores become weights for the second product.
  __aicore__ inline void Weigh(uint32_t rows, bool update) {
    LocalTensor<float> tile = tile_.Get<float>(), sum = sum_.Get<float>(), most = most_.Get<float>(),
                       change = change_.Get<float>();
    LocalTensor<half> weights = weights_.Get<half>();
    const uint32_t elements = rows * t_.keys;
    Await<HardEvent::V_MTE2>();
    DataCopy(tile, scores_gm_, elements);
    Await<HardEvent::MTE2_V>();
    Muls(tile, tile, kScale, elements);
    const SoftMaxShapeInfo shape{rows, t_.keys, rows, t_.keys};
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
    Await<HardEvent::V_MTE2>();
    DataCopy(update ? values : result, values_gm_, rows * kColumns);
    Await<HardEvent::MTE2_V>();
    if (update) {
      Mul(result, result, change, kColumns, rows, {1, 1, 0, 8, 8, 1});
      Add(result, result, values, rows * kColumns);
    }
  }

  const AttentionTilingData &t_;
  Scores &scores_;
  Values &values_;
  GlobalTensor<half> q_, k_, v_, out_, weights_gm_;
  GlobalTensor<float> scores_gm_, values_gm_;
  TBuf<TPosition::VECCALC> tile_, weights_, values_in_, result_, result_half_, sum_, most_, change_;
};
}  // namespace

extern "C" __global__ __aicore__ void attention(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR out, GM_ADDR workspace,
                                                GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  Scores scores;
  Values values;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), scores, &data.scores, values, &data.values);
  // From here on this is the code of the Vector cores.
  if (GetBlockIdx() < data.cores) {
    Attention attention(data, scores, values);
    attention.Init(q, k, v, out, GetUserWorkspace(workspace), &pipe);
    attention.Process();
  }
  scores.End();
  values.End();
}
