// Mistakes in a task's cases are found when it is loaded, before anything is built or judged.
#include "task/compare.h"
#include "task/fields.h"
#include "task/inputs.h"
#include "task/task.h"

namespace akgen::task {
namespace {
base::Status Resolves(const TaskSpec& task, const CaseRow& row) {
  auto c = ResolveCase(task, row);
  if (!c.ok()) return c.error();
  if (auto s = CheckInputs(task, *c); !s.ok()) return s;
  for (const ParamDesc& p : c->outputs)
    for (const TensorDesc& t : p.tensors)
      if (p.compared && !p.index && !p.is_shape)
        if (auto rule = RuleFor(task, *c, t.dtype); !rule.ok()) return rule.error();
  return {};
}
}  // namespace

base::Status CheckCase(const TaskSpec& task, const CaseRow& row) {
  const base::Status s = Resolves(task, row);
  if (s.ok()) return s;
  const base::Error& e = s.error();
  return base::Error{e.code, "task " + task.name + ", case " + row.id + ": " + e.message, e.where,
                     e.fix};
}

}  // namespace akgen::task
