#include "report/model.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/files.h"
#include "base/hash.h"
#include "bench/config.h"
#include "bench/metrics.h"
#include "record/journal.h"
#include "record/judgement.h"

namespace akgen::report {
namespace fs = std::filesystem;
using base::Json;
using base::Result;
namespace {
constexpr size_t kMaxShown = 1000;  // missing samples of a task beyond these are counted alone

// Of a row as it is kept: what its record and its columns say of each other.
std::string Contradiction(const store::VerdictRow& v) {
  const auto read = record::JudgementFromJson(v.record);
  if (!read.ok()) return "its record cannot be read: " + read.error().message;
  if (record::NameOf(read->verdict) != v.verdict)
    return "its record says " + std::string(record::NameOf(read->verdict));
  return record::ContradictionIn(*read);
}

// The rows of one sample.
struct Rows {
  fs::path folder;                           // of the candidate
  const store::VerdictRow* shown = nullptr;  // public part
  const store::VerdictRow* hidden = nullptr;
  bool Right() const {
    return shown && shown->verdict == "pass" && (!hidden || hidden->verdict == "pass");
  }
  // What became of it: of the hidden cases where the public ones passed.
  const store::VerdictRow* Last() const {
    return shown && shown->verdict == "pass" && hidden ? hidden : shown ? shown : hidden;
  }
  bool FellOnHidden() const { return Last() == hidden && Last() != shown; }
};

// Sources of the candidate, as long as its folder is what was judged.
std::vector<SourceText> CodeOf(const fs::path& dir, const std::string& judged, std::string* note) {
  constexpr size_t kMaxBytes = 256 << 10, kMaxFiles = 40;
  std::vector<SourceText> files;
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
    if (bytes > kMaxBytes || found.size() >= kMaxFiles) continue;
    found[it->path().lexically_relative(dir).string()] = *text;
  }
  for (auto& [name, text] : found) files.push_back({name, std::move(text)});
  return files;
}

std::vector<SampleCase> CasesOf(const store::VerdictRow* row) {
  std::vector<SampleCase> out;
  if (!row) return out;
  auto cases = record::CasesFromJson(row->record);
  if (!cases.ok()) return out;
  for (record::CaseRecord& c : *cases) out.push_back({row->part, std::move(c)});
  return out;
}

// The hashes that a record names.
std::map<std::string, std::string> HashesOf(const record::Provenance& p) {
  std::map<std::string, std::string> out;
  const Json all = record::ToJson(p);
  for (const auto& [key, value] : all.items())
    if (value.is_string() && value != "") out[key] = value;
  return out;
}

// The page that the record names for it.
Json TimelineOf(const Json& record) {
  return record.is_object() ? base::MessageFromJson<record::SampleRef>(record).timeline : Json();
}

ReportSample SampleOf(int number, const Rows& rows, const Options& options) {
  const store::VerdictRow* last = rows.Last();
  const auto read = record::JudgementFromJson(last->record);
  const record::Judgement judgement = read.ok() ? *read : record::Judgement();
  ReportSample s{number,
                 last->verdict,
                 last->reason,
                 rows.Right(),
                 CasesOf(rows.shown),
                 judgement.diagnostics,
                 {},
                 {},
                 HashesOf(judgement.provenance),
                 TimelineOf(last->record)};
  for (SampleCase& c : CasesOf(rows.hidden)) s.cases.push_back(std::move(c));
  s.code_note = "Sources were left out.";
  if (options.code) s.code = CodeOf(rows.folder, judgement.provenance.candidate, &s.code_note);
  if (rows.FellOnHidden() && last->verdict != "pass") s.reason = "hidden cases: " + s.reason;
  return s;
}

// Of what all samples of a run are compared by, wherever one is chosen.
record::Standing StandingOf(const ReportSample& s) {
  size_t right = 0;
  record::Modelled sum;
  bool timed = true;
  for (const SampleCase& c : s.cases) {
    if (!c.record.verdict) continue;
    right += c.record.Passed();
    const auto time = c.record.Time();
    timed = timed && time;
    if (time) sum = sum + time->own;
  }
  return record::StandingOf(s.verdict, timed ? sum.us : 0, right);
}

// Of samples in the order of their numbers: verdict, and whether it fell on hidden cases.
using Ends = std::vector<std::pair<std::string, bool>>;
struct Seen {
  Ends ends;
  bool hidden = false;  // there are hidden cases
};

// What is left of all samples, stage by stage, and what was lost on the way.
std::vector<FlowStage> FlowOf(const Ends& ends, bool has_hidden) {
  struct Stage {
    const char* name;
    std::vector<const char*> lost;
  };
  const std::vector<Stage> stages{
      {"samples", {}},
      {"judged", {"missing", "unsupported", "undecided", "infra_error", "unsealed"}},
      {"accepted", {"build_error", "rejected"}},
      {"ran", {"runtime_error", "timeout"}},
      {"right values", {"wrong_answer"}},
      {"clean", {"finding"}}};
  std::vector<FlowStage> out;
  size_t left = ends.size(), hidden_lost = 0;
  for (const auto& [verdict, hidden] : ends) hidden_lost += hidden && verdict != "pass";
  for (const Stage& stage : stages) {
    FlowStage& now = out.emplace_back(FlowStage{stage.name, 0, {}});
    for (const char* name : stage.lost) {
      auto n = size_t(std::count_if(ends.begin(), ends.end(),
                                    [&](const auto& e) { return e.first == name && !e.second; }));
      if (n) now.lost.emplace_back(name, n);
      left -= n;
    }
    now.left = left;
  }
  if (has_hidden) {
    out.push_back({"pass hidden cases", left - hidden_lost, {}});
    if (hidden_lost) out.back().lost.emplace_back("fail_hidden_cases", hidden_lost);
  }
  return out;
}

// Those that have a candidate or a verdict.
std::map<std::string, std::map<int, Rows>> RowsByTask(
    const store::Store& store, const std::vector<store::CandidateRow>& candidates,
    const std::vector<store::VerdictRow>& verdicts) {
  std::map<std::string, std::map<int, Rows>> out;
  for (const auto& c : candidates) out[c.task][c.sample].folder = store.FolderOf(c);
  for (const auto& v : verdicts) {
    Rows& rows = out[v.task][v.sample];
    (v.part == "hidden" ? rows.hidden : rows.shown) = &v;
  }
  return out;
}

// Its samples: those without a candidate or a verdict are missing.
ReportTask TaskOf(const store::TaskRow& t, int of, const std::map<int, Rows>& rows,
                  const Options& options, Seen& seen) {
  ReportTask out;
  out.name = t.name, out.category = t.category, out.level = t.level, out.of = of;
  std::optional<record::Standing> best;
  for (int number = 0; number < of; ++number) {
    const auto found = rows.find(number);
    if (found == rows.end() || !found->second.Last()) {
      ReportSample missing;
      missing.number = number, missing.reason = found == rows.end() ? "no candidate" : "not judged";
      if (out.samples.size() < kMaxShown) out.samples.push_back(std::move(missing));
      seen.ends.push_back({"missing", false});
      continue;
    }
    ReportSample s = SampleOf(number, found->second, options);
    out.right += s.right;
    seen.ends.push_back({s.verdict, found->second.FellOnHidden()});
    seen.hidden |= found->second.hidden != nullptr;
    if (const record::Standing standing = StandingOf(s); !best || standing > *best)
      best = standing, out.best = s.verdict, out.reason = s.reason;
    out.samples.push_back(std::move(s));
  }
  return out;
}

Json ToJson(const SampleCase& c) {
  Json findings = Json::array();
  for (const record::Finding& f : c.record.findings) findings.push_back(record::ToJson(f));
  Json out{{"part", c.part},
           {"id", c.record.id},
           {"verdict", c.record.VerdictName()},
           {"reason", c.record.reason},
           {"findings", findings},
           {"outputs", c.record.outputs},
           {"block_dim", c.record.block_dim},
           {"arithmetic", c.record.arithmetic}};
  if (const auto time = c.record.Time()) {  // the totals; where time goes is a profile's matter
    out["modelled"] = {{"us", time->own.us}};
    if (time->eager.known()) out["modelled"]["baseline_us"] = time->eager.us;
    if (time->bound_us > 0) out["modelled"]["bound_us"] = time->bound_us;
  }
  return out;
}

Json ToJson(const ReportSample& s, Code keep) {
  Json cases = Json::array();
  for (const SampleCase& c : s.cases) cases.push_back(ToJson(c));
  Json out{{"sample", s.number},         {"verdict", s.verdict},  {"reason", s.reason},
           {"right", s.right},           {"cases", cases},        {"diagnostics", s.diagnostics},
           {"provenance", s.provenance}, {"timeline", s.timeline}};
  if (keep == Code::kOmit) return out;
  Json code = Json::array();
  for (const SourceText& f : s.code) code.push_back({{"file", f.file}, {"text", f.text}});
  out["code"] = code, out["code_note"] = s.code_note;
  return out;
}
}  // namespace

Result<Model> ModelOf(const store::Store& store, const store::RunRow& run, const Options& options) {
  Model out;
  auto verdicts = store.Evidence(run.id, [&](const store::VerdictRow& v) {
    const std::string why = Contradiction(v);
    if (!why.empty())
      out.dropped.push_back(v.task + ", sample " + std::to_string(v.sample) + ", " + v.part + ": " +
                            why);
    return why.empty();
  });
  auto metrics = bench::Measure(
      store, run, {1, 5, 10}, [](const store::VerdictRow& v) { return Contradiction(v).empty(); });
  auto tasks = store.Tasks(run.id);
  auto candidates = store.Candidates(run.id);
  if (!metrics.ok()) return metrics.error();
  if (!candidates.ok()) return candidates.error();
  if (!tasks.ok()) return tasks.error();
  if (!verdicts.ok()) return verdicts.error();
  auto rows = RowsByTask(store, *candidates, *verdicts);
  const bench::Config config = bench::ConfigFromJson(run.config);
  out.title = options.title;
  out.created = run.created, out.chip = config.chip, out.precision = config.precision;
  out.judge = verdicts->empty() ? "" : verdicts->front().judge_hash;
  Seen seen;
  for (const auto& t : *tasks)
    out.tasks.push_back(TaskOf(t, metrics->n, rows[t.name], options, seen));
  out.has_hidden = seen.hidden;
  out.flow = FlowOf(seen.ends, seen.hidden);
  record::Mixture mixture;
  DeviceComparison device;
  for (const auto& v : *verdicts) {
    mixture.Add(v.record);
    if (const auto j = record::JudgementFromJson(v.record); j.ok())
      device.Add(*j, v.sample, v.part);
  }
  if (!device.rows.empty()) out.device = std::move(device);
  out.mixture = mixture.Said();
  out.headline = std::move(*metrics);
  return out;
}

Json ToJson(const Model& m, Code code) {
  Json tasks = Json::array(), flow = Json::array();
  for (const FlowStage& stage : m.flow)
    flow.push_back({{"name", stage.name}, {"count", stage.left}, {"lost", stage.lost}});
  for (const ReportTask& t : m.tasks) {
    Json samples = Json::array();
    for (const ReportSample& s : t.samples) samples.push_back(ToJson(s, code));
    tasks.push_back({{"name", t.name},
                     {"level", t.level},
                     {"category", t.category},
                     {"best", t.best},
                     {"right", t.right},
                     {"of", t.of},
                     {"reason", t.reason},
                     {"samples", samples}});
  }
  Json out{
      {"schema", kReportSchema},
      {"title", m.title},
      {"run",
       {{"created", m.created}, {"chip", m.chip}, {"precision", m.precision}, {"judge", m.judge}}},
      {"headline", bench::ToJson(m.headline)},
      {"has_hidden", m.has_hidden},
      {"mixture", m.mixture},
      {"dropped", m.dropped},
      {"flow", flow},
      {"tasks", tasks}};
  if (m.device) out["device"] = ToJson(*m.device);
  return out;
}

}  // namespace akgen::report
