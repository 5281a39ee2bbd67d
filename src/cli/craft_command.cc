#include <fmt/core.h>

#include <chrono>
#include <memory>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "craft/craft.h"

namespace akgen::cli {
namespace {
struct CraftArgs {
  std::string program, out, dump_after, json;
};

// The program, compiled, with its diagnostics said. Null: an exit code is in `rc`.
std::unique_ptr<craft::Compiled> Load(const CraftArgs& a, int& rc) {
  auto text = base::ReadFile(a.program);
  if (!text.ok()) {
    PrintError(text.error());
    rc = kUsage;
    return nullptr;
  }
  auto dump = [&](const craft::Pass& pass, const craft::LoweredKernel& k) {
    if (a.dump_after == pass.name || a.dump_after == "all") fmt::print("== after {}\n{}", pass.name, craft::Dump(k));
  };
  auto c = std::make_unique<craft::Compiled>(craft::Compile(*text, dump));
  if (!c->diagnostics.empty()) {
    if (a.json.empty()) fmt::print(stderr, "{}", c->diagnostics.Render(a.program, *text));
    rc = kNotPassed;
    if (!a.json.empty()) WriteJson({{"ok", false}, {"diagnostics", c->diagnostics.ToJson(a.program)}}, a.json);
    return nullptr;
  }
  rc = kOk;
  return c;
}

int RunCheck(const CraftArgs& a) {
  int rc = kOk;
  auto c = Load(a, rc);
  if (!c) return rc;
  if (!a.json.empty()) return WriteJson({{"ok", true}, {"diagnostics", base::Json::array()}}, a.json);
  fmt::print("{}: ok, {} column{} of dtypes, {} kernel{}\n", a.program, c->programs.size(), c->programs.size() == 1 ? "" : "s",
             c->programs[0].kernels.size(), c->programs[0].kernels.size() == 1 ? "" : "s");
  return kOk;
}

int RunLower(const CraftArgs& a) {
  int rc = kOk;
  auto start = std::chrono::steady_clock::now();
  auto c = Load(a, rc);
  if (!c) return rc;
  craft::Files files = craft::EmitProject(c->lowered);
  double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
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
}  // namespace

void AddCraft(CLI::App& app, int& exit_code) {
  CLI::App* craft = app.add_subcommand("craft", "Programs of the kernel language: check, lower to an operator project");
  craft->require_subcommand(1);
  auto args = std::make_shared<CraftArgs>();
  auto common = [args](CLI::App* c) {
    c->add_option("program", args->program, "File with @kernel and @host functions")->required();
    c->add_option("--json", args->json, "Write the result as JSON to this file (- for standard output)");
    return c;
  };
  CLI::App* check = common(craft->add_subcommand("check", "Name every mistake in a program"));
  check->callback([args, &exit_code] { exit_code = RunCheck(*args); });
  CLI::App* lower = common(craft->add_subcommand("lower", "Write the Ascend C project a program stands for"));
  lower->add_option("-o,--out", args->out, "Folder to write to (default: print)");
  lower->add_option("--dump-after", args->dump_after, "Print the program after this pass (or all)");
  lower->callback([args, &exit_code] { exit_code = RunLower(*args); });
  craft->footer("Examples: akgen craft check examples/craft/softmax.py\n"
                "          akgen craft lower examples/craft/softmax.py -o /tmp/softmax\n"
                "Exit code: 0 done, 1 the program has mistakes, 2 wrong use, 3 our fault.");
}

}  // namespace akgen::cli
