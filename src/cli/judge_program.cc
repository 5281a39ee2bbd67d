#include "cli/judge_program.h"

#include <fmt/core.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/output.h"
#include "craft/craft.h"
#include "judge/plan_task.h"

namespace akgen::cli {
namespace fs = std::filesystem;

bool IsProgram(const std::string& path) {
  std::error_code ec;
  return fs::path(path).extension() == ".py" && fs::is_regular_file(path, ec);
}

std::string TaskBeside(const std::string& path) {
  const fs::path folder =
      (IsProgram(path) ? fs::path(path).parent_path() : fs::path(path)) / "task";
  std::error_code ec;
  return fs::exists(folder / "task.toml", ec) ? folder.string() : "";
}

std::optional<base::TempDir> LowerToJudge(const std::string& path, const task::TaskSpec& task,
                                          const std::string& chip, const std::string& json,
                                          int* rc) {
  auto text = base::ReadFile(path);
  auto target = craft::LoadTarget(chip);
  for (const base::Error* e :
       {text.ok() ? nullptr : &text.error(), target.ok() ? nullptr : &target.error()})
    if (e) {
      PrintError(*e);
      *rc = kUsage;
      return std::nullopt;
    }
  // The planner's names, which a model learns, are not those of a task.
  const std::string source =
      text->find("def op(") == std::string::npos ? *text : judge::WithNames(task, *text);
  const craft::Compiled compiled = craft::Compile(source, *target);
  if (!compiled.diagnostics.empty()) {
    if (json != "-") fmt::print(stderr, "{}", compiled.diagnostics.Render(path, source));
    *rc = kNotPassed;
    if (!json.empty())
      if (int failed =
              WriteJson({{"ok", false}, {"diagnostics", compiled.diagnostics.ToJson(path)}}, json))
        *rc = failed;
    return std::nullopt;
  }
  auto folder = base::TempDir::Create();
  base::Status written = folder.ok() ? base::Status() : base::Status(folder.error());
  for (const auto& [name, content] : craft::EmitProject(compiled.lowered)) {
    if (!written.ok()) break;
    std::error_code ec;
    fs::create_directories((folder->path() / name).parent_path(), ec);
    written = base::WriteFileAtomic(folder->path() / name, content);
  }
  if (written.ok()) return std::move(*folder);
  PrintError(written.error());
  *rc = kFault;
  return std::nullopt;
}

}  // namespace akgen::cli
