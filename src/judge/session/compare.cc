#include "judge/session/compare.h"

#include "task/compare.h"
#include "task/histogram.h"
#include "task/index.h"
#include "task/range_case.h"
#include "task/strict_case.h"

namespace akgen::judge {
using record::Verdict;

namespace {
// One output by the rule that was asked for.
base::Result<task::Comparison> CompareOne(SessionState& state, const CaseRun& run,
                                          const Packed& packed, size_t i, task::StrictCase& strict,
                                          task::RangeCase& range) {
  const task::CaseDesc& c = run.desc;
  const task::TensorSet& golden = *run.expected;
  const auto& o = packed.flat_outputs[i];
  std::span<const uint8_t> out{packed.outputs.data() + o.offset, o.desc.Bytes()};
  if (auto indices = task::CompareIndices(c, run.inputs, i, out, golden.Bytes(i))) return *indices;
  if (c.range) return range.Compare(i, o.desc, out, golden);
  if (state.options.precision == "upstream") {
    auto rule = task::RuleFor(state.task, c, o.desc.dtype);
    if (!rule.ok()) return rule.error();
    auto exact = task::Compare(*rule, o.desc, out, golden.tensors[i], golden.Bytes(i));
    if (exact.pass) return exact;
    // Upstream's own reference is computed in the case's dtype.
    auto own = state.reference.Peer(state.task, c, state.seed, run.inputs);
    if (!own.ok()) return exact;
    auto again = task::Compare(*rule, o.desc, out, golden.tensors[i], own->Bytes(i));
    return again.pass ? again : exact;
  }
  return strict.Compare(i, o.desc, out, golden);
}
}  // namespace

void CompareOutputs(SessionState& state, const CaseRun& run, const Packed& packed, CaseResult& r) {
  const task::CaseDesc& c = run.desc;
  const task::TensorSet& inputs = run.inputs;
  const auto start = Clock::now();
  r.verdict = Verdict::kPass;
  task::RangeCase range(state.reference, state.task, c, inputs);
  task::StrictCase strict(state.reference, state.task, c, inputs, [&] {
    return state.options.expected ? state.reference.Run(state.task, c, inputs, true)
                                  : state.reference.Peer(state.task, c, state.seed, inputs);
  });
  for (size_t i = 0; i < packed.flat_outputs.size(); ++i) {
    const auto& o = packed.flat_outputs[i];
    if (!o.compared) continue;
    auto compared = CompareOne(state, run, packed, i, strict, range);
    if (!compared.ok()) {
      r.verdict = Verdict::kInfraError;
      r.reason = compared.error().message;
      return;
    }
    const task::Comparison& cmp = *compared;
    record::OutputResult result{
        o.name,
        state.options.precision == "upstream" ? state.task.precision.rule : "strict",
        cmp.elements,
        cmp.mismatches,
        cmp.max_abs,
        cmp.max_rel,
        {},
        {},
        cmp.pass ? "" : cmp.wrong.Region(o.desc.shape),
        o.desc.shape,
        task::ErrorHistogram(o.desc, {packed.outputs.data() + o.offset, o.desc.Bytes()},
                             run.expected->Bytes(i))};
    for (const task::Mismatch& m : cmp.wrong.first())
      result.first.push_back({m.index, m.out, m.ref});
    for (const task::Mismatch& m : cmp.wrong.worst())
      result.worst.push_back({m.index, m.out, m.ref});
    const std::string region = result.region.empty() ? "" : "; wrong: " + result.region;
    r.outputs.push_back(std::move(result));
    if (!cmp.pass && r.verdict == Verdict::kPass) {
      // Whether the case's own precision excuses it, akgen-reference was asked, which is not there.
      r.verdict = state.reference.unreachable() ? Verdict::kInfraError : Verdict::kWrongAnswer;
      r.reason = "output '" + o.name + "': " + cmp.reason + region;
      if (state.reference.unreachable())
        r.reason +=
            "; only libtorch can tell whether that is excused: install the package akgen in place "
            "of akgen-judge";
    }
  }
  r.check_ms = MsSince(start);
}

}  // namespace akgen::judge
