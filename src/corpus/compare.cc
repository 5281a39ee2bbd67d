#include "corpus/compare.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "corpus/pairs.h"
#include "record/verdict.h"

namespace akgen::corpus {
using base::Json;

namespace {
struct Counts {
  uint64_t samples = 0, answers = 0, built_first = 0, passed_first = 0, passed = 0, turns = 0;
  double modelled_us = 0;

  void Add(const Counts& o) {
    samples += o.samples, answers += o.answers, built_first += o.built_first, passed_first += o.passed_first,
        passed += o.passed, turns += o.turns;
    modelled_us += o.modelled_us;
  }
  Json ToJson() const {
    return {{"samples", samples},
            {"answers", answers},
            {"built_first", built_first},
            {"passed_first", passed_first},
            {"passed", passed},
            {"turns_to_pass", passed ? static_cast<double>(turns) / static_cast<double>(passed) : 0.0},
            {"modelled_us", modelled_us}};
  }
};

Counts CountsOf(const std::vector<const Try*>& tries) {
  Counts c;
  std::map<std::pair<std::string, int>, int> first_pass;
  std::set<std::pair<std::string, int>> samples;
  for (const Try* t : tries) {
    const auto key = std::pair(t->source, t->sample);
    samples.insert(key);
    ++c.answers;
    const bool pass = t->verdict == "pass";
    if (t->turn == 0) {
      c.built_first += record::Builds(t->verdict);
      c.passed_first += pass;
    }
    if (!pass) continue;
    auto [it, fresh] = first_pass.try_emplace(key, t->turn);
    it->second = std::min(it->second, t->turn);
    if (t->modelled_us > 0 && (c.modelled_us == 0 || t->modelled_us < c.modelled_us)) c.modelled_us = t->modelled_us;
  }
  c.samples = samples.size();
  c.passed = first_pass.size();
  for (const auto& [key, turn] : first_pass) c.turns += static_cast<uint64_t>(turn) + 1;
  return c;
}

std::string Cell(const Json& c) {
  if (!c.is_object()) return "–";
  std::string out = fmt::format("{}/{}/{} of {}", c["built_first"].get<uint64_t>(), c["passed_first"].get<uint64_t>(),
                                c["passed"].get<uint64_t>(), c["samples"].get<uint64_t>());
  if (double us = c["modelled_us"]; us > 0) out += fmt::format(", {:.1f} µs", us);
  return out;
}
}  // namespace

Json CompareGenerators(const std::vector<Try>& tries) {
  std::map<std::string, std::map<std::string, std::vector<const Try*>>> by_task;
  std::set<std::string> generators;
  for (const Try& t : tries) by_task[t.task][t.generator].push_back(&t), generators.insert(t.generator);
  std::map<std::string, Counts> all;
  Json out{{"schema", 1},
           {"generators", generators},
           {"tasks", Json::object()},
           {"all", Json::object()},
           {"first_verdicts", Json::object()}};
  for (const auto& [task, of] : by_task)
    for (const auto& [generator, list] : of) {
      Counts c = CountsOf(list);
      out["tasks"][task][generator] = c.ToJson();
      if (of.size() < generators.size()) continue;
      all[generator].Add(c);
      Json& first = out["first_verdicts"][generator];
      if (first.is_null()) first = Json::object();
      for (const Try* t : list)
        if (t->turn == 0) first[t->verdict] = first.value(t->verdict, 0) + 1;
    }
  for (const auto& [generator, c] : all) out["all"][generator] = c.ToJson();
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
         "many; modelled time of the fastest that passes.\n\n" +
         head + "\n" + line + "\n" + out;
}

}  // namespace akgen::corpus
