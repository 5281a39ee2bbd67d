#include "judge/subject.h"

#include <filesystem>

#include "judge/judge.h"
#include "judge/run/lone.h"
#include "judge/run/simulated_chip.h"

namespace akgen::judge {
namespace {
namespace fs = std::filesystem;
using base::Json;
using record::Verdict;

base::Status CopyProject(const fs::path& folder, const fs::path& to) {
  if (auto project = toolchain::LoadProject(folder); !project.ok())
    return project.error();  // links are followed below
  std::error_code ec;
  for (const char* half : {"op_host", "op_kernel"})
    if (!ec && fs::exists(folder / half, ec))
      fs::copy(folder / half, to / half, fs::copy_options::recursive, ec);
  if (!ec) return {};
  return base::Error{"AK0310", "cannot copy " + folder.string() + ": " + ec.message(),
                     folder.string(), "give a folder with op_host/ and op_kernel/"};
}

// Read and written, never run.
class TextSubject final : public Subject {
 public:
  explicit TextSubject(base::TempDir dir) : Subject(std::move(dir)) {}
  base::Status Open(const fs::path& path) {
    std::error_code ec;
    bool folder = fs::is_directory(path, ec);
    if (folder) {
      if (auto s = CopyProject(path, dir_.path()); !s.ok()) return s;
    } else {
      fs::copy_file(path, dir_.path() / path.filename(), ec);
    }
    auto project =
        toolchain::LoadProject(folder ? dir_.path() : dir_.path() / path.filename(), folder);
    if (!project.ok()) return project.error();
    project_ = *project;
    return {};
  }
  Outcome Run(const Ask&) override { return {}; }
};

class LoneSubject final : public Subject {
 public:
  LoneSubject(base::TempDir dir, const ExamineOptions& o, std::unique_ptr<Executor> executor)
      : Subject(std::move(dir)), executor_(std::move(executor)) {
    options_.chip = o.chip;
    options_.backend = o.backend;
  }
  base::Status Open(const fs::path& file) {
    std::error_code ec;
    fs::path copy = dir_.path() / file.filename();
    fs::copy_file(file, copy, ec);
    if (auto s = ReadLaunch(copy, true); !s.ok()) return s;
    auto project = toolchain::LoadProject(copy, false);
    if (!project.ok()) return project.error();
    project_ = *project;
    return {};
  }
  Outcome Run(const Ask& ask) override {
    options_.probe = ask.probe;
    options_.want_lines = ask.want_lines;
    options_.timeout_ms = ask.timeout_ms;
    Outcome refused;
    if (auto s = ReadLaunch(project_.kernel, false); !s.ok())
      return refused;  // it may have been written to
    LoneResult r = RunLone(*executor_, project_.kernel.string(), launch_, options_);
    Outcome o{r.verdict, r.reason, false, false, r.findings, r.lines, r.probe, "", r.hash};
    o.no_answer =
        r.verdict == Verdict::kRuntimeError || r.verdict == Verdict::kTimeout || r.hash.empty();
    o.wrong = !expected_.empty() && !o.no_answer && r.hash != expected_;
    return o;
  }
  // Its inputs are small whole numbers: a right kernel's bytes are exact.
  void SetExpected(const Outcome& o) override { expected_ = o.hash; }

 private:
  // A text that has no launch comment is launched as the one before it.
  base::Status ReadLaunch(const fs::path& file, bool needed) {
    auto text = base::ReadFile(file);
    if (!text.ok()) return text.error();
    const std::string comment = LaunchComment(*text);
    if (comment.empty() && !needed) return {};
    auto launch = ParseLaunch(comment);
    if (!launch.ok()) return launch.error();
    launch_ = *launch;
    return {};
  }

  std::unique_ptr<Executor> executor_;
  LaunchLine launch_;
  LoneOptions options_;
  std::string expected_;
};

class TaskSubject final : public Subject {
 public:
  TaskSubject(base::TempDir dir, const ExamineOptions& o, Judge judge)
      : Subject(std::move(dir)), judge_(std::move(judge)) {
    options_.chip = o.chip;
    options_.backend = o.backend;
    options_.include_dirs = o.include_dirs;
    options_.seed = o.seed;
  }
  base::Status Open(const fs::path& folder, const ExamineOptions& o) {
    auto task = task::LoadTask(o.task);
    if (!task.ok()) return task.error();
    task_ = *task;
    if (auto s = CopyProject(folder, dir_.path()); !s.ok()) return s;
    auto project = toolchain::LoadProject(dir_.path(), true);
    if (!project.ok()) return project.error();
    project_ = *project;
    options_.cases = {o.case_id.empty() ? task::TypicalCase(task_) : o.case_id};
    return {};
  }
  Outcome Run(const Ask& ask) override {
    options_.probe = ask.probe;
    options_.want_lines = ask.want_lines;
    options_.run_timeout_ms = ask.timeout_ms;
    Judgement j = judge_.Run(dir_.path().string(), task_, options_);
    Outcome o;
    o.verdict = j.verdict;
    o.reason = j.reason;
    if (j.cases.empty()) return o;
    CaseResult& r = j.cases[0];
    o.findings = r.findings;
    o.lines = r.lines;
    o.probe = r.probe;
    o.prelude = r.prelude;
    o.wrong = r.verdict == Verdict::kWrongAnswer;
    o.no_answer = r.verdict == Verdict::kRuntimeError || r.verdict == Verdict::kTimeout ||
                  (r.verdict == Verdict::kFinding && r.outputs.empty());
    return o;
  }
  std::string case_id() const override { return options_.cases[0]; }

 private:
  Judge judge_;
  task::TaskSpec task_;
  Options options_;
};
}  // namespace

base::Result<std::unique_ptr<Subject>> Subject::Make(const std::string& path,
                                                     const ExamineOptions& options) {
  auto dir = base::TempDir::Create();
  if (!dir.ok()) return dir.error();
  if (!options.run) {
    auto text = std::make_unique<TextSubject>(std::move(*dir));
    if (auto s = text->Open(path); !s.ok()) return s.error();
    return base::Result<std::unique_ptr<Subject>>(std::move(text));
  }
  if (options.task.empty()) {
    auto chip = SimulatedChip::Start();
    if (!chip.ok()) return chip.error();
    auto lone = std::make_unique<LoneSubject>(std::move(*dir), options, std::move(*chip));
    if (auto s = lone->Open(path); !s.ok()) return s.error();
    return base::Result<std::unique_ptr<Subject>>(std::move(lone));
  }
  auto judge = Judge::Start();
  if (!judge.ok()) return judge.error();
  auto subject = std::make_unique<TaskSubject>(std::move(*dir), options, std::move(*judge));
  if (auto s = subject->Open(path, options); !s.ok()) return s.error();
  return base::Result<std::unique_ptr<Subject>>(std::move(subject));
}

}  // namespace akgen::judge
