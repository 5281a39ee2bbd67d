// `akgen tune`: searches declared constants for the least modelled time.
#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/files.h"
#include "base/hash.h"
#include "chip/chip.h"
#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/named.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "craft/craft.h"
#include "judge/objective.h"
#include "judge/run/simulated_chip.h"
#include "judge/tune.h"

namespace akgen::cli {
namespace {
namespace fs = std::filesystem;
using base::Json;

struct TuneArgs {
  std::string subject, task, launch, precision = "strict", out, json;
  std::vector<std::string> cases, include_dirs;
  size_t budget = 64;
  JudgingOptions judging;
  bool resume = false;
};

base::Result<judge::SourceFiles> FilesOf(const fs::path& subject) {
  judge::SourceFiles files;
  std::error_code ec;
  std::vector<fs::path> paths;
  if (!fs::is_directory(subject, ec)) paths.push_back(subject);
  for (const char* half : {"op_host", "op_kernel"})
    if (paths.empty() || fs::is_directory(subject, ec))
      for (fs::recursive_directory_iterator it(subject / half, ec), end; !ec && it != end;
           it.increment(ec))
        if (it->is_regular_file() && !base::LeadsOut(it->path(), subject))
          paths.push_back(it->path());
  for (const fs::path& path : paths) {
    auto text = base::ReadFile(path);
    if (!text.ok()) return text.error();
    files[fs::is_directory(subject, ec) ? fs::relative(path, subject, ec).string()
                                        : path.filename().string()] = *text;
  }
  return files;
}

base::Status WriteFiles(const std::map<std::string, std::string>& files, const fs::path& folder) {
  for (const auto& [path, text] : files) {
    std::error_code ec;
    fs::create_directories((folder / path).parent_path(), ec);
    if (auto s = base::WriteFileAtomic(folder / path, text); !s.ok()) return s;
  }
  return {};
}

// One search: the candidate, what is asked of each variant of it, and what is known from a run
// before.
class Tuner {
 public:
  explicit Tuner(const TuneArgs& args) : a_(args) {}
  int Run();

 private:
  int Prepare();
  std::optional<double> Ask(const judge::Choice& choice);
  void Remember();
  Json Record(const judge::TuneResult& result) const;
  std::string TextOf(const judge::Choice& choice) const;
  int Finish(const judge::TuneResult& result);
  bool program() const { return a_.subject.ends_with(".py"); }

  const TuneArgs& a_;
  judge::SourceFiles files_;
  craft::Target target_;  // of a program
  std::vector<judge::Tunable> tunables_;
  std::optional<task::TaskSpec> task_;
  std::optional<judge::Judge> judge_;
  std::unique_ptr<judge::Executor> executor_;
  judge::Objective objective_;
  std::map<judge::Choice, std::optional<double>> known_;
  std::vector<judge::Choice> made_;
  std::string key_;
  Progress progress_;
  size_t asked_ = 0;    // variants that were run, not remembered
  double seconds_ = 0;  // and how long they took
};

std::string Tuner::TextOf(const judge::Choice& choice) const {
  std::string out;
  for (size_t i = 0; i < choice.size(); ++i)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", tunables_[i].name,
                       tunables_[i].values[choice[i]]);
  return out;
}

int Tuner::Prepare() {
  auto files = FilesOf(a_.subject);
  if (!files.ok()) return PrintError(files.error()), kUsage;
  files_ = std::move(*files);
  auto tunables = judge::TunablesOf(files_);
  if (!tunables.ok()) return PrintError(tunables.error()), kUsage;
  tunables_ = std::move(*tunables);
  if (tunables_.empty())
    return fmt::print(stderr, "error: {} declares nothing to tune; see akgen tune --help\n",
                      a_.subject),
           kUsage;
  auto chip = chip::LoadChip(a_.judging.chip);
  if (!chip.ok()) return PrintError(chip.error()), kUsage;
  if (program()) {
    auto target = craft::TargetOf(*chip);
    if (!target.ok()) return PrintError(target.error()), kUsage;
    target_ = *target;
  }
  bool lone = a_.task.empty();
  if (lone && (program() || fs::is_directory(a_.subject)))
    return fmt::print(stderr, "error: a project or program needs --task\n"), kUsage;
  if (lone) {
    auto chip = judge::SimulatedChip::Start();
    if (!chip.ok()) return PrintError(chip.error()), kFault;
    executor_ = std::move(*chip);
    judge::LoneOptions o;
    a_.judging.Into(o);
    objective_ = judge::LoneObjective(*executor_, a_.launch, o);
  } else {
    auto task = task::LoadTask(a_.task);
    if (!task.ok()) return PrintError(task.error()), kUsage;
    if (auto named = CasesAreThere(*task, a_.cases); !named.ok())
      return PrintError(named.error()), kUsage;
    auto judge = judge::Judge::Start();
    if (!judge.ok()) return PrintError(judge.error()), kFault;
    task_.emplace(std::move(*task)), judge_.emplace(std::move(*judge));
    judge::Options o;
    a_.judging.Into(o);
    o.precision = a_.precision, o.cases = a_.cases, o.include_dirs = a_.include_dirs;
    o.seed = 1;  // trials are compared
    objective_ = judge::ModelledObjective(*judge_, *task_, o);
  }
  Json key{a_.task,           a_.launch,    a_.judging.chip, a_.judging.backend,
           a_.judging.checks, a_.precision, a_.cases,        files_};
  if (auto p = judge::TimingOf(*chip); p.ok()) key.push_back(sim::ToJson(*p));
  key_ = base::Sha256(base::Dump(key));
  return kOk;
}

// What is read back of a record.
struct TrialsBefore {
  std::string key;
  std::vector<judge::Trial> trials;
};

TrialsBefore TrialsFromJson(const Json& record) {
  if (!record.is_object()) return {};
  TrialsBefore out{record.value("key", ""), {}};
  for (const Json& t : record.value("trials", Json::array())) {
    const Json& us = t.at("modelled_us");
    out.trials.push_back({t.at("choice").get<judge::Choice>(),
                          us.is_null() ? std::nullopt : std::optional<double>(us.get<double>())});
  }
  return out;
}

// What a run that was stopped had found out, when it asked the same.
void Tuner::Remember() {
  if (!a_.resume || a_.json.empty() || a_.json == "-") return;
  auto text = base::ReadFile(a_.json);
  if (!text.ok()) return;
  const auto before = TrialsFromJson(base::Parse(*text));
  if (before.key != key_) return;
  for (const judge::Trial& t : before.trials) known_[t.choice] = t.us;
  judge::Choice now;
  for (const auto& t : tunables_) now.push_back(t.now);
  if (a_.task.empty()) known_.erase(now);  // its outputs are what the others' are compared with
}

std::optional<double> Tuner::Ask(const judge::Choice& choice) {
  if (auto it = known_.find(choice); it != known_.end()) return it->second;
  judge::SourceFiles files = judge::Chosen(files_, tunables_, choice);
  std::string entry;
  if (a_.task.empty()) entry = files.begin()->first;
  if (program()) {
    craft::Compiled compiled = craft::Compile(files.begin()->second, target_);
    if (!compiled.diagnostics.empty()) return std::nullopt;
    files = craft::EmitProject(compiled.lowered);
  }
  auto dir = base::TempDir::Create();
  if (!dir.ok() || !WriteFiles(files, dir->path()).ok()) return std::nullopt;
  auto start = std::chrono::steady_clock::now();
  auto us = objective_((dir->path() / entry).string());
  ++asked_;
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return us;
}

Json Tuner::Record(const judge::TuneResult& r) const {
  Json tunables = Json::array(), trials = Json::array();
  for (const auto& t : tunables_)
    tunables.push_back({{"name", t.name},
                        {"file", t.file},
                        {"line", t.line},
                        {"values", t.values},
                        {"now", t.now}});
  for (const auto& t : r.trials)
    trials.push_back({{"choice", t.choice},
                      {"text", TextOf(t.choice)},
                      {"modelled_us", t.us ? Json(*t.us) : Json()}});
  return {{"key", key_},
          {"subject", a_.subject},
          {"task", a_.task},
          {"tunables", tunables},
          {"trials", trials},
          {"combinations", r.combinations},
          {"complete", r.complete},
          {"best", r.best ? Json(*r.best) : Json()}};
}

int Tuner::Finish(const judge::TuneResult& r) {
  auto us = [&](size_t i) {
    return r.trials[i].us ? fmt::format("{:12.2f} us", *r.trials[i].us)
                          : std::string("  does not pass");
  };
  if (a_.json != "-") {
    for (size_t i = 0; i < r.trials.size(); ++i)
      fmt::print("{} {}  {}{}\n", r.best == i ? '*' : ' ', us(i), TextOf(r.trials[i].choice),
                 i == 0 ? "  (as it stands)" : "");
    fmt::print(
        "{} of {:.0f} combinations tried{}{}\n", r.trials.size(), r.combinations,
        r.complete ? "" : ": one tunable after the other",
        asked_ ? fmt::format("; {:.1f} evaluations a second", double(asked_) / seconds_) : "");
  }
  if (!a_.json.empty())
    if (int rc = WriteJson(Record(r), a_.json)) return rc;
  if (!r.best) return fmt::print(stderr, "{}: no variant passes\n", a_.subject), kNotPassed;
  if (a_.out.empty()) return kOk;
  judge::SourceFiles files = judge::Chosen(files_, tunables_, r.trials[*r.best].choice);
  std::error_code ec;
  base::Status s = fs::is_directory(a_.subject, ec)
                       ? WriteFiles(files, a_.out)
                       : base::WriteFileAtomic(a_.out, files.begin()->second);
  return s.ok() ? kOk : (PrintError(s.error()), kFault);
}

int Tuner::Run() {
  if (int rc = Prepare()) return rc;
  Remember();
  judge::TuneResult so_far;
  double all = 1;
  for (const auto& t : tunables_) all *= double(t.values.size());
  so_far.combinations = all;
  size_t most = size_t(std::min(all, double(a_.budget)));
  judge::TuneResult r = judge::Tune(tunables_, a_.budget, [&](const judge::Choice& c) {
    progress_.Show(so_far.trials.size(), most, 0, TextOf(c));
    so_far.trials.push_back({c, Ask(c)});
    if (!a_.json.empty() && a_.json != "-") WriteJson(Record(so_far), a_.json);
    return so_far.trials.back().us;
  });
  progress_.End();
  return Finish(r);
}
}  // namespace

void AddTune(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<TuneArgs>();
  CLI::App* c =
      app.add_subcommand("tune", "Search a kernel's declared tunables for the least modelled time");
  c->add_option("subject", args->subject,
                "Project folder or program (.py), both with --task, or a standalone kernel file")
      ->required()
      ->check(CLI::ExistingPath);
  c->add_option("--task", args->task, "Task name or folder");
  c->add_option("--case", args->cases, "Case ids whose times are summed; default: all")
      ->delimiter(',');
  c->add_option("--launch", args->launch,
                "Launch line of a standalone kernel; default: its // launch: comment");
  args->judging.AddTo(*c);
  c->add_option("--precision", args->precision, "strict, or upstream")
      ->check(CLI::IsMember({"strict", "upstream"}))
      ->capture_default_str();
  c->add_option("-I,--include", args->include_dirs, "Further include folders for host code");
  c->add_option("--budget", args->budget, "Maximum number of variants to run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->add_option("-o,--out", args->out, "Write the best variant to this folder (project) or file");
  c->add_option(
      "--json", args->json,
      "Write all trials to this file, after each of them (- for standard output, at the end)");
  c->add_flag("--resume", args->resume, "Keep the trials that the --json file already holds");
  c->footer(
      "Declare tunable parameters: 'constexpr uint32_t kTile = 2048;  // tune: 1024, 2048, 4096' "
      "in Ascend C, on any "
      "line "
      "with one of\n"
      "the numbers; 'tile = tune(1024, 2048, 4096)' in a program of the kernel language. A variant "
      "that does not pass "
      "never wins.\n"
      "Examples: akgen tune add.cpp --out add_tuned.cpp\n"
      "          akgen tune my_project --task AddCustom --case 0 --budget 32 --json trials.json "
      "--resume\n"
      "Exit code: 0 done, 1 no variant passes, 2 usage error, 3 internal error.");
  c->callback([args, &exit_code] { exit_code = Tuner(*args).Run(); });
}

static const Command kTuneCommand{40, AddTune};

}  // namespace akgen::cli
