#include "task/evaluate/operations.h"

#include <algorithm>

#include "task/evaluate/tables.h"

namespace akgen::task::evaluate {
namespace {
const Operation* Find(const OperationTable& table, const std::string& name) {
  const auto it = table.find(name);
  return it == table.end() ? nullptr : &it->second;
}
const Operation* FindOfTensors(const std::string& name) {
  for (const OperationTable* table :
       {&ElementOperations(), &ShapeOperations(), &MakeOperations(), &RowOperations(),
        &WindowOperations(), &ActivationOperations(), &PoolOperations()})
    if (const Operation* found = Find(*table, name)) return found;
  return nullptr;
}
}  // namespace

bool HasOperation(const std::string& name) {
  return FindOfTensors(name) || Find(NumberOperations(), name);
}

std::vector<Value> Apply(const std::string& name, const std::vector<Value>& args) {
  const Operation *of_tensors = FindOfTensors(name), *of_numbers = Find(NumberOperations(), name);
  const bool tensors =
      std::any_of(args.begin(), args.end(), [](const Value& v) { return v.IsTensor(); });
  const Operation* chosen = of_numbers && (!tensors || !of_tensors) ? of_numbers : of_tensors;
  if (!chosen) throw Unsupported("the operation " + name);
  try {
    return (*chosen)(args);
  } catch (const std::out_of_range&) {
    throw Unsupported("the arguments of " + name);
  }
}

int64_t WorkOf(const std::string& name, const std::vector<Value>& args,
               const std::vector<Value>& results) {
  int64_t work = 0, last = 1;
  const auto add = [&](const std::vector<Value>& values) {
    for (const Value& v : values) {
      if (v.IsTensor()) work += v.AsTensor()->numel();
      if (v.IsList()) work += static_cast<int64_t>(v.AsList().size());
    }
  };
  add(args), add(results);
  if (!args.empty() && args[0].IsTensor() && !args[0].AsTensor()->shape.empty())
    last = args[0].AsTensor()->shape.back();
  const bool product = name == "matmul" || name == "mm" || name == "bmm" || name == "linear";
  if (product && !results.empty() && results[0].IsTensor())
    work += results[0].AsTensor()->numel() * last / 8;
  // Of a convolution: each element of the result takes part in as many products as a filter has
  // elements.
  const bool convolution = name.find("conv") < 2 && args.size() > 6;
  if (convolution && args[1].IsTensor() && !args[1].AsTensor()->shape.empty() &&
      results[0].IsTensor()) {
    const TensorPtr& filters = args[1].AsTensor();
    work += results[0].AsTensor()->numel() *
            (filters->numel() / std::max<int64_t>(1, filters->shape[0])) / 2;
  }
  return work;
}

}  // namespace akgen::task::evaluate
