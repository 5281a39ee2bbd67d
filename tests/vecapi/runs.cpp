// Small kernels, one API each: `in` is copied to UB, the call runs, UB goes to `out`. The test knows the answers.
#include "kernel_operator.h"
using namespace AscendC;

namespace {

constexpr uint32_t kBytes = 8192;  // of in and of out

class Bench {
 public:
  Bench(GM_ADDR in, GM_ADDR out) {
    pipe_.InitBuffer(in_, kBytes);
    pipe_.InitBuffer(out_, kBytes);
    pipe_.InitBuffer(tmp_, 4 * kBytes);
    gm_in_.SetGlobalBuffer(in, kBytes);
    gm_out_.SetGlobalBuffer(out, kBytes);
    DataCopy(in_.Get<uint8_t>(), gm_in_, kBytes);
    PipeBarrier<PIPE_ALL>();
    Duplicate(out_.Get<int32_t>(), 0, kBytes / 4);
    Duplicate(tmp_.Get<int32_t>(), 0, kBytes);
    PipeBarrier<PIPE_ALL>();
  }
  ~Bench() {
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm_out_, out_.Get<uint8_t>(), kBytes);
    PipeBarrier<PIPE_ALL>();
  }
  template <typename T>
  LocalTensor<T> In(uint32_t byte = 0) {
    return in_.Get<uint8_t>()[byte].template ReinterpretCast<T>();
  }
  template <typename T>
  LocalTensor<T> Out(uint32_t byte = 0) {
    return out_.Get<uint8_t>()[byte].template ReinterpretCast<T>();
  }
  template <typename T>
  LocalTensor<T> Tmp(uint32_t byte = 0) {
    return tmp_.Get<uint8_t>()[byte].template ReinterpretCast<T>();
  }

 private:
  TPipe pipe_;
  TBuf<TPosition::VECCALC> in_, out_, tmp_;
  GlobalTensor<uint8_t> gm_in_, gm_out_;
};

}  // namespace

#define RUN(name, ...)                             \
  extern "C" void name(GM_ADDR in, GM_ADDR out) {  \
    Bench b(in, out);                              \
    __VA_ARGS__                                    \
  }

RUN(RunMaskRegister,  // counter mode: 100 elements, then restored
    SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(0, 100);
    Adds<float, false>(b.Out<float>(), b.In<float>(), 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8}); PipeBarrier<PIPE_V>();
    Muls<float, false>(b.Out<float>(1024), b.In<float>(), 2.0f, 5); SetMaskNorm(); ResetMask();)
RUN(RunStridedMask, Add(b.Out<float>(), b.In<float>(), b.In<float>(4096), 10, 3, {1, 1, 1, 8, 8, 0});)
RUN(RunBrcb, Brcb(b.Out<float>(), b.In<float>(), 2, {1, 8});)
RUN(RunGather, CreateVecIndex(b.Tmp<int32_t>(), 0, 64u); PipeBarrier<PIPE_V>();
    Muls(b.Tmp<int32_t>(), b.Tmp<int32_t>(), 8, 64); PipeBarrier<PIPE_V>();
    Gather(b.Out<float>(), b.In<float>(), b.Tmp<uint32_t>(), 4, 64u);)
RUN(RunGatherMask, uint64_t n = 0;
    GatherMask(b.Out<float>(32), b.In<float>(), uint8_t(1), false, 0, {1, 2, 8, 0}, n);
    uint64_t m = 0; Duplicate(b.Tmp<uint32_t>(), 0x80000001u, 8); PipeBarrier<PIPE_V>();
    GatherMask(b.Out<float>(1024), b.In<float>(), b.Tmp<uint32_t>(), true, 70, {1, 1, 8, 0}, m); PipeBarrier<PIPE_ALL>();
    b.Out<int32_t>().SetValue(0, int32_t(n)); b.Out<int32_t>().SetValue(1, int32_t(m));)
RUN(RunTranspose, Transpose(b.Out<half>(), b.In<half>());)
RUN(RunTranspose4d, using Type = TransposeType;
    Transpose(b.Out<float>(), b.In<float>(), b.Tmp<uint8_t>(),
              TransposeParamsExt(2, 3, 4, 8, Type::TRANSPOSE_NCHW2NHWC));
    PipeBarrier<PIPE_V>();
    Transpose(b.Out<float>(4096), b.Out<float>(), b.Tmp<uint8_t>(),
              TransposeParamsExt(2, 3, 4, 8, Type::TRANSPOSE_NHWC2NCHW));)
RUN(RunTransLists, LocalTensor<half> d[16]; LocalTensor<half> s[16];
    for (int i = 0; i < 16; ++i) d[i] = b.Out<half>(32 * i), s[i] = b.In<half>(32 * i);
    TransDataTo5HD<half>(d, s, TransDataTo5HDParams(false, false, 1, 0, 0));)
RUN(RunAddressRegisters, uint64_t list[4][8];
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 2; ++j) {
        list[j][i] = uint64_t(b.Out<half>(32 * (i + 8 * j)).GetPhyAddr());
        list[2 + j][i] = uint64_t(b.In<half>(32 * (i + 8 * j)).GetPhyAddr());
      }
    } set_va_reg_sb(VA0, list[0]);
    set_va_reg_sb(VA1, list[1]); set_va_reg_sb(VA2, list[2]); set_va_reg_sb(VA3, list[3]);
    scatter_vnchwconv_b16(VA0, VA2, 1, 0, 0);)
RUN(RunSort, CreateVecIndex(b.Tmp<int32_t>(8192), 0, 256u); PipeBarrier<PIPE_V>(); LocalTensor<float> tmp = b.Tmp<float>(16384);
    Sort<float, true>(b.Tmp<float>(), b.In<float>(), b.Tmp<uint32_t>(8192), tmp, 5); PipeBarrier<PIPE_V>();
    Extract(b.Out<float>(), b.Out<uint32_t>(4096), b.Tmp<float>(), 5);)
RUN(RunReduce, ReduceMax(b.Out<float>(), b.In<float>(), b.Tmp<float>(), 100, true); PipeBarrier<PIPE_ALL>();
    ReduceSum(b.Out<float>(32), b.In<float>(), b.Tmp<float>(), 100); PipeBarrier<PIPE_ALL>();
    WholeReduceMin<float>(b.Out<float>(64), b.In<float>(), 64, 2, 1, 1, 8); PipeBarrier<PIPE_ALL>();
    BlockReduceSum<float>(b.Out<float>(96), b.In<float>(), 1, 64, 1, 1, 8); PipeBarrier<PIPE_ALL>();
    PairReduceSum<float>(b.Out<float>(128), b.In<float>(), 1, 64, 1, 1, 8);)
RUN(RunAccumulator, set_mask_count(); set_vector_mask(0, 100); vcadd(nullptr, (__ubuf__ float*)b.In<float>().GetPhyAddr(), 1, 1, 1, 8, true);
    set_mask_norm(); ResetMask(); uint64_t bits = GetAccVal(); float value = *reinterpret_cast<float*>(&bits);
    PipeBarrier<PIPE_ALL>(); b.Out<float>().SetValue(0, value);)
RUN(RunCompareSelect, Compares(b.Tmp<uint8_t>(), b.In<float>(), 50.0f, CMPMODE::LT, 64); PipeBarrier<PIPE_V>();
    Select(b.Out<float>(), b.Tmp<uint8_t>(), b.In<float>(), -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
    PipeBarrier<PIPE_V>();
    Select(b.Out<float>(1024), b.Tmp<uint8_t>(), b.In<float>(), b.In<float>(4096), SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
    PipeBarrier<PIPE_V>(); BinaryRepeatParams p; Compare(b.In<float>(), b.In<float>(4096), CMPMODE::GT, 64, p);
    PipeBarrier<PIPE_V>();
    Select<float, SELMODE::VSEL_CMPMASK_SPR>(b.Out<float>(2048), b.In<float>(), b.In<float>(4096), 1, p);)
RUN(RunRows, Sum(b.Out<float>(), b.In<float>(), SumParams{4, 16, 13}); PipeBarrier<PIPE_V>();
    Mean<float>(b.Out<float>(32), b.In<float>(), b.Tmp<uint8_t>(), MeanParams{4, 16, 13}); PipeBarrier<PIPE_V>();
    uint32_t to[2] = {4, 16}, column[2] = {4, 1}, row[2] = {1, 16};
    BroadCast<float, 2, 1>(b.Out<float>(1024), b.In<float>(), to, column); PipeBarrier<PIPE_V>();
    BroadCast<float, 2, 0>(b.Out<float>(2048), b.In<float>(), to, row); PipeBarrier<PIPE_V>();
    LocalTensor<float> sums = b.Out<float>(3072), last = b.Tmp<float>();
    CumSum(sums, last, b.In<float>(), CumSumInfo{4, 16});)
RUN(RunSoftMax, SoftMax<float>(b.Out<float>(), b.In<float>(), SoftMaxTiling(), SoftMaxShapeInfo{4, 16, 4, 16});
    PipeBarrier<PIPE_V>();
    SoftMax<float>(b.Out<float>(2048), b.Out<float>(3072), b.Out<float>(4096), b.In<float>(), b.Tmp<uint8_t>(),
                   SoftMaxTiling(), SoftMaxShapeInfo{4, 16, 4, 16});
    PipeBarrier<PIPE_V>();
    SoftmaxGrad<float>(b.Out<float>(1024), b.In<float>(4096), b.In<float>(), SoftMaxTiling(), false,
                       SoftMaxShapeInfo{4, 16, 4, 16});)
RUN(RunSelectBytes, SelectWithBytesMaskShapeInfo info; info.firstAxis = 2; info.srcLastAxis = 16; info.maskLastAxis = 32;
    Duplicate(b.Tmp<uint16_t>(), uint16_t(0x0100), 32); PipeBarrier<PIPE_V>();
    Select(b.Out<float>(), b.In<float>(), -1.0f, b.Tmp<uint8_t>(), b.Tmp<uint8_t>(4096), info); PipeBarrier<PIPE_V>();
    Select(b.Out<float>(1024), -1.0f, b.In<float>(), b.Tmp<uint8_t>(), b.Tmp<uint8_t>(4096), info);)
RUN(RunGlu, LocalTensor<float> gated = b.Out<float>();
    SwiGLU(gated, b.In<float>(4096), b.In<float>(), 1.702f, 8u); PipeBarrier<PIPE_V>();
    GeGLU(b.Out<float>(32), b.In<float>(4096), b.In<float>(), 8u); PipeBarrier<PIPE_V>();
    ReGlu(b.Out<float>(64), b.In<float>(4096), b.In<float>(), b.Tmp<uint8_t>(), 8u);)
RUN(RunQuant, AscendQuant(b.Out<int8_t>(), b.In<float>(), 0.5f, -3.0f, 32u); PipeBarrier<PIPE_V>();
    AscendQuant(b.Out<int8_t>(32), b.In<float>(), b.Tmp<uint8_t>(), b.In<float>(), 1.0f, 32u, 64u); PipeBarrier<PIPE_V>();
    AscendQuant(b.Out<int8_t>(96), b.In<float>(), b.In<float>(), b.In<float>(), 32u, 32u, 64u); PipeBarrier<PIPE_V>();
    Cast(b.Tmp<int32_t>(), b.In<float>(), RoundMode::CAST_RINT, 64u); PipeBarrier<PIPE_V>();
    AscendDequant(b.Out<float>(1024), b.Tmp<int32_t>(), 0.25f, DequantParams{2, 16, 16}); PipeBarrier<PIPE_V>();
    AscendDequant(b.Out<float>(2048), b.Tmp<int32_t>(), b.In<float>(), b.Tmp<uint8_t>(4096), DequantParams{1, 16, 8});)
RUN(RunMath, Power(b.Out<float>(), b.In<float>(), 2.0f, 8u); PipeBarrier<PIPE_V>();
    Power(b.Out<float>(32), 2.0f, b.In<float>(), 8u); PipeBarrier<PIPE_V>();
    Exp<float, 15>(b.Out<float>(64), b.In<float>(), 8u); PipeBarrier<PIPE_V>();
    ClampMax(b.Out<float>(96), b.In<float>(), 3.0f, 8u); PipeBarrier<PIPE_V>();
    Xor(b.Out<int16_t>(128), b.In<int16_t>(), b.In<int16_t>(4096), 16u); PipeBarrier<PIPE_V>();
    Swish(b.Out<float>(160), b.In<float>(), 8u, 2.0f); PipeBarrier<PIPE_V>();
    Cast(b.Tmp<half>(), b.In<float>(), RoundMode::CAST_RINT, 8u); PipeBarrier<PIPE_V>();
    Axpy(b.Out<float>(192), b.Tmp<half>(), half(3), 8);)
