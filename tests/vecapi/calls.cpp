// Calls whose records the test looks at; each function is one call.
#include "kernel_operator.h"
using namespace AscendC;

namespace {
template <typename T>
LocalTensor<T> At(int number) {
  return LocalTensor<T>(reinterpret_cast<void*>(0x1000ull * number), 4096, TPosition::VECCALC);
}
const auto f1 = [] { return At<float>(1); };
const auto f2 = [] { return At<float>(2); };
const auto f3 = [] { return At<float>(3); };
}  // namespace

#define CALL(name, ...) \
  extern "C" void name() { __VA_ARGS__; }

CALL(CallAddCount, Add(f1(), f2(), f3(), 77))
CALL(CallAddMask, Add(f1(), f2(), f3(), 40, 5, {1, 2, 3, 4, 5, 6}))
CALL(CallAddBits, uint64_t mask[2] = {0xf0, 0x3}; Add(At<half>(1), At<half>(2), At<half>(3), mask, 7, {1, 1, 1, 8, 8, 8}))
CALL(CallExpRegister, (Exp<float, false>(f1(), f2(), MASK_PLACEHOLDER, 3, {1, 1, 8, 4})))
CALL(CallMulsRegister, (Muls<float, false>(f1(), f2(), 2.0f, 100)))
CALL(CallMulsHalf, Muls(At<half>(1), At<half>(2), half(1.5f), 9))
CALL(CallShiftRight, ShiftRight(At<int32_t>(1), At<int32_t>(2), 3, 64, 1, {1, 1, 8, 8}, true))
CALL(CallAxpy, Axpy(f1(), At<half>(2), half(2), 8))
CALL(CallCast, Cast(At<half>(1), f2(), RoundMode::CAST_RINT, 64, 2, {1, 1, 4, 8}))
CALL(CallDuplicate, Duplicate(At<int16_t>(1), int16_t(-2), 128, 3, 2, 9))
CALL(CallAndWide, And(At<int32_t>(1), At<int32_t>(2), At<int32_t>(3), 10))
CALL(CallCompareScalar, CompareScalar(At<uint8_t>(1), f2(), 0.5f, CMPMODE::GE, 64))
CALL(CallCompareRegister, Compare(f2(), f3(), CMPMODE::NE, 60, {1, 1, 1, 8, 8, 8}))
CALL(CallSelectScalar, Select(f1(), At<uint8_t>(4), f2(), 3.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64))
CALL(CallBlockReduceOld, BlockReduceSum<float>(f1(), f2(), 3, 48, 1, 2, 8))
CALL(CallBlockReduceNew, ReduceDataBlock<ReduceType::SUM>(f1(), f2(), 48, 3, 1, 2, 8))
CALL(CallRepeatReduceOld, RepeatReduceSum<float>(f1(), f2(), 3, 48, 1, 2, 4, 8))
CALL(CallWholeReduceMax, WholeReduceMax<float>(f1(), f2(), 48, 3, 4, 2, 8, ReduceOrder::ORDER_INDEX_VALUE))
CALL(CallReduceMax, ReduceMax(f1(), f2(), f3(), 100, true))
CALL(CallReduceSumSliced, ReduceSum(f1(), f2(), f3(), 64, 5, 8))
CALL(CallGather, Gather(f1(), f2(), At<uint32_t>(3), 32, 64, 2, 8))
CALL(CallMrgSort, MrgSortSrcList<float> list(f1(), f2(), f3(), At<float>(4)); uint16_t n[4] = {1, 2, 3, 4};
     MrgSort(At<float>(5), list, MrgSort4Info(n, true, 15, 1)))
CALL(CallTransList, LocalTensor<half> a[16], b[16]; for (int i = 0; i < 16; ++i) a[i] = At<half>(i + 1), b[i] = At<half>(i + 20);
     TransDataTo5HD<half>(a, b, TransDataTo5HDParams(true, false, 4, 16, 1)))
CALL(CallBroadcast, uint32_t to[2] = {3, 8}, from[2] = {3, 1}; Broadcast<float, 2, 1>(f1(), f2(), to, from))
CALL(CallTanhTmp, Tanh(f1(), f2(), At<uint8_t>(4), 33))
CALL(CallPowerScalarBase, (Power<float, false>(f1(), 2.0f, f2(), 8)))
CALL(CallSoftMax, SoftMax<float>(f1(), f2(), SoftMaxTiling(), SoftMaxShapeInfo{4, 16, 4, 13}))
CALL(CallVcadd, vcadd(nullptr, (__ubuf__ float*)f2().GetPhyAddr(), 1, 1, 1, 8, true))
CALL(CallSelectBytes, SelectWithBytesMaskShapeInfo info; info.firstAxis = 2; info.srcLastAxis = 8; info.maskLastAxis = 32;
     Select(f1(), 1.0f, f2(), At<bool>(3), At<uint8_t>(4), info))

extern "C" uint64_t CallGatherMask() {
  uint64_t count = 0;
  GatherMask(f1(), f2(), At<uint32_t>(3), true, 50, {1, 4, 8, 1}, count);
  return count;
}
extern "C" float CallSum() { return GetReduceRepeatSumSpr<float>(); }
extern "C" void CallFullSort() {
  LocalTensor<float> tmp = At<float>(4);
  Sort<float, true>(f1(), f2(), At<uint32_t>(3), tmp, 5);
}
