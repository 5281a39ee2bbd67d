// `akgen explain`: the findings of a record beside the sources that they are about.
#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "report/explain.h"

namespace akgen::cli {
namespace {
namespace fs = std::filesystem;
struct ExplainArgs {
  std::string record, project;
  bool warnings = false;
};

struct Explained {
  std::string project, verdict;
  record::FindingsOfCases findings;
};

// The cases of a record of `akgen judge` and `akgen run`, or the one that `akgen run kernel.cpp` and `exec` write.
base::Result<Explained> ReadRecord(const ExplainArgs& a) {
  auto text = base::ReadFile(a.record);
  if (!text.ok()) return text.error();
  const base::Error unreadable{"AK0014", "no record of a judgement or run in " + a.record, a.record,
                               "give a file that --json wrote"};
  const base::Json record = base::Parse(*text);
  if (!record.is_object()) return unreadable;
  try {
    Explained read{record.value("project", record.value("kernel", "")), record.value("verdict", ""), {}};
    auto add = [&](const std::string& id, const base::Json& list) {
      std::vector<record::Finding> findings;
      for (const auto& f : list)
        if (auto finding = record::FindingFromJson(f); a.warnings || !finding.warning) findings.push_back(finding);
      read.findings.Add(id, findings);
    };
    const base::Json none = base::Json::array();
    const base::Json cases = record.value("cases", none);
    for (const auto& c : cases) add(c.value("id", ""), c.value("findings", none));
    if (cases.empty()) add("", record.value("findings", none));
    return read;
  } catch (const base::Json::exception&) {  // a member of another type
    return unreadable;
  }
}

int RunExplain(const ExplainArgs& a) {
  const auto read = ReadRecord(a);
  if (!read.ok()) {
    PrintError(read.error());
    return kUsage;
  }
  fs::path project = (fs::current_path() / (!a.project.empty() ? a.project : read->project)).lexically_normal();
  std::error_code ec;
  if (fs::is_regular_file(project, ec)) project = project.parent_path();
  const report::ReadSource source = [&](const std::string& file) {
    fs::path at = fs::path(file).is_absolute() ? fs::path(file) : (project / file).lexically_normal();
    // Kernels name headers of a neighbour by its installed folder: shared/x.h is ../shared/op_kernel/x.h.
    if (std::error_code missing; !fs::exists(at, missing)) {
      const fs::path below = at.lexically_relative(project);
      if (below.has_parent_path())
        at = project.parent_path() / *below.begin() / "op_kernel" / below.lexically_relative(*below.begin());
    }
    auto text = base::ReadFile(at);
    return text.ok() ? *text : std::string();
  };
  for (const auto& m : read->findings.all()) {
    std::string cases;
    for (const auto& id : m.cases)
      if (!id.empty()) cases += (cases.empty() ? "" : ", ") + id;
    if (!cases.empty()) fmt::print("case {}\n", cases);
    fmt::print("{}\n", report::Explain(m.finding, source));
  }
  if (read->findings.all().empty()) fmt::print("no findings: {}\n", read->verdict);
  return kOk;
}
}  // namespace

namespace {
void AddExplain(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<ExplainArgs>();
  CLI::App* c = app.add_subcommand("explain", "Show a record's findings beside the sources that they are about");
  c->add_option("record", args->record, "File that --json of judge, run or exec wrote")->required();
  c->add_option("--project", args->project, "Where the sources are; default: where the record says");
  c->add_flag("--warnings", args->warnings, "Warnings too");
  c->footer(
      "Example: akgen judge examples/kernels/wrong_missing_handoff --task UnalignAdd --edits --json verdict.json\n"
      "         akgen explain verdict.json\n"
      "Exit code: 0, 2 usage error.");
  c->callback([args, &exit_code] { exit_code = RunExplain(*args); });
}
}  // namespace
static const Command kExplainCommand{25, AddExplain};

}  // namespace akgen::cli
