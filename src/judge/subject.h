// A kernel under examination: a private copy of its project, and one way to run it, with a task or
// alone.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "judge/examine.h"
#include "record/verdict.h"
#include "sim/launch/run_messages.h"
#include "toolchain/builder.h"
#include "toolchain/project.h"

namespace akgen::judge {

struct Ask {
  std::optional<sim::RunProbe> probe;  // then no check runs and nothing is compared
  bool want_lines = false;
  int timeout_ms = 60000;
};

struct Outcome {
  record::Verdict verdict = record::Verdict::kInfraError;
  std::string reason;
  bool wrong = false;      // the outputs are not those that are expected
  bool no_answer = false;  // there are none: it crashed, hung or was stopped
  std::vector<record::Finding> findings;
  std::vector<toolchain::SourceLine> lines;
  std::optional<sim::ProbeReply> probe;
  std::string prelude, hash;
};

class Subject {
 public:
  // AK0310 … AK0314: no project; AK0401: a standalone kernel without a launch line; AK01xx: no such
  // task.
  static base::Result<std::unique_ptr<Subject>> Make(const std::string& path,
                                                     const ExamineOptions& options);
  virtual ~Subject() = default;
  virtual Outcome Run(const Ask& ask) = 0;
  // What a right run gives, where no reference says it.
  virtual void SetExpected(const Outcome&) {}
  virtual std::string case_id() const { return ""; }
  const toolchain::Project& project() const { return project_; }  // of the private copy
  base::Status Write(const std::string& name, const std::string& text) {
    return base::WriteFileAtomic(project_.dir / name, text);
  }

 protected:
  explicit Subject(base::TempDir dir) : dir_(std::move(dir)) {}
  base::TempDir dir_;
  toolchain::Project project_;
};

}  // namespace akgen::judge
