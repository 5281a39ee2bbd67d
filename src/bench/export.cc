#include "bench/export.h"

#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "bench/config.h"
#include "bench/metrics.h"
#include "record/judgement.h"
#include "record/verdict.h"

namespace akgen::bench {
using base::Error;
using base::Json;
using base::Result;
using store::VerdictRow;

namespace {
// What every format is made of.
struct Content {
  Config config;
  std::vector<store::TaskRow> units;
  std::vector<VerdictRow> verdicts;
  std::vector<const VerdictRow*> Of(const std::string& unit, const std::string& part) const {
    std::vector<const VerdictRow*> out;
    for (const auto& v : verdicts)
      if (v.task == unit && v.part == part) out.push_back(&v);
    return out;
  }
};

std::string Dump(const Json& j) { return base::Dump(j, 2) + "\n"; }

std::string Upstream(const Content& c) {
  Json results = Json::object(), levels = Json::object();
  std::map<int, std::pair<int, int>> sums;  // level → right, total
  for (const auto& u : c.units) {
    size_t at = u.name.find('@');
    std::string name = u.name.substr(0, at),
                id = at == std::string::npos ? "all" : u.name.substr(at + 1);
    int compiled = 0, right = 0;
    auto verdicts = c.Of(u.name, "public");
    for (const auto* v : verdicts)
      compiled += record::Builds(v->verdict), right += v->verdict == "pass";
    results[name + "/" + id] = {{"level", u.level},
                                {"total_samples", c.config.samples},
                                {"format_parse_pass", verdicts.size()},
                                {"compile_pass", compiled},
                                {"precision_pass", right}};
    sums[u.level].first += right;
    sums[u.level].second += c.config.samples;
  }
  double score = 0;
  for (auto& [level, s] : sums) {
    double rate = s.second ? double(s.first) / s.second : 0;
    levels[std::to_string(level)] = {
        {"precision_pass", s.first}, {"total_samples", s.second}, {"rate", rate}};
    score += (level == 1 ? 0.2 : level == 2 ? 0.3 : level == 3 ? 0.5 : 0) * rate;
  }
  return Dump({{"results", results}, {"levels", levels}, {"score", score}});
}

std::string KernelBench(const Content& c) {
  Json out = Json::object();
  for (size_t i = 0; i < c.units.size(); ++i) {
    Json samples = Json::array();
    for (const auto* v : c.Of(c.units[i].name, "public"))
      samples.push_back({{"sample_id", v->sample},
                         {"compiled", record::Builds(v->verdict)},
                         {"correctness", v->verdict == "pass"},
                         {"metadata",
                          {{"problem_name", c.units[i].name},
                           {"level", c.units[i].level},
                           {"hardware", "simulated " + c.config.chip},
                           {"verdict", v->verdict},
                           {"reason", v->reason}}},
                         {"runtime", -1.0},
                         {"runtime_stats", Json::object()}});
    out[std::to_string(i + 1)] = samples;
  }
  return Dump(out);
}

std::string MultiKernelBench(const Content& c) {
  Json out = Json::object();
  for (const auto& u : c.units) {
    auto all = c.Of(u.name, "public");
    Json j{{"compiled", false},
           {"correctness", false},
           {"performance", nullptr},
           {"hardware", "simulated " + c.config.chip}};
    if (!all.empty() && all[0]->sample == 0) {
      bool compiled = record::Builds(all[0]->verdict);
      j["compiled"] = compiled;
      j["correctness"] = all[0]->verdict == "pass";
      if (!all[0]->reason.empty())
        j[compiled ? "correctness_info" : "compile_info"] = all[0]->verdict + ": " + all[0]->reason;
    } else {
      j["compile_info"] = "no candidate";
    }
    out[u.name] = j;
  }
  return Dump(out);
}

std::string Xml(const std::string& text) {
  std::string out;
  for (char ch : text) {
    if (ch == '&')
      out += "&amp;";
    else if (ch == '<')
      out += "&lt;";
    else if (ch == '>')
      out += "&gt;";
    else if (ch == '"')
      out += "&quot;";
    else if (ch == '\n' || ch == '\t')
      out += ' ';
    else if ((unsigned char)ch >= 0x20)
      out += ch;
  }
  return out;
}

std::string JUnit(const Content& c) {
  std::map<std::string, std::string> suites;
  std::map<std::string, std::array<int, 4>> counts;  // tests, failures, errors, skipped
  for (const auto& u : c.units)
    for (int k = 0; k < c.config.samples; ++k) {
      std::string suite = "level" + std::to_string(u.level) + "." + u.category;
      for (const char* part : {"public", "hidden"}) {
        const VerdictRow* v = nullptr;
        for (const auto* row : c.Of(u.name, part))
          if (row->sample == k) v = row;
        if (!v && std::string(part) == "hidden") continue;
        auto& n = counts[suite];
        ++n[0];
        std::string verdict = v ? v->verdict : "missing", inside;
        std::string message = "message=\"" +
                              Xml(verdict + (v && !v->reason.empty() ? ": " + v->reason : "")) +
                              "\"/>";
        if (verdict == "unsupported" || verdict == "undecided" || verdict == record::kUnsealed)
          ++n[3], inside = "<skipped " + message;
        else if (verdict == "infra_error")
          ++n[2], inside = "<error " + message;
        else if (verdict != "pass")
          ++n[1], inside = "<failure " + message;
        char time[32];
        std::snprintf(time, sizeof time, "%.3f", v ? v->wall_ms / 1000 : 0.0);
        suites[suite] += "    <testcase classname=\"" + Xml(u.name) + "\" name=\"sample" +
                         std::to_string(k) + "." + part + "\" time=\"" + time + "\">" + inside +
                         "</testcase>\n";
      }
    }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (auto& [name, body] : suites) {
    auto& n = counts[name];
    out += "  <testsuite name=\"" + Xml(name) + "\" tests=\"" + std::to_string(n[0]) +
           "\" failures=\"" + std::to_string(n[1]) + "\" errors=\"" + std::to_string(n[2]) +
           "\" skipped=\"" + std::to_string(n[3]) + "\">\n" + body + "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

// RFC 4180.
std::string Cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (char ch : text) out += ch == '"' ? std::string("\"\"") : std::string(1, ch);
  return out + "\"";
}

std::string Csv(const Content& c) {
  std::map<std::string, const store::TaskRow*> units;
  for (const auto& u : c.units) units[u.name] = &u;
  std::string out =
      "level,category,task,sample,part,verdict,reason,seed,task_hash,judge_hash,chip_hash,"
      "candidate_hash,build_ms,run_"
      "ms,reference_ms,check_ms,wall_ms,cached,recorded\n";
  for (const auto& v : c.verdicts) {
    const store::TaskRow& u = *units.at(v.task);
    char times[160];
    std::snprintf(times, sizeof times, "%.3f,%.3f,%.3f,%.3f,%.3f,%d", v.build_ms, v.run_ms,
                  v.reference_ms, v.check_ms, v.wall_ms, v.cached ? 1 : 0);
    out += std::to_string(u.level) + "," + Cell(u.category) + "," + Cell(v.task) + "," +
           std::to_string(v.sample) + "," + v.part + "," + v.verdict + "," + Cell(v.reason) + "," +
           std::to_string(v.seed) + "," + v.task_hash + "," + v.judge_hash + "," + v.chip_hash +
           "," + v.candidate_hash + "," + times + "," + v.recorded + "\n";
  }
  return out;
}

Result<Content> Load(const store::Store& store, const store::RunRow& run) {
  auto units = store.Tasks(run.id);
  if (!units.ok()) return units.error();
  auto verdicts = store.Evidence(run.id);
  if (!verdicts.ok()) return verdicts.error();
  return Content{ConfigFromJson(run.config), std::move(*units), std::move(*verdicts)};
}

}  // namespace

Result<std::string> Export(const store::Store& store, const store::RunRow& run,
                           const std::string& format) {
  static const std::map<std::string, std::function<std::string(const Content&)>> kFormats{
      {"upstream", Upstream},
      {"kernelbench", KernelBench},
      {"multikernelbench", MultiKernelBench},
      {"junit", JUnit},
      {"csv", Csv}};
  auto it = kFormats.find(format);
  if (it == kFormats.end())
    return Error{"AK0514", "no such format: " + format, "",
                 "upstream, kernelbench, multikernelbench, junit or csv"};
  auto content = Load(store, run);
  if (!content.ok()) return content.error();
  return it->second(*content);
}

}  // namespace akgen::bench
