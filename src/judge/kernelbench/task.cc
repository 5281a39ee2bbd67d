#include "judge/kernelbench/task.h"

#include <cstdlib>

#include "base/files.h"
#include "base/process.h"
#include "judge/run/lone.h"

namespace akgen::judge::kernelbench {
namespace fs = std::filesystem;
using base::Json;
namespace {
TensorFile TensorFileFromJson(const Json& j, const fs::path& folder) {
  TensorFile t;
  t.name = j.value("name", "");
  t.dtype = DtypeOfName(j.at("dtype")).value();
  t.shape = j.at("shape").get<std::vector<int64_t>>();
  t.file = folder / j.at("file").get<std::string>();
  return t;
}

Task TaskFromJson(const Json& j, const fs::path& folder) {
  Task t;
  t.refused = j.at("refused"), t.rules = j.at("rules").get<std::vector<std::string>>();
  t.python = j.at("python"), t.folders = j.at("folders").get<std::vector<std::string>>();
  if (!t.refused.empty() || !t.rules.empty()) return t;
  t.init = j.at("init"), t.inputs = j.at("inputs"), t.cap = j.at("cap");
  for (const Json& p : j.at("parameters")) t.parameters.push_back(TensorFileFromJson(p, folder));
  for (const Json& said : j.at("trials")) {
    Trial& trial = t.trials.emplace_back();
    trial.name = said.at("name");
    for (const Json& i : said.at("inputs"))
      trial.inputs.push_back(i.contains("file") ? std::optional(TensorFileFromJson(i, folder))
                                                : std::nullopt);
    for (const Json& o : said.at("outputs")) trial.outputs.push_back(TensorFileFromJson(o, folder));
  }
  if (!j.at("tolerance").is_null()) t.tolerance = j.at("tolerance").get<double>();
  t.graph = record::GraphFromJson(j.at("graph"));
  return t;
}
}  // namespace

uint64_t ElementsOf(const std::vector<int64_t>& shape) {
  uint64_t n = 1;
  for (const int64_t d : shape) n *= uint64_t(d);
  return n;
}

base::Result<Task> PrepareTask(const TaskRequest& q) {
  const char* python = std::getenv("AKGEN_PYTHON");
  const char* path = std::getenv("PYTHONPATH");
  base::SpawnRequest spawn;
  spawn.argv = {python && *python ? python : "python3",
                "-B",
                "-m",
                "akgen.kernelbench.task",
                fs::absolute(q.file).string(),
                "--model",
                q.model.string(),
                "--out",
                q.out.string(),
                "--elements",
                std::to_string(q.elements),
                "--secret",
                std::to_string(q.secret)};
  spawn.settings = {"PYTHONPATH=" + (base::HomeDir() / "python").string() +
                        (path && *path ? ":" + std::string(path) : ""),
                    "OMP_NUM_THREADS=1"};
  spawn.fix = "install Python 3, or name it in $AKGEN_PYTHON";
  auto done = base::RunProgram(spawn, q.wall_ms);
  if (!done.ok()) return done.error();
  if (done->exit_code == 3)
    return base::Error{"AK1547", done->output, spawn.argv[0], "install PyTorch"};
  const fs::path file = q.out / "task.json";
  auto text = base::ReadFile(file);
  if (done->timed_out || !text.ok())
    return base::Error{"AK1546",
                       done->timed_out ? "its reference took longer than " +
                                             std::to_string(q.wall_ms / 1000) + " s"
                                       : "the task could not be read: " + done->output,
                       q.file.string(), "give a task file in the style of KernelBench"};
  return base::Checked(file.string(), [&]() -> base::Result<Task> {
    return TaskFromJson(base::Parse(*text), q.out);
  });
}

}  // namespace akgen::judge::kernelbench
