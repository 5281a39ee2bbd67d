// y = x / sqrt(mean(x^2) + epsilon) * gamma, row by row, in float. The reciprocal root of a row is read as a
// scalar (the compiler orders vector and scalar unit here) and collected for the second output.
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class RmsNormKernel {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd, uint32_t rows, uint32_t cols,
                              uint32_t rowsPerCore, float epsilon) {
    const uint32_t first = GetBlockIdx() * rowsPerCore;
    rows_ = rows - first < rowsPerCore ? rows - first : rowsPerCore;
    cols_ = cols;
    epsilon_ = epsilon;
    x_.SetGlobalBuffer((__gm__ T *)x + static_cast<uint64_t>(first) * cols, static_cast<uint64_t>(rows_) * cols);
    y_.SetGlobalBuffer((__gm__ T *)y + static_cast<uint64_t>(first) * cols, static_cast<uint64_t>(rows_) * cols);
    gamma_.SetGlobalBuffer((__gm__ T *)gamma, cols);
    rstd_.SetGlobalBuffer((__gm__ float *)rstd + first, rows_);
    const uint32_t padded = (cols + 15) / 16 * 16;
    pipe_.InitBuffer(inQueue_, 2, padded * sizeof(T));
    pipe_.InitBuffer(outQueue_, 2, padded * sizeof(T));
    pipe_.InitBuffer(rstdQueue_, 1, (rows_ + 7) / 8 * 8 * sizeof(float));
    pipe_.InitBuffer(gammaBuf_, padded * sizeof(float));
    pipe_.InitBuffer(valueBuf_, padded * sizeof(float));
    pipe_.InitBuffer(squareBuf_, padded * sizeof(float));
    pipe_.InitBuffer(workBuf_, padded * sizeof(float));
    pipe_.InitBuffer(sumBuf_, 32);
  }

  __aicore__ inline void Process() {
    LoadGamma();
    LocalTensor<float> rstd = rstdQueue_.AllocTensor<float>();
    for (uint32_t row = 0; row < rows_; ++row) {
      CopyIn(x_[static_cast<uint64_t>(row) * cols_]);
      rstd.SetValue(row, Compute());
      CopyOut(static_cast<uint64_t>(row) * cols_);
    }
    rstdQueue_.EnQue(rstd);
    rstd = rstdQueue_.DeQue<float>();
    DataCopyExtParams params{1, static_cast<uint32_t>(rows_ * sizeof(float)), 0, 0, 0};
    DataCopyPad(rstd_, rstd, params);
    rstdQueue_.FreeTensor(rstd);
  }

 private:
  __aicore__ inline void CopyIn(GlobalTensor<T> source) {
    DataCopyExtParams params{1, static_cast<uint32_t>(cols_ * sizeof(T)), 0, 0, 0};
    DataCopyPadExtParams<T> pad{false, 0, 0, 0};
    LocalTensor<T> in = inQueue_.template AllocTensor<T>();
    DataCopyPad(in, source, params, pad);
    inQueue_.EnQue(in);
  }

  // The tensor that waits in the input queue, as float.
  __aicore__ inline void Widen(LocalTensor<float> &to) {
    LocalTensor<T> in = inQueue_.template DeQue<T>();
    if constexpr (sizeof(T) == 2) {
      Cast(to, in, RoundMode::CAST_NONE, cols_);
    } else {
      Adds(to, in, 0.0f, cols_);
    }
    inQueue_.FreeTensor(in);
  }

  __aicore__ inline void LoadGamma() {
    CopyIn(gamma_);
    LocalTensor<float> gamma = gammaBuf_.Get<float>();
    Widen(gamma);
  }

  __aicore__ inline float Compute() {
    LocalTensor<float> x = valueBuf_.Get<float>();
    LocalTensor<float> square = squareBuf_.Get<float>();
    LocalTensor<float> work = workBuf_.Get<float>();
    LocalTensor<float> sum = sumBuf_.Get<float>();
    LocalTensor<float> gamma = gammaBuf_.Get<float>();
    Widen(x);
    Mul(square, x, x, cols_);
    ReduceSum(sum, square, work, cols_);
    Muls(sum, sum, 1.0f / static_cast<float>(cols_), 1);
    Adds(sum, sum, epsilon_, 1);
    Sqrt(sum, sum, 1);
    const float rstd = 1.0f / sum.GetValue(0);
    Muls(x, x, rstd, cols_);
    LocalTensor<T> out = outQueue_.template AllocTensor<T>();
    if constexpr (sizeof(T) == 2) {
      Mul(x, x, gamma, cols_);
      Cast(out, x, RoundMode::CAST_RINT, cols_);
    } else {
      Mul(out, x, gamma, cols_);
    }
    outQueue_.EnQue(out);
    return rstd;
  }

  __aicore__ inline void CopyOut(uint64_t offset) {
    DataCopyExtParams params{1, static_cast<uint32_t>(cols_ * sizeof(T)), 0, 0, 0};
    LocalTensor<T> out = outQueue_.template DeQue<T>();
    DataCopyPad(y_[offset], out, params);
    outQueue_.FreeTensor(out);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> inQueue_;
  TQue<QuePosition::VECOUT, 2> outQueue_;
  TQue<QuePosition::VECOUT, 1> rstdQueue_;
  TBuf<QuePosition::VECCALC> gammaBuf_, valueBuf_, squareBuf_, workBuf_, sumBuf_;
  GlobalTensor<T> x_, y_, gamma_;
  GlobalTensor<float> rstd_;
  uint32_t rows_ = 0, cols_ = 0;
  float epsilon_ = 0;
};

extern "C" __global__ __aicore__ void rms_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd, GM_ADDR workspace,
                                               GM_ADDR tiling) {
  GET_TILING_DATA(t, tiling);
  RmsNormKernel<DTYPE_X> kernel;
  kernel.Init(x, gamma, y, rstd, t.rows, t.cols, t.rowsPerCore, t.epsilon);
  kernel.Process();
}
