#include "device/work.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "device/runtime.h"
#include "device/translate.h"

namespace akgen::device {
namespace {
constexpr size_t kMinAllocation = 32;
constexpr uint8_t kPoison = 0xff;  // of what the device's memory holds before

size_t BytesOf(int fd) {
  struct stat st{};
  return fd >= 0 && ::fstat(fd, &st) == 0 ? size_t(st.st_size) : 0;
}

// Of the allocation: what lies behind the tensor is poisoned too.
size_t ExtentOf(const sim::RunRegion& r) { return std::max(r.bytes, r.capacity); }

// A call that failed, as the reply says it.
struct Failed {
  JobReply reply;
};

class Launches {
 public:
  Launches(const Job& job, const Runtime& runtime) : job_(job), rt_(runtime) {}
  JobReply Run(int inputs, int outputs);

 private:
  void Check(int code, const char* call) {
    if (code == 0) return;
    JobReply r;
    r.end = EndOf(code), r.code = code;
    r.detail = std::string(call) + " failed with " + std::to_string(code);
    if (const std::string said = rt_.RecentError(); !said.empty()) r.detail += ": " + said;
    throw Failed{std::move(r)};
  }
  [[noreturn]] void Fail(JobEnd end, std::string detail) {
    JobReply r;
    r.end = end, r.detail = std::move(detail);
    throw Failed{std::move(r)};
  }
  void LoadKernel();
  void MapMemory(int inputs, int outputs);
  uint8_t* Allocate(size_t bytes, const char* what);
  uint8_t* Upload(const void* from, size_t bytes);
  void Allocate();
  void TryMemory();
  void Reset(bool inputs);
  void Launch();
  void Await();
  void Time();
  void TakeOutputs(uint8_t* into);
  uint8_t* Host(const sim::RunRegion& r) const {
    return (r.role == sim::Role::kInput ? inputs_.data() : outputs_.data()) + r.offset;
  }

  const Job& job_;
  const Runtime& rt_;
  int (*launch_)(uint32_t, void*, void**) = nullptr;
  base::SharedMemory inputs_, outputs_;
  std::vector<uint8_t> start_;  // of the outputs
  std::vector<uint8_t*> regions_;
  std::vector<void*> args_;
  uint8_t* flush_ = nullptr;
  Stream stream_ = nullptr;
  JobReply reply_;
};

// The function that launches the kernel must be the object's own. What it is linked with may define
// others, and the vendor's libraries have operators of the same names: they are not asked.
void Launches::LoadKernel() {
  void* object = ::dlopen(job_.object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    const char* why = ::dlerror();
    Fail(JobEnd::kNoKernel, std::string("the object cannot be loaded: ") + (why ? why : ""));
  }
  const auto own = [&](const char* symbol) -> void* {
    void* at = ::dlsym(object, symbol);
    Dl_info info{};
    std::error_code ec;
    if (at && ::dladdr(at, &info) && info.dli_fname &&
        std::filesystem::equivalent(info.dli_fname, job_.object, ec))
      return at;
    Fail(JobEnd::kNoKernel, std::string("the object does not define ") + symbol +
                                (at ? ", but a library of it does" : ""));
  };
  const char* build = static_cast<const char*>(own(kBuildSymbol));
  if (std::strncmp(build, job_.build.c_str(), job_.build.size() + 1) != 0)
    Fail(JobEnd::kNoKernel, "the object is stale: it was made from other sources");
  if (*static_cast<const uint32_t*>(own(kParametersSymbol)) != job_.run.args.size())
    Fail(JobEnd::kNoKernel, "the kernel has another number of parameters than the launch: " +
                                std::to_string(job_.run.args.size()));
  launch_ = reinterpret_cast<decltype(launch_)>(own(kLaunchSymbol));
}

void Launches::MapMemory(int inputs, int outputs) {
  auto in = base::SharedMemory::Map(::dup(inputs), BytesOf(inputs), false);
  auto out = base::SharedMemory::Map(::dup(outputs), BytesOf(outputs), job_.outputs.empty());
  if (!in.ok() || !out.ok()) Fail(JobEnd::kOther, (in.ok() ? out.error() : in.error()).ToString());
  inputs_ = std::move(*in), outputs_ = std::move(*out);
  for (const sim::RunRegion& r : job_.run.regions) {
    const size_t there = (r.role == sim::Role::kInput ? inputs_ : outputs_).size();
    if (r.period || ExtentOf(r) > there || r.offset > there - ExtentOf(r))
      Fail(JobEnd::kOther, "region '" + r.name + "' lies outside the memory of the job");
  }
  start_.assign(outputs_.data(), outputs_.data() + outputs_.size());
}

uint8_t* Launches::Allocate(size_t bytes, const char* what) {
  void* out = nullptr;
  Check(rt_.aclrtMalloc(&out, std::max(bytes, kMinAllocation), kMallocHugeFirst), what);
  return static_cast<uint8_t*>(out);
}

uint8_t* Launches::Upload(const void* from, size_t bytes) {
  uint8_t* out = Allocate(bytes, "aclrtMalloc");
  if (bytes) Check(rt_.aclrtMemcpy(out, bytes, from, bytes, kHostToDevice), "aclrtMemcpy");
  return out;
}

void Launches::Allocate() {
  for (const sim::RunRegion& r : job_.run.regions)
    regions_.push_back(Allocate(ExtentOf(r), "aclrtMalloc"));
  uint8_t* tiling = Upload(job_.run.tiling.data(), job_.run.tiling.size());
  const size_t room = std::max<size_t>(job_.run.workspace_bytes, kMinAllocation);
  uint8_t* workspace = Allocate(room, "aclrtMalloc");
  Check(rt_.aclrtMemsetAsync(workspace, room, kPoison, room, stream_), "aclrtMemsetAsync");
  for (const sim::RunArgument& a : job_.run.args) {
    using Argument = sim::RunArgument;
    void* at = a.kind == Argument::kTiling      ? tiling
               : a.kind == Argument::kWorkspace ? workspace
                                                : nullptr;
    if (a.kind == Argument::kRegion) at = regions_.at(a.regions.at(0));
    if (a.kind == Argument::kList) {
      std::vector<uint64_t> addresses;
      for (size_t region : a.regions)
        addresses.push_back(reinterpret_cast<uint64_t>(regions_.at(region)));
      const auto words = sim::TensorListWords(a, addresses);
      at = Upload(words.data(), words.size() * sizeof(uint64_t));
    }
    args_.push_back(at);
  }
}

// What every launch needs, without a kernel.
void Launches::TryMemory() {
  Check(rt_.aclrtCreateStream(&stream_), "aclrtCreateStream");
  uint8_t wrote[kMinAllocation] = {1, 2, 3}, read[kMinAllocation] = {};
  const uint8_t* device = Upload(wrote, sizeof wrote);
  Check(rt_.aclrtMemcpy(read, sizeof read, device, sizeof read, kDeviceToHost), "aclrtMemcpy");
  if (std::memcmp(wrote, read, sizeof read) != 0)
    Fail(JobEnd::kOther, "memory of the device loses what it is given");
}

// Everything that the kernel may write is as it was before the first launch.
void Launches::Reset(bool inputs) {
  for (size_t i = 0; i < regions_.size(); ++i) {
    const sim::RunRegion& r = job_.run.regions[i];
    const bool input = r.role == sim::Role::kInput;
    if (!r.bytes || (input && !inputs)) continue;
    const uint8_t* from = input ? Host(r) : start_.data() + r.offset;
    const size_t bytes = ExtentOf(r);
    Check(rt_.aclrtMemcpyAsync(regions_[i], bytes, from, bytes, kHostToDevice, stream_),
          "aclrtMemcpyAsync");
  }
}

void Launches::Launch() { Check(launch_(job_.run.blocks, stream_, args_.data()), "the launch"); }

void Launches::Await() {
  Check(rt_.aclrtSynchronizeStreamWithTimeout(stream_, job_.timeout_ms),
        "aclrtSynchronizeStreamWithTimeout");
}

// Everything of one launch is on the stream before the device comes to it, so that the host's work
// lies between no two events. What L2 holds is overwritten before each.
void Launches::Time() {
  const record::TimingRule& rule = *job_.timing;
  Event begin = nullptr, end = nullptr;
  Check(rt_.aclrtCreateEvent(&begin), "aclrtCreateEvent"),
      Check(rt_.aclrtCreateEvent(&end), "aclrtCreateEvent");
  const size_t flush = rule.flush_bytes;
  flush_ = Allocate(flush, "aclrtMalloc");
  const int skipped = rule.warm_up + rule.discarded;
  const auto last = std::chrono::steady_clock::now() + std::chrono::milliseconds(job_.timing_ms);
  for (int i = 0; i < skipped + rule.repeats && std::chrono::steady_clock::now() < last; ++i) {
    Reset(rule.fresh_inputs);
    Check(rt_.aclrtMemsetAsync(flush_, flush, i & 0xff, flush, stream_), "aclrtMemsetAsync");
    Check(rt_.aclrtRecordEvent(begin, stream_), "aclrtRecordEvent");
    Launch();
    Check(rt_.aclrtRecordEvent(end, stream_), "aclrtRecordEvent");
    Await();
    float ms = 0;
    Check(rt_.aclrtEventElapsedTime(&ms, begin, end), "aclrtEventElapsedTime");
    if (i >= skipped) reply_.us.push_back(double(ms) * 1000);
  }
}

void Launches::TakeOutputs(uint8_t* into) {
  for (size_t i = 0; i < regions_.size(); ++i) {
    const sim::RunRegion& r = job_.run.regions[i];
    if (r.role == sim::Role::kInput || !r.bytes) continue;
    Check(rt_.aclrtMemcpy(into + r.offset, r.bytes, regions_[i], r.bytes, kDeviceToHost),
          "aclrtMemcpy");
  }
}

JobReply Launches::Run(int inputs, int outputs) {
  try {
    Check(rt_.aclInit(nullptr), "aclInit");
    Check(rt_.aclrtSetDevice(job_.device), "aclrtSetDevice");
    reply_.soc = rt_.SocName();
    if (job_.kind == JobKind::kReset)
      Check(rt_.aclrtResetDeviceForce(job_.device), "aclrtResetDeviceForce");
    reply_.end = JobEnd::kOk;
    if (job_.kind == JobKind::kProbe) TryMemory();
    if (job_.kind != JobKind::kRun) return reply_;
    LoadKernel();
    MapMemory(inputs, outputs);
    Check(rt_.aclrtCreateStream(&stream_), "aclrtCreateStream");
    Allocate();
    Reset(true);
    Launch();
    Await();
    std::vector<uint8_t> first(start_);
    TakeOutputs(first.data());
    const bool keep = job_.outputs.empty();
    if (!job_.timing) {
      if (keep) std::copy(first.begin(), first.end(), outputs_.data());
    } else {
      Time();  // what is compared is what was timed: the last launch
      if (keep) TakeOutputs(outputs_.data());
      reply_.same_outputs = !keep || std::equal(first.begin(), first.end(), outputs_.data());
    }
    return reply_;
  } catch (Failed& failed) {
    if (failed.reply.end == JobEnd::kTimeout)
      if (const int code = rt_.aclrtResetDeviceForce(job_.device))
        failed.reply.end = EndOf(code) == JobEnd::kLost ? JobEnd::kLost : JobEnd::kOther,
        failed.reply.detail += "; the device cannot be reset: " + std::to_string(code);
    failed.reply.soc = reply_.soc;
    return failed.reply;
  }
}
}  // namespace

JobReply Work(const Job& job, int inputs, int outputs) {
  auto runtime = Runtime::Load(job.runtime);
  if (!runtime.ok()) {
    JobReply none;
    none.detail = runtime.error().ToString();
    return none;
  }
  return Launches(job, *runtime).Run(inputs, outputs);
}

}  // namespace akgen::device
