// `akgen check`: the operators of a repository that a change touches, before it is merged.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/markdown.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/project_run.h"
#include "cli/sarif_output.h"
#include "judge/session/project_run.h"
#include "judge/session/tried_cases.h"
#include "toolchain/changes.h"

namespace akgen::cli {
namespace {
namespace fs = std::filesystem;
using record::Verdict;

constexpr const char* kCases = "akgen_cases.toml";  // beside op_kernel/, of `akgen run --cases`

struct CheckArgs {
  std::string repository, since, json, sarif, markdown;
  size_t at_most = 50;
  AroundOptions around;
  JudgingOptions judging;
};

struct Checked {
  std::string name, how, reason;  // name: relative to the repository; how: what its cases are
  std::vector<std::string> files;
  Verdict verdict = Verdict::kUndecided;
  size_t cases = 0;
  std::vector<record::Finding> findings;  // those of one code and place once
  std::vector<report::SarifSubject> subjects;
};

// A file of cases, the task of the operator's name, or shapes that are tried.
judge::Judgement Cases(judge::Judge& judge, const fs::path& dir,
                       const judge::ExaminedProject& examined, judge::Options o, Checked* out) {
  if (std::error_code ec; fs::exists(dir / kCases, ec)) {
    out->how = kCases;
    if (auto cases = judge::ReadProjectCases((dir / kCases).string()); cases.ok())
      return judge.RunProject(dir.string(), *cases, {}, o);
    else
      return {{.verdict = Verdict::kUndecided, .reason = cases.error().message}};
  }
  for (const task::TaskInfo& info : task::ListTasks()) {
    if (base::Lower(info.name) != base::Lower(examined.op.name)) continue;
    auto task = task::LoadTask(info.name);
    if (!task.ok() || task->cases.empty()) break;
    out->how = "task " + info.name;
    o.cases = {task->cases.front().id};
    if (const std::string typical = task::TypicalCase(*task); typical != o.cases[0])
      o.cases.push_back(typical);
    return judge.Run(dir.string(), *task, o);
  }
  out->how = "shapes that are tried";
  judge::Judgement j = judge.RunProject(dir.string(), judge::TriedCases(examined.op), {}, o);
  const std::string refused = j.cases.empty() ? "" : j.cases.front().reason;
  const size_t all = j.cases.size();
  std::erase_if(j.cases, judge::Refused);
  if (all == 0 || j.cases.size() == all) return j;
  auto bad = std::find_if(j.cases.begin(), j.cases.end(),
                          [](const auto& c) { return c.verdict != Verdict::kPass; });
  if (j.cases.empty()) {
    j.verdict = Verdict::kUndecided;
    j.reason = "it builds, and takes none of the shapes that are tried: write its cases in " +
               std::string(kCases) + " (" + refused + ")";
  } else if (bad != j.cases.end()) {
    j.verdict = bad->verdict, j.reason = "case " + bad->id + ": " + bad->reason;
  } else {
    j.verdict = Verdict::kPass, j.reason.clear();
  }
  return j;
}

void Take(const judge::Judgement& j, const fs::path& dir, Checked* out) {
  out->verdict = j.verdict, out->reason = j.reason, out->cases = j.cases.size();
  for (const auto& c : j.cases) {
    if (c.skipped) continue;
    out->subjects.push_back(Subject(out->name + ", case " + c.id, dir.string()));
    auto& s = out->subjects.back();
    s.verdict = c.verdict, s.reason = c.reason, s.findings = c.findings,
    s.diagnostics = j.diagnostics;
    for (const auto& f : c.findings) {
      const bool known =
          std::any_of(out->findings.begin(), out->findings.end(), [&](const record::Finding& g) {
            return g.code == f.code && g.place.file == f.place.file && g.place.line == f.place.line;
          });
      if (!known && !f.warning) out->findings.push_back(f);
    }
  }
  if (!out->subjects.empty()) return;
  out->subjects.push_back(Subject(out->name, dir.string()));
  out->subjects.back().verdict = j.verdict;
  out->subjects.back().reason = j.reason;
  out->subjects.back().diagnostics = j.diagnostics;
}

Checked CheckOne(judge::Judge& judge, const toolchain::TouchedOperator& touched, const CheckArgs& a,
                 const fs::path& root) {
  Checked out;
  out.name = touched.dir.lexically_relative(root).string();
  out.files = touched.files;
  judge::Options o;
  a.judging.Into(o);
  a.around.Into(touched.dir.string(), o);
  o.range = false;
  o.seed = 1;
  const judge::ExaminedProject examined = judge.Examine(touched.dir.string(), o);
  if (examined.judgement.verdict != Verdict::kPass) {
    out.how = "built";
    Take(examined.judgement, touched.dir, &out);
    return out;
  }
  Take(Cases(judge, touched.dir, examined, o, &out), touched.dir, &out);
  return out;
}

std::string PlaceOf(const record::Finding& f) {
  return f.place.file.empty() ? "" : fmt::format(" ({}:{})", f.place.file, f.place.line);
}

std::string LineOf(const Checked& c) {
  if (c.findings.empty()) return c.reason;
  const auto& f = c.findings.front();
  const std::string more =
      c.findings.size() > 1 ? fmt::format(", and {} more", c.findings.size() - 1) : "";
  return f.code + ": " + f.message + PlaceOf(f) + more;
}

// What a host of code shows on the page of a change.
std::string Markdown(const std::vector<Checked>& all, size_t files, const std::string& since,
                     size_t left) {
  std::string out = fmt::format("### akgen: {} files changed since {}, {} operators touched\n\n",
                                files, base::MarkdownText(since), all.size() + left);
  if (!all.empty()) out += "| operator | verdict | |\n|---|---|---|\n";
  for (const auto& c : all)
    out += fmt::format("| {} | {} | {} |\n", base::MarkdownText(c.name), record::NameOf(c.verdict),
                       base::MarkdownText(c.verdict == Verdict::kPass
                                              ? fmt::format("{} cases ({})", c.cases, c.how)
                                              : LineOf(c)));
  if (left)
    out += fmt::format("\n{} more operators include what changed and were not judged.\n", left);
  return out;
}

base::Json RecordOf(const Checked& c) {
  base::Json findings = base::Json::array();
  for (const auto& f : c.findings) findings.push_back(record::ToJson(f));
  return {{"operator", c.name},  {"verdict", record::NameOf(c.verdict)},
          {"reason", c.reason},  {"how", c.how},
          {"cases", c.cases},    {"files", c.files},
          {"findings", findings}};
}

int Report(const CheckArgs& a, const std::vector<std::string>& files,
           const std::vector<Checked>& all, size_t left) {
  int rc = kOk;
  base::Json operators = base::Json::array();
  std::vector<report::SarifSubject> subjects;
  for (const auto& c : all) {
    operators.push_back(RecordOf(c));
    subjects.insert(subjects.end(), c.subjects.begin(), c.subjects.end());
    if (c.verdict == Verdict::kInfraError)
      rc = kFault;
    else if (c.verdict != Verdict::kPass && rc == kOk)
      rc = kNotPassed;
  }
  if (a.json != "-") {
    for (const auto& c : all)
      fmt::print(
          "{:<13} {}: {}\n", record::NameOf(c.verdict), c.name,
          c.verdict == Verdict::kPass ? fmt::format("{} cases ({})", c.cases, c.how) : LineOf(c));
    fmt::print("{} files changed since {}, {} operators touched{}\n", files.size(), a.since,
               all.size() + left,
               left ? fmt::format(", {} of them not judged (--at-most)", left) : "");
  }
  if (!a.json.empty())
    if (int bad = WriteJson({{"repository", a.repository},
                             {"since", a.since},
                             {"changed", files},
                             {"left", left},
                             {"operators", operators}},
                            a.json))
      return bad;
  if (!a.markdown.empty())
    if (auto written =
            base::WriteFileAtomic(a.markdown, Markdown(all, files.size(), a.since, left));
        !written.ok()) {
      PrintError(written.error());
      return kFault;
    }
  if (int bad = WriteSarif(subjects, a.sarif)) return bad;
  return rc;
}

int RunCheck(const CheckArgs& a) {
  std::error_code ec;
  const fs::path root = fs::weakly_canonical(a.repository, ec);
  auto files = toolchain::ChangedFiles(root, a.since);
  if (!files.ok()) {
    PrintError(files.error());
    return kUsage;
  }
  std::vector<toolchain::TouchedOperator> touched = toolchain::TouchedOperators(root, *files);
  const size_t left = touched.size() > a.at_most ? touched.size() - a.at_most : 0;
  touched.resize(touched.size() - left);
  std::vector<Checked> all;
  if (!touched.empty()) {
    auto judge = judge::Judge::Start();
    if (!judge.ok()) {
      PrintError(judge.error());
      return kFault;
    }
    Progress bar;
    for (const auto& one : touched) {
      bar.Show(all.size(), touched.size(), 0, one.dir.filename().string());
      all.push_back(CheckOne(*judge, one, a, root));
    }
  }
  return Report(a, *files, all, left);
}
}  // namespace

static void AddCheck(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<CheckArgs>();
  CLI::App* c =
      app.add_subcommand("check", "Judge the operators of a Git repository that a change touches");
  c->add_option("repository", args->repository, "Git repository of operators, or a folder of one")
      ->required()
      ->check(CLI::ExistingDirectory);
  c->add_option(
       "--changed-since", args->since,
       "Commit, branch or tag: what differs from where HEAD left it, the working tree included")
      ->required();
  c->add_option("--at-most", args->at_most,
                "Operators to judge: those whose own files changed come first")
      ->capture_default_str();
  args->judging.AddTo(*c);
  args->around.AddTo(*c);
  c->add_option("--markdown", args->markdown,
                "Write a summary to this file, for the page of a change");
  c->add_option("--json", args->json, "Write the summary as JSON (- for standard output)");
  AddSarifOption(*c, args->sarif);
  c->footer(
      "Example: akgen check . --changed-since origin/main --sarif akgen.sarif --markdown "
      "summary.md\n"
      "An operator is judged on the cases of akgen_cases.toml in its folder (`akgen run --cases`), "
      "else on those of\n"
      "akgen's task of its name, else on shapes that are tried. examples/github has a workflow to "
      "copy.\n"
      "Exit code: 0 all pass, or nothing to judge; 1 one did not; 2 usage error, 3 internal "
      "error.");
  c->callback([args, &exit_code] { exit_code = RunCheck(*args); });
}

static const Command kCheckCommand{25, AddCheck};

}  // namespace akgen::cli
