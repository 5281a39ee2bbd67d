// `akgen tasks new`: a task folder out of an operator definition.
#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/project_run.h"
#include "judge/session/new_task.h"

namespace akgen::cli {
namespace {
namespace fs = std::filesystem;
struct NewArgs {
  std::string project, out;
  AroundOptions around;
};

int WriteNewTask(const NewArgs& a) {
  auto judge = judge::Judge::Start();
  if (!judge.ok()) {
    PrintError(judge.error());
    return kFault;
  }
  judge::Options o;
  a.around.Into(a.project, o);
  const judge::ExaminedProject examined = judge->Examine(a.project, o);
  auto files = judge::NewTask(examined);
  if (!files.ok()) {
    PrintError(files.error());
    return kUsage;
  }
  const fs::path folder = a.out.empty() ? examined.op.name : a.out;
  std::error_code ec;
  for (const auto& [name, text] : *files)
    if (fs::exists(folder / name, ec)) {
      PrintError({"AK0002", "there is a file already", (folder / name).string(),
                  "name another folder with --out"});
      return kUsage;
    }
  fs::create_directories(folder, ec);
  for (const auto& [name, text] : *files) {
    if (auto s = base::WriteFileAtomic(folder / name, text); !s.ok()) {
      PrintError(s.error());
      return kFault;
    }
    fmt::print("{}\n", (folder / name).string());
  }
  return kOk;
}
}  // namespace

void AddTasksNew(CLI::App& tasks, int& exit_code) {
  auto args = std::make_shared<NewArgs>();
  CLI::App* c =
      tasks.add_subcommand("new", "Write a task folder out of a project's operator definition");
  c->add_option("project", args->project, "Folder with op_host/ and op_kernel/")->required();
  c->add_option("--out", args->out, "Folder to write to; default: the operator's name");
  args->around.AddTo(*c);
  c->footer(
      "Example: akgen tasks new my_op --out tasks_of_mine/MyOp && akgen judge my_op --task "
      "tasks_of_mine/MyOp\n"
      "What it computes is for you to write, in task.toml and reference.py. Exit code: 0, 2 usage "
      "error.");
  c->callback([args, &exit_code] { exit_code = WriteNewTask(*args); });
}

}  // namespace akgen::cli
