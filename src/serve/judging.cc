#include "serve/judging.h"

#include <algorithm>
#include <cctype>

#include "base/files.h"
#include "base/hash.h"
#include "base/seed.h"
#include "craft/ir/target.h"
#include "generate/generator.h"
#include "judge/run/lone.h"
#include "judge/session/provenance.h"

namespace akgen::serve {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {
constexpr size_t kMaxFiles = 64, kMaxBytes = 4u << 20, kMaxPath = 200;
constexpr uint64_t kMaxKernelMemory = 256u << 20;
constexpr int kMaxHidden = 64;
constexpr uint64_t kHiddenPurpose = 1;  // of a seed derived from that of the inputs

std::string Folded(const std::string& name) {
  std::string out;
  for (unsigned char c : name)
    if (c != '_') out += static_cast<char>(std::tolower(c));
  return out;
}

Error Invalid(std::string message, std::string where, std::string fix) {
  return {"AK0902", std::move(message), std::move(where), std::move(fix)};
}

Status CheckCandidate(const Candidate& c) {
  if (c.files.empty() && c.text.empty())
    return Invalid("there is no candidate", "", "give `files`, or `text` with the code in it");
  if (!c.files.empty() && !c.text.empty())
    return Invalid("there are files and a text", "text", "give one of them");
  if (c.files.size() > kMaxFiles)
    return Invalid("the candidate has more than " + std::to_string(kMaxFiles) + " files", "files",
                   "leave some out");
  size_t bytes = c.text.size();
  for (const auto& [path, content] : c.files) {
    bytes += content.size();
    if (!IsPlainPath(path))
      return Invalid("the name of a file is not plain and relative", path.substr(0, kMaxPath),
                     "use names like op_kernel/add.cpp");
  }
  if (bytes > kMaxBytes)
    return Invalid("the candidate is larger than " + std::to_string(kMaxBytes) + " bytes", "",
                   "leave out what is not code");
  return {};
}

Status CheckJudge(const JudgeWork& work, const TaskList& tasks) {
  auto task = tasks.Load(work.task);
  if (!task.ok()) return task.error();
  for (const std::string& id : work.cases)
    if (!task->FindCase(id))
      return Error{"AK0103", "the task has no case " + id.substr(0, kMaxPath), task->name,
                   "GET /v1/tasks/" + task->name + " lists its cases"};
  if (work.hidden && (*work.hidden < 0 || *work.hidden > kMaxHidden))
    return Invalid("the number of hidden cases is not 0 to 64", "hidden",
                   "leave it out: the server's own number");
  if (work.precision != "strict" && work.precision != "upstream")
    return Invalid("precision is neither strict nor upstream", "precision", "leave it out: strict");
  if (work.inputs != "wide" && work.inputs != "upstream")
    return Invalid("inputs are neither wide nor upstream", "inputs", "leave it out: wide");
  if (auto chip = chip::LoadChip(work.chip); !chip.ok()) return chip.error();
  return CheckCandidate(work.candidate);
}

// The launch line in effect. What it allocates is bounded here: the judging process takes it from
// the machine.
Result<std::string> LaunchOf(const KernelWork& work) {
  const std::string text = work.launch.empty() ? judge::LaunchComment(work.source) : work.launch;
  auto launch = judge::ParseLaunch(text);
  if (!launch.ok()) return launch.error();
  uint64_t bytes = 0;
  for (const auto& arg : launch->args) {
    if (arg.count > kMaxKernelMemory || arg.spare > kMaxKernelMemory)
      bytes = kMaxKernelMemory;
    else
      bytes += (arg.count + arg.spare) * sizeof(uint64_t);
    if (bytes >= kMaxKernelMemory)
      return Invalid("the launch line asks for more memory than a request may", "launch",
                     "make its tensors smaller");
  }
  return text;
}

Status CheckExamine(const ExamineWork& work, const TaskList& tasks) {
  if (work.of.candidate.form != Form::kProject || work.of.candidate.files.empty())
    return Invalid("faults are planted in the files of a project", "files",
                   "give op_host/ and op_kernel/");
  return CheckJudge(work.of, tasks);
}

Status CheckKernel(const KernelWork& work) {
  if (work.source.size() > kMaxBytes)
    return Invalid("the kernel is too large", "source", "leave out what is not code");
  if (auto chip = chip::LoadChip(work.chip); !chip.ok()) return chip.error();
  auto launch = LaunchOf(work);
  return launch.ok() ? Status() : launch.error();
}

judge::Options OptionsOf(const JudgeWork& work, uint64_t seed) {
  judge::Options o;
  o.chip = work.chip, o.precision = work.precision, o.inputs = work.inputs, o.cases = work.cases;
  o.kernel_only = work.candidate.form == Form::kKernel;
  o.seed = work.seed.value_or(seed);
  o.time.on = work.time || work.spans || work.advise;
  o.time.span_cores = work.spans ? 1 : 0;
  o.time.what_if = work.advise;
  o.edits = work.edits;
  return o;
}

// Files of the candidate, or an outcome that needs no judging.
Result<generate::Made> FilesOf(const JudgeWork& work, const task::TaskSpec& task) {
  generate::Made made;
  const Candidate& c = work.candidate;
  const auto program = c.files.find("program.py");
  if (!c.files.empty() && (c.form != Form::kProgram || program == c.files.end())) {
    made.files = c.files;
    return made;
  }
  auto target = craft::LoadTarget(work.chip);
  if (!target.ok()) return target.error();
  const auto way = c.form == Form::kProgram ? generate::Way::kCraft : generate::Way::kDirect;
  return generate::MakeFrom(way, c.files.empty() ? c.text : program->second, task, *target,
                            c.form == Form::kKernel);
}

Judged Failed(Error error) {
  Judged out;
  out.answer.ending = Ending::kFault;
  out.answer.error = std::move(error);
  return out;
}

Judged RunKernel(const KernelWork& work, judge::Worker& worker, const std::atomic<bool>* stop) {
  auto launch = LaunchOf(work);
  if (!launch.ok()) return Failed(launch.error());
  auto dir = base::TempDir::Create();
  if (!dir.ok()) return Failed(dir.error());
  const fs::path file = dir->path() / "kernel.cpp";
  if (auto s = base::WriteFileAtomic(file, work.source); !s.ok()) return Failed(s.error());
  judge::Options o;
  o.chip = work.chip, o.seed = work.seed, o.time.on = work.time || work.advise,
  o.time.what_if = work.advise;
  auto record = worker.RunKernel(file.string(), *launch, o, stop);
  if (!record.ok()) return Failed(record.error());
  Judged out;
  out.answer.ending = Ending::kDone;
  const auto said =
      record::SummaryOf(*record).value_or(record::Summary{"", "infra_error", "", false});
  out.answer.outcome = said.verdict, out.answer.reason = said.reason,
  out.answer.sealed = said.sealed;
  out.answer.record = std::move(*record);
  out.keep = record::Rank(out.answer.outcome) > 0 &&
             out.answer.outcome != record::NameOf(record::Verdict::kTimeout);
  return out;
}

Result<base::TempDir> FolderOf(const std::map<std::string, std::string>& files) {
  auto dir = base::TempDir::Create();
  if (!dir.ok()) return dir;
  for (const auto& [path, content] : files) {
    std::error_code ec;
    fs::create_directories((dir->path() / path).parent_path(), ec);
    if (auto s = base::WriteFileAtomic(dir->path() / path, content); !s.ok()) return s.error();
  }
  return dir;
}

Judged ExamineProject(const ExamineWork& work, const TaskList& tasks, judge::Worker& worker,
                      const std::atomic<bool>* stop) {
  auto task = tasks.Load(work.of.task);
  if (!task.ok()) return Failed(task.error());
  auto dir = FolderOf(work.of.candidate.files);
  if (!dir.ok()) return Failed(dir.error());
  judge::ExamineOptions o;
  o.task = task->folder.string(), o.chip = work.of.chip, o.classes = work.classes,
  o.count = work.count, o.seed = work.seed;
  if (!work.of.cases.empty()) o.case_id = work.of.cases[0];
  auto found = worker.Examine(dir->path().string(), o, stop);
  if (!found.ok()) return Failed(found.error());
  Judged out;
  out.answer.ending = Ending::kDone;
  out.answer.outcome = "examined";
  out.answer.record = std::move(*found);
  return out;
}

// A pass on the task's cases is judged on hidden ones, too: the record becomes that of both.
Status JudgeHidden(const JudgeWork& work, const task::TaskSpec& task, const std::string& folder,
                   const JudgingSetting& setting, judge::Worker& worker,
                   const std::atomic<bool>* stop, judge::Judgement& j) {
  const uint64_t seed = base::DerivedSeed(work.seed.value_or(setting.seed), kHiddenPurpose);
  auto rows = setting.hidden.Of(task, seed, work.hidden.value_or(0),
                                work.precision != "upstream" && work.inputs != "upstream");
  if (!rows.ok()) return rows.error();
  if (rows->empty()) return {};
  judge::Options o = OptionsOf(work, seed);
  o.cases.clear(), o.rows = std::move(*rows), o.seed = seed;
  o.time = {}, o.range = false;
  judge::Judgement more = worker.Run(folder, task, o, stop);
  j.verdict = more.verdict, j.repeatable = j.repeatable && more.repeatable;
  if (!more.reason.empty()) j.reason = "hidden cases: " + more.reason;
  for (auto& c : more.cases) j.cases.push_back(std::move(c));
  return {};
}

Judged JudgeProject(const JudgeWork& work, const JudgingSetting& setting, judge::Worker& worker,
                    const std::atomic<bool>* stop) {
  auto task = setting.tasks.Load(work.task);
  if (!task.ok()) return Failed(task.error());
  auto made = FilesOf(work, *task);
  if (!made.ok()) return Failed(made.error());
  Judged out;
  out.answer.ending = Ending::kDone;
  if (made->files.empty()) {  // found here, where no code of a candidate runs
    out.answer.outcome = made->outcome, out.answer.reason = made->reason, out.answer.sealed = true;
    out.keep = true;
    return out;
  }
  auto dir = FolderOf(made->files);
  if (!dir.ok()) return Failed(dir.error());
  const std::string folder = dir->path().string();
  judge::Judgement j = worker.Run(folder, *task, OptionsOf(work, setting.seed), stop);
  if (j.verdict == record::Verdict::kPass && work.hidden.value_or(0) > 0)
    if (auto s = JudgeHidden(work, *task, folder, setting, worker, stop, j); !s.ok())
      return Failed(s.error());
  j.project = work.label;
  out.answer.outcome = record::NameOf(j.verdict), out.answer.reason = j.reason;
  out.answer.sealed = record::IsSealed(j.backend);
  const record::Judgement kept = judge::RecordOf(j);
  out.answer.merit = record::MeritOf(kept.cases);
  out.answer.record = record::ToJson(kept);
  out.keep = j.repeatable && j.verdict != record::Verdict::kInfraError;
  return out;
}
}  // namespace

Result<task::TaskSpec> TaskList::Load(const std::string& name) const {
  const std::string wanted = Folded(name);
  const auto& all = choice_.all;
  auto it =
      std::find_if(all.begin(), all.end(), [&](const auto& t) { return Folded(t.name) == wanted; });
  if (it == all.end())
    return Error{"AK0101", "no task has this name", name.substr(0, kMaxPath),
                 "GET /v1/tasks lists all of them"};
  std::lock_guard lock(mutex_);
  if (auto have = loaded_.find(it->name); have != loaded_.end()) return have->second;
  auto task = task::LoadTaskFolder(it->folder);
  if (task.ok()) loaded_.emplace(it->name, *task);
  return task;
}

bool IsPlainPath(const std::string& path) {
  if (path.empty() || path.size() > kMaxPath) return false;
  bool start = true;  // of a part
  for (unsigned char c : path) {
    const bool plain =
        std::isalnum(c) || c == '_' || c == '-' || (c == '.' && !start) || (c == '/' && !start);
    if (!plain) return false;
    start = c == '/';
  }
  return !start;
}

Status CheckWork(const Work& work, const TaskList& tasks) {
  if (const auto* kernel = std::get_if<KernelWork>(&work)) return CheckKernel(*kernel);
  if (const auto* examine = std::get_if<ExamineWork>(&work)) return CheckExamine(*examine, tasks);
  return CheckJudge(std::get<JudgeWork>(work), tasks);
}

std::string KeyOfWork(const Work& work, uint64_t seed, const TaskList& tasks) {
  if (const auto* kernel = std::get_if<KernelWork>(&work))
    return base::Sha256(base::Dump(Json{{"kernel", base::Sha256(kernel->source)},
                                        {"launch", kernel->launch},
                                        {"judge", judge::HashOfJudge()},
                                        {"chip", judge::HashOfChip(kernel->chip)},
                                        {"seed", kernel->seed},
                                        {"time", kernel->time},
                                        {"advise", kernel->advise}}));
  if (const auto* examine = std::get_if<ExamineWork>(&work))
    return base::Sha256(base::Dump(Json{{"examine", KeyOfWork(examine->of, seed, tasks)},
                                        {"classes", examine->classes},
                                        {"count", examine->count},
                                        {"seed", examine->seed}}));
  const auto& w = std::get<JudgeWork>(work);
  auto task = tasks.Load(w.task);
  Json key{{"task", task.ok() ? judge::HashOfTask(*task) : w.task},
           {"judge", judge::HashOfJudge()},
           {"chip", w.chip},
           {"chip_hash", judge::HashOfChip(w.chip)},
           {"seed", w.seed.value_or(seed)},
           {"form", static_cast<int>(w.candidate.form)},
           {"text", base::Sha256(w.candidate.text)},
           {"cases", w.cases},
           {"hidden", w.hidden.value_or(0)},
           {"precision", w.precision},
           {"inputs", w.inputs},
           {"time", w.time},
           {"spans", w.spans},
           {"advise", w.advise},
           {"edits", w.edits},
           {"label", w.label}};
  Json files = Json::object();
  for (const auto& [path, content] : w.candidate.files) files[path] = base::Sha256(content);
  if (!files.empty()) key["files"] = std::move(files);
  return base::Sha256(base::Dump(key));
}

std::string SubjectOf(const Work& work) {
  if (const auto* judge = std::get_if<JudgeWork>(&work)) return judge->task.substr(0, 100);
  const auto* examine = std::get_if<ExamineWork>(&work);
  return examine ? examine->of.task.substr(0, 100) : "(kernel)";
}

size_t BytesOf(const Work& work) {
  if (const auto* kernel = std::get_if<KernelWork>(&work))
    return sizeof work + kernel->source.size() + kernel->launch.size();
  const auto* examine = std::get_if<ExamineWork>(&work);
  const JudgeWork& w = examine ? examine->of : *std::get_if<JudgeWork>(&work);
  size_t bytes = sizeof work + w.candidate.text.size() + w.label.size();
  for (const auto& [path, content] : w.candidate.files) bytes += path.size() + content.size();
  return bytes;
}

Judged JudgeOnce(const Work& work, const JudgingSetting& setting, judge::Worker& worker,
                 const std::atomic<bool>* stop) {
  if (const auto* kernel = std::get_if<KernelWork>(&work)) return RunKernel(*kernel, worker, stop);
  if (const auto* examine = std::get_if<ExamineWork>(&work))
    return ExamineProject(*examine, setting.tasks, worker, stop);
  return JudgeProject(std::get<JudgeWork>(work), setting, worker, stop);
}

}  // namespace akgen::serve
