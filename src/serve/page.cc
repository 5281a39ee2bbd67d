#include "serve/page.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "base/version.h"
#include "record/timeline.h"
#include "report/profile_page.h"
#include "report/timeline.h"
#include "serve/page_parts.h"

namespace akgen::serve {
namespace {
std::string Tile(const std::string& name, const std::string& value) {
  return "<div class=\"tile\"><dt>" + report::Escaped(name) + "</dt><dd>" + report::Escaped(value) +
         "</dd></div>\n";
}

std::string TimeText(std::chrono::system_clock::time_point when) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(when)));
}

std::string Ms(double ms) {
  return ms < 1000 ? fmt::format("{:.0f} ms", ms) : fmt::format("{:.1f} s", ms / 1000);
}

std::string HeadCells(std::initializer_list<const char*> names, size_t numbers) {
  std::string out = "<div class=\"scroll\"><table><thead><tr>";
  size_t i = 0;
  for (const char* name : names)
    out += fmt::format("<th scope=\"col\"{}>{}</th>",
                       ++i > names.size() - numbers ? " class=\"n\"" : "", name);
  return out + "</tr></thead><tbody>\n";
}

// No cell is empty.
std::string CellText(const std::string& text) { return text.empty() ? "–" : report::Escaped(text); }

std::string JobTable(const std::vector<JobState>& jobs) {
  std::string out = HeadCells({"Job", "Task", "State"}, 0);
  for (const JobState& s : jobs)
    out +=
        fmt::format("<tr><td><a href=\"/records/{0}\">{0}</a></td><td>{1}</td><td>{2}</td></tr>\n",
                    report::Escaped(s.id), report::Escaped(s.subject), report::Escaped(s.state));
  return out + "</tbody></table></div>\n";
}

std::string AnswerTable(const std::vector<Seen>& recent) {
  std::string out = HeadCells({"Ended", "Task", "Verdict", "Reason", "Judged in"}, 1);
  for (const Seen& s : recent) {
    const Answer& a = s.answer;
    const std::string why = a.error ? a.error->message : a.reason;
    out += fmt::format(
        "<tr><td><a href=\"/records/{}\">{}</a></td><td>{}</td><td>{}</td><td "
        "class=\"wrap\">{}</td><td "
        "class=\"n\">{}</td></tr>\n",
        report::Escaped(a.id), TimeText(s.when), report::Escaped(s.subject), VerdictBadge(a),
        CellText(why), a.cached ? "known" : Ms(a.judged_ms));
  }
  return out + "</tbody></table></div>\n";
}

std::string CaseTable(const Shown& shown) {
  std::string out = "<h2>Cases</h2>\n" +
                    HeadCells({"Case", "Verdict", "Reason", "Limited by", "Blocks", "Modelled"}, 2);
  for (const auto& c : shown.cases) {
    const auto time = c.Time();
    out += fmt::format(
        "<tr><td>{}</td><td><span class=\"v {}\">{}</span></td><td "
        "class=\"wrap\">{}</td><td>{}</td><td "
        "class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        report::Escaped(c.id), c.VerdictName(), c.VerdictName(),
        CellText(record::WithoutMessages(c.reason, shown.findings)),
        CellText(time ? time->bottleneck : ""), c.block_dim,
        CellText(time ? fmt::format("{:.2f} µs", time->own.us) : ""));
  }
  return out + "</tbody></table></div>\n";
}

std::string DiagnosticList(const std::vector<record::BuildDiagnostic>& diagnostics) {
  std::string out;
  for (const auto& d : diagnostics)
    out +=
        fmt::format("<div class=\"finding-card{}\"><p>{}</p><p class=\"where\">{}:{}</p></div>\n",
                    d.severity == "warning" ? " warning" : "", report::Escaped(d.message),
                    report::Escaped(d.file), d.line);
  return out.empty() ? "" : "<h2>Diagnostics of the build</h2>\n" + out;
}

// The case that takes longest, of those that `has` holds for; nullptr: none.
template <typename Has>
const record::CaseRecord* SlowestCase(const std::vector<record::CaseRecord>& cases,
                                      const Has& has) {
  const record::CaseRecord* slowest = nullptr;
  double most = -1;
  for (const auto& c : cases) {
    const auto time = c.Time();
    if (time && time->own.us > most && has(c)) most = time->own.us, slowest = &c;
  }
  return slowest;
}

std::string AdviceView(const std::vector<CaseProfile>& profiles, const std::string& slowest) {
  for (const auto& [id, p] : profiles) {
    if (id != slowest) continue;
    std::string out = fmt::format(
        "<h2>What limits it</h2>\n<p>Case {}, the slowest: <strong>{}</strong>, {}.</p>\n",
        report::Escaped(slowest), report::Escaped(p.bottleneck), report::Escaped(p.why));
    for (const auto& a : p.advice)
      out +=
          fmt::format("<p class=\"note\">{}{} ({:.2f} µs, {:.0f} % less)</p>\n",
                      a.file.empty() ? "" : fmt::format("{}:{}: ", report::Escaped(a.file), a.line),
                      report::Escaped(a.text), a.us, 100 * p.GainOf(a));
    return out;
  }
  return "";
}

std::string TimelineView(const std::vector<record::CaseRecord>& cases, record::Timeline& timeline) {
  const auto* c = SlowestCase(cases, [&](const record::CaseRecord& one) {
    auto of_case = record::TimelineFromJson(one.modelled);
    if (of_case.spans.empty()) return false;
    timeline = std::move(of_case);
    return true;
  });
  if (!c) return "";
  return fmt::format(
      "<h2>Timeline of case {}</h2>\n<p class=\"note\">The slowest case, first core, modelled; "
      "launch left "
      "out.</p>\n<div class=\"scroll timeline\" id=\"timeline\">{}</div>\n",
      report::Escaped(c->id), report::TimelineSvg(timeline));
}

const Candidate* CandidateOf(const Work& work) {
  if (const auto* judge = std::get_if<JudgeWork>(&work)) return &judge->candidate;
  const auto* examine = std::get_if<ExamineWork>(&work);
  return examine ? &examine->of.candidate : nullptr;
}
}  // namespace

std::string OverviewPage(const PageState& s) {
  std::string body = "<dl class=\"tiles\">" + Tile("waiting", std::to_string(s.waiting)) +
                     Tile("being judged", std::to_string(s.judging)) +
                     Tile("judges", std::to_string(s.judges)) + Tile("version", base::kVersion) +
                     "</dl>\n<h2>Queue</h2>\n";
  body += s.under_way.empty() ? "<p class=\"note\">Nothing of yours is under way.</p>\n"
                              : JobTable(s.under_way);
  body += "<h2>Recent verdicts</h2>\n";
  body += s.recent.empty() ? "<p class=\"note\">None yet: POST /v1/judge asks for one.</p>\n"
                           : AnswerTable(s.recent);
  return report::Render(PageOf("akgen serves on " + s.host, body, s.form));
}

std::string AnswerPage(const Seen& seen) {
  const Answer& a = seen.answer;
  const Shown shown = ShownOf(a.record);
  std::string body = "<p class=\"end\">" + VerdictBadge(a) + "</p>\n<p>" +
                     report::Escaped(a.error ? a.error->ToString() : a.reason) +
                     "</p>\n<dl class=\"facts\">";
  const auto reward = a.Reward();
  body += FactRow("ended", TimeText(seen.when)) +
          FactRow("reward", reward ? fmt::format("{:g}", *reward) : "none") +
          FactRow("judged in", a.cached ? "known already" : Ms(a.judged_ms)) +
          FactRow("waited", Ms(a.queued_ms)) + FactRow("client", seen.client) +
          FactRow("chip", shown.chip) +
          FactRow("seed of inputs", shown.seed ? std::to_string(*shown.seed) : "") +
          FactRow("job", a.id) + "</dl>\n";
  if (!shown.findings.empty()) body += "<h2>Findings</h2>\n";
  for (const auto& f : shown.findings) body += FindingCard(f);
  body += DiagnosticList(shown.diagnostics);
  if (!shown.cases.empty()) body += CaseTable(shown);
  if (const auto* slowest = SlowestCase(shown.cases, [](const auto&) { return true; }))
    body += AdviceView(ProfilesOf(shown), slowest->id);
  record::Timeline timeline;
  body += TimelineView(shown.cases, timeline);
  Candidate candidate;
  if (const Candidate* given = CandidateOf(seen.work))
    candidate = *given;
  else if (const auto* kernel = std::get_if<KernelWork>(&seen.work))
    candidate = {Form::kKernel, {{"kernel.cpp", kernel->source}}, ""};
  if (!candidate.files.empty() || !candidate.text.empty())
    body += "<h2>Source</h2>\n" + SourceView(candidate, shown);
  report::Page page = PageOf(seen.subject, body);
  if (!timeline.spans.empty()) report::AddTimeline(page, timeline, candidate.files);
  return report::Render(page);
}

std::string WaitingPage(const JobState& job) {
  return report::Render(PageOf(
      job.subject,
      fmt::format("<p class=\"end\">{}{}</p>\n<p class=\"note\">This page asks again every two "
                  "seconds.</p>\n",
                  report::Escaped(job.state),
                  job.state == "queued" ? fmt::format(", {} jobs ahead", job.ahead) : "")));
}

std::string FormPage(const std::vector<task::TaskInfo>& tasks, const PageForm& form) {
  std::string body;
  if (!form.error.empty())
    body += "<div class=\"finding-card\" role=\"alert\"><p>" + report::Escaped(form.error) +
            "</p></div>\n";
  body +=
      "<form method=\"post\" action=\"/judge\" class=\"ask\">\n<label "
      "for=\"task\">Task</label><select id=\"task\" "
      "name=\"task\" required>\n";
  for (const auto& t : tasks)
    body += fmt::format("<option value=\"{0}\"{1}>{0} (level {2}, {3})</option>\n",
                        report::Escaped(t.name), t.name == form.task ? " selected" : "", t.level,
                        report::Escaped(t.category));
  body += "</select>\n<label for=\"form\">What it is</label><select id=\"form\" name=\"form\">\n";
  constexpr const char* kForms[][2] = {{"", "whatever it looks like"},
                                       {"project", "Ascend C: host side and kernel"},
                                       {"kernel", "Ascend C: the kernel alone"},
                                       {"program", "a program of the kernel language"}};
  for (const auto& [value, text] : kForms)
    body += fmt::format("<option value=\"{}\"{}>{}</option>\n", value,
                        form.form == value ? " selected" : "", text);
  body +=
      "</select>\n<label for=\"text\">Kernel, or an answer with code in fences</label><textarea "
      "id=\"text\" "
      "name=\"text\" rows=\"24\" required spellcheck=\"false\">\n" +
      report::Escaped(form.text) +
      "</textarea>\n<label class=\"check\"><input type=\"checkbox\" name=\"timeline\" "
      "value=\"yes\" checked> time and "
      "timeline</label>\n<button type=\"submit\">Judge</button>\n</form>\n";
  return report::Render(PageOf("Judge a kernel", body, true));
}

std::string NoticePage(const std::string& title, const std::string& text) {
  return report::Render(PageOf(title, "<p>" + report::Escaped(text) + "</p>\n"));
}

}  // namespace akgen::serve
