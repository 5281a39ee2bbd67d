// Messages to a judging process (judge/pool/pool.h) and back. Both sides are of one build: the
// format is internal, is stored nowhere and has no stability guarantee.
#pragma once
#include <optional>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "judge/examine.h"
#include "judge/judge.h"

namespace akgen::judge {

// A project to judge, as Judge::Run takes it; or, with `key_only`, Judge::HostKey; or, with
// `launch`, the file of a standalone kernel for Judge::RunKernel, whose record is the answer; or,
// with `examine`, a project to examine.
struct WorkerRequest {
  std::string dir;
  task::TaskSpec task;
  Options options;  // all but `progress`, which stays where it is
  bool key_only = false;
  std::optional<std::string> launch;      // maybe empty: one block, no arguments
  std::optional<ExamineOptions> examine;  // all but `progress`
};
base::Json ToMessage(const WorkerRequest& request);
base::Result<WorkerRequest> RequestFromMessage(const base::Json& message);  // AK0014

base::Json ToMessage(const Judgement& judgement);
base::Result<Judgement> JudgementFromMessage(const base::Json& message);  // AK0014

}  // namespace akgen::judge
