#include "report/model.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/files.h"
#include "base/hash.h"
#include "bench/metrics.h"
#include "record/judgement.h"

namespace akgen::report {
namespace fs = std::filesystem;
using base::Json;
using base::Result;
namespace {
constexpr size_t kMostShown = 1000;  // missing samples of a task beyond these are counted alone

struct Sample {
  int number = 0;
  fs::path folder;                           // of the candidate
  const store::VerdictRow* shown = nullptr;  // public part
  const store::VerdictRow* hidden = nullptr;
  bool Right() const { return shown && shown->verdict == "pass" && (!hidden || hidden->verdict == "pass"); }
  // What became of it: of the hidden cases where the public ones passed.
  const store::VerdictRow* Last() const {
    return shown && shown->verdict == "pass" && hidden ? hidden : shown ? shown : hidden;
  }
};

// Sources of the candidate, as long as its folder is what was judged.
Json CodeOf(const fs::path& dir, const std::string& judged, std::string* note) {
  constexpr size_t kMostBytes = 256 << 10, kMostFiles = 40;
  Json files = Json::array();
  if (dir.empty() || judged.empty() || !fs::is_directory(dir)) {
    *note = "The candidate's folder is not at hand.";
    return files;
  }
  if (base::HashOfFolder(dir) != judged) {
    *note = "The candidate's folder is no longer what was judged.";
    return files;
  }
  std::map<std::string, std::string> found;
  size_t bytes = 0;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec)) {
    std::string ending = it->path().extension().string();
    if (!it->is_regular_file() || base::LeadsOut(it->path(), dir) ||
        (ending != ".cpp" && ending != ".h" && ending != ".hpp" && ending != ".cc"))
      continue;
    auto text = base::ReadFile(it->path());
    if (!text.ok()) continue;
    bytes += text->size();
    if (bytes > kMostBytes || found.size() >= kMostFiles) continue;
    found[it->path().lexically_relative(dir).string()] = *text;
  }
  for (auto& [name, text] : found) files.push_back({{"file", name}, {"text", text}});
  return files;
}

Json CasesOf(const store::VerdictRow* row) {
  Json out = Json::array();
  if (!row) return out;
  const auto cases = record::CasesFromJson(row->record);
  if (!cases.ok()) return out;
  for (const record::CaseRecord& c : *cases) {
    Json findings = Json::array();
    for (const record::Finding& f : c.findings) findings.push_back(record::ToJson(f));
    Json kept{
        {"part", row->part},    {"id", c.id},           {"verdict", c.VerdictName()}, {"reason", c.reason},
        {"findings", findings}, {"outputs", c.outputs}, {"block_dim", c.block_dim},   {"arithmetic", c.arithmetic}};
    if (const auto time = c.Time()) {  // the totals; where time goes is a profile's matter
      kept["modelled"] = {{"us", time->own.us}};
      if (time->eager.known()) kept["modelled"]["baseline_us"] = time->eager.us;
      if (time->bound_us > 0) kept["modelled"]["bound_us"] = time->bound_us;
    }
    out.push_back(std::move(kept));
  }
  return out;
}

// The hashes that a record names.
Json ProvenanceOf(const record::Provenance& p) {
  Json out = Json::object();
  const Json all = record::ToJson(p);
  for (const auto& [key, value] : all.items())
    if (value.is_string() && value != "") out[key] = value;
  return out;
}

Json ToJson(const Sample& s, const Options& options) {
  const store::VerdictRow* last = s.Last();
  const auto read = record::JudgementFromJson(last->record);
  const record::Judgement judgement = read.ok() ? *read : record::Judgement();
  Json cases = CasesOf(s.shown);
  for (Json& c : CasesOf(s.hidden)) cases.push_back(std::move(c));
  std::string note = "Sources were left out.";
  Json code = options.code ? CodeOf(s.folder, judgement.provenance.candidate, &note) : Json::array();
  std::string reason = last->reason;
  if (last == s.hidden && last != s.shown && last->verdict != "pass") reason = "hidden cases: " + reason;
  return {{"sample", s.number},
          {"verdict", last->verdict},
          {"reason", reason},
          {"right", s.Right()},
          {"cases", cases},
          {"diagnostics", judgement.diagnostics},
          {"code", code},
          {"code_note", note},
          {"provenance", ProvenanceOf(judgement.provenance)},
          {"timeline", last->record.is_object() ? last->record.value("timeline", Json()) : Json()}};
}

// A sample that no candidate was given for, or that was not judged.
Json MissingSample(int number, bool candidate) {
  return {{"sample", number},      {"verdict", "missing"},   {"reason", candidate ? "not judged" : "no candidate"},
          {"right", false},        {"cases", Json::array()}, {"diagnostics", Json::array()},
          {"code", Json::array()}, {"code_note", ""},        {"provenance", Json::object()},
          {"timeline", Json()}};
}

// What is left of all samples, stage by stage, and what was lost on the way.
Json FlowOf(const std::vector<std::pair<std::string, bool>>& ends, bool has_hidden) {
  struct Stage {
    const char* name;
    std::vector<const char*> lost;
  };
  const std::vector<Stage> stages{{"samples", {}},
                                  {"judged", {"missing", "unsupported", "undecided", "infra_error", "unsealed"}},
                                  {"accepted", {"build_error", "rejected"}},
                                  {"ran", {"runtime_error", "timeout"}},
                                  {"right values", {"wrong_answer"}},
                                  {"clean", {"finding"}}};
  Json out = Json::array();
  size_t left = ends.size(), hidden_lost = 0;
  for (const auto& [verdict, hidden] : ends) hidden_lost += hidden && verdict != "pass";
  for (const Stage& stage : stages) {
    Json lost = Json::array();
    for (const char* name : stage.lost) {
      auto n =
          size_t(std::count_if(ends.begin(), ends.end(), [&](const auto& e) { return e.first == name && !e.second; }));
      if (n) lost.push_back({name, n});
      left -= n;
    }
    out.push_back({{"name", stage.name}, {"count", left}, {"lost", lost}});
  }
  if (has_hidden) {
    Json lost = Json::array();
    if (hidden_lost) lost.push_back({"fail_hidden_cases", hidden_lost});
    out.push_back({{"name", "pass hidden cases"}, {"count", left - hidden_lost}, {"lost", lost}});
  }
  return out;
}

// Those that have a candidate or a verdict.
std::map<std::string, std::map<int, Sample>> SamplesByTask(const store::Store& store,
                                                           const std::vector<store::CandidateRow>& candidates,
                                                           const std::vector<store::VerdictRow>& verdicts) {
  std::map<std::string, std::map<int, Sample>> out;
  for (const auto& c : candidates) {
    Sample& s = out[c.task][c.sample];
    s.number = c.sample, s.folder = store.FolderOf(c);
  }
  for (const auto& v : verdicts) {
    Sample& s = out[v.task][v.sample];
    s.number = v.sample;
    (v.part == "hidden" ? s.hidden : s.shown) = &v;
  }
  return out;
}
}  // namespace

Result<Json> ModelOf(const store::Store& store, const store::RunRow& run, const Options& options) {
  auto metrics = bench::Measure(store, run);
  auto tasks = store.Tasks(run.id);
  auto candidates = store.Candidates(run.id);
  auto verdicts = store.Evidence(run.id);
  if (!metrics.ok()) return metrics.error();
  if (!candidates.ok()) return candidates.error();
  if (!tasks.ok()) return tasks.error();
  if (!verdicts.ok()) return verdicts.error();
  auto samples = SamplesByTask(store, *candidates, *verdicts);
  Json list = Json::array();
  std::vector<std::pair<std::string, bool>> ends;  // verdict, and whether it fell on hidden cases
  bool has_hidden = false;
  for (const auto& t : *tasks) {
    Json row{{"name", t.name},           {"level", t.level}, {"category", t.category},  {"best", "missing"},
             {"reason", "no candidate"}, {"of", metrics->n}, {"samples", Json::array()}};
    int right = 0;
    const auto& mine = samples[t.name];
    for (int number = 0; number < metrics->n; ++number) {
      const auto found = mine.find(number);
      if (found == mine.end() || !found->second.Last()) {
        if (row["samples"].size() < kMostShown) row["samples"].push_back(MissingSample(number, found != mine.end()));
        ends.push_back({"missing", false});
        continue;
      }
      const Sample& s = found->second;
      right += s.Right();
      has_hidden |= s.hidden != nullptr;
      Json one = ToJson(s, options);
      ends.push_back({one["verdict"], s.Last() == s.hidden && s.Last() != s.shown});
      if (row["best"] == "missing" ||
          record::Rank(one["verdict"].get<std::string>()) > record::Rank(row["best"].get<std::string>())) {
        row["best"] = one["verdict"];
        row["reason"] = one["reason"];
      }
      row["samples"].push_back(std::move(one));
    }
    row["right"] = right;
    list.push_back(std::move(row));
  }
  std::string judge = verdicts->empty() ? "" : verdicts->front().judge_hash;
  record::Mixture mixture;
  for (const auto& v : *verdicts) mixture.Add(v.record);
  return Json{{"schema", kReportSchema},
              {"title", options.title},
              {"headline", bench::ToJson(*metrics)},
              {"has_hidden", has_hidden},
              {"mixture", mixture.Said()},
              {"run",
               {{"created", run.created},
                {"chip", run.config.value("chip", "")},
                {"precision", run.config.value("precision", "")},
                {"judge", judge}}},
              {"flow", FlowOf(ends, has_hidden)},
              {"tasks", list}};
}

}  // namespace akgen::report
