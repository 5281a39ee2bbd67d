// Each call of calls.cpp against the record it must fill (akgen/abi.h, akgen/vec_ops.inc).
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "akgen/abi.h"

namespace {
std::vector<AkgenVec> g_seen;
std::vector<std::vector<uint64_t>>
    g_lists;  // what aux[0] and aux[1] pointed at, for list instructions

void* Tensor(int number) { return reinterpret_cast<void*>(0x1000ull * number); }
uint32_t FloatBits(float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, 4);
  return bits;
}
const AkgenVec& One(void (*call)()) {
  g_seen.clear();
  g_lists.clear();
  call();
  EXPECT_EQ(g_seen.size(), 1u);
  if (g_seen.empty()) g_seen.resize(1);
  return g_seen.front();
}
}  // namespace

extern "C" {
void akgen_vec(const AkgenVec* v) {
  g_seen.push_back(*v);
  auto list = [](uint64_t address, int n) {
    auto* p = reinterpret_cast<const uint64_t*>(address);
    g_lists.emplace_back(p, p + n);
  };
  if (v->op == AKGEN_OP_MrgSort) list(v->aux[0], 4);
  if (v->op == AKGEN_OP_TransDataTo5HD) list(v->aux[0], 16), list(v->aux[1], 16);
}
uint32_t akgen_slice(const void*, uint64_t, uint32_t from) { return from; }
void akgen_slice_used(const void*) {}
uint64_t akgen_get_spr(uint32_t which) { return which == 0 ? FloatBits(2.5f) : 40 + which; }

void CallAddCount();
void CallAddMask();
void CallAddBits();
void CallExpRegister();
void CallMulsRegister();
void CallMulsHalf();
void CallShiftRight();
void CallAxpy();
void CallCast();
void CallDuplicate();
void CallAndWide();
void CallCompareScalar();
void CallCompareRegister();
void CallSelectScalar();
void CallBlockReduceOld();
void CallBlockReduceNew();
void CallRepeatReduceOld();
void CallWholeReduceMax();
void CallReduceMax();
void CallReduceSumSliced();
void CallGather();
void CallMrgSort();
void CallTransList();
void CallBroadcast();
void CallTanhTmp();
void CallPowerScalarBase();
void CallSoftMax();
void CallVcadd();
void CallSelectBytes();
uint64_t CallGatherMask();
float CallSum();
void CallFullSort();
}

TEST(VecRecords, ElementwiseForms) {
  AkgenVec v = One(CallAddCount);
  EXPECT_EQ(v.op, AKGEN_OP_Add);
  EXPECT_EQ(v.form, AKGEN_FORM_COUNT);
  EXPECT_EQ(v.count, 77u);
  EXPECT_EQ(v.set_mask, 1);
  EXPECT_EQ(v.dst, Tensor(1));
  EXPECT_EQ(v.src0, Tensor(2));
  EXPECT_EQ(v.src1, Tensor(3));
  EXPECT_EQ(v.dst_type, AKGEN_F32);
  EXPECT_EQ(v.src1_type, AKGEN_F32);
  v = One(CallAddMask);
  EXPECT_EQ(v.form, AKGEN_FORM_MASK);
  EXPECT_EQ(v.mask[0], 40u);
  EXPECT_EQ(v.repeat, 5u);
  EXPECT_EQ(v.dst_blk, 1);
  EXPECT_EQ(v.src0_blk, 2);
  EXPECT_EQ(v.src1_blk, 3);
  EXPECT_EQ(v.dst_rep, 4);
  EXPECT_EQ(v.src0_rep, 5);
  EXPECT_EQ(v.src1_rep, 6);
  v = One(CallAddBits);
  EXPECT_EQ(v.form, AKGEN_FORM_BITS);
  EXPECT_EQ(v.mask[0], 0xf0u);
  EXPECT_EQ(v.mask[1], 3u);
  EXPECT_EQ(v.src_type, AKGEN_F16);
}

TEST(VecRecords, MaskOfTheRegister) {
  AkgenVec v = One(CallExpRegister);
  EXPECT_EQ(v.set_mask, 0);
  EXPECT_EQ(v.repeat, 3u);
  EXPECT_EQ(v.src0_rep, 4);
  EXPECT_EQ(v.src1_type, AKGEN_NO_DTYPE);
  v = One(CallMulsRegister);  // the count form leaves the extent to the register too
  EXPECT_EQ(v.form, AKGEN_FORM_MASK);
  EXPECT_EQ(v.set_mask, 0);
  EXPECT_EQ(v.repeat, 1u);
  EXPECT_EQ(v.dst_rep, 8);
}

TEST(VecRecords, Scalars) {
  EXPECT_EQ(One(CallMulsHalf).scalar, 0x3e00u);
  AkgenVec v = One(CallShiftRight);
  EXPECT_EQ(v.scalar, 3u);
  EXPECT_EQ(v.flag, 1);
  v = One(CallAxpy);
  EXPECT_EQ(v.scalar, 0x4000u);
  EXPECT_EQ(v.dst_type, AKGEN_F32);
  EXPECT_EQ(v.src_type, AKGEN_F16);
  v = One(CallDuplicate);
  EXPECT_EQ(v.scalar, 0xfffeu);
  EXPECT_EQ(v.dst_blk, 2);
  EXPECT_EQ(v.dst_rep, 9);
  EXPECT_EQ(v.repeat, 3u);
  v = One(CallPowerScalarBase);
  EXPECT_EQ(v.op, AKGEN_OP_ScalarPower);
  EXPECT_EQ(v.src0, Tensor(2));
  EXPECT_EQ(v.scalar, FloatBits(2.0f));
}

TEST(VecRecords, CastAndBits) {
  AkgenVec v = One(CallCast);
  EXPECT_EQ(v.round_mode, 1);
  EXPECT_EQ(v.dst_type, AKGEN_F16);
  EXPECT_EQ(v.src_type, AKGEN_F32);
  EXPECT_EQ(v.dst_rep, 4);
  v = One(CallAndWide);  // counts 16-bit words of any dtype
  EXPECT_EQ(v.dst_type, AKGEN_I16);
  EXPECT_EQ(v.count, 10u);
}

TEST(VecRecords, CompareAndSelect) {
  AkgenVec v = One(CallCompareScalar);
  EXPECT_EQ(v.op, AKGEN_OP_CompareScalar);
  EXPECT_EQ(v.mode, 4);
  EXPECT_EQ(v.dst_type, AKGEN_U8);
  EXPECT_EQ(v.src_type, AKGEN_F32);
  EXPECT_EQ(v.scalar, FloatBits(0.5f));
  v = One(CallCompareRegister);
  EXPECT_EQ(v.dst, nullptr);
  EXPECT_EQ(v.mode, 5);
  EXPECT_EQ(v.repeat, 1u);
  EXPECT_EQ(v.mask[0], 60u);
  v = One(CallSelectScalar);
  EXPECT_EQ(v.aux[0], 0x4000u);
  EXPECT_EQ(v.src1, nullptr);
  EXPECT_EQ(v.scalar, FloatBits(3.0f));
  EXPECT_EQ(v.mode, 1);
}

TEST(VecRecords, BothGenerationsOfReductionsAgree) {
  const AkgenVec old_form = One(CallBlockReduceOld), new_form = One(CallBlockReduceNew);
  EXPECT_EQ(std::memcmp(&old_form, &new_form, sizeof old_form), 0);
  EXPECT_EQ(old_form.mask[0], 48u);
  EXPECT_EQ(old_form.repeat, 3u);
  EXPECT_EQ(old_form.src0_blk, 2);
  AkgenVec v = One(CallRepeatReduceOld);
  EXPECT_EQ(v.op, AKGEN_OP_WholeReduceSum);
  EXPECT_EQ(v.mask[0], 48u);
  EXPECT_EQ(v.repeat, 3u);
  EXPECT_EQ(v.dst_rep, 4);
  EXPECT_EQ(v.src0_blk, 2);
  EXPECT_EQ(v.src0_rep, 8);
}

TEST(VecRecords, Reductions) {
  AkgenVec v = One(CallWholeReduceMax);
  EXPECT_EQ(v.mode, 1);
  EXPECT_EQ(v.dst_rep, 4);
  v = One(CallReduceMax);
  EXPECT_EQ(v.tmp, Tensor(3));
  EXPECT_EQ(v.flag, 1);
  EXPECT_EQ(v.count, 100u);
  EXPECT_EQ(v.src1_type, AKGEN_NO_DTYPE);
  v = One(CallReduceSumSliced);
  EXPECT_EQ(v.form, AKGEN_FORM_MASK);
  EXPECT_EQ(v.mask[0], 64u);
  EXPECT_EQ(v.repeat, 5u);
  EXPECT_EQ(v.src0_rep, 8);
  v = One(CallVcadd);
  EXPECT_EQ(v.op, AKGEN_OP_WholeReduceSum);
  EXPECT_EQ(v.dst, nullptr);
  EXPECT_EQ(v.flag, 1);
  EXPECT_EQ(v.set_mask, 0);
  EXPECT_FLOAT_EQ(CallSum(), 2.5f);
}

TEST(VecRecords, GatherAndLists) {
  AkgenVec v = One(CallGather);
  EXPECT_EQ(v.src1, Tensor(3));
  EXPECT_EQ(v.aux[0], 32u);
  EXPECT_EQ(v.dst_rep, 8);
  g_seen.clear();
  EXPECT_EQ(CallGatherMask(), 43u);
  v = g_seen.at(0);
  EXPECT_EQ(v.flag, 1);
  EXPECT_EQ(v.mask[0], 50u);
  EXPECT_EQ(v.repeat, 4u);
  EXPECT_EQ(v.src1_rep, 1);
  v = One(CallMrgSort);
  EXPECT_EQ(v.aux[1], 0x0004000300020001ull);
  EXPECT_EQ(v.mode, 15);
  EXPECT_EQ(v.flag, 1);
  EXPECT_EQ(g_lists.at(0), (std::vector<uint64_t>{0x1000, 0x2000, 0x3000, 0x4000}));
  v = One(CallTransList);
  EXPECT_EQ(v.mode, 1);
  EXPECT_EQ(v.repeat, 4u);
  EXPECT_EQ(v.dst_rep, 16);
  EXPECT_EQ(g_lists.at(0).at(15), 0x10000u);
  EXPECT_EQ(g_lists.at(1).at(0), 0x14000u);
}

TEST(VecRecords, FullSortMergesFourAtATime) {
  g_seen.clear();
  g_lists.clear();
  CallFullSort();  // 160 scores: 5 runs of 32, then 128 + 32, then one of 160, an even number of
                   // merge rounds
  ASSERT_EQ(g_seen.size(), 4u);
  EXPECT_EQ(g_seen[0].op, AKGEN_OP_Sort32);
  EXPECT_EQ(g_seen[0].repeat, 5u);
  EXPECT_EQ(g_seen[1].dst, Tensor(4));
  EXPECT_EQ(g_seen[1].aux[1], 0x0020002000200020ull);
  EXPECT_EQ(g_seen[2].mode, 1);
  EXPECT_EQ(g_seen[3].dst, Tensor(1));
  EXPECT_EQ(g_seen[3].aux[1], 0x200080ull);
  EXPECT_EQ(g_lists.at(2), (std::vector<uint64_t>{0x4000, 0x4000 + 128 * 8, 0, 0}));
}

TEST(VecRecords, Advanced) {
  AkgenVec v = One(CallBroadcast);
  EXPECT_EQ(v.aux[0], 2u);
  EXPECT_EQ(v.aux[1], 1u);
  EXPECT_EQ(v.aux[2], (8ull << 32) | 3);
  EXPECT_EQ(v.aux[3], (1ull << 32) | 3);
  v = One(CallTanhTmp);
  EXPECT_EQ(v.tmp, Tensor(4));
  EXPECT_EQ(v.count, 33u);
  v = One(CallSoftMax);
  EXPECT_EQ(v.aux[0], 4u);
  EXPECT_EQ(v.aux[1], 16u);
  EXPECT_EQ(v.aux[2], 13u);
  v = One(CallSelectBytes);
  EXPECT_EQ(v.src0, Tensor(2));
  EXPECT_EQ(v.aux[0], 0x3000u);
  EXPECT_EQ(v.aux[1], (8ull << 32) | 2);
  EXPECT_EQ(v.aux[2], 32u);
  EXPECT_EQ(v.src1_type, AKGEN_BOOL);
  EXPECT_EQ(v.flag, 0);
}
