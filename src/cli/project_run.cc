#include "cli/project_run.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/sources.h"
#include "judge/session/project_run.h"
#include "toolchain/repository.h"

namespace akgen::cli {
namespace {
// NAME=TEXT; a text that is no JSON is a string.
base::Result<std::pair<std::string, std::string>> Named(const std::string& word) {
  const size_t at = word.find('=');
  if (at == std::string::npos || at == 0)
    return base::Error{"AK0403", "no NAME=…: " + word, word,
                       "write e.g. --input x=f16[8,64] --attr eps=1e-5"};
  return std::pair{word.substr(0, at), word.substr(at + 1)};
}

base::Result<std::vector<judge::ProjectCase>> CasesOf(const ProjectRunArgs& a) {
  if (!a.cases.empty()) return judge::ReadProjectCases(a.cases);
  judge::ProjectCase c;
  for (auto [words, into] : {std::pair{&a.inputs, &c.inputs}, {&a.outputs, &c.outputs}})
    for (const auto& word : *words) {
      auto named = Named(word);
      if (!named.ok()) return named.error();
      into->push_back(*named);
    }
  for (const auto& word : a.attrs) {
    auto named = Named(word);
    if (!named.ok()) return named.error();
    base::Json value = base::Parse(named->second);
    c.attrs[named->first] = value.is_discarded() ? base::Json(named->second) : value;
  }
  return std::vector{c};
}

int ExitCode(record::Verdict v) {
  return v == record::Verdict::kPass         ? kOk
         : v == record::Verdict::kInfraError ? kFault
                                             : kNotPassed;
}
}  // namespace

void AroundOptions::AddTo(CLI::App& c) {
  c.add_option("-I,--include", include_dirs, "Further include folders for host code and kernels");
  c.add_option("--repository", repository,
               "Repository of operators that the project is one of: its neighbours' headers and "
               "host sources are found; "
               "default: the one around it, none for none");
  c.add_option("--with-sources", with_sources,
               "Checkout of the operator-base library: its headers are found, its sources compiled "
               "once and linked");
}

void AroundOptions::Into(const std::string& project, judge::Options& o) const {
  std::error_code ec;
  o.include_dirs = include_dirs;
  o.with_sources =
      with_sources.empty() ? "" : std::filesystem::weakly_canonical(with_sources, ec).string();
  o.repository =
      repository.empty()
          ? toolchain::FindRepository(std::filesystem::weakly_canonical(project, ec)).string()
      : repository == "none" ? ""
                             : std::filesystem::weakly_canonical(repository, ec).string();
}

void ProjectRunArgs::AddTo(CLI::App& c) {
  c.add_option("--input", inputs,
               "Of a project: NAME=DTYPE[SHAPE], e.g. x=f16[8,64]; then :1,2 for values, "
               "~normal(0,1), ~int(0,9) or "
               "~uniform(0,1) for how they are drawn, @FILE for raw bytes; lists: x=f32[8];f32[4]; "
               "four bits: x=i4[8,64]; "
               "in blocks: x=f16[4,1,16,16] as FRACTAL_NZ of ND[16,64]");
  c.add_option("--attr", attrs, "Of a project: NAME=VALUE, e.g. eps=1e-5, axes=[0,1]");
  c.add_option("--output", outputs,
               "Of a project: NAME=DTYPE[SHAPE]; default: what the operator's inference says");
  c.add_option("--cases", cases,
               "Of a project: TOML file of [[case]] with inputs, outputs and attrs");
  c.add_option("--reference", reference,
               "Of a project: file with a TorchScript function `reference` of its inputs");
  c.add_option("--against", against,
               "Of a project: another one, whose outputs are the expected values");
  c.add_option("--save", save,
               "Of a project: folder to write inputs and outputs to, as CASE/NAME.bin");
  around.AddTo(c);
}

bool IsProject(const std::string& path) {
  std::error_code ec;
  return std::filesystem::is_directory(path, ec);
}

int RunProject(const std::string& project, const ProjectRunArgs& a, const judge::Options& options,
               const std::string& json) {
  auto cases = CasesOf(a);
  if (!cases.ok()) {
    PrintError(cases.error());
    return kUsage;
  }
  judge::ProjectRun run;
  run.against = a.against, run.save = a.save;
  if (!a.reference.empty()) {
    auto text = base::ReadFile(a.reference);
    if (!text.ok()) {
      PrintError(text.error());
      return kUsage;
    }
    run.reference = *text;
  }
  auto judge = judge::Judge::Start();
  if (!judge.ok()) {
    PrintError(judge.error());
    return kFault;
  }
  judge::Options o = options;
  a.around.Into(project, o);
  Progress bar;
  o.progress = bar.Steps();
  o.want_print = true;
  const judge::Judgement j = judge->RunProject(project, *cases, run, o);
  bar.End();
  if (json != "-")
    PrintJudgement(j, SourcesOf(project), false, !run.reference.empty() || !run.against.empty());
  if (!json.empty()) {
    base::Json record = judge::ToJson(j);
    record["lacking"] = j.lacking;
    if (int rc = WriteJson(record, json)) return rc;
  }
  WarnOfUnsealed(o.backend);
  return ExitCode(j.verdict);
}

int ExamineProject(const std::string& project, const AroundOptions& around,
                   const std::string& json) {
  auto judge = judge::Judge::Start();
  if (!judge.ok()) {
    PrintError(judge.error());
    return kFault;
  }
  judge::Options o;
  around.Into(project, o);
  const judge::ExaminedProject r = judge->Examine(project, o);
  const record::Verdict verdict = r.judgement.verdict;
  if (!json.empty())
    if (int rc = WriteJson(ToJson(r), json)) return rc;
  if (json == "-") return ExitCode(verdict);
  fmt::print("operator {}, kernel {}\n", r.op.name.empty() ? "?" : r.op.name,
             r.project.kernel.filename().string());
  for (const auto& name : r.judgement.lacking)
    fmt::print("missing {}: Ascend C has it, akgen does not\n", name);
  if (verdict == record::Verdict::kPass)
    fmt::print("builds: host and kernel\n");
  else
    fmt::print("{}: {}\n", record::NameOf(verdict), r.judgement.reason);
  return ExitCode(verdict);
}

}  // namespace akgen::cli
