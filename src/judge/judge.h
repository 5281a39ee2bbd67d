// Candidate × task → verdict. Owns the helper processes; the process that judges loads no
// candidate, no LLVM, no libtorch.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "judge/run/executor.h"
#include "judge/run/lone.h"
#include "judge/session/judgement.h"
#include "judge/session/options.h"
#include "task/reference_client.h"
#include "task/task.h"

namespace akgen::judge {

struct ProjectCase;  // judge/session/project_run.h, as the next two
struct ProjectRun;
struct ExaminedProject;

class Judge {
 public:
  explicit Judge(std::unique_ptr<Executor> executor) : executor_(std::move(executor)) {}
  // On the simulated chip. AK0013 when its helper processes cannot be started.
  static base::Result<Judge> Start();
  Judgement Run(const std::string& project_dir, const task::TaskSpec& task, const Options& options);
  // Key of the build of the host side as the files are now, those below options.include_dirs among
  // them; "" where there is nothing to build. The judgement's provenance says which one it was
  // built from ("host_build").
  std::string HostKey(const std::string& project_dir, const task::TaskSpec& task,
                      const Options& options);
  // Without a task (judge/session/project_run.h).
  Judgement RunProject(const std::string& dir, const std::vector<ProjectCase>& cases,
                       const ProjectRun& run, const Options& options);
  ExaminedProject Examine(const std::string& dir, const Options& options);
  // A standalone kernel; of the options chip, checks, seed, time and run_timeout_ms. AK0401.
  base::Result<LoneResult> RunKernel(const std::string& file, const std::string& launch,
                                     const Options& options);
  task::ReferenceClient& reference() { return reference_; }

 private:
  Judgement RunOnNpu(const std::string& project_dir, const task::TaskSpec& task,
                     const Options& options, uint64_t seed);
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Executor> npu_;  // once a device was asked for, number npu_id_
  int npu_id_ = 0;
  task::ReferenceClient reference_;
};

}  // namespace akgen::judge
