// What a case's outputs are worth.
#include <chrono>

#include "judge/session/session.h"
#include "judge/session/unread.h"
#include "task/histogram.h"
#include "task/index.h"
#include "task/range_case.h"
#include "task/strict_case.h"

namespace akgen::judge {
using record::Verdict;

// One output by the rule that was asked for.
base::Result<task::Comparison> Session::CompareOne(
    const task::CaseDesc& c, const task::TensorSet& inputs, const Packed& packed,
    const task::TensorSet& golden, size_t i, task::StrictCase& strict, task::RangeCase& range) {
  const auto& o = packed.flat_outputs[i];
  std::span<const uint8_t> out{packed.outputs.data() + o.offset, o.desc.Bytes()};
  if (auto indices = task::CompareIndices(c, inputs, i, out, golden.Bytes(i))) return *indices;
  if (c.range) return range.Compare(i, o.desc, out, golden);
  if (options_.precision == "upstream") {
    auto rule = task::RuleFor(task_, c, o.desc.dtype);
    if (!rule.ok()) return rule.error();
    auto exact = task::Compare(*rule, o.desc, out, golden.tensors[i], golden.Bytes(i));
    if (exact.pass) return exact;
    // Upstream's own reference is computed in the case's dtype.
    auto own = reference_.Peer(task_, c, seed_, inputs);
    if (!own.ok()) return exact;
    auto again = task::Compare(*rule, o.desc, out, golden.tensors[i], own->Bytes(i));
    return again.pass ? again : exact;
  }
  return strict.Compare(i, o.desc, out, golden);
}

void Session::CompareOutputs(const task::CaseDesc& c, const task::TensorSet& inputs,
                             const Packed& packed, const task::TensorSet& golden, CaseResult& r) {
  const auto start = std::chrono::steady_clock::now();
  r.verdict = Verdict::kPass;
  task::RangeCase range(reference_, task_, c, inputs);
  task::StrictCase strict(reference_, task_, c, inputs, [&] {
    return options_.expected ? reference_.Run(task_, c, inputs, true)
                             : reference_.Peer(task_, c, seed_, inputs);
  });
  for (size_t i = 0; i < packed.flat_outputs.size(); ++i) {
    const auto& o = packed.flat_outputs[i];
    if (!o.compared) continue;
    auto compared = CompareOne(c, inputs, packed, golden, i, strict, range);
    if (!compared.ok()) {
      r.verdict = Verdict::kInfraError;
      r.reason = compared.error().message;
      return;
    }
    const task::Comparison& cmp = *compared;
    record::OutputResult result{
        o.name,
        options_.precision == "upstream" ? task_.precision.rule : "strict",
        cmp.elements,
        cmp.mismatches,
        cmp.max_abs,
        cmp.max_rel,
        {},
        {},
        cmp.pass ? "" : cmp.wrong.Region(o.desc.shape),
        o.desc.shape,
        task::ErrorHistogram(o.desc, {packed.outputs.data() + o.offset, o.desc.Bytes()},
                             golden.Bytes(i))};
    for (const task::Mismatch& m : cmp.wrong.first())
      result.first.push_back({m.index, m.out, m.ref});
    for (const task::Mismatch& m : cmp.wrong.worst())
      result.worst.push_back({m.index, m.out, m.ref});
    const std::string region = result.region.empty() ? "" : "; wrong: " + result.region;
    r.outputs.push_back(std::move(result));
    if (!cmp.pass && r.verdict == Verdict::kPass) {
      // Whether the case's own precision excuses it, akgen-reference was asked, which is not there.
      r.verdict = reference_.unreachable() ? Verdict::kInfraError : Verdict::kWrongAnswer;
      r.reason = "output '" + o.name + "': " + cmp.reason + region;
      if (reference_.unreachable())
        r.reason +=
            "; only libtorch can tell whether that is excused: install the package akgen in place "
            "of akgen-judge";
    }
  }
  r.check_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// An answer that is right without an input that it depends on is right by luck, or knows the case.
void Session::LookForUnread(const std::vector<const task::CaseRow*>& rows) {
  if (task_.reference.empty() || options_.expected || RanOut()) return;
  for (size_t input = 0; input < task_.inputs.size(); ++input)
    for (size_t i = 0; i < rows.size() && !read_.contains(input); ++i) {
      CaseResult& r = out_.cases[i];
      if (r.verdict != Verdict::kPass) continue;
      auto c = task::ResolveCase(task_, *rows[i]);
      auto finding = c.ok() ? Unread(reference_, task_, *c, seed_, input) : std::nullopt;
      if (!finding) continue;
      r.findings.push_back(*finding);
      r.verdict = Verdict::kFinding;
      r.reason = finding->code + ": " + finding->message;
      break;
    }
}

}  // namespace akgen::judge
