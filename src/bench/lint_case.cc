#include "bench/lint_case.h"

#include "task/compare.h"
#include "task/index.h"

namespace akgen::bench {
using task::CaseDesc;
using task::TaskSpec;
using task::TensorDesc;

base::Result<LintCase> MakeLintCase(const TaskSpec& task, const task::CaseRow& row, uint64_t seed,
                                    task::ReferenceClient& reference) {
  auto c = ResolveCase(task, row);
  if (!c.ok()) return c.error();
  auto inputs = GenerateInputs(task, *c, seed);
  if (!inputs.ok()) return inputs.error();
  auto golden = reference.Golden(task, *c, seed, *inputs);
  if (!golden.ok()) return golden.error();
  LintCase out;
  out.c = std::move(*c), out.seed = seed, out.inputs = std::move(*inputs),
  out.golden = std::move(*golden);
  for (const auto& p : out.c.outputs)
    out.compared.insert(out.compared.end(), p.tensors.size(), p.compared);
  return out;
}

bool Takes(const TaskSpec& task, LintCase& t, const Tensors& a, const std::string& precision,
           task::ReferenceClient& reference) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!t.compared[i]) continue;
    const TensorDesc& d = t.golden.tensors[i];
    if (auto indices = task::CompareIndices(t.c, t.inputs, i, a[i], t.golden.Bytes(i))) {
      if (!indices->pass) return false;
      continue;
    }
    if (t.c.range) {
      if (!t.on_range)
        t.on_range = std::make_unique<task::RangeCase>(reference, task, t.c, t.inputs);
      if (!t.on_range->Compare(i, d, a[i], t.golden).pass) return false;
      continue;
    }
    if (precision == "upstream") {
      auto rule = task::RuleFor(task, t.c, d.dtype);
      if (!rule.ok() || !task::Compare(*rule, d, a[i], d, t.golden.Bytes(i)).pass) return false;
      continue;
    }
    if (!t.strict)
      t.strict = std::make_unique<task::StrictCase>(reference, task, t.c, t.inputs, [&] {
        return reference.Peer(task, t.c, t.seed, t.inputs);
      });
    if (!t.strict->Compare(i, d, a[i], t.golden).pass) return false;
  }
  return true;
}

}  // namespace akgen::bench
