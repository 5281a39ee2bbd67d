// The chip's C interface for guests. This is the trust boundary: a guest may pass anything, so
// numbers are checked against what the chip has, records are copied before they are looked at, and
// pointers are translated one by one.
#include <algorithm>
#include <array>
#include <map>
#include <type_traits>
#include <utility>

#include "akgen/abi.h"
#include "runner/process/guest_kernel.h"
#include "sim/exec/launch_state.h"
#include "sim/ops/ops.h"

namespace akgen::runner {
namespace {
using guest::Fault;

// A value of a register, as the interface's parameter of this type: the low bits.
template <typename T>
T Number(uint64_t bits) {
  static_assert(std::is_integral_v<T>);
  return T(bits);
}

// Functions of numbers only, whatever they are.
template <auto kFunction>
struct Plain;
template <typename R, typename... Args, R (*kFunction)(Args...)>
struct Plain<kFunction> {
  static bool Call(GuestBlock& b) { return Apply(b, std::index_sequence_for<Args...>()); }
  template <size_t... I>
  static bool Apply(GuestBlock& b, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>)
      kFunction(Number<Args>(b.Argument(I))...);
    else
      b.machine().registers().SetResult(Extended(kFunction(Number<Args>(b.Argument(I))...)));
    return true;
  }
  // Results of 32 bits and less are sign-extended, whatever their type.
  template <typename T>
  static uint64_t Extended(T v) {
    if constexpr (sizeof(T) == 8)
      return uint64_t(v);
    else
      return uint64_t(int64_t(int32_t(v)));
  }
};

bool Impossible(GuestBlock& b) { return b.machine().Fail(Fault::Kind::kInstruction); }
bool IsPipe(uint64_t pipe) { return uint32_t(pipe) < sim::kPipes; }
void* Host(GuestBlock& b, uint64_t address) { return b.memory().ToHost(address); }
void* HostOf(GuestBlock& b, const void* guest) {
  return Host(b, reinterpret_cast<uint64_t>(guest));
}
bool ReturnUb(GuestBlock& b, const void* host) {
  b.machine().registers().SetResult(b.memory().UbToGuest(host));
  return true;
}

// A list of addresses in the guest's memory, as the chip's instruction wants it. Without memory of
// its own the guest may keep it anywhere that it can read.
bool TakeList(GuestBlock& b, uint64_t address, uint32_t n, std::array<uint64_t, 16>* out) {
  for (uint32_t i = 0; i < n; ++i) {
    uint64_t entry = 0;
    if (!b.Take(address + i * 8, &entry)) return false;
    (*out)[i] = reinterpret_cast<uint64_t>(Host(b, entry));
  }
  return true;
}

// The chip's work beside the call, in scalar instructions that take as long: of elements, or of
// bytes moved. Rough, and the same on every machine; it only decides what has no end.
constexpr uint64_t kBytesOfWork = 32;

uint64_t WorkOf(const AkgenVec& v) {
  constexpr uint64_t kMaxOfRepeat = 128, kMaxElements = 1 << 18;  // UB holds no more
  const uint64_t elements =
      v.form == AKGEN_FORM_COUNT ? v.count : std::max<uint64_t>(v.count, v.repeat * kMaxOfRepeat);
  return std::min(elements, kMaxElements);
}

bool Vec(GuestBlock& b) {
  AkgenVec v;
  if (!b.Take(b.Argument(0), &v)) return false;
  if (v.op >= AKGEN_OP_COUNT_ || v.form > AKGEN_FORM_WHOLE) return Impossible(b);
  v.dst = HostOf(b, v.dst);
  v.src0 = HostOf(b, v.src0);
  v.src1 = HostOf(b, v.src1);
  v.tmp = HostOf(b, v.tmp);
  std::array<uint64_t, 16> lists[2];
  const sim::VecRow& row = sim::RowOf(v.op);
  const uint8_t count[] = {row.list0.n, row.list1.n};
  for (int i = 0; i < 2; ++i) {
    if (count[i] == 0) continue;
    if (!TakeList(b, v.aux[i], count[i], &lists[i])) return false;
    v.aux[i] = reinterpret_cast<uint64_t>(lists[i].data());
  }
  if (row.aux0 != sim::Use::none) v.aux[0] = reinterpret_cast<uint64_t>(Host(b, v.aux[0]));
  if (row.aux3 != sim::Use::none) v.aux[3] = reinterpret_cast<uint64_t>(Host(b, v.aux[3]));
  b.Charge(WorkOf(v));
  akgen_vec(&v);
  return true;
}

bool Copy(GuestBlock& b) {
  AkgenCopy c;
  if (!b.Take(b.Argument(0), &c)) return false;
  if (c.kind > AKGEN_UB_TO_UB) return Impossible(b);
  c.dst = HostOf(b, c.dst);
  c.src = HostOf(b, c.src);
  const sim::Core& core = *sim::g_core;
  const uint64_t before = core.counts.bytes_in + core.counts.bytes_out;
  akgen_copy(&c);
  b.Charge((core.counts.bytes_in + core.counts.bytes_out - before) / kBytesOfWork);
  return true;
}

// About what an instruction of the Cube core takes: products for Mmad, bytes else.
uint64_t WorkOf(const AkgenCube& c, uint64_t moved) {
  constexpr uint64_t kProductsOfWork = 64;
  uint64_t numbers = 0;
  for (uint32_t n : c.n) numbers = std::max<uint64_t>(numbers, n);
  if (c.op == AKGEN_CUBE_MMAD)
    return uint64_t(c.n[AKGEN_MMAD_M] & 4095) * (c.n[AKGEN_MMAD_N] & 4095) *
           (c.n[AKGEN_MMAD_K] & 4095) / kProductsOfWork;
  return moved / kBytesOfWork + std::min<uint64_t>(numbers, 1 << 16);
}
bool Cube(GuestBlock& b) {
  AkgenCube c;
  if (!b.Take(b.Argument(0), &c)) return false;
  if (c.op >= AKGEN_CUBE_OP_COUNT) return Impossible(b);
  c.dst = HostOf(b, c.dst);
  c.src = HostOf(b, c.src);
  c.src1 = HostOf(b, c.src1);
  c.src2 = HostOf(b, c.src2);
  const sim::Core& core = *sim::g_core;
  const uint64_t before = core.counts.bytes_in + core.counts.bytes_out;
  akgen_cube(&c);
  b.Charge(WorkOf(c, core.counts.bytes_in + core.counts.bytes_out - before));
  return true;
}

// Records are the guest's own matter: the same image reads them on another core.
bool JobPost(GuestBlock& b) {
  const auto bytes = uint32_t(b.Argument(1));
  if (bytes > AKGEN_JOB_BYTES) return Impossible(b);
  const uint8_t* record = b.machine().Read(b.Argument(0), bytes);
  if (!record) return b.machine().Fail(Fault::Kind::kRead);
  b.machine().registers().SetResult(akgen_job_post(record, bytes));
  return true;
}
bool JobTake(GuestBlock& b) {
  std::array<uint8_t, AKGEN_JOB_BYTES> record{};
  const auto bytes = uint32_t(b.Argument(1));
  if (bytes > record.size()) return Impossible(b);
  const int32_t more = akgen_job_take(record.data(), bytes);
  b.memory().ForgetGrants();  // other cores have run
  uint8_t* to = b.machine().Write(b.Argument(0), bytes);
  if (!to) return b.machine().Fail(Fault::Kind::kWrite);
  std::memcpy(to, record.data(), bytes);
  b.machine().registers().SetResult(uint64_t(int64_t(more)));
  return true;
}

bool PipeBarrier(GuestBlock& b) {
  const auto pipe = uint32_t(b.Argument(0));
  if (!IsPipe(pipe) && pipe != AKGEN_PIPE_ALL) return Impossible(b);
  akgen_pipe_barrier(pipe);
  return true;
}
bool CrossSet(GuestBlock& b) {
  if (!IsPipe(b.Argument(1))) return Impossible(b);
  akgen_cross_set(uint32_t(b.Argument(0)), uint32_t(b.Argument(1)), uint32_t(b.Argument(2)));
  return true;
}
bool SyncAllSoft(GuestBlock& b) {
  akgen_sync_all_soft(Host(b, b.Argument(0)), Host(b, b.Argument(1)), int32_t(b.Argument(2)));
  return true;
}
template <void (*kFunction)(void*, void*, int32_t, int32_t)>
bool BetweenBlocks(GuestBlock& b) {
  kFunction(Host(b, b.Argument(0)), Host(b, b.Argument(1)), int32_t(b.Argument(2)),
            int32_t(b.Argument(3)));
  return true;
}
template <void (*kFunction)(void*, void*)>
bool OfTwoPlaces(GuestBlock& b) {
  kFunction(Host(b, b.Argument(0)), Host(b, b.Argument(1)));
  return true;
}

// The TPipe's address is a name: nobody looks behind it.
template <void (*kFunction)(void*)>
bool OfTpipe(GuestBlock& b) {
  kFunction(reinterpret_cast<void*>(b.Argument(0)));
  return true;
}
bool TpipeCurrent(GuestBlock& b) {
  b.machine().registers().SetResult(reinterpret_cast<uint64_t>(akgen_tpipe_current()));
  return true;
}
template <void* (*kFunction)(uint32_t, uint32_t*)>
bool BufferWithLength(GuestBlock& b) {
  uint32_t length = 0;
  if (!b.Take(b.Argument(1), &length)) return false;
  const void* buffer = kFunction(uint32_t(b.Argument(0)), &length);
  return b.Give(b.Argument(1), length) && ReturnUb(b, buffer);
}
template <void (*kFunction)(uint32_t, void*)>
bool OfBuffer(GuestBlock& b) {
  kFunction(uint32_t(b.Argument(0)), Host(b, b.Argument(1)));
  return true;
}
bool StackBuffer(GuestBlock& b) {
  uint32_t length = 0;
  const void* buffer = akgen_stack_buffer(&length);
  return b.Give(b.Argument(0), length) && ReturnUb(b, buffer);
}
bool StaticTensor(GuestBlock& b) {
  return ReturnUb(b, akgen_static_tensor(uint32_t(b.Argument(0)), uint32_t(b.Argument(1)),
                                         uint32_t(b.Argument(2))));
}
bool UbArray(GuestBlock& b) {
  return ReturnUb(b, akgen_ub_array(uint32_t(b.Argument(0)), uint32_t(b.Argument(1))));
}
bool UbBase(GuestBlock& b) { return ReturnUb(b, akgen_ub_base()); }
bool PositionOffset(GuestBlock& b) {
  b.machine().registers().SetResult(
      akgen_position_offset(uint32_t(b.Argument(0)), Host(b, b.Argument(1))));
  return true;
}

bool Slice(GuestBlock& b) {
  b.machine().registers().SetResult(
      akgen_slice(Host(b, b.Argument(0)), b.Argument(1), uint32_t(b.Argument(2))));
  return true;
}
bool SliceUsed(GuestBlock& b) {
  akgen_slice_used(Host(b, b.Argument(0)));
  return true;
}

// An access that is announced: the load or store that follows is the guest's own.
template <bool kWrite>
bool Scalar(GuestBlock& b) {
  const auto bytes = uint32_t(b.Argument(1));
  if (kWrite)
    akgen_scalar_write(Host(b, b.Argument(0)), bytes, uint32_t(b.Argument(2)));
  else
    akgen_scalar_read(Host(b, b.Argument(0)), bytes, uint32_t(b.Argument(2)));
  b.memory().Grant(b.Argument(0), bytes, kWrite);
  return true;
}
bool GmBypass(GuestBlock& b) {
  const auto bytes = uint32_t(b.Argument(1));
  const bool write = int32_t(b.Argument(2)) != 0;
  akgen_gm_bypass(Host(b, b.Argument(0)), bytes, write);
  b.memory().ForgetGrants();  // other blocks have run
  b.memory().Grant(b.Argument(0), bytes, write);
  return true;
}
bool Nothing(GuestBlock&) { return true; }  // the machine itself sees every load and store
bool Dcci(GuestBlock& b) {
  akgen_dcci(Host(b, b.Argument(0)), uint32_t(b.Argument(1)), uint32_t(b.Argument(2)));
  return true;
}
bool SetDeqScale(GuestBlock& b) {
  const auto bits = uint32_t(b.machine().registers().FloatArgument(0));
  float scale;
  std::memcpy(&scale, &bits, 4);
  akgen_set_deq_scale(scale, int32_t(b.Argument(0)), int32_t(b.Argument(1)));
  return true;
}
bool SetCmpMask(GuestBlock& b) {
  akgen_set_cmp_mask(Host(b, b.Argument(0)));
  return true;
}
bool GetCmpMask(GuestBlock& b) {
  akgen_get_cmp_mask(Host(b, b.Argument(0)));
  return true;
}
bool SysWorkspace(GuestBlock& b) {
  b.machine().registers().SetResult(b.memory().GmToGuest(akgen_sys_workspace()));
  return true;
}
bool SetSysWorkspace(GuestBlock& b) {
  akgen_set_sys_workspace(Host(b, b.Argument(0)));
  return true;
}

constexpr size_t kMaxText = 4096;
std::string TextOf(GuestBlock& b, uint64_t address) {
  return address ? b.machine().Text(address, kMaxText).value_or("") : std::string();
}
bool Print(GuestBlock& b) {
  const auto length = uint32_t(b.Argument(1));
  const uint8_t* text = b.machine().Read(b.Argument(0), length);
  if (text) akgen_print(reinterpret_cast<const char*>(text), length);
  return text || length == 0 || b.machine().Fail(Fault::Kind::kRead);
}
bool AssertFail(GuestBlock& b) {
  const std::string expression = TextOf(b, b.Argument(0)), file = TextOf(b, b.Argument(1)),
                    message = TextOf(b, b.Argument(3));
  akgen_assert_fail(expression.c_str(), file.c_str(), int32_t(b.Argument(2)), message.c_str());
  return true;
}
bool DumpTensor(GuestBlock& b) {
  constexpr uint32_t kMaxDims = 8;
  // The chip looks for the address in memories of its own; the shape is the guest's.
  const auto dims = uint32_t(b.Argument(5));
  const uint8_t* shape =
      dims <= kMaxDims ? b.machine().Read(b.Argument(4), dims * sizeof(uint32_t)) : nullptr;
  if (dims && !shape) return b.machine().Fail(Fault::Kind::kRead);
  uint32_t sizes[kMaxDims] = {};
  if (dims) std::memcpy(sizes, shape, dims * sizeof(uint32_t));
  akgen_dump_tensor(Host(b, b.Argument(0)), uint32_t(b.Argument(1)), uint32_t(b.Argument(2)),
                    uint32_t(b.Argument(3)), sizes, dims);
  return true;
}
bool BrokenRule(GuestBlock& b) {
  akgen_broken_rule(TextOf(b, b.Argument(0)).c_str());
  return true;
}
bool Unsupported(GuestBlock& b) {
  akgen_unsupported(TextOf(b, b.Argument(0)).c_str());
  return true;
}

using Calls = std::map<std::string, ChipCall, std::less<>>;
#define AKGEN_PLAIN(name) {"akgen_" #name, Plain<&akgen_##name>::Call}

const Calls& Numbers() {
  static const Calls calls = {
      AKGEN_PLAIN(set_flag),       AKGEN_PLAIN(wait_flag),      AKGEN_PLAIN(alloc_event),
      AKGEN_PLAIN(release_event),  AKGEN_PLAIN(fetch_event),    AKGEN_PLAIN(data_sync_barrier),
      AKGEN_PLAIN(cross_wait),     AKGEN_PLAIN(sync_all),       AKGEN_PLAIN(que_init),
      AKGEN_PLAIN(que_count),      AKGEN_PLAIN(que_idle),       AKGEN_PLAIN(que_free_all_events),
      AKGEN_PLAIN(pool_init),      AKGEN_PLAIN(pool_reset),     AKGEN_PLAIN(pool_seek),
      AKGEN_PLAIN(pool_select),    AKGEN_PLAIN(buf_free_bytes), AKGEN_PLAIN(set_mask),
      AKGEN_PLAIN(set_mask_mode),  AKGEN_PLAIN(set_atomic),     AKGEN_PLAIN(set_pad_value),
      AKGEN_PLAIN(get_spr),        AKGEN_PLAIN(clear_spr),      AKGEN_PLAIN(set_ctrl),
      AKGEN_PLAIN(get_ctrl),       AKGEN_PLAIN(block_idx),      AKGEN_PLAIN(block_num),
      AKGEN_PLAIN(sub_block_idx),  AKGEN_PLAIN(sub_block_num),  AKGEN_PLAIN(task_ratio),
      AKGEN_PLAIN(tiling_key),     AKGEN_PLAIN(system_cycle),   AKGEN_PLAIN(ub_size),
      AKGEN_PLAIN(trap),           AKGEN_PLAIN(scalar_work),    AKGEN_PLAIN(undefined),
      AKGEN_PLAIN(cube_register),  AKGEN_PLAIN(core_type),      AKGEN_PLAIN(block_group),
      AKGEN_PLAIN(set_saturation), AKGEN_PLAIN(get_saturation), AKGEN_PLAIN(que_between),
      AKGEN_PLAIN(jobs_open),      AKGEN_PLAIN(jobs_close),     AKGEN_PLAIN(job_wait),
      AKGEN_PLAIN(job_done),       AKGEN_PLAIN(library_call)};
  return calls;
}
#undef AKGEN_PLAIN

const Calls& OthersOfTheInterface() {
  static const Calls calls = {{"akgen_vec", Vec},
                              {"akgen_copy", Copy},
                              {"akgen_cube", Cube},
                              {"akgen_job_post", JobPost},
                              {"akgen_job_take", JobTake},
                              {"akgen_pipe_barrier", PipeBarrier},
                              {"akgen_cross_set", CrossSet},
                              {"akgen_sync_all_soft", SyncAllSoft},
                              {"akgen_ib_set", BetweenBlocks<akgen_ib_set>},
                              {"akgen_ib_wait", BetweenBlocks<akgen_ib_wait>},
                              {"akgen_det_init", OfTwoPlaces<akgen_det_init>},
                              {"akgen_det_wait", OfTwoPlaces<akgen_det_wait>},
                              {"akgen_det_notify", OfTwoPlaces<akgen_det_notify>},
                              {"akgen_tpipe_init", OfTpipe<akgen_tpipe_init>},
                              {"akgen_tpipe_reset", OfTpipe<akgen_tpipe_reset>},
                              {"akgen_tpipe_destroy", OfTpipe<akgen_tpipe_destroy>},
                              {"akgen_tpipe_current", TpipeCurrent},
                              {"akgen_que_alloc", BufferWithLength<akgen_que_alloc>},
                              {"akgen_que_deque", BufferWithLength<akgen_que_deque>},
                              {"akgen_buf_init", BufferWithLength<akgen_buf_init>},
                              {"akgen_que_enque", OfBuffer<akgen_que_enque>},
                              {"akgen_que_free", OfBuffer<akgen_que_free>},
                              {"akgen_stack_buffer", StackBuffer},
                              {"akgen_static_tensor", StaticTensor},
                              {"akgen_ub_array", UbArray},
                              {"akgen_ub_base", UbBase},
                              {"akgen_slice", Slice},
                              {"akgen_slice_used", SliceUsed},
                              {"akgen_position_offset", PositionOffset},
                              {"akgen_scalar_read", Scalar<false>},
                              {"akgen_scalar_write", Scalar<true>},
                              {"akgen_raw_read", Nothing},
                              {"akgen_raw_write", Nothing},
                              {"akgen_gm_bypass", GmBypass},
                              {"akgen_dcci", Dcci},
                              {"akgen_set_deq_scale", SetDeqScale},
                              {"akgen_set_cmp_mask", SetCmpMask},
                              {"akgen_get_cmp_mask", GetCmpMask},
                              {"akgen_sys_workspace", SysWorkspace},
                              {"akgen_set_sys_workspace", SetSysWorkspace},
                              {"akgen_print", Print},
                              {"akgen_assert_fail", AssertFail},
                              {"akgen_dump_tensor", DumpTensor},
                              {"akgen_broken_rule", BrokenRule},
                              {"akgen_unsupported", Unsupported}};
  return calls;
}
}  // namespace

ChipCall FindChipCall(std::string_view name) {
  for (const Calls* calls : {&Numbers(), &OthersOfTheInterface()})
    if (auto row = calls->find(name); row != calls->end()) return row->second;
  return nullptr;
}

}  // namespace akgen::runner
