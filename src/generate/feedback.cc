// What the judge says, for a model to read.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "generate/judge_pool.h"
#include "generate/prompt.h"
#include "judge/time/profile.h"
#include "judge/time/timing.h"

namespace akgen::generate {
using base::Json;
using record::Verdict;

namespace {
constexpr size_t kMaxDiagnostics = 8, kMaxFindings = 4, kMaxNumbers = 4, kMaxText = 6000;

std::string FindingText(const record::Finding& f) {
  std::string out = fmt::format("- {}: {}", f.code, f.message);
  if (!f.place.file.empty())
    out += fmt::format(" ({}:{}{}{})", f.place.file, f.place.line, f.place.what.empty() ? "" : ", ",
                       f.place.what);
  if (f.other && !f.other->file.empty())
    out += fmt::format("; the other side is {}:{} {}", f.other->file, f.other->line, f.other->what);
  if (f.count > 1) out += fmt::format(", {} times", f.count);
  if (!f.fix.empty()) out += ". " + f.fix;
  return out + "\n";
}

std::string FindingTexts(const std::vector<record::Finding>& findings) {
  std::string out;
  for (size_t i = 0; i < std::min(kMaxFindings, findings.size()); ++i)
    out += FindingText(findings[i]);
  return out;
}

std::string OfHidden(const judge::Judgement& j, size_t shown) {
  std::string out = fmt::format(
      "The verdict is {}. The {} cases above pass; cases with other shapes and values, which are "
      "not shown, "
      "do not.\n",
      record::NameOf(j.verdict), shown);
  for (const judge::CaseResult& c : j.cases)
    if (!c.skipped && c.verdict != Verdict::kPass) return out + FindingTexts(c.findings);
  return out;
}

std::string Diagnostics(const std::vector<record::BuildDiagnostic>& diagnostics) {
  std::string out;
  size_t shown = 0;
  for (const record::BuildDiagnostic& d : diagnostics) {
    if (d.severity == "warning" || shown == kMaxDiagnostics) continue;
    ++shown;
    out += fmt::format("- {}:{}: {}\n", d.file, d.line, d.message);
  }
  return out;
}

std::string Numbers(const std::vector<record::OutputResult>& outputs) {
  std::string out;
  for (const record::OutputResult& o : outputs) {
    if (o.mismatches == 0) continue;
    out += fmt::format("- output `{}`: {} of {} elements differ", o.name, o.mismatches, o.elements);
    size_t shown = 0;
    for (const record::ElementDifference& d : o.first)
      if (shown++ < kMaxNumbers)
        out += fmt::format("{} element {} is {}, expected {}", shown == 1 ? ":" : ";", d.index,
                           base::Dump(Json(d.out)), base::Dump(Json(d.ref)));
    out += "\n";
  }
  return out;
}
}  // namespace

std::string Feedback(const Trialed& tried, const std::vector<task::CaseRow>& cases) {
  if (tried.verdict() == Verdict::kPass) return "";
  if (tried.hidden) return OfHidden(*tried.hidden, tried.shown.cases.size());
  const judge::Judgement& j = tried.shown;
  const bool values = j.verdict == Verdict::kWrongAnswer;
  std::string out = fmt::format("The verdict is {}{}\n", record::NameOf(j.verdict),
                                values ? "." : ": " + j.reason);
  if (j.verdict == Verdict::kBuildError || j.verdict == Verdict::kRejected)
    out += Diagnostics(j.diagnostics);
  auto failed = std::find_if(j.cases.begin(), j.cases.end(), [](const auto& c) {
    return !c.skipped && c.verdict != Verdict::kPass;
  });
  if (failed != j.cases.end()) {
    size_t right = size_t(std::count_if(j.cases.begin(), j.cases.end(),
                                        [](const auto& c) { return c.verdict == Verdict::kPass; }));
    out += fmt::format("{} of {} cases pass. Case {}", right, j.cases.size(), failed->id);
    for (const auto& row : cases)
      if (row.id == failed->id) out += " " + base::Dump(row.columns);
    const judge::CaseResult* shown = !values ? &*failed
                                     : tried.again && !tried.again->cases.empty()
                                         ? &tried.again->cases[0]
                                         : nullptr;
    out += fmt::format(" gives {}{}\n", record::NameOf(failed->verdict),
                       shown && !shown->reason.empty() ? ": " + shown->reason : "");
    out += FindingTexts(failed->findings);
    if (shown) out += Numbers(shown->outputs);
  }
  if (out.size() > kMaxText) out.resize(kMaxText), out += "\n…\n";
  return out;
}

std::string Advice(const judge::Judgement& j, const chip::Chip& chip) {
  const judge::CaseResult* slowest = nullptr;
  std::optional<record::LaunchTime> most;
  double sum = 0;
  for (const auto& c : j.cases) {
    auto time = c.skipped ? std::nullopt : record::LaunchTimeFromJson(c.modelled);
    if (!time) continue;
    sum += time->us;
    if (!most || time->us > most->us) slowest = &c, most = std::move(time);
  }
  if (!most) return "";
  judge::Profile p = judge::ProfileOf(*most, chip);
  std::string out = fmt::format(
      "Every case passes. The modelled time is {:.2f} us over all cases. The slowest is case {} "
      "with {:.2f} us: {}. "
      "{}\n",
      sum, slowest->id, p.us, p.bottleneck, p.why);
  for (size_t i = 0; i < std::min(kMaxFindings, p.advice.size()); ++i) {
    const judge::Advice& a = p.advice[i];
    out += "- " + a.text + (a.file.empty() ? "" : fmt::format(" ({}:{})", a.file, a.line)) +
           fmt::format(": {:.2f} us\n", a.us);
  }
  return out;
}

}  // namespace akgen::generate
