// One device by its number: builds kernels for it with the vendor's toolkit and runs them there,
// one at a time on this machine, whoever asks.
#pragma once
#include <optional>
#include <string>

#include "base/files.h"
#include "base/status.h"
#include "device/job.h"
#include "device/toolkit.h"
#include "toolchain/build.h"

namespace akgen::device {

struct NpuOptions {
  int id = 0;              // as the vendor's runtime counts devices
  bool profile = true;     // with the profiler where there is one; else times come from events
  int start_ms = 60000;    // what the runtime and its device may take to start, and to be reset
  int timing_ms = 120000;  // and all launches that are timed
  int profile_ms =
      600000;            // a profiler runs a kernel several times, once for each group of counters
  int busy_ms = 900000;  // how long others' runs are waited for
};

// A launch: memory of the judge, of which outputs are written.
struct NpuLaunch {
  const std::string& object;
  const sim::RunRequest& run;
  int inputs_fd = -1, outputs_fd = -1;
  int timeout_ms = 60000;
  bool measure = false;
};

class Npu {
 public:
  // AK0620: the toolkit cannot be used; AK0621: the device cannot.
  static base::Result<Npu> Open(const NpuOptions& options);
  const record::DeviceFacts& facts() const { return facts_; }
  // Whether what runs a candidate's code is confined (device/confine.h): not where the kernel
  // cannot, or where the vendor's runtime starts only without.
  bool confined() const { return confined_; }

  // Of a kernel (toolchain::KernelRequest with Backend::kNpu), for one tiling key. Unsupported
  // where akgen cannot launch it.
  toolchain::BuildReply Build(const toolchain::BuildRequest& request);
  // Outputs are poisoned as on the simulated chip. Always answers: a status of sim::RunReply, with
  // the vendor's code.
  sim::RunReply Run(const NpuLaunch& launch);

 private:
  Npu(NpuOptions options, Toolkit toolkit, base::TempDir folder)
      : options_(options), toolkit_(std::move(toolkit)), folder_(std::move(folder)) {}
  base::Status Probe();
  base::Result<JobReply> Do(const Job& job, const std::vector<int>& fds, int wall_ms);
  Job JobOf(JobKind kind) const;
  sim::RunReply AfterSilence(int lock);
  record::MeasuredTime Measure(const Job& job, const NpuLaunch& launch, const JobReply& reply);
  record::MeasuredTime Profile(Job job, const NpuLaunch& launch);
  base::Status WriteJob(Job& job, const NpuLaunch& launch, const std::filesystem::path& folder);

  NpuOptions options_;
  Toolkit toolkit_;
  base::TempDir folder_;
  bool confined_ = true;
  record::DeviceFacts facts_;
};

}  // namespace akgen::device
