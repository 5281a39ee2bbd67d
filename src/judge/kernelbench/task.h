// A task file of KernelBench, made ready by PyTorch (python/akgen/kernelbench/task.py): its inputs
// and expected outputs in every trial. The task file is its user's own, and run.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/json.h"
#include "base/status.h"
#include "record/graph.h"

namespace akgen::judge::kernelbench {

struct TensorFile {
  std::string name;
  base::Dtype dtype = base::Dtype::kFloat32;
  std::vector<int64_t> shape;
  std::filesystem::path file;  // raw bytes
};
uint64_t ElementsOf(const std::vector<int64_t>& shape);

struct Trial {
  std::string name;
  std::vector<std::optional<TensorFile>> inputs;  // nothing: an argument that is no tensor
  std::vector<TensorFile> outputs;
};

struct Task {
  std::string refused;  // why there is no task; "": there is one
  std::vector<std::string>
      rules;  // that model_new.py breaks, each a sentence; where there are any, nothing else is
  std::string python;                // the interpreter
  std::vector<std::string> folders;  // what it reads its modules from
  base::Json init, inputs;  // arguments of the model's constructor; shapes or values of forward's
  std::vector<TensorFile> parameters;
  std::vector<Trial> trials;
  std::optional<double> tolerance;  // the task's own
  int64_t cap = 0;                  // numbers of the file above this became this; 0: none
  record::Graph graph;              // inputs are x0, x1, …, parameters p0, p1, …
};

struct TaskRequest {
  std::filesystem::path file, model;  // model: model_new.py, whose rules are checked
  std::filesystem::path out;          // folder for the tensors
  int64_t elements = 0;  // at most so many in the largest tensor; 0: the file's own shapes
  uint64_t secret = 0;   // seed of the last trial
  int wall_ms = 600000;
};
// AK1547: no PyTorch; AK1546: it broke; AK0015: no Python.
base::Result<Task> PrepareTask(const TaskRequest& request);

}  // namespace akgen::judge::kernelbench
