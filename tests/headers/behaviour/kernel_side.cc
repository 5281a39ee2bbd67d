#include "kernel_side.h"

struct Inner {
  uint32_t a, b;
};
struct TestTiling {
  uint32_t length;
  uint64_t pair[2];
  Inner inner;
};
#define AKGEN_DEFAULT_TILING TestTiling
#include "kernel_operator.h"

namespace {
template <typename T>
AscendC::GlobalTensor<T> Gm(void* address) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(static_cast<T*>(address), 1024);
  return tensor;
}
template <typename T>
AscendC::LocalTensor<T> Ub(uint32_t offset, uint32_t bytes) {
  return AscendC::LocalTensor<T>(FakeUb() + offset, bytes, AscendC::TPosition::VECIN);
}
}  // namespace

void RunPlainCopies(uint8_t* gm) {
  AscendC::DataCopy(Ub<half>(0, 1024), Gm<half>(gm)[16], 48);
  AscendC::DataCopyParams params{3, 2, 1, 4};
  AscendC::DataCopy(Ub<float>(64, 1024), Gm<float>(gm), params);
  AscendC::DataCopy(Gm<float>(gm), Ub<float>(64, 1024), params);
  AscendC::DataCopy(Ub<float>(0, 64), Ub<float>(64, 64), params);
  AscendC::DataCopy(Ub<int4b_t>(0, 1024), Gm<int4b_t>(gm), 128);
  AscendC::DataCopyEnhancedParams enhanced;
  enhanced.isRelu = true;
  AscendC::DataCopy(Ub<float>(0, 64), Gm<float>(gm), params, enhanced);
}

void RunPadCopies(uint8_t* gm) {
  AscendC::DataCopyExtParams ext{2, 20, 7, 3, 0};
  AscendC::DataCopyPadExtParams<half> pad{true, 1, 2, static_cast<half>(1)};
  AscendC::DataCopyPad(Ub<half>(0, 1024), Gm<half>(gm), ext, pad);
  AscendC::DataCopyPad(Gm<half>(gm), Ub<half>(0, 1024), ext);
  AscendC::DataCopyParams old{2, 20, 7, 3};
  AscendC::DataCopyPadParams old_pad{false, 0, 0, 5};
  AscendC::DataCopyPad(Ub<int32_t>(0, 1024), Gm<int32_t>(gm), old, old_pad);
  AscendC::DataCopyPad(Gm<int32_t>(gm), Ub<int32_t>(0, 1024), old);
}

void RunSlices(float* gm) {
  AscendC::SliceInfo to[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
  AscendC::SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
  AscendC::DataCopy(Ub<float>(0, 1024), Gm<float>(gm), to, from, 2);
}

void RunExpressions() {
  AscendC::LocalTensor<float> a = Ub<float>(0, 256), b = Ub<float>(256, 256),
                              c = Ub<float>(512, 128);
  c = a - b;
  AscendC::LocalTensor<uint8_t> bits = Ub<uint8_t>(1024, 32);
  bits = a >= b;
}

void RunQueue() {
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> both;
  AscendC::TBuf<> buf;
  pipe.InitBuffer(in, 2, 100);
  pipe.InitBuffer(both, 1, 64);
  pipe.InitBuffer(buf, 40);
  auto tensor = in.AllocTensor<half>();
  in.EnQue(tensor);
  tensor = in.DeQue<half>();
  in.FreeTensor(tensor);
}

void RunInitOutput(uint8_t* gm, uint32_t count) {
  AscendC::InitOutput<float>(Gm<float>(gm), count, 1.0f);
  AscendC::InitOutput<int8_t>(Gm<int8_t>(gm), 3, -1);
}

void RunMasks() {
  AscendC::SetVectorMask<half>(100);
  AscendC::SetVectorMask<float>(64);
  AscendC::SetVectorMask<float>(3);
  AscendC::SetVectorMask<half, AscendC::MaskMode::COUNTER>(1000);
  AscendC::ResetMask();
}

void RunAtomics() {
  AscendC::SetAtomicAdd<half>();
  AscendC::SetAtomicType<float>();
  AscendC::SetAtomicNone();
}

std::vector<int64_t> TensorShapes() {
  auto t = Ub<half>(64, 256);
  auto words = t.ReinterpretCast<uint32_t>();
  auto nibbles = t.ReinterpretCast<int4b_t>();
  const uint64_t number = t[16].GetPhyAddr();  // as its page has it
  uint8_t* at = reinterpret_cast<uint8_t*>(number);
  uint8_t* nibble_at = reinterpret_cast<uint8_t*>(nibbles[8].GetPhyAddr());
  auto moved = Ub<float>(0, 0);
  moved.SetAddrWithOffset(t, 4);
  return {t.GetSize(),
          t[16].GetSize(),
          words.GetSize(),
          nibbles.GetSize(),
          at - FakeUb(),
          nibble_at - FakeUb(),
          reinterpret_cast<uint8_t*>(moved.GetPhyAddr()) - FakeUb()};
}

std::vector<int64_t> ElementAccess(uint8_t* gm) {
  auto t = Ub<int32_t>(0, 64);
  t.SetValue(3, 7);
  t(4) = 5;
  t(4) += 2;
  t(5) = t(3);
  auto nibbles = Ub<int4b_t>(32, 32);
  nibbles.SetValue(1, int4b_t(-3));
  nibbles.SetValue(0, int4b_t(6));
  auto global = Gm<int16_t>(gm);
  global.SetValue(2, -9);
  return {t.GetValue(3), t(4), t(5), nibbles.GetValue(0), nibbles.GetValue(1), global.GetValue(2)};
}

std::vector<int64_t> ListTensor(void* descriptor) {
  AscendC::ListTensorDesc list(descriptor);
  uint64_t shape[4] = {};
  AscendC::TensorDesc<float> desc;
  desc.SetShapeAddr(shape);
  list.GetDesc(desc, 1);
  return {list.GetSize(),
          static_cast<int64_t>(desc.GetDim()),
          static_cast<int64_t>(shape[0]),
          static_cast<int64_t>(shape[1]),
          static_cast<int64_t>(desc.GetDataObj().GetSize()),
          static_cast<int64_t>(reinterpret_cast<uint64_t>(list.GetDataPtr<float>(1)))};
}

std::vector<int64_t> Tiling(uint8_t* tiling, uint64_t) {
  GET_TILING_DATA(data, tiling);
  GET_TILING_DATA_MEMBER(TestTiling, inner, part, tiling);
  GET_TILING_DATA_PTR_WITH_STRUCT(TestTiling, pointer, tiling);
  COPY_TILING_WITH_ARRAY(uint64_t, 2, pointer->pair, pair);
  COPY_TILING_WITH_STRUCT(decltype(TestTiling::inner), pointer->inner, named);
  COPY_TILING_WITH_STRUCT(decltype(TestTiling::inner), &pointer->inner, by_address);
  return {data.length,
          part.b,
          static_cast<int64_t>((*pair)[1]),
          named->b,
          by_address->b,
          TILING_KEY_IS(7),
          TILING_KEY_LIST(6, 7),
          TILING_KEY_LIST(1, 2, 3)};
}

void RunPrintf() {
  printf("%d|%5d|%-5d|%05d|%+d|%u|%x|%X|%#x|%lld", -7, 42, 42, 42, 42, 4000000000u, 255, 255, 255,
         -5000000000LL);
  printf("%u|%lu|%c|%s|%8s|%-8s|%.2s|%%", -1, static_cast<uint64_t>(-1), 'z', "text", "right",
         "left", "cut");
  printf("%f|%.2f|%8.3f|%.0f|%e|%g|%g|%g", 3.14159265, 2.5f, -1.5, 7.6, 12345.678, 0.0001, 1e20,
         100000.0);
  printf("%f|%f|%5.1f|%.1f|%.0f|%.0f|%.1e|%.3f", static_cast<half>(0.5), 1.0 / 0.0,
         static_cast<bfloat16_t>(2), 0.25, 2.5, 0.999, 9.96, 0.0006);
  printf("%p|%*d", reinterpret_cast<void*>(0x1234), 6, 9);
}

void RunAssert(int value) { assert(value == 1, "value %d", value); }

int64_t Round(float value, int mode) {
  return AscendC::AkgenRound(value, static_cast<AscendC::RoundMode>(mode));
}
uint16_t RoundOddBits(float value) {
  return static_cast<uint16_t>(
      AscendC::AkgenBits(AscendC::Cast<float, half, AscendC::RoundMode::CAST_ODD>(value)));
}
std::vector<int64_t> Bits(uint64_t value) {
  return {AscendC::GetBitCount<1>(value),
          AscendC::GetBitCount<0>(value),
          AscendC::CountLeadingZero(value),
          AscendC::GetSFFValue<1>(value),
          AscendC::GetSFFValue<0>(value),
          AscendC::CountBitsCntSameAsSignBit(static_cast<int64_t>(value))};
}
uint32_t HalfToFloatBits(uint16_t bits) { return akgen_half::WidenHalf(bits); }
uint16_t DoubleToHalfBits(double value) {
  return akgen_half::Narrow(__builtin_bit_cast(uint64_t, value), 10, 5);
}
uint16_t FloatToHalfBits(float value) { return DoubleToHalfBits(value); }
uint16_t DoubleToBrainBits(double value) {
  return akgen_half::Narrow(__builtin_bit_cast(uint64_t, value), 7, 8);
}
uint16_t FloatToBrainBits(float value) { return DoubleToBrainBits(value); }
float SquareRoot(float value) { return sqrt(value); }
