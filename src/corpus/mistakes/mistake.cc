#include "corpus/mistakes/mistake.h"

#include <fmt/format.h>

#include <algorithm>

namespace akgen::corpus {
using base::Json;

namespace {
constexpr size_t kMaxFindings = 4;

std::string LineOf(const std::string& text, int line) {
  size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos || line < 1) return "";
  std::string out = text.substr(at, text.find('\n', at) - at);
  return out.substr(std::min(out.size(), out.find_first_not_of(' ')));
}

const record::Finding* FirstFinding(const Mistake& m) {
  for (const auto& f : m.findings)
    if (!f.warning && !f.undecided) return &f;
  return nullptr;
}

std::string Trimmed(const std::string& s) {
  size_t from = s.find_first_not_of(" \n"), to = s.find_last_not_of(" \n");
  return from == std::string::npos ? "" : s.substr(from, to + 1 - from);
}

std::string Reported(const Mistake& m, const record::Finding& f) {
  std::string out =
      fmt::format("{} reports {}: {}.", m.verdict == "refused" ? "The compiler" : "The chip",
                  f.code, f.message);
  if (f.place.line > 0)
    out += fmt::format(" It points at line {}: `{}`.", f.place.line, LineOf(m.text, f.place.line));
  if (f.other && f.other->line > 0)
    out += fmt::format(" The other side is line {}: `{}`.", f.other->line,
                       LineOf(m.text, f.other->line));
  if (!f.memory.empty())
    out += fmt::format(" The memory is {}{}.", f.memory, f.buffer.empty() ? "" : ", " + f.buffer);
  if (!f.fix.empty()) out += " The fix for such a fault: " + f.fix + ".";
  return out;
}

std::string CauseOf(const Mistake& m) {
  const std::string before = Trimmed(m.label.original), after = Trimmed(m.label.mutated);
  std::string out = fmt::format("The cause is in line {}. ", m.label.line);
  if (after.empty() || after == "(void)0;")
    out += "A statement is missing there: `" + before + "`.";
  else if (before.empty())
    out += "`" + after + "` must not be there.";
  else
    out += fmt::format("It says `{}`, and must say `{}`.", after, before);
  return out;
}
}  // namespace

std::string ClassOf(const Mistake& m) {
  if (const record::Finding* f = FirstFinding(m)) return f->code;
  return m.verdict == "wrong_answer" || m.verdict == "build_error" ? m.verdict : "";
}

std::string DiagnosisOf(const Mistake& m) {
  std::string out;
  if (const record::Finding* f = FirstFinding(m))
    out = Reported(m, *f);
  else if (m.verdict == "build_error")
    out = "The kernel does not build: " + m.reason + ".";
  else
    out = "No check has anything to say, but the output is wrong: " + m.reason + ".";
  if (!m.label.why.empty()) out += "\n" + m.label.why;
  return out + "\n" + CauseOf(m) + "\n";
}

Json FailureOf(const Mistake& m, const std::string& file) {
  Json findings = Json::array();
  for (record::Finding f : m.findings) {
    if (findings.size() == kMaxFindings) break;
    f.place.file = file;  // the build gave every mutant a file of its own
    if (f.other) f.other->file = file;
    findings.push_back(record::ToJson(f));
  }
  return {{"verdict", m.verdict}, {"reason", m.reason}, {"findings", findings}};
}

}  // namespace akgen::corpus
