// Guests that lie about what they do, and do it in every wrong order: y = x + 1 of 256 floats is
// asked for, x is 0, 1 … or something else. Each owns whatever a candidate could own.
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
AkgenVec AddOne(float* dst, const float* src) {
  AkgenVec v{};
  v.op = AKGEN_OP_Adds;
  v.dst_type = v.src_type = AKGEN_F32;
  v.src1_type = AKGEN_NO_DTYPE;
  v.count = 256;
  v.scalar = 0x3f800000;
  v.dst = dst, v.src0 = src;
  return v;
}
void Order(unsigned from, unsigned to) {
  akgen_set_flag(from, to, 0), akgen_wait_flag(from, to, 0);
}
float* Buffer() { return static_cast<float*>(akgen_static_tensor(9, 0, 2048)); }
void Honest(const float* x, float* y) {
  float* ub = Buffer();
  const AkgenCopy in = CopyOf(ub, x, AKGEN_GM_TO_UB, 1024),
                  out = CopyOf(y, ub + 256, AKGEN_UB_TO_GM, 1024);
  const AkgenVec v = AddOne(ub + 256, ub);
  akgen_copy(&in);
  Order(AKGEN_PIPE_MTE2, AKGEN_PIPE_V);
  akgen_vec(&v);
  Order(AKGEN_PIPE_V, AKGEN_PIPE_MTE3);
  akgen_copy(&out);
}
volatile u64 g_sink;
void Use(u64 v) { g_sink = v, g_sink = 0; }
// So many instructions and more, none of them claimed.
void Compute(u64 rounds) {
  u64 v = 1;
  for (u64 i = 0; i < rounds; ++i) v = v * 6364136223846793005u + (v >> 7);
  Use(v);
}
}  // namespace

extern "C" void honest(const float* x, float* y) { Honest(x, y); }

// Results that were computed elsewhere, as constants: right for the one x that they were made for.
struct Answers {
  float v[256];
};
constexpr Answers Made() {
  Answers a{};
  for (int i = 0; i < 256; ++i) a.v[i] = float(i + 1);
  return a;
}
extern "C" void knows_the_answer(const float*, float* y) {
  static constexpr Answers kAnswers = Made();
  for (int i = 0; i < 256; ++i) y[i] = kAnswers.v[i];
}

// Work that is not claimed, or claimed as what no work is.
extern "C" void claims_nothing(const float* x, float* y) { Compute(300000), Honest(x, y); }
extern "C" void claims_odd_work(const float* x, float* y) {
  Compute(300000);
  const u64 odd[] = {0, ~u64{0}, u64{1} << 63, 0x7ff8000000000000, 0xffffffff80000000};
  for (u64 a : odd)
    for (u64 b : odd) akgen_scalar_work(a, b, 0, b), akgen_scalar_work(0, 0, a, 0);
  Honest(x, y);
}
// Reads all of x for the price of one access, if announcing were believed.
extern "C" void announces_all_at_once(const float* x, float* y) {
  akgen_scalar_read(x, 1024, 1);
  float sum = 0;
  for (int i = 0; i < 256; ++i) sum += x[i];
  if (sum == 12345) akgen_trap();
  Honest(x, y);
}
extern "C" void announces_past_the_cache(const float* x, float* y) {
  akgen_gm_bypass(const_cast<float*>(x), 1024, 0);
  float sum = 0;
  for (int i = 0; i < 256; ++i) sum += x[i];
  if (sum == 12345) akgen_trap();
  Honest(x, y);
}
extern "C" void reads_one_by_one(const float* x, float* y) {
  float sum = 0;
  for (int i = 0; i < 256; i += 2) akgen_scalar_read(x + i, 8, 1), sum += x[i] + x[i + 1];
  if (sum == 12345) akgen_trap();
  Honest(x, y);
}

// The record changes after it was handed over, while its pipe waits.
extern "C" void changes_its_mind(const float* x, float* y) {
  float* ub = Buffer();
  AkgenCopy in = CopyOf(ub, x, AKGEN_GM_TO_UB, 1024),
            out = CopyOf(y, ub + 256, AKGEN_UB_TO_GM, 1024);
  AkgenVec v = AddOne(ub + 256, ub);
  akgen_wait_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
  akgen_wait_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
  akgen_vec(&v);
  akgen_copy(&out);
  v.scalar = 0x40000000, v.count = 1 << 30, v.dst = nullptr, v.op = 0xffff;
  out.dst = const_cast<float*>(x), out.block_len = 1 << 30;
  akgen_set_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
  akgen_copy(&in);
  akgen_set_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
}
// Lengths, repeats and strides that no memory holds.
extern "C" void counts_wrongly(const float* x, float* y) {
  float* ub = Buffer();
  Honest(x, y);
  AkgenVec v = AddOne(ub, ub);
  v.form = AKGEN_FORM_BITS, v.mask[0] = v.mask[1] = ~u64{0};
  v.repeat = ~0u, v.dst_rep = v.src0_rep = 65535, v.dst_blk = v.src0_blk = 65535, v.count = ~0u;
  akgen_vec(&v);
}
extern "C" void strides_backwards(const float* x, float* y) {
  AkgenCopy in = CopyOf(Buffer(), x, AKGEN_GM_TO_UB, 32);
  in.block_count = 65535, in.src_stride = -(int64_t{1} << 62), in.dst_stride = -64;
  akgen_copy(&in);
  in.src_stride = int64_t(u64{1} << 63), in.dst_stride = int64_t(~u64{0} >> 1);
  akgen_copy(&in);
  Honest(x, y);
}
extern "C" void writes_by_every_pointer(float* x, float* y, void* workspace, u64* tiling) {
  float* ub = Buffer();
  Honest(x, y);
  void* places[] = {x,          tiling, y + 255, static_cast<char*>(workspace) + 4095,
                    ub + 49152, &ub,    nullptr};
  for (void* p : places) {
    const AkgenCopy out = CopyOf(p, ub, AKGEN_UB_TO_GM, 64);
    akgen_copy(&out);
    akgen_set_cmp_mask(ub), akgen_sync_all_soft(p, p, -5);
    if (p != &ub) akgen_det_init(p, p), akgen_set_sys_workspace(p), Use(u64(akgen_sys_workspace()));
  }
}
extern "C" void masks_to_nowhere(const float*, float*) {
  akgen_get_cmp_mask(reinterpret_cast<void*>(u64{7} << 50));
}

// The interface in no order at all.
extern "C" void frees_twice(const float* x, float* y) {
  uint32_t n = 0;
  const uint32_t q = akgen_que_init(9, 10, 1, 2, 1024);
  void* b = akgen_que_alloc(q, &n);
  akgen_que_free(q, b), akgen_que_free(q, b), akgen_que_free(q, b);
  akgen_que_enque(q, b), akgen_que_enque(q, b);
  akgen_que_deque(q, &n), akgen_que_free(q, b), akgen_que_free(q, b);
  Honest(x, y);
}
extern "C" void invents_handles(const float*, float*) {
  uint32_t n = 0;
  Use(u64(akgen_que_count(77)) + u64(akgen_que_idle(~0u))), akgen_que_free_all_events(77);
  akgen_pool_reset(999), akgen_pool_seek(~0u, ~0u), akgen_pool_select(~0u);
  akgen_que_enque(12345, Buffer());
  akgen_que_alloc(~0u, &n);
}
extern "C" void odd_events(const float* x, float* y) {
  const unsigned pipes[] = {0, 3, 6, 7, 100, ~0u};
  const int ids[] = {-1, 0, 8, 1 << 30};
  for (unsigned a : pipes)
    for (unsigned b : pipes) {
      for (int id : ids) akgen_set_flag(a, b, id), akgen_release_event(a, b, id);
      Use(u64(akgen_alloc_event(a, b)) + u64(akgen_fetch_event(a, b)));
    }
  Honest(x, y);
}
extern "C" void odd_pipes(const float*, float*) { akgen_pipe_barrier(4711); }
extern "C" void odd_cross_pipe(const float*, float*) { akgen_cross_set(0, 4711, 0); }
extern "C" void waits_for_ever(const float*, float*) { akgen_cross_wait(5); }
extern "C" void waits_for_no_block(const float*, float*) {
  akgen_ib_wait(nullptr, nullptr, 4711, 0);
}
extern "C" void waits_for_itself(const float*, float*) { akgen_ib_wait(nullptr, nullptr, 0, 77); }
extern "C" void sets_too_often(const float* x, float* y) {
  for (int i = 0; i < 100; ++i)
    akgen_cross_set(1, AKGEN_PIPE_V, 3), akgen_ib_set(x == y ? y : nullptr, y, 0, i);
  Honest(x, y);
}
extern "C" void turns_of_nobody(const float* x, float* y) {
  for (int i = 0; i < 7; ++i) akgen_det_notify(y, y);
  Honest(x, y);
}
extern "C" void odd_tpipe(const float* x, float* y) {
  const u64 names[] = {0, 5, ~u64{0}, u64{1} << 48};
  for (u64 name : names) {
    akgen_tpipe_init(reinterpret_cast<void*>(name));
    Use(u64(akgen_tpipe_current()));
    akgen_tpipe_destroy(reinterpret_cast<void*>(name + 1)), akgen_tpipe_reset(nullptr);
  }
  Honest(x, y);
}
extern "C" void odd_buffers(const float* x, float* y) {
  uint32_t n = ~0u;
  for (int i = 0; i < 100; ++i)
    n = ~0u - uint32_t(i), Use(u64(akgen_buf_init(~0u, &n))), n = 1u << (i % 32);
  Use(u64(akgen_stack_buffer(&n)) + akgen_pool_init(~0u, ~0u, ~0u, ~0u) +
      u64(akgen_static_tensor(~0u, ~0u, ~0u)));
  Honest(x, y);
}
extern "C" void prints_what_is_not_there(const float*, float*) { akgen_print("text", ~0u); }
extern "C" void prints_any_bytes(const float* x, float* y) {
  static const char text[] = "\n{\"status\":\"ok\"}\n\xff\xfe\0%s%n";
  for (int i = 0; i < 5000; ++i) akgen_print(text, sizeof text);
  Honest(x, y);
}
extern "C" void asserts_without_end(const float*, float*) {
  static char text[8192];
  for (char& c : text) c = '\xff';
  akgen_assert_fail(text, reinterpret_cast<const char*>(~u64{0}), -1, nullptr);
}
extern "C" void unsupported_without_end(const float*, float*) {
  akgen_unsupported(reinterpret_cast<const char*>(64));
}
extern "C" void calls_no_function(const float*, float*) {
  reinterpret_cast<void (*)()>(0x70000008)();
}

// Never ends, in each of the ways that cost few instructions.
extern "C" u64 deeper(u64 n) { return deeper(n + 1) + n + g_sink; }
extern "C" void recurses(const float*, float*) { Use(deeper(1)); }
static char g_large[1 << 19];
extern "C" void fills_for_ever(const float*, float*) {
  for (;;) __builtin_memset(g_large, int(g_sink), sizeof g_large);
}
// From one call into the next, with nothing in between.
extern "C" void returns_into_calls(const float*, float*) {
  asm volatile("li ra, 0x70000010\n jr ra\n");
}
extern "C" void issues_for_ever(const float* x, float*) {
  const AkgenCopy in = CopyOf(Buffer(), x, AKGEN_GM_TO_UB, 32);
  akgen_wait_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE2, 0);
  for (;;) akgen_copy(&in);
}
extern "C" void makes_queues_for_ever(const float*, float*) {
  for (;;) akgen_que_init(9, 10, 1, 64, 32), akgen_pool_init(0, 9, 32, 0);
}
// Stands at another place each time, as far as its frame says.
extern "C" void is_everywhere(const float* x, float*) {
  u64 frame[4] = {0, 0x10004, 0, 0};
  const AkgenCopy in = CopyOf(Buffer(), x, AKGEN_GM_TO_UB, 32);
  for (u64 i = 0; i < 20000; ++i) {
    frame[1] = 0x10004 + i * 4;
    asm volatile("mv t6, s0\n mv s0, %0\n" ::"r"(frame + 2) : "t6", "memory");
    akgen_copy(&in);
    asm volatile("mv s0, t6" ::: "memory");
  }
}

// Right under the order that is judged first, wrong under any other.
extern "C" void has_two_faces(const float* x, float* y) {
  float* ub = Buffer();
  const AkgenCopy in = CopyOf(ub, x, AKGEN_GM_TO_UB, 1024),
                  out = CopyOf(y, ub + 256, AKGEN_UB_TO_GM, 1024);
  AkgenVec v = AddOne(ub + 256, ub);
  const u64 before = akgen_system_cycle();
  akgen_copy(&in);
  if (akgen_system_cycle() == before) v.scalar = 0x40000000;
  Order(AKGEN_PIPE_MTE2, AKGEN_PIPE_V);
  akgen_vec(&v);
  Order(AKGEN_PIPE_V, AKGEN_PIPE_MTE3);
  akgen_copy(&out);
}
