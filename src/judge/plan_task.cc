#include "judge/plan_task.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "task/range.h"

namespace akgen::judge {
namespace {
using base::Result;

constexpr int64_t kSmall =
    4096;  // elements: inputs up to this many may decide what the reference does

std::string InputId(size_t i) { return "x" + std::to_string(i); }
std::string AttrId(size_t i) { return "a" + std::to_string(i); }

// Memory for all inputs with the values of the small ones; the pages of the others are never
// touched.
Result<task::TensorSet> SmallInputs(const task::TaskSpec& task, const task::CaseDesc& c) {
  task::TensorSet all;
  all.tensors = task::Flatten(c.inputs);
  all.layout = task::LayoutOf(all.tensors);
  auto memory = base::SharedMemory::Create("akgen-plan", all.layout.bytes);
  if (!memory.ok()) return memory.error();
  all.memory = std::move(*memory);
  task::TaskSpec small_task = task;
  task::CaseDesc small = c;
  small_task.inputs.clear();
  small.inputs.clear();
  std::vector<size_t> flat;
  size_t at = 0;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    bool fits = std::all_of(c.inputs[i].tensors.begin(), c.inputs[i].tensors.end(),
                            [](const auto& t) { return t.Numel() <= kSmall; });
    bool copies = task.inputs[i].dist.is_object() && task.inputs[i].dist.contains("copy_of");
    if (fits && !copies) {
      small_task.inputs.push_back(task.inputs[i]);
      small.inputs.push_back(c.inputs[i]);
      for (size_t t = 0; t < c.inputs[i].tensors.size(); ++t) flat.push_back(at + t);
    }
    at += c.inputs[i].tensors.size();
  }
  std::vector<std::span<uint8_t>> spans;
  for (size_t f : flat) spans.push_back(all.Bytes(f));
  if (auto st = task::GenerateInputs(small_task, small, 1, spans); !st.ok()) return st.error();
  return all;
}

struct Column {
  std::vector<base::Dtype> inputs, outputs;
  bool operator<(const Column& o) const {
    return std::tie(inputs, outputs) < std::tie(o.inputs, o.outputs);
  }
};

// Whole words only.
std::string Rename(const std::string& text, const std::map<std::string, std::string>& names) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (!base::IsWord(text[i])) {
      out += text[i++];
      continue;
    }
    size_t n = i;
    while (n < text.size() && base::IsWord(text[n])) ++n;
    std::string w = text.substr(i, n - i);
    auto it = names.find(w);
    out += it == names.end() ? w : it->second;
    i = n;
  }
  return out;
}
}  // namespace

Result<craft::PlanCase> GraphOfCase(task::ReferenceClient& reference, const task::TaskSpec& task,
                                    task::CaseDesc c) {
  auto inputs = SmallInputs(task, c);
  if (!inputs.ok()) return inputs.error();
  craft::PlanCase out;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    c.inputs[i].name = InputId(i);
    if (!c.inputs[i].tensors.empty()) out.shapes[InputId(i)] = c.inputs[i].tensors[0].shape;
  }
  for (size_t i = 0; i < c.attrs.size(); ++i) {
    out.attrs[AttrId(i)] = c.attrs[i].value;
    c.attrs[i].name = AttrId(i);
  }
  for (const auto& o : c.outputs)
    out.outputs.push_back(o.tensors.empty() ? std::vector<int64_t>{} : o.tensors[0].shape);
  auto graph = reference.Graph(task, c, *inputs);
  if (!graph.ok()) return graph.error();
  out.graph = std::move(*graph);
  return out;
}

Result<craft::PlanTask> GraphsOfTask(task::ReferenceClient& reference, const task::TaskSpec& task) {
  craft::PlanTask plan;
  std::set<Column> columns;
  std::vector<Column> column_of;
  std::vector<task::CaseDesc> cases;
  for (const auto& row : task.cases) {
    auto c = task::ResolveCase(task, row);
    if (!c.ok()) return c.error();
    // One tensor stands for a list: its length is the program's business only.
    // Where they become a single tensor, it takes two.
    bool lists = std::all_of(c->outputs.begin(), c->outputs.end(),
                             [](const auto& o) { return o.kind == task::ParamKind::kList; });
    bool any_list = std::any_of(c->inputs.begin(), c->inputs.end(),
                                [](const auto& p) { return p.kind == task::ParamKind::kList; });
    plan.folds = any_list && !lists;
    for (auto* params : {&c->inputs, &c->outputs})
      for (auto& p : *params)
        if (p.kind == task::ParamKind::kList) {
          p.tensors.resize(std::min<size_t>(1, p.tensors.size()));
          if (!lists && !p.tensors.empty())
            p.tensors.push_back(p.tensors[0]);  // two turns show how they are joined
        }
    Column column;
    for (const auto& p : c->inputs)
      column.inputs.push_back(p.tensors.empty() ? base::Dtype::kFloat32 : p.tensors[0].dtype);
    for (const auto& p : c->outputs)
      column.outputs.push_back(p.tensors.empty() ? base::Dtype::kFloat32 : p.tensors[0].dtype);
    columns.insert(column);
    column_of.push_back(column);
    auto k = GraphOfCase(reference, task, *c);
    if (!k.ok()) return k.error();
    plan.cases.push_back(std::move(*k));
    cases.push_back(std::move(*c));
  }
  for (size_t i = 0; i < plan.cases.size(); ++i)
    plan.cases[i].column =
        static_cast<size_t>(std::distance(columns.begin(), columns.find(column_of[i])));
  if (cases.empty()) return base::Error{"AK1540", "no rule: a task without cases", task.name, ""};
  for (size_t i = 0; i < task.inputs.size(); ++i) {
    craft::PlanParam p{
        InputId(i), false, task.inputs[i].kind == task::ParamKind::kList, task.inputs[i].optional,
        "",         {}};
    for (const Column& c : columns) p.dtypes.push_back(c.inputs[i]);
    plan.params.push_back(p);
  }
  for (size_t i = 0; i < task.attrs.size(); ++i)
    plan.params.push_back({AttrId(i), true, false, false, task.attrs[i].type, {}});
  for (size_t i = 0; i < task.outputs.size(); ++i) {
    const auto& o = cases[0].outputs[i];
    craft::PlanOutput out{o.kind == task::ParamKind::kList,
                          {},
                          o.inplace_of >= 0 ? InputId(o.inplace_of) : "",
                          o.in_signature};
    for (const Column& c : columns) out.dtypes.push_back(c.outputs[i]);
    plan.outputs.push_back(out);
  }
  return plan;
}

std::string WithNames(const task::TaskSpec& task, const std::string& program) {
  std::map<std::string, std::string> names = {{"op", task.entry}};
  for (size_t i = 0; i < task.attrs.size(); ++i) names[AttrId(i)] = task.attrs[i].name;
  return Rename(program, names);
}

namespace {
// Cases in which an input of one element has the values of its small domain, one after the other:
// what the reference does may be another thing for each.
std::vector<task::CaseRow> ChoiceCases(const task::TaskSpec& task) {
  constexpr double kFew = 16;
  std::vector<task::CaseRow> out;
  for (const task::ParamSpec& p : task.inputs) {
    if (!p.domain.low.is_number() || !p.domain.high.is_number() ||
        p.shape != base::Json::array({1}))
      continue;
    const double low = p.domain.low, high = p.domain.high;
    if (high - low >= kFew || low != std::floor(low)) continue;
    for (double v = low; v <= high; ++v) {
      out.push_back(task.cases[out.size() % task.cases.size()]);
      out.back().draws[p.name] = {{"kind", "constant"}, {"value", v}};
    }
  }
  return out;
}
}  // namespace

Result<std::string, PlanFailure> PlanTask(task::ReferenceClient& reference,
                                          const task::TaskSpec& task, const craft::Target& target) {
  // Other values of attributes than the cases have may need other graphs.
  auto more = task::AttributeCases(task, reference);
  if (!more.ok()) return PlanFailure{more.error(), {}};
  for (task::CaseRow& row : ChoiceCases(task)) more->push_back(std::move(row));
  if (!more->empty()) {
    task::TaskSpec wider = task;
    wider.cases.insert(wider.cases.end(), more->begin(), more->end());
    if (auto plan = GraphsOfTask(reference, wider); plan.ok())
      if (auto program = craft::Plan(*plan, target); program.ok()) return WithNames(task, *program);
  }
  auto plan = GraphsOfTask(reference, task);
  if (!plan.ok()) return PlanFailure{plan.error(), {}};
  auto program = craft::Plan(*plan, target);
  if (!program.ok()) return PlanFailure{craft::ToError(program.error()), program.error()};
  return WithNames(task, *program);
}

}  // namespace akgen::judge
