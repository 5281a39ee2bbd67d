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
  out.c = std::move(*c), out.seed = seed, out.inputs = std::move(*inputs), out.golden = std::move(*golden);
  for (const auto& p : out.c.outputs) out.compared.insert(out.compared.end(), p.tensors.size(), p.compared);
  return out;
}

namespace {
bool TakesOnRange(const TaskSpec& task, LintCase& t, std::span<const uint8_t> out, size_t i,
                  task::ReferenceClient& reference) {
  auto once = [i](std::optional<task::TensorSet>& kept, auto make) -> task::RangeExcuses::Bytes {
    return [&kept, make, i]() -> std::optional<std::span<const uint8_t>> {
      if (!kept) {
        auto made = make();
        if (!made.ok()) return std::nullopt;
        kept = std::move(*made);
      }
      return kept->Bytes(i);
    };
  };
  auto run = [&](bool own_precision, double nudge, int pattern) {
    return [&, own_precision, nudge, pattern] {
      return reference.Run(task, t.c, t.inputs, own_precision, nudge, pattern);
    };
  };
  task::RangeExcuses excuses;
  excuses.peer = once(t.peer, run(true, 0, 0));
  excuses.nudged_less = once(t.nudged_less, run(false, task::kSmallNudge, 0));
  excuses.exact = once(t.exact, [&] { return reference.Exact(task, t.c, t.inputs); });
  for (int k = 0; k < task::kNudges; ++k)
    excuses.nudged.push_back(once(t.nudged[size_t(k)], run(false, task::kNudge, k)));
  const TensorDesc& d = t.golden.tensors[i];
  return task::CompareRange(d, out, d, t.golden.Bytes(i), excuses).pass;
}
}  // namespace

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
      if (!TakesOnRange(task, t, a[i], i, reference)) return false;
      continue;
    }
    if (precision == "upstream") {
      auto rule = task::RuleFor(task, t.c, d.dtype);
      if (!rule.ok() || !task::Compare(*rule, d, a[i], d, t.golden.Bytes(i)).pass) return false;
      continue;
    }
    if (!t.strict)
      t.strict = std::make_unique<task::StrictCase>(reference, task, t.c, t.inputs,
                                                    [&] { return reference.Peer(task, t.c, t.seed, t.inputs); });
    if (!t.strict->Compare(i, d, a[i], t.golden).pass) return false;
  }
  return true;
}

}  // namespace akgen::bench
