#include "judge/session/unread.h"

#include <algorithm>

#include "base/seed.h"
#include "judge/host/requests.h"

namespace akgen::judge {
using base::Json;

std::set<size_t> InputsRead(const task::TaskSpec& task, const OperatorDefinition& op,
                            const task::CaseDesc& c, const Packed& packed,
                            const std::vector<size_t>& unread) {
  auto was_read = [&](size_t region) {
    return packed.regions[region].role != sim::Role::kInput ||
           std::find(unread.begin(), unread.end(), region) == unread.end();
  };
  std::set<size_t> out;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const sim::RunArgument& a = packed.args[i];
    if (a.kind == sim::RunArgument::kNull || ShownToTheHost(task, op, i) ||
        std::any_of(a.regions.begin(), a.regions.end(), was_read))
      out.insert(i);
  }
  return out;
}

namespace {
// The outputs when the input's values are those of `from`, and the other inputs as they are.
// Nothing where the reference does not take them.
std::optional<task::TensorSet> OutputsWith(task::ReferenceClient& reference,
                                           const task::TaskSpec& task, const task::CaseDesc& c,
                                           uint64_t seed, size_t input,
                                           const task::TensorSet& from) {
  auto inputs = task::GenerateInputs(task, c, seed);
  if (!inputs.ok()) return std::nullopt;
  size_t flat = 0;
  for (size_t i = 0; i < input; ++i) flat += c.inputs[i].tensors.size();
  for (size_t t = flat; t < flat + c.inputs[input].tensors.size(); ++t)
    std::ranges::copy(from.Bytes(t), inputs->Bytes(t).begin());
  auto outputs = reference.Run(task, c, *inputs);
  if (!outputs.ok()) return std::nullopt;
  return std::move(*outputs);
}

bool Same(const task::TensorSet& a, const task::TensorSet& b) {
  for (size_t i = 0; i < a.tensors.size(); ++i)
    if (!std::ranges::equal(a.Bytes(i), b.Bytes(i))) return false;
  return true;
}

// Whether some output is another when the input's values are: drawn again as the task says, and, as
// those may be too small to be seen, around one.
bool Depends(task::ReferenceClient& reference, const task::TaskSpec& task, const task::CaseDesc& c,
             uint64_t seed, size_t input) {
  auto inputs = task::GenerateInputs(task, c, seed);
  if (!inputs.ok()) return false;
  const auto before = OutputsWith(reference, task, c, seed, input, *inputs);
  if (!before) return false;
  task::TaskSpec around_one = task;
  around_one.inputs[input].dist = {{"kind", "uniform"}, {"low", 0.5}, {"high", 2.0}};
  for (const task::TaskSpec* draw : {&task, static_cast<const task::TaskSpec*>(&around_one)}) {
    auto others = task::GenerateInputs(*draw, c, base::DerivedSeed(seed, 1));
    auto after = others.ok() ? OutputsWith(reference, task, c, seed, input, *others) : std::nullopt;
    if (after && !Same(*before, *after)) return true;
    const auto& tensors = c.inputs[input].tensors;
    if (tensors.empty() || !base::IsFloating(tensors[0].dtype)) break;
  }
  return false;
}
}  // namespace

std::optional<record::Finding> Unread(task::ReferenceClient& reference, const task::TaskSpec& task,
                                      const task::CaseDesc& c, uint64_t seed, size_t input) {
  if (!Depends(reference, task, c, seed, input)) return std::nullopt;
  record::Finding f;
  f.code = "AK0609";
  f.message = "no case read '" + c.inputs[input].name + "', and the results depend on it";
  f.fix = "read it: other values of it give other results";
  f.memory = "GM:" + c.inputs[input].name;
  return f;
}

}  // namespace akgen::judge
