// A guest that has the chip's interface to itself, without the headers that would keep it honest:
// it owns whatever a candidate could ever own. Entries take (x, y, workspace, tiling); the tiling
// holds a seed.
#include "akgen/abi.h"
#include "akgen/positions.h"
using u64 = unsigned long;

namespace {
u64 g_seed;
u64 Next() {
  g_seed = g_seed * 6364136223846793005u + 1442695040888963407u;
  return g_seed >> 17;
}
u64 Below(u64 n) { return Next() % n; }

// Mostly sensible numbers, sometimes none at all.
u64 Number() {
  switch (Below(8)) {
    case 0: return 0;
    case 1: return Next();
    case 2: return ~u64{0} - Below(64);
    case 3: return u64{1} << Below(64);
    case 4: return 0xffffffff - Below(64);
    default: return Below(300);
  }
}
unsigned char* g_x;
unsigned char* g_y;
unsigned char* g_workspace;
void* Pointer() {
  static const u64 wild[] = {
      0, 8, 0x10000, 0x30000000, 0x2fffff00, 0x70000010, u64{1} << 40, u64{3} << 48, ~u64{0}};
  auto* ub = static_cast<unsigned char*>(akgen_ub_base());
  switch (Below(8)) {
    case 0: return reinterpret_cast<void*>(wild[Below(9)] + Below(3) * 8);
    case 1: return g_x + Number();
    case 2: return g_y + Number();
    case 3: return g_workspace + Number();
    case 4: return ub + Number();
    case 5: return reinterpret_cast<void*>(Next() << Below(20));
    default: return ub + Below(6144) * 32;
  }
}
unsigned char Dtype() {
  static const unsigned char types[] = {0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 16, 27, 29, 255};
  return Below(6) ? types[Below(16)] : static_cast<unsigned char>(Next());
}

constexpr bool Says(const char* columns, const char* word) {
  for (; *columns; ++columns) {
    int i = 0;
    while (word[i] && columns[i] == word[i]) ++i;
    if (!word[i]) return true;
  }
  return false;
}
constexpr bool kTakesLists[] = {
#define AKGEN_VEC_OP(Name, family, api, types, columns) \
  Says(#columns, ".library") || Says(#columns, ".list0"),
#include "akgen/vec_ops.inc"
};

void AnyVec() {
  AkgenVec v;
  u64 list[32];
  for (u64& a : list) a = reinterpret_cast<u64>(Pointer());
  v.op = static_cast<uint16_t>(Below(2000) ? Below(AKGEN_OP_COUNT_) : Next());
  v.form = static_cast<uint8_t>(Below(2000) ? Below(4) : Next());
  v.set_mask = Below(2);
  v.dst_type = Dtype(), v.src_type = Dtype(), v.src1_type = Dtype();
  if (Below(2)) v.src_type = v.dst_type;  // as most instructions want it
  if (Below(2)) v.src1_type = Below(2) ? v.src_type : static_cast<uint8_t>(AKGEN_U32);
  v.round_mode = static_cast<uint8_t>(Below(4) ? Below(7) : Next());
  v.mode = static_cast<uint8_t>(Below(4) ? Below(8) : Next());
  v.flag = static_cast<uint8_t>(Below(3));
  v.dst_blk = static_cast<uint16_t>(Number()), v.src0_blk = static_cast<uint16_t>(Number()),
  v.src1_blk = static_cast<uint16_t>(Number());
  v.dst_rep = static_cast<uint16_t>(Number()), v.src0_rep = static_cast<uint16_t>(Number()),
  v.src1_rep = static_cast<uint16_t>(Number());
  v.raw = Below(2);
  v.count = static_cast<uint32_t>(Below(4) ? Below(5000) : Number());
  v.repeat = static_cast<uint32_t>(Below(4) ? Below(20) : Below(1000));
  v.mask[0] = Number(), v.mask[1] = Number();
  v.scalar = Number();
  v.dst = Pointer(), v.src0 = Pointer(), v.src1 = Pointer(), v.tmp = Below(3) ? nullptr : Pointer();
  for (u64& a : v.aux) a = Below(2) ? Number() : reinterpret_cast<u64>(Pointer());
  const bool lists = v.op < AKGEN_OP_COUNT_ && kTakesLists[v.op];
  if (lists ? Below(2000) : Below(3) == 0) v.aux[0] = reinterpret_cast<u64>(list);
  if (v.op == AKGEN_OP_TransDataTo5HD) v.aux[1] = reinterpret_cast<u64>(list + 16);
  v.tmp_bytes = static_cast<uint32_t>(Number());
  akgen_vec(Below(3000) ? &v : static_cast<AkgenVec*>(Pointer()));
}
// `large`: one in four has any number of blocks of any length, which end a run by its limits of
// time or memory.
void AnyCopy(bool large = false) {
  const u64 often = large ? 4 : 400;
  AkgenCopy c;
  c.kind = static_cast<uint8_t>(Below(2000) ? Below(3) : Next());
  c.dtype = Dtype();
  c.is_pad_api = Below(2), c.is_pad = Below(3);
  c.left_pad = static_cast<uint8_t>(Number()), c.right_pad = static_cast<uint8_t>(Number());
  c.block_count = static_cast<uint16_t>(Below(often) ? Below(20) : Number());
  c.block_len = static_cast<uint32_t>(Below(often) ? Below(64) * 32 : Number());
  c.raw = Below(2), c.l2_bypass = Below(2);
  c.src_stride = static_cast<int64_t>(Number()), c.dst_stride = static_cast<int64_t>(Number());
  c.pad_value = Next();
  c.dst = Pointer(), c.src = Pointer();
  akgen_copy(&c);
}
// Operands mostly where the instruction wants them, with sizes that fit and sizes that no field
// holds.
constexpr unsigned char kPlaces[AKGEN_CUBE_OP_COUNT][4] = {
    // destination, source, second source, third
    {AKGEN_POS_A1, AKGEN_POS_GM, 0, 0},
    {AKGEN_POS_A2, AKGEN_POS_A1, 0, 0},
    {AKGEN_POS_B2, AKGEN_POS_B1, 0, 0},
    {AKGEN_POS_A2, AKGEN_POS_A1, 0, 0},
    {AKGEN_POS_B2, AKGEN_POS_B1, AKGEN_POS_B1, 0},
    {AKGEN_POS_A1, 0, 0, 0},
    {AKGEN_POS_C2, AKGEN_POS_C1, 0, 0},
    {AKGEN_POS_CO1, AKGEN_POS_A2, AKGEN_POS_B2, AKGEN_POS_C2},
    {AKGEN_POS_GM, AKGEN_POS_CO1, AKGEN_POS_A1, 0}};
void* At(unsigned position) {
  if (position == AKGEN_POS_GM || position >= AKGEN_POS_MAX) return g_y + Below(8) * 32;
  return akgen_static_tensor(position, static_cast<uint32_t>(Below(16) * 512), 512);
}
void AnyCube() {
  AkgenCube c;
  c.op = static_cast<uint8_t>(Below(2000) ? Below(AKGEN_CUBE_OP_COUNT) : Next());
  c.dst_type = Dtype(), c.src_type = Below(3) ? c.dst_type : Dtype(), c.src1_type = c.src_type;
  for (uint32_t& n : c.n) n = static_cast<uint32_t>(Below(8) ? Below(Below(3) ? 3 : 40) : Number());
  c.value = Next();
  unsigned char places[4];
  for (int i = 0; i < 4; ++i)
    places[i] = Below(16) && c.op < AKGEN_CUBE_OP_COUNT ? kPlaces[c.op][i]
                                                        : static_cast<unsigned char>(Below(20));
  c.dst_position = places[0], c.src_position = places[1], c.src1_position = places[2],
  c.src2_position = places[3];
  c.dst = Below(16) ? At(places[0]) : Pointer(), c.src = Below(16) ? At(places[1]) : Pointer();
  c.src1 = Below(16) ? At(places[2]) : Pointer(), c.src2 = Below(2) ? nullptr : At(places[3]);
  if (Below(4) == 0)
    akgen_cube_register(static_cast<uint32_t>(Below(AKGEN_CUBE_REG_COUNT + 1)), Number());
  akgen_cube(Below(3000) ? &c : static_cast<AkgenCube*>(Pointer()));
}
// What Vector cores have their Cube core do.
void AnyJob() {
  static unsigned char record[AKGEN_JOB_BYTES];
  const auto bytes = static_cast<uint32_t>(Below(8) ? Below(AKGEN_JOB_BYTES + 1) : Number());
  void* const at = Below(16) ? record : Pointer();
  switch (Below(8)) {
    case 0: akgen_jobs_open(static_cast<uint32_t>(Below(4) ? Below(4) : Number())); break;
    case 1: akgen_jobs_close(); break;
    case 2: akgen_job_wait(akgen_job_post(at, bytes)); break;
    case 3: akgen_job_post(at, bytes); break;
    case 4: akgen_job_wait(Number()); break;
    case 5: akgen_job_take(at, bytes); break;
    case 6: akgen_job_done(); break;
    default: akgen_library_call(static_cast<uint32_t>(Below(3)));
  }
}
void AnyQueue() {
  static uint32_t queues;
  uint32_t length = static_cast<uint32_t>(Number());
  const uint32_t handle = static_cast<uint32_t>(Below(4) ? Below(queues + 1) : Number());
  switch (Below(16)) {
    case 0:
      queues = akgen_que_init(Below(14), Below(14), static_cast<int32_t>(Number()), Below(5),
                              static_cast<uint32_t>(Number()));
      break;
    case 1:
      akgen_que_count(handle), akgen_que_idle(handle), akgen_que_free_all_events(handle);
      break;
    case 2: akgen_buf_init(static_cast<uint32_t>(Number()), &length); break;
    case 3: akgen_pool_init(handle, Below(14), static_cast<uint32_t>(Number()), handle); break;
    case 4: akgen_pool_reset(handle), akgen_pool_select(static_cast<uint32_t>(Number())); break;
    case 5: akgen_pool_seek(handle, static_cast<uint32_t>(Number())); break;
    case 6: akgen_stack_buffer(&length), akgen_buf_free_bytes(); break;
    case 7:
      akgen_static_tensor(Below(14), static_cast<uint32_t>(Number()),
                          static_cast<uint32_t>(Number()));
      akgen_ub_array(static_cast<uint32_t>(Below(6144) * 32 + Below(2)),
                     static_cast<uint32_t>(Number()));
      break;
    case 8: akgen_tpipe_init(Pointer()); break;
    case 9: akgen_tpipe_reset(akgen_tpipe_current()); break;
    case 10: akgen_position_offset(Below(14), Pointer()); break;
    case 11:
      if (queues) akgen_que_free(1 + Below(queues), Pointer());
      break;
    case 12: akgen_que_init(0, 9, 1, static_cast<uint32_t>(Number()), 32), ++queues; break;
    case 13: akgen_pool_init(0, 9, static_cast<uint32_t>(Number()), 0); break;
    default:
      if (queues && akgen_que_idle(1)) akgen_que_free(1, akgen_que_alloc(1, &length));
  }
}
void AnyRegister() {
  static const uint32_t shape[] = {3, 1u << 30, 5};
  // Those from 11 on end the launch where their pointer is wrong.
  const uint32_t src = static_cast<uint32_t>(Below(9)), dst = static_cast<uint32_t>(Below(9));
  switch (Below(20) ? Below(11) : Below(19)) {
    case 0: akgen_set_flag(src, dst, static_cast<int32_t>(Below(9))); break;
    case 1: akgen_pipe_barrier(static_cast<uint32_t>(Below(500) ? Below(8) : Next())); break;
    case 2: akgen_release_event(src, dst, akgen_alloc_event(src, dst)); break;
    case 3: akgen_fetch_event(static_cast<uint32_t>(Number()), dst); break;
    case 4:
      akgen_set_mask(Number(), Number()), akgen_set_mask_mode(static_cast<uint32_t>(Below(3)));
      break;
    case 5: akgen_set_atomic(static_cast<uint32_t>(Below(6)), Dtype()); break;
    case 6:
      akgen_set_deq_scale(2.5f, static_cast<int32_t>(Number()), 1),
          akgen_set_pad_value(Next(), Dtype());
      break;
    case 7:
      akgen_get_spr(static_cast<uint32_t>(Number())),
          akgen_clear_spr(static_cast<uint32_t>(Number()));
      break;
    case 8: akgen_set_ctrl(Next()), akgen_get_ctrl(), akgen_system_cycle(); break;
    case 9: akgen_print(Below(300) ? "text" : static_cast<const char*>(Pointer()), 4); break;
    case 10:
      akgen_dump_tensor(Pointer(), 1, static_cast<uint32_t>(Number()), Dtype(), shape,
                        uint32_t(Below(4)));
      break;
    case 11: akgen_set_cmp_mask(Pointer()); break;
    case 12: akgen_get_cmp_mask(Pointer()); break;
    case 13:
      akgen_scalar_read(Pointer(), static_cast<uint32_t>(Number()),
                        static_cast<uint32_t>(Below(3)));
      break;
    case 14:
      akgen_scalar_write(Pointer(), static_cast<uint32_t>(Number()),
                         static_cast<uint32_t>(Below(3)));
      break;
    case 15:
      akgen_dcci(Pointer(), 0, 0), akgen_data_sync_barrier(static_cast<uint32_t>(Number()));
      break;
    case 16: akgen_gm_bypass(Pointer(), 8, static_cast<uint32_t>(Below(3))); break;
    default:
      akgen_ib_set(Pointer(), Pointer(), static_cast<int32_t>(Number()),
                   static_cast<int32_t>(Number()));
  }
}
// Between blocks, and what a kernel says of itself.
void AnyMeeting() {
  static const char text[] = "text that ends";
  const uint32_t flag = static_cast<uint32_t>(Below(4) ? Below(16) : Number());
  const auto block = static_cast<int32_t>(Below(4) ? Below(3) : Number());
  switch (Below(60) ? Below(12) : Below(20)) {
    case 0:
      akgen_cross_set(static_cast<uint32_t>(Below(3)), static_cast<uint32_t>(Below(7)), flag);
      break;
    case 1: akgen_det_init(Pointer(), Pointer()), akgen_det_notify(Pointer(), Pointer()); break;
    case 2:
      akgen_set_sys_workspace(Pointer()),
          g_workspace += reinterpret_cast<u64>(akgen_sys_workspace()) & 1;
      break;
    case 3: akgen_scalar_work(Number(), Number(), Number(), Number()); break;
    case 4: akgen_tpipe_init(Pointer()), akgen_tpipe_destroy(Pointer()); break;
    case 5:
      g_seed += akgen_block_num() + akgen_sub_block_idx() + akgen_task_ratio() + akgen_tiling_key();
      break;
    case 6: akgen_print(text, static_cast<uint32_t>(Below(sizeof text))); break;
    case 7: akgen_data_sync_barrier(static_cast<uint32_t>(Number())), akgen_clear_spr(flag); break;
    case 8: akgen_que_free_all_events(flag), akgen_release_event(flag, flag, block); break;
    case 9:
      akgen_raw_read(Pointer(), Number()), akgen_raw_write(Pointer(), Number()),
          akgen_broken_rule(text);
      break;
    case 10: akgen_sync_all_soft(Pointer(), Pointer(), block); break;
    case 11: akgen_wait_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, static_cast<int32_t>(Below(8))); break;
    // Those that may end the launch.
    case 12: akgen_cross_wait(flag); break;
    case 13: akgen_sync_all(block); break;
    case 14: akgen_ib_set(Pointer(), Pointer(), block, static_cast<int32_t>(flag)); break;
    case 15: akgen_ib_wait(Pointer(), Pointer(), block, static_cast<int32_t>(flag)); break;
    case 16: akgen_det_wait(Pointer(), Pointer()); break;
    case 17:
      akgen_assert_fail(static_cast<char*>(Pointer()), text, block, static_cast<char*>(Pointer()));
      break;
    case 18: akgen_unsupported(static_cast<char*>(Pointer())); break;
    default:
      akgen_scalar_read(g_x + Below(1024), static_cast<uint32_t>(Below(64)), 1),
          g_seed += g_x[Below(1024)];
  }
}
void Begin(unsigned char* x, unsigned char* y, unsigned char* workspace, const u64* tiling) {
  g_x = x, g_y = y, g_workspace = workspace;
  g_seed = *tiling * 0x9e3779b97f4a7c15u + akgen_block_idx();
  for (int i = 0; i < 4; ++i) Next();
}
}  // namespace

// Anything at all, until something stops it. `kinds` of calls are drawn again and again, so that
// most runs get far.
extern "C" void anything(unsigned char* x, unsigned char* y, unsigned char* workspace,
                         const u64* tiling) {
  Begin(x, y, workspace, tiling);
  for (int i = 0; i < 300; ++i) switch (Below(5)) {
      case 0: AnyVec(); break;
      case 1: AnyCopy(); break;
      case 2: AnyQueue(); break;
      case 3: AnyMeeting(); break;
      default: AnyRegister();
    }
}
// One kind of call each, so that what stops a run of all of them hides none.
extern "C" void vectors(unsigned char* x, unsigned char* y, unsigned char* workspace,
                        const u64* tiling) {
  Begin(x, y, workspace, tiling);
  for (int i = 0; i < 100; ++i) AnyVec();
}
extern "C" void copies(unsigned char* x, unsigned char* y, unsigned char* workspace,
                       const u64* tiling) {
  Begin(x, y, workspace, tiling);
  for (int i = 0; i < 100; ++i) AnyCopy();
}
extern "C" void large_copies(unsigned char* x, unsigned char* y, unsigned char* workspace,
                             const u64* tiling) {
  Begin(x, y, workspace, tiling);
  for (int i = 0; i < 100; ++i) AnyCopy(true);
}
extern "C" void queues(unsigned char* x, unsigned char* y, unsigned char* workspace,
                       const u64* tiling) {
  Begin(x, y, workspace, tiling);
  for (int i = 0; i < 200; ++i) AnyQueue();
}
extern "C" void registers(unsigned char* x, unsigned char* y, unsigned char* workspace,
                          const u64* tiling) {
  Begin(x, y, workspace, tiling);
  for (int i = 0; i < 200; ++i) AnyRegister();
}
extern "C" void blocks(unsigned char* x, unsigned char* y, unsigned char* workspace,
                       const u64* tiling) {
  Begin(x, y, workspace, tiling);
  for (int i = 0; i < 200; ++i) AnyMeeting();
}
extern "C" void cubes(unsigned char* x, unsigned char* y, unsigned char* workspace,
                      const u64* tiling) {
  Begin(x, y, workspace, tiling);
  for (int i = 0; i < 100; ++i) AnyCube();
}
extern "C" void anything_of_cubes(unsigned char* x, unsigned char* y, unsigned char* workspace,
                                  const u64* tiling) {
  Begin(x, y, workspace, tiling);
  for (int i = 0; i < 300; ++i) switch (Below(4)) {
      case 0: AnyQueue(); break;
      case 1: AnyMeeting(); break;
      case 2: AnyRegister(); break;
      default: AnyCube();
    }
}
extern "C" void jobs_of_cubes(unsigned char* x, unsigned char* y, unsigned char* workspace,
                              const u64* tiling) {
  Begin(x, y, workspace, tiling);
  for (int i = 0; i < 200; ++i) {
    if (Below(4))
      AnyCube();
    else
      AnyJob();
  }
}
