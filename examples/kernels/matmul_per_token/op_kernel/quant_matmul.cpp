#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

namespace {
using BytesInGm = matmul::MatmulType<TPosition::GM, CubeFormat::ND, int8_t>;
using SumsInGm = matmul::MatmulType<TPosition::GM, CubeFormat::ND, int32_t>;

// Rows of sums become rows of the result: d = sums * scale (a column's) * per_token (the row's).
class Scale {
 public:
  __aicore__ inline void Init(GM_ADDR scale, GM_ADDR per_token, GM_ADDR d, uint32_t columns, TPipe *pipe) {
    scale_gm_.SetGlobalBuffer((__gm__ half *)scale);
    per_token_gm_.SetGlobalBuffer((__gm__ half *)per_token);
    d_gm_.SetGlobalBuffer((__gm__ half *)d);
    const uint32_t room = (columns + 31) / 32 * 32;
    pipe->InitBuffer(in_, 2, room * sizeof(int32_t));
    pipe->InitBuffer(out_, 2, room * sizeof(half));
    pipe->InitBuffer(scale_in_, 1, room * sizeof(half));
    pipe->InitBuffer(scale_, room * sizeof(float));
    pipe->InitBuffer(row_, room * sizeof(float));
  }

  // Of `rows` rows of `columns`, from row m and column n of a result with `stride` columns.
  __aicore__ inline void Process(GlobalTensor<int32_t> sums, int32_t m, int32_t n, int32_t rows, uint32_t columns,
                                 uint64_t stride) {
    const DataCopyPadExtParams<half> no_half{};
    const DataCopyPadExtParams<int32_t> no_sums{};
    LocalTensor<half> factors = scale_in_.AllocTensor<half>();
    DataCopyPad(factors, scale_gm_[n], {1, static_cast<uint32_t>(columns * sizeof(half)), 0, 0, 0}, no_half);
    scale_in_.EnQue(factors);
    factors = scale_in_.DeQue<half>();
    LocalTensor<float> scale = scale_.Get<float>(), row = row_.Get<float>();
    Cast(scale, factors, RoundMode::CAST_NONE, columns);
    scale_in_.FreeTensor(factors);
    for (int32_t i = 0; i < rows; ++i) {
      LocalTensor<int32_t> in = in_.AllocTensor<int32_t>();
      DataCopyPad(in, sums[i * stride], {1, static_cast<uint32_t>(columns * sizeof(int32_t)), 0, 0, 0}, no_sums);
      in_.EnQue(in);
      in = in_.DeQue<int32_t>();
      Cast(row, in, RoundMode::CAST_RINT, columns);
      in_.FreeTensor(in);
      Mul(row, row, scale, columns);
      Muls(row, row, static_cast<float>(per_token_gm_.GetValue(m + i)), columns);
      LocalTensor<half> out = out_.AllocTensor<half>();
      Cast(out, row, RoundMode::CAST_RINT, columns);
      out_.EnQue(out);
      out = out_.DeQue<half>();
      DataCopyPad(d_gm_[(m + i) * stride + n], out, {1, static_cast<uint32_t>(columns * sizeof(half)), 0, 0, 0});
      out_.FreeTensor(out);
    }
  }

 private:
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECIN, 1> scale_in_;
  TQue<TPosition::VECOUT, 2> out_;
  TBuf<TPosition::VECCALC> scale_, row_;
  GlobalTensor<half> scale_gm_, per_token_gm_, d_gm_;
};
}  // namespace

extern "C" __global__ __aicore__ void quant_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR scale, GM_ADDR per_token_scale,
                                                   GM_ADDR d, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(data, tiling);
  const TCubeTiling &cut = data.product;
  TPipe pipe;
  matmul::Matmul<BytesInGm, BytesInGm, SumsInGm> product;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &cut);
  // From here on this is the code of the Vector cores.
  const int32_t core = GetBlockIdx();
  if (core >= cut.usedCoreNum) {
    return;
  }
  const int32_t shares = (cut.M + cut.singleCoreM - 1) / cut.singleCoreM;
  const int32_t m = core % shares * cut.singleCoreM, n = core / shares * cut.singleCoreN;
  const int32_t rows = min(cut.M - m, cut.singleCoreM), columns = min(cut.N - n, cut.singleCoreN);
  GlobalTensor<int8_t> aGm, bGm;
  GlobalTensor<int32_t> sums;
  aGm.SetGlobalBuffer((__gm__ int8_t *)a);
  bGm.SetGlobalBuffer((__gm__ int8_t *)b);
  sums.SetGlobalBuffer((__gm__ int32_t *)GetUserWorkspace(workspace) + static_cast<uint64_t>(m) * cut.N + n);
  product.SetTail(rows, columns);
  product.SetTensorA(aGm[static_cast<uint64_t>(m) * cut.Ka]);
  product.SetTensorB(bGm[n]);
  product.IterateAll(sums);
  Scale scaling;
  scaling.Init(scale, per_token_scale, d, columns, &pipe);
  scaling.Process(sums, m, n, rows, columns, cut.N);
  product.End();
}
