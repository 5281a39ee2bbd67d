#include "serve/page_parts.h"

#include <fmt/core.h>

#include <map>
#include <set>

namespace akgen::serve {

namespace {
constexpr size_t kMaxShownBytes = 256u << 10;

// "op_kernel/add.cpp:45 [PIPE_V] block 0"
std::string PlaceText(const record::Place& place, bool with_block = false) {
  if (place.file.empty()) return "";
  std::string out = place.file + ":" + std::to_string(place.line);
  if (!place.pipe.empty()) out += " [" + place.pipe + "]";
  if (with_block && place.block >= 0) out += " block " + std::to_string(place.block);
  return out;
}

std::string EditText(const record::Edit& edit) {
  return fmt::format("<p class=\"where\">edit {}:{}: <code>{}</code></p>",
                     report::Escaped(edit.file), edit.line, report::Escaped(edit.text));
}

std::map<std::string, std::set<int>> LinesToSee(const Shown& shown) {
  std::map<std::string, std::set<int>> out;
  for (const auto& m : shown.findings) {
    out[m.finding.place.file].insert(m.finding.place.line);
    if (m.finding.other) out[m.finding.other->file].insert(m.finding.other->line);
  }
  for (const auto& d : shown.diagnostics) out[d.file].insert(d.line);
  return out;
}

std::string Numbered(const std::string& text, const std::set<int>& hits) {
  std::string out = "<pre tabindex=\"0\">";
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    ++number;
    out +=
        fmt::format("<span class=\"l{}\"><i>{}</i>{}</span>", hits.contains(number) ? " hit" : "",
                    number, report::Escaped(text.substr(at, end - at)));
    at = end + 1;
  }
  return out + "</pre>\n";
}
}  // namespace

report::Page PageOf(const std::string& title, const std::string& body, bool form) {
  const std::string nav = std::string("<a href=\"/\">Overview</a>") +
                          (form ? "<a href=\"/judge\">Judge a kernel</a>" : "");
  return report::PlainPage(title, body, "Modelled time is never measured time. docs/serve.md", nav);
}

std::string VerdictBadge(const Answer& a) {
  const std::string name = a.ending == Ending::kDone ? a.outcome : std::string(NameOf(a.ending));
  return fmt::format("<span class=\"v {}\">{}</span>", report::Escaped(name),
                     report::Escaped(name));
}

std::string FactRow(const std::string& name, const std::string& value) {
  return value.empty()
             ? ""
             : "<dt>" + report::Escaped(name) + "</dt><dd>" + report::Escaped(value) + "</dd>\n";
}

std::string FindingCard(const record::MergedFinding& merged) {
  const record::Finding& f = merged.finding;
  std::string out =
      fmt::format("<div class=\"finding-card{}\"><p><strong>{}</strong> {}</p>",
                  f.warning ? " warning" : "", report::Escaped(f.code), report::Escaped(f.message));
  if (const std::string at = PlaceText(f.place, true); !at.empty())
    out += "<p class=\"where\">at " + report::Escaped(at) + "</p>";
  if (const std::string other = f.other ? PlaceText(*f.other) : ""; !other.empty())
    out += "<p class=\"where\">other side " + report::Escaped(other) + "</p>";
  if (!f.fix.empty()) out += "<p>Fix: " + report::Escaped(f.fix) + "</p>";
  for (const auto& e : f.edits) out += EditText(e);
  std::string cases;
  for (const std::string& id : merged.cases) cases += (cases.empty() ? "" : ", ") + id;
  if (!cases.empty()) out += "<p class=\"sub\">cases " + report::Escaped(cases) + "</p>";
  return out + "</div>\n";
}

std::string SourceView(const Candidate& candidate, const Shown& shown) {
  std::map<std::string, std::string> files = candidate.files;
  if (files.empty() && !candidate.text.empty()) files["answer"] = candidate.text;
  const auto lines = LinesToSee(shown);
  std::string out;
  for (const auto& [path, text] : files) {
    const auto hits = lines.find(path);
    const bool open = hits != lines.end() || files.size() == 1;
    const std::string start = text.substr(0, kMaxShownBytes);
    out += fmt::format(
        "<details{}><summary>{}</summary>\n{}{}</details>\n", open ? " open" : "",
        report::Escaped(path),
        Numbered(start, hits == lines.end() ? std::set<int>() : hits->second),
        start.size() < text.size() ? "<p class=\"note\">The rest is not shown.</p>" : "");
  }
  return out;
}

}  // namespace akgen::serve
