// What the parts of one judgement share: who is asked and what for, what is known of the candidate,
// and the judgement as it grows.
#pragma once
#include <chrono>
#include <string>

#include "chip/chip.h"
#include "judge/host/messages.h"
#include "judge/run/executor.h"
#include "judge/session/judgement.h"
#include "judge/session/options.h"
#include "judge/session/rules.h"
#include "task/reference_client.h"
#include "task/task.h"
#include "toolchain/build_options.h"
#include "toolchain/project.h"
#include "toolchain/repository.h"

namespace akgen::judge {

using Clock = std::chrono::steady_clock;
inline double MsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct SessionState {
  Executor& executor;
  task::ReferenceClient& reference;
  const task::TaskSpec& task;
  const Options& options;
  uint64_t seed = 0;
  chip::Chip chip;
  toolchain::Project project;
  // Of the candidate's host side, once it is built (host_side.h).
  std::string host_object;
  Description host;
  OperatorDefinition op;                  // of host.ops
  toolchain::BuildOptions build_options;  // of the kernel, as the project's build files say
  bool auto_sync = true;                  // the same, or what was asked for
  Judgement out;

  SessionState(Executor& e, task::ReferenceClient& r, const task::TaskSpec& t, const Options& o)
      : executor(e), reference(r), task(t), options(o) {}
  // Both end the judgement, and are false.
  bool Stop(record::Verdict verdict, std::string reason);
  bool Refuse(const Breach& breach);
  void AddBuild(const toolchain::BuildReply& reply);
  // A machine with more memory might have gone on.
  void NoteMemory(const std::string& status) {
    out.repeatable = out.repeatable && status != "memory";
  }
  // On a real device: values and time count, and what the chip alone finds is left to it.
  bool OnNpu() const { return options.backend == record::Backend::kNpu; }
  toolchain::Around Around() const {
    return {options.repository, options.with_sources, options.include_dirs};
  }
};

}  // namespace akgen::judge
