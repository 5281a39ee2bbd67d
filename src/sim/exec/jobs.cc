// Jobs that a block's Vector cores give to its Cube core: library objects' calls, and copies into
// L1.
#include "sim/exec/jobs.h"

#include <algorithm>
#include <cstring>

#include "sim/exec/meet.h"
#include "sim/exec/post_copy.h"

using namespace akgen::sim;

namespace {
JobBoard& Board() {
  LaunchState& l = *g_launch;
  if (!l.request->cores.mixed())
    StopLaunch("unsupported", "objects on Vector cores in a launch without a Cube core for them");
  if (l.jobs.empty()) l.jobs.resize(l.request->blocks);
  return l.jobs[g_core->group];
}
// Names of jobs in the trace.
uint64_t NameOfJob(uint64_t number, bool done) {
  return uint64_t{3} << 60 | uint64_t(g_core->group) << 34 | (number & 0xffffffff) << 1 |
         uint64_t(done);
}

// A Vector core that is far ahead waits, as it would for room for its message.
void AwaitRoom(const JobBoard& board) {
  constexpr size_t kMaxWaiting = 64;
  g_core->cross.waiting = Wait::kJob;
  while (board.waiting.size() >= kMaxWaiting) YieldBlock();
  g_core->cross.waiting = Wait::kNone;
}

// A job is on its way when MTE3 has done what it was given before, and over when the Cube core's
// pipe has.
uint64_t Post(JobBoard& board, Job job) {
  AwaitRoom(board);
  const uint64_t number = job.number = ++board.posted;
  board.open.insert(number);
  job.site = g_core->SiteIndex();
  g_core->trace.Note(TraceKind::kPost, AKGEN_PIPE_MTE3, 1, NameOfJob(number, false));
  ++g_core->cross.waits_done;  // progress
  g_core->HandOver(AKGEN_PIPE_MTE3, [&board, job = std::move(job)](BlockClock done) mutable {
    job.ready = std::move(done);
    ++board.arrived;
    ++g_core->cross.waits_done;
    board.waiting.push_back(std::move(job));
  });
  return number;
}

void Finish(JobBoard& board, uint32_t pipe) {
  g_core->fiber.library_site = 0;
  const uint64_t number = board.taken;
  g_core->trace.Note(TraceKind::kPost, pipe, 1, NameOfJob(number, true));
  g_core->HandOver(pipe, [&board, number](BlockClock done) {
    ++g_core->cross.waits_done;
    board.open.erase(number);
    board.results.emplace(number, std::move(done));
    constexpr uint64_t kMaxKept = 1024;  // that nobody has waited for
    board.results.erase(number - kMaxKept);
  });
}

// A copy into L1 is made where that is. Its bytes belong to the Vector core's buffer of the same
// offset.
void CarryOut(JobBoard& board, AkgenCopy copy) {
  Memory& l1 = g_core->memory(MemoryId::L1);
  const auto at = uint32_t(reinterpret_cast<uintptr_t>(copy.dst));
  const uint64_t bytes = uint64_t(copy.block_count) * (copy.block_len + uint64_t(copy.dst_stride));
  if (bytes <= l1.bytes() && at + bytes <= l1.bytes())
    l1.buffers.Lend(at, uint32_t(at + (bytes + 31) / 32 * 32));
  copy.dst = l1.base() + at;
  g_core->Issue(AKGEN_PIPE_MTE2, copy);
  g_core->Barrier(AKGEN_PIPE_ALL);
  Finish(board, AKGEN_PIPE_S);
}

bool AllGone(const JobBoard& board) {
  const auto end = board.clients.begin() +
                   std::min<size_t>(g_launch->request->cores.vector, board.clients.size());
  return board.arrived == board.posted &&
         std::all_of(board.clients.begin(), end,
                     [](const auto& c) { return c.registered && c.objects == 0; });
}
}  // namespace

namespace akgen::sim {
std::string WhoIsMissing(const JobBoard& board, uint32_t vectors) {
  std::string out;
  for (uint32_t i = 0; i < vectors; ++i)
    if (const auto& client = board.clients[i & 1]; !client.registered || client.objects)
      out += std::string(out.empty() ? ": " : ", ") + "AIV" + std::to_string(i) +
             (client.registered ? " has objects that are not destroyed"
                                : " has not come to REGIST_MATMUL_OBJ");
  return out;
}

bool PostCopy(const AkgenCopy& copy) {
  LaunchState& l = *g_launch;
  Core& c = *g_core;
  if (c.cube() || l.jobs.empty() || copy.kind != AKGEN_GM_TO_UB) return false;
  JobBoard& board = l.jobs[c.group];
  if (!board.clients[c.sub_block & 1].registered || !c.memory(MemoryId::L1).Holds(copy.dst))
    return false;
  Job job;
  job.copy = copy;
  job.copy.dst = reinterpret_cast<void*>(uintptr_t(c.memory(MemoryId::L1).OffsetOf(copy.dst)));
  akgen_job_wait(Post(board, std::move(job)));
  return true;
}
}  // namespace akgen::sim

extern "C" {

void akgen_library_call(int32_t begins) {
  g_core->fiber.library_site = 0;
  if (begins) g_core->fiber.library_site = g_core->SiteIndex();
}

void akgen_jobs_open(uint32_t objects) {
  JobBoard& board = Board();
  JobBoard::Client& client = board.clients[g_core->sub_block & 1];
  if (!board.objects) board.objects = objects;
  if (client.registered) {
    g_core->AtScalar();
    g_core->findings.Report(FindingKind::kBrokenRule,
                            "REGIST_MATMUL_OBJ is called once in a kernel");
  }
  if (g_core->tpipe.buffers && !client.registered) {
    g_core->AtScalar();
    g_core->findings.Report(
        FindingKind::kBrokenRule,
        "REGIST_MATMUL_OBJ comes after InitBuffer: objects are registered first, because they take "
        "memory of the TPipe themselves");
  }
  client = {true, client.objects + objects};
  ++g_core->cross.waits_done;
}

void akgen_jobs_close(void) {
  uint32_t& objects = Board().clients[g_core->sub_block & 1].objects;
  if (objects) --objects;
  ++g_core->cross.waits_done;
}

uint64_t akgen_job_post(const void* job, uint32_t bytes) {
  JobBoard& board = Board();
  const auto* record = static_cast<const uint8_t*>(job);
  if (!board.clients[g_core->sub_block & 1].objects) {
    g_core->AtScalar();
    g_core->findings.Report(FindingKind::kBrokenRule,
                            "a Matmul object is used that REGIST_MATMUL_OBJ has not been given: no "
                            "Cube core serves it");
    StopLaunch("stopped", "an object that was not registered");
  }
  Job made;
  made.record.assign(record, record + std::min<uint32_t>(bytes, AKGEN_JOB_BYTES));
  return Post(board, std::move(made));
}

void akgen_job_wait(uint64_t job) {
  JobBoard& board = Board();
  if (!job || job > board.posted) return;
  g_core->AtScalar();
  g_core->trace.Note(TraceKind::kAwait, AKGEN_PIPE_S, 1, NameOfJob(job, true));
  g_core->pace.LetHeldCrossSetsRun();
  g_core->cross.waiting = Wait::kJob;
  while (board.open.contains(job)) YieldBlock();
  const auto result = board.results.find(job);
  if (result == board.results.end()) {
    g_core->cross.waiting = Wait::kNone;  // waited for already
    return;
  }
  EndWait(result->second);
  board.results.erase(result);
}

int32_t akgen_job_take(void* job, uint32_t bytes) {
  JobBoard& board = Board();
  for (;;) {
    g_core->AtScalar();
    g_core->pace.LetHeldCrossSetsRun();
    g_core->cross.waiting = Wait::kJobs;
    while (board.waiting.empty() && !AllGone(board)) YieldBlock();
    g_core->cross.waiting = Wait::kNone;
    if (board.waiting.empty()) return 0;
    const Job next = std::move(board.waiting.front());
    board.waiting.pop_front();
    board.taken = next.number;
    g_core->trace.Note(TraceKind::kAwait, AKGEN_PIPE_S, 1, NameOfJob(next.number, false));
    EndWaitForOwn(next.ready);  // of earlier jobs that the Vector core has waited for
    g_core->fiber.library_site = next.site;
    if (!next.record.empty()) {
      std::memcpy(job, next.record.data(), std::min<size_t>(bytes, next.record.size()));
      return 1;
    }
    CarryOut(board, next.copy);
  }
}

void akgen_job_done(void) { Finish(Board(), AKGEN_PIPE_FIX); }
}  // extern "C"
