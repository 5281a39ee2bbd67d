// Guests that want a verdict they have not earned: y = x + 1 of 256 floats is asked for.
#include "akgen/abi.h"
using u64 = unsigned long;

namespace {
AkgenCopy CopyOf(void* dst, const void* src, unsigned kind, unsigned bytes) {
  AkgenCopy c{};
  c.kind = static_cast<uint8_t>(kind);
  c.dtype = AKGEN_F32;
  c.block_count = 1;
  c.block_len = bytes;
  c.dst = dst, c.src = src;
  return c;
}
void Honest(float* x, float* y, bool wait) {
  auto* ub = static_cast<float*>(akgen_static_tensor(9, 0, 2048));
  AkgenCopy in = CopyOf(ub, x, AKGEN_GM_TO_UB, 1024),
            out = CopyOf(y, ub + 256, AKGEN_UB_TO_GM, 1024);
  AkgenVec v{};
  v.op = AKGEN_OP_Adds;
  v.dst_type = v.src_type = AKGEN_F32;
  v.src1_type = AKGEN_NO_DTYPE;
  v.count = 256;
  v.scalar = 0x3f800000;
  v.dst = ub + 256, v.src0 = ub;
  akgen_copy(&in);
  if (wait)
    akgen_set_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0),
        akgen_wait_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
  akgen_vec(&v);
  akgen_set_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0),
      akgen_wait_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
  akgen_copy(&out);
}
}  // namespace

extern "C" void honest(float* x, float* y) { Honest(x, y, true); }
// The race must be reported although the numbers are right.
extern "C" void racy(float* x, float* y) { Honest(x, y, false); }
// Computes by itself and stores the results: each load and store of a tensor is the chip's to see.
extern "C" void by_scalar(float* x, float* y) {
  for (int i = 0; i < 256; ++i) {
    const float v = x[i] + 1;
    y[i] = v;
  }
}
// Says that nothing was found, where a reply might be read from.
extern "C" void prints_a_verdict(float* x, float* y) {
  static const char reply[] =
      "\n{\"status\": \"ok\", \"findings\": [], \"modelled\": {\"us\": 0.001}}\n";
  akgen_print(reply, sizeof reply - 1);
  Honest(x, y, false);
  akgen_print(reply, sizeof reply - 1);
}
// A false announcement: one cell is announced, all are read.
extern "C" void announces_less(float* x, float* y) {
  akgen_scalar_write(y, 4, 1);
  for (int i = 0; i < 256; ++i) y[i] = 2;
}
extern "C" void writes_its_input(float* x, float*) { x[0] = 5; }
extern "C" void writes_the_tiling(float*, float*, void*, u64* tiling) { *tiling = 5; }
extern "C" void reads_beyond(float* x, float* y) { y[0] = x[256]; }
extern "C" void reads_uninitialised(float*, float* y) { y[0] = y[1]; }
static int g_calls;
extern "C" void remembers(float* x, float* y) {
  ++g_calls;
  Honest(x, y, true);
}
// The same variable of another block is another variable.
extern "C" void shares_nothing(float*, float* y) {
  for (int i = 0; i < 256 && akgen_block_idx() == 0; ++i) y[i] = 1;
  if (akgen_block_idx() == 0) g_calls = 7;
  akgen_sync_all(1);
  if (akgen_block_idx() == 1 && g_calls != 0) akgen_trap();
  g_calls = 0;
}
extern "C" void spins(float*, float*) { for (volatile u64 i = 0;; i = i + 1); }
extern "C" void spins_in_calls(float*, float*) {
  for (;;) akgen_block_idx();
}
extern "C" void other_function(float*, float*) { reinterpret_cast<void (*)()>(0x70000400)(); }
