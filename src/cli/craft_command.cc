// `akgen craft` and its commands: checks, lowers and prints programs of the kernel language.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/craft_run.h"
#include "cli/output.h"
#include "craft/craft.h"
#include "craft/interpret/probe.h"
#include "craft/plan/operations_text.h"
#include "craft/syntax/parser.h"
#include "judge/plan_task.h"

namespace akgen::cli {
namespace {
struct CraftArgs {
  std::string program, out, dump_after, json, task, chip{chip::kDefaultChip};
  bool graph = false;
};

// The program, compiled, with its diagnostics said. Null: an exit code is in `rc`.
std::unique_ptr<craft::Compiled> Load(const CraftArgs& a, int& rc, bool probe = false) {
  auto text = base::ReadFile(a.program);
  if (!text.ok()) {
    PrintError(text.error());
    rc = kUsage;
    return nullptr;
  }
  auto dump = [&](const craft::Pass& pass, const craft::LoweredKernel& k) {
    if (a.dump_after == pass.name || a.dump_after == "all")
      fmt::print("== after {}\n{}", pass.name, craft::Dump(k));
  };
  auto target = craft::LoadTarget(a.chip);
  if (!target.ok()) {
    PrintError(target.error());
    rc = kUsage;
    return nullptr;
  }
  auto c = std::make_unique<craft::Compiled>(craft::Compile(*text, *target, dump));
  if (probe && c->diagnostics.empty()) craft::Probe(*c, *text, c->diagnostics);
  if (!c->diagnostics.empty()) {
    if (a.json.empty()) fmt::print(stderr, "{}", c->diagnostics.Render(a.program, *text));
    rc = kNotPassed;
    if (!a.json.empty())
      WriteJson({{"ok", false}, {"diagnostics", c->diagnostics.ToJson(a.program)}}, a.json);
    return nullptr;
  }
  rc = kOk;
  return c;
}

int RunCheck(const CraftArgs& a) {
  int rc = kOk;
  auto c = Load(a, rc, true);
  if (!c) return rc;
  if (!a.json.empty())
    return WriteJson({{"ok", true}, {"diagnostics", base::Json::array()}}, a.json);
  fmt::print("{}: ok, {} column{} of dtypes, {} kernel{}\n", a.program, c->programs.size(),
             c->programs.size() == 1 ? "" : "s", c->programs[0].kernels.size(),
             c->programs[0].kernels.size() == 1 ? "" : "s");
  return kOk;
}

int RunLower(const CraftArgs& a) {
  int rc = kOk;
  auto start = std::chrono::steady_clock::now();
  auto c = Load(a, rc, true);
  if (!c) return rc;
  craft::Files files = craft::EmitProject(c->lowered);
  double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  base::Json names = base::Json::array();
  for (const auto& [path, content] : files) {
    names.push_back(path);
    if (a.out.empty()) {
      if (a.json.empty()) fmt::print("// ==== {}\n{}", path, content);
      continue;
    }
    std::filesystem::path at = std::filesystem::path(a.out) / path;
    std::error_code ec;
    std::filesystem::create_directories(at.parent_path(), ec);
    if (auto st = base::WriteFileAtomic(at, content); !st.ok()) {
      PrintError(st.error());
      return kFault;
    }
  }
  if (!a.json.empty()) return WriteJson({{"ok", true}, {"files", names}, {"lower_ms", ms}}, a.json);
  if (!a.out.empty()) fmt::print("{}: {} files in {:.1f} ms\n", a.out, files.size(), ms);
  return kOk;
}

int RunPlan(const CraftArgs& a) {
  auto task = task::LoadTask(a.task);
  if (!task.ok()) {
    PrintError(task.error());
    return kUsage;
  }
  task::ReferenceClient reference;
  if (a.graph) {
    auto given = judge::GraphsOfTask(reference, *task);
    if (given.ok())
      fmt::print("{}", craft::OperationsText(*given));
    else
      PrintError(given.error());
    return given.ok() ? kOk : kNotPassed;
  }
  auto target = craft::LoadTarget(a.chip);
  if (!target.ok()) {
    PrintError(target.error());
    return kUsage;
  }
  auto program = judge::PlanTask(reference, *task, *target);
  if (!a.json.empty()) {
    base::Json j{{"task", task->name}, {"ok", program.ok()}};
    if (program.ok())
      j["program"] = *program;
    else
      j["reason"] = program.error().error.message;
    int rc = WriteJson(j, a.json);
    if (rc != kOk || !program.ok()) return rc != kOk ? rc : kNotPassed;
  }
  if (!program.ok()) {
    PrintError(program.error().error);
    return kNotPassed;
  }
  if (a.out.empty()) {
    if (a.json.empty()) fmt::print("{}", *program);
    return kOk;
  }
  if (auto st = base::WriteFileAtomic(a.out, *program); !st.ok()) {
    PrintError(st.error());
    return kFault;
  }
  return kOk;
}

int RunFormat(const CraftArgs& a, bool in_place) {
  auto text = base::ReadFile(a.program);
  if (!text.ok()) {
    PrintError(text.error());
    return kUsage;
  }
  craft::Diagnostics d;
  std::string formatted = craft::Format(*text, d);
  if (!d.empty()) {
    fmt::print(stderr, "{}", d.Render(a.program, *text));
    return kNotPassed;
  }
  if (!in_place) {
    fmt::print("{}", formatted);
  } else if (formatted != *text) {
    if (auto st = base::WriteFileAtomic(a.program, formatted); !st.ok()) {
      PrintError(st.error());
      return kFault;
    }
  }
  return kOk;
}

int RunExplain(const CraftArgs& a) {
  int rc = kOk;
  auto c = Load(a, rc);
  if (!c) return rc;
  fmt::print("passes, in order:\n");
  for (const craft::Pass& p : craft::Passes()) fmt::print("  {:<15} {}\n", p.name, p.what);
  for (size_t i = 0; i < c->lowered.size(); ++i) {
    fmt::print("\ncolumn {}:", i);
    for (const auto& p : c->programs[i].params)
      if (!p.is_attr) fmt::print(" {}={}", p.name, craft::ir::ShortName(p.dtype));
    fmt::print("\n");
    for (const auto& k : c->lowered[i].kernels) fmt::print("{}", craft::Dump(k));
  }
  return kOk;
}
}  // namespace

static void AddCraft(CLI::App& app, int& exit_code) {
  CLI::App* craft = app.add_subcommand(
      "craft", "Programs of the kernel language: check, lower to an operator project");
  craft->require_subcommand(1);
  AddTune(*craft, exit_code);
  auto args = std::make_shared<CraftArgs>();
  auto common = [args](CLI::App* c) {
    c->add_option("program", args->program, "File with @kernel and @host functions")->required();
    c->add_option("--json", args->json,
                  "Write the result as JSON to this file (- for standard output)");
    c->add_option("--chip", args->chip, "SoC to lower for")->capture_default_str();
    return c;
  };
  CLI::App* check = common(craft->add_subcommand("check", "Report every error in a program"));
  check->callback([args, &exit_code] { exit_code = RunCheck(*args); });
  CLI::App* lower =
      common(craft->add_subcommand("lower", "Lower a program to an Ascend C project"));
  lower->add_option("-o,--out", args->out, "Folder to write to (default: print)");
  lower->add_option("--dump-after", args->dump_after, "Print the program after this pass (or all)")
      ->check([](const std::string& name) {
        const auto& all = craft::Passes();
        return name == "all" || std::any_of(all.begin(), all.end(),
                                            [&](const auto& p) { return p.name == name; })
                   ? ""
                   : "there is no pass '" + name + "'; akgen craft explain lists them";
      });
  lower->callback([args, &exit_code] { exit_code = RunLower(*args); });
  CLI::App* plan =
      craft->add_subcommand("plan", "Write a program for a task, by rules from its reference");
  plan->add_option("--task", args->task, "Task name or folder with task.toml")->required();
  plan->add_flag("--graph", args->graph,
                 "Print the input of the rules: the reference as operations, one per line");
  plan->add_option("-o,--out", args->out, "File to write to (default: print)");
  plan->add_option("--json", args->json,
                   "Write program or reason as JSON to this file (- for standard output)");
  plan->add_option("--chip", args->chip, "SoC to plan for")->capture_default_str();
  plan->callback([args, &exit_code] { exit_code = RunPlan(*args); });
  CLI::App* format = craft->add_subcommand("fmt", "Format a program");
  auto in_place = std::make_shared<bool>(false);
  format->add_option("program", args->program, "File with a program")->required();
  format->add_flag("-i,--in-place", *in_place, "Rewrite the file");
  format->callback([args, in_place, &exit_code] { exit_code = RunFormat(*args, *in_place); });
  CLI::App* explain = common(craft->add_subcommand(
      "explain", "Print a program after each pass: roles of buffers, instructions, memory"));
  explain->callback([args, &exit_code] { exit_code = RunExplain(*args); });
  AddCraftRun(craft, exit_code);
  AddCraftProve(craft, exit_code);
  AddCraftFuzz(craft, exit_code);
  craft->footer(
      "Examples: akgen craft check examples/craft/softmax.py\n"
      "          akgen craft lower examples/craft/softmax.py -o /tmp/softmax\n"
      "Exit code: 0 done, 1 the program has errors, 2 usage error, 3 internal error.");
}

static const Command kCraftCommand{90, AddCraft};

}  // namespace akgen::cli
