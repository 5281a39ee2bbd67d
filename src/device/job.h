// What akgen-device, the process that talks to a device and runs a candidate's kernel on it, is
// asked, and what it answers. That process holds the candidate's code, so nothing it answers is
// evidence: outputs are compared elsewhere, with values that it never sees, and the record is not
// sealed.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "record/measured.h"
#include "sim/launch/run_messages.h"

namespace akgen::device {

enum class JobKind : uint8_t { kProbe, kReset, kRun };

// Descriptors of the message: the lock of the device, which lasts as long as the process; inputs
// (or the file `inputs`); outputs (of the file `outputs` they stay on the device). Outputs begin as
// that memory holds them: poisoned, or what is overwritten in place.
inline constexpr size_t kLockFd = 0, kInputsFd = 1, kOutputsFd = 2;
struct Job {
  JobKind kind = JobKind::kProbe;
  std::string runtime;  // libascendcl.so
  int device = 0;
  std::string object, build;  // kernel.so, and the Translation::id that it must have
  sim::RunRequest run;
  std::optional<record::TimingRule> timing;  // launches beyond the first
  std::string inputs, outputs;               // files, of a job that a profiler starts
  int timeout_ms = 0;                        // of one launch
  int timing_ms = 0;                         // after which no further launch is timed
};
base::Json ToJson(const Job& job);
base::Result<Job> JobFromJson(const base::Json& json);  // AK0014

// How a job ended. A device's own error codes are sorted into these (EndOf).
enum class JobEnd : uint8_t {
  kOk,
  kTimeout,    // the kernel did not end in time
  kException,  // of a core: the kernel did what the hardware refuses
  kMemory,     // of the device: not enough
  kLost,       // the device, or the driver's connection to it
  kNoKernel,   // the object does not have what akgen asked the compiler for
  kOther       // any other error of the runtime
};
struct JobReply {
  JobEnd end = JobEnd::kOther;
  int code = 0;              // of the vendor's runtime, 0: none
  std::string detail;        // which call, and what the runtime says of it
  std::vector<double> us;    // of each timed launch
  bool same_outputs = true;  // of the first and the last launch; only of a timed job
  std::string soc;           // of the device
};
base::Json ToJson(const JobReply& reply);
base::Result<JobReply> JobReplyFromJson(const base::Json& json);  // AK0014

JobEnd EndOf(int code);
// The status of sim::RunReply that stands for it (judge/run/findings.h makes a verdict of it).
const char* StatusOf(JobEnd end);

}  // namespace akgen::device
