#include "serve/page_parts.h"

#include <fmt/core.h>

#include <map>
#include <set>

#include "record/verdict.h"
#include "report/plain_page.h"
#include "serve/record_view.h"

namespace akgen::serve {
using base::Json;

namespace {
constexpr size_t kMostShownBytes = 256u << 10;

// "op_kernel/add.cpp:45 [PIPE_V] block 0"
std::string PlaceText(const Json& place, bool with_block = false) {
  if (!place.is_object() || place.value("file", "").empty()) return "";
  std::string out = place.value("file", "") + ":" + std::to_string(place.value("line", 0));
  if (const std::string pipe = place.value("pipe", ""); !pipe.empty()) out += " [" + pipe + "]";
  if (with_block && place.value("block", -1) >= 0) out += " block " + std::to_string(place.value("block", 0));
  return out;
}

std::string EditText(const Json& edit) {
  return fmt::format("<p class=\"where\">edit {}:{}: <code>{}</code></p>", report::Escaped(edit.value("file", "")),
                     edit.value("line", 0), report::Escaped(edit.value("text", "")));
}

std::map<std::string, std::set<int>> LinesToSee(const Json& record) {
  std::map<std::string, std::set<int>> out;
  auto note = [&](const Json& place) {
    if (place.is_object()) out[place.value("file", "")].insert(place.value("line", 0));
  };
  for (const Json& merged : MergedFindings(record)) {
    note(merged.value("place", Json()));
    note(merged.value("other", Json()));
  }
  const Json diagnostics = record.is_object() ? record.value("diagnostics", Json::array()) : Json::array();
  for (const Json& d : diagnostics) note(d);
  return out;
}

std::string Numbered(const std::string& text, const std::set<int>& hits) {
  std::string out = "<pre tabindex=\"0\">";
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    ++number;
    out += fmt::format("<span class=\"l{}\"><i>{}</i>{}</span>", hits.contains(number) ? " hit" : "", number,
                       report::Escaped(text.substr(at, end - at)));
    at = end + 1;
  }
  return out + "</pre>\n";
}
}  // namespace

std::string PageOf(const std::string& title, const std::string& body, bool form) {
  const std::string nav = std::string("<nav aria-label=\"Pages\" class=\"tools\"><a href=\"/\">akgen</a>") +
                          (form ? "<a href=\"/judge\">judge a kernel</a>" : "") + "</nav>\n";
  return report::PlainPage(title, nav + body, "Modelled time is never measured time. docs/serve.md");
}

std::string VerdictBadge(const Answer& a) {
  const std::string name = a.ending == Ending::kDone ? a.outcome : std::string(NameOf(a.ending));
  return fmt::format("<span class=\"v {}\">{}</span>", report::Escaped(name), report::Escaped(name));
}

std::string FactRow(const std::string& name, const std::string& value) {
  return value.empty() ? "" : "<dt>" + report::Escaped(name) + "</dt><dd>" + report::Escaped(value) + "</dd>\n";
}

std::string FindingCard(const Json& f) {
  std::string out = fmt::format("<div class=\"finding-card{}\"><p><strong>{}</strong> {}</p>",
                                f.value("warning", false) ? " warning" : "", report::Escaped(f.value("code", "")),
                                report::Escaped(f.value("message", "")));
  if (const std::string at = PlaceText(f.value("place", Json()), true); !at.empty())
    out += "<p class=\"where\">at " + report::Escaped(at) + "</p>";
  if (const std::string other = PlaceText(f.value("other", Json())); !other.empty())
    out += "<p class=\"where\">other side " + report::Escaped(other) + "</p>";
  if (const std::string fix = f.value("fix", ""); !fix.empty()) out += "<p>Fix: " + report::Escaped(fix) + "</p>";
  for (const Json& e : f.value("edits", Json::array())) out += EditText(e);
  std::string cases;
  for (const Json& id : f.at("cases")) cases += (cases.empty() ? "" : ", ") + id.get<std::string>();
  if (!cases.empty()) out += "<p class=\"sub\">cases " + report::Escaped(cases) + "</p>";
  return out + "</div>\n";
}

std::string SourceView(const Candidate& candidate, const Json& record) {
  std::map<std::string, std::string> files = candidate.files;
  if (files.empty() && !candidate.text.empty()) files["answer"] = candidate.text;
  const auto lines = LinesToSee(record);
  std::string out;
  for (const auto& [path, text] : files) {
    const auto hits = lines.find(path);
    const bool open = hits != lines.end() || files.size() == 1;
    const std::string shown = text.substr(0, kMostShownBytes);
    out += fmt::format("<details{}><summary>{}</summary>\n{}{}</details>\n", open ? " open" : "", report::Escaped(path),
                       Numbered(shown, hits == lines.end() ? std::set<int>() : hits->second),
                       shown.size() < text.size() ? "<p class=\"note\">The rest is not shown.</p>" : "");
  }
  return out;
}

}  // namespace akgen::serve
