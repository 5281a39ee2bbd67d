#include "corpus/export/compare.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/markdown.h"
#include "record/verdict.h"

namespace akgen::corpus {
using record::Comparison;
using record::ComparisonCounts;

namespace {
constexpr const char* kMissing = "missing";  // the verdict of a sample without one

// What a column has for one task.
struct Entry {
  std::vector<const Outcome*> outcomes;
  int wanted = 0;

  uint64_t Missing() const {
    std::set<int> samples;
    for (const Outcome* o : outcomes) samples.insert(o->sample);
    return wanted > int(samples.size()) ? uint64_t(wanted) - samples.size() : 0;
  }
};

ComparisonCounts CountsOf(const Entry& entry) {
  ComparisonCounts c;
  std::map<int, int> first_pass;  // sample → turn
  std::set<int> samples;
  for (const Outcome* o : entry.outcomes) {
    samples.insert(o->sample);
    ++c.answers;
    const bool pass = o->verdict == "pass";
    if (o->turn == 0) {
      c.built_first += record::Builds(o->verdict);
      c.passed_first += pass;
    }
    if (!pass) continue;
    auto [it, fresh] = first_pass.try_emplace(o->sample, o->turn);
    it->second = std::min(it->second, o->turn);
    if (o->modelled_us > 0 && (c.modelled_us == 0 || o->modelled_us < c.modelled_us))
      c.modelled_us = o->modelled_us;
  }
  c.missing = entry.Missing();
  c.samples = samples.size() + c.missing;
  c.passed = first_pass.size();
  for (const auto& [sample, turn] : first_pass) c.turns += static_cast<uint64_t>(turn) + 1;
  return c;
}

void AddFirstVerdicts(const Entry& entry, std::map<std::string, uint64_t>& counts) {
  for (const Outcome* o : entry.outcomes)
    if (o->turn == 0) ++counts[o->verdict];
  if (const uint64_t missing = entry.Missing()) counts[kMissing] += missing;
}

// "finding AK1201": the verdict, and the code that its reason names.
std::string CauseOf(const Outcome& o) {
  const size_t at = o.reason.find("AK");
  const auto digit = [&](size_t i) {
    return i < o.reason.size() && o.reason[i] >= '0' && o.reason[i] <= '9';
  };
  const bool code =
      at != std::string::npos && digit(at + 2) && digit(at + 3) && digit(at + 4) && digit(at + 5);
  return o.verdict + (code ? " " + o.reason.substr(at, 6) : "");
}

// Of samples that never pass, by their last answer.
void AddFailures(const Entry& entry, std::map<std::string, uint64_t>& counts) {
  std::map<int, const Outcome*> last;
  std::set<int> passed;
  for (const Outcome* o : entry.outcomes) {
    if (o->verdict == "pass") passed.insert(o->sample);
    const Outcome*& latest = last[o->sample];
    if (!latest || o->turn >= latest->turn) latest = o;
  }
  for (const auto& [sample, o] : last)
    if (!passed.contains(sample)) ++counts[CauseOf(*o)];
  if (const uint64_t missing = entry.Missing()) counts[kMissing] += missing;
}

std::string Cell(const Comparison::ByRun<ComparisonCounts>& counts, const std::string& run) {
  const auto at = counts.find(run);
  if (at == counts.end()) return "–";
  const ComparisonCounts& c = at->second;
  std::string out =
      fmt::format("{}/{}/{} of {}", c.built_first, c.passed_first, c.passed, c.samples);
  if (c.missing) out += fmt::format(", {} missing", c.missing);
  if (c.modelled_us > 0) out += fmt::format(", {:.1f} µs", c.modelled_us);
  return out;
}
}  // namespace

Comparison CompareGenerators(const std::vector<Column>& columns) {
  std::map<std::string, std::map<std::string, Entry>> by_task;
  Comparison out;
  for (const Column& c : columns) {
    out.runs.push_back(c.name);
    if (!c.transcripts.empty()) out.transcripts[c.name] = c.transcripts;
    for (const auto& [task, wanted] : c.wanted) by_task[task][c.name].wanted = wanted;
    for (const Outcome& o : c.outcomes) by_task[o.task][c.name].outcomes.push_back(&o);
  }
  for (const auto& [task, of] : by_task)
    for (const auto& [name, entry] : of) {
      const ComparisonCounts c = CountsOf(entry);
      out.tasks[task][name] = c;
      if (of.size() < columns.size()) continue;
      out.all[name].Add(c);
      AddFirstVerdicts(entry, out.first_verdicts[name]);
      AddFailures(entry, out.failures[name]);
    }
  return out;
}

std::string CompareMarkdown(const Comparison& comparison) {
  std::string head = "| task |", line = "|---|", out;
  for (const std::string& run : comparison.runs)
    head += " " + base::MarkdownText(run) + " |", line += "---|";
  auto row = [&](const std::string& name, const Comparison::ByRun<ComparisonCounts>& counts) {
    out += "| " + name + " |";
    for (const std::string& run : comparison.runs) out += " " + Cell(counts, run) + " |";
    out += "\n";
  };
  for (const auto& [task, counts] : comparison.tasks) row(base::MarkdownText(task), counts);
  row("**all that each one tried**", comparison.all);
  out += "\nVerdicts of first answers:\n\n";
  for (const std::string& run : comparison.runs) {
    std::string list;
    if (const auto verdicts = comparison.first_verdicts.find(run);
        verdicts != comparison.first_verdicts.end())
      for (const auto& [verdict, n] : verdicts->second)
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", n, base::MarkdownText(verdict));
    out += "- " + base::MarkdownText(run) + ": " + (list.empty() ? "–" : list) + "\n";
  }
  return "# Generators side by side\n\nFirst answers that build / that pass / samples that pass "
         "with repairs, of how "
         "many, and how many of those have no verdict; modelled time of the fastest that "
         "passes.\n\n" +
         head + "\n" + line + "\n" + out;
}

}  // namespace akgen::corpus
