#include "corpus/export/compare.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "record/verdict.h"

namespace akgen::corpus {
using base::Json;

namespace {
struct Counts {
  uint64_t samples = 0, missing = 0, answers = 0, built_first = 0, passed_first = 0, passed = 0, turns = 0;
  double modelled_us = 0;

  void Add(const Counts& o) {
    samples += o.samples, missing += o.missing, answers += o.answers, built_first += o.built_first,
        passed_first += o.passed_first, passed += o.passed, turns += o.turns;
    modelled_us += o.modelled_us;
  }
  Json ToJson() const {
    return {{"samples", samples},
            {"missing", missing},
            {"answers", answers},
            {"built_first", built_first},
            {"passed_first", passed_first},
            {"passed", passed},
            {"turns_to_pass", passed ? static_cast<double>(turns) / static_cast<double>(passed) : 0.0},
            {"modelled_us", modelled_us}};
  }
};

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

Counts CountsOf(const Entry& entry) {
  Counts c;
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
    if (o->modelled_us > 0 && (c.modelled_us == 0 || o->modelled_us < c.modelled_us)) c.modelled_us = o->modelled_us;
  }
  c.missing = entry.Missing();
  c.samples = samples.size() + c.missing;
  c.passed = first_pass.size();
  for (const auto& [sample, turn] : first_pass) c.turns += static_cast<uint64_t>(turn) + 1;
  return c;
}

Json FirstVerdicts(const Entry& entry, Json counts) {
  for (const Outcome* o : entry.outcomes)
    if (o->turn == 0) counts[o->verdict] = counts.value(o->verdict, 0) + 1;
  if (const uint64_t missing = entry.Missing()) counts["missing"] = counts.value("missing", uint64_t{0}) + missing;
  return counts;
}

std::string Cell(const Json& c) {
  if (!c.is_object()) return "–";
  std::string out = fmt::format("{}/{}/{} of {}", c["built_first"].get<uint64_t>(), c["passed_first"].get<uint64_t>(),
                                c["passed"].get<uint64_t>(), c["samples"].get<uint64_t>());
  if (uint64_t missing = c["missing"]) out += fmt::format(", {} missing", missing);
  if (double us = c["modelled_us"]; us > 0) out += fmt::format(", {:.1f} µs", us);
  return out;
}
}  // namespace

Json CompareGenerators(const std::vector<Column>& columns) {
  std::map<std::string, std::map<std::string, Entry>> by_task;
  Json names = Json::array();
  for (const Column& c : columns) {
    names.push_back(c.name);
    for (const auto& [task, wanted] : c.wanted) by_task[task][c.name].wanted = wanted;
    for (const Outcome& o : c.outcomes) by_task[o.task][c.name].outcomes.push_back(&o);
  }
  std::map<std::string, Counts> all;
  Json out{{"schema", 1},
           {"generators", names},
           {"tasks", Json::object()},
           {"all", Json::object()},
           {"first_verdicts", Json::object()}};
  for (const auto& [task, of] : by_task)
    for (const auto& [name, entry] : of) {
      const Counts c = CountsOf(entry);
      out["tasks"][task][name] = c.ToJson();
      if (of.size() < columns.size()) continue;
      all[name].Add(c);
      out["first_verdicts"][name] = FirstVerdicts(entry, out["first_verdicts"].value(name, Json::object()));
    }
  for (const auto& [name, c] : all) out["all"][name] = c.ToJson();
  return out;
}

std::string CompareMarkdown(const Json& j) {
  std::string head = "| task |", line = "|---|", out;
  for (const auto& g : j["generators"]) head += " " + g.get<std::string>() + " |", line += "---|";
  auto row = [&](const std::string& name, const Json& cells) {
    out += "| " + name + " |";
    for (const auto& g : j["generators"]) out += " " + Cell(cells.value(g.get<std::string>(), Json())) + " |";
    out += "\n";
  };
  for (const auto& [task, cells] : j["tasks"].items()) row(task, cells);
  row("**all that each one tried**", j["all"]);
  out += "\nVerdicts of first answers:\n\n";
  for (const auto& g : j["generators"]) {
    const std::string name = g;
    std::string list;
    if (j["first_verdicts"].contains(name))
      for (const auto& [verdict, n] : j["first_verdicts"][name].items())
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", n.get<uint64_t>(), verdict);
    out += "- " + name + ": " + (list.empty() ? "–" : list) + "\n";
  }
  return "# Generators side by side\n\nFirst answers that build / that pass / samples that pass with repairs, of how "
         "many, and how many of those have no verdict; modelled time of the fastest that passes.\n\n" +
         head + "\n" + line + "\n" + out;
}

}  // namespace akgen::corpus
