// Where records come from: a store, or JSON. JSON becomes a store first, so that there is one way
// to count.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/files.h"
#include "bench/config.h"
#include "record/judgement.h"
#include "record/sample_ref.h"
#include "report/model.h"
#include "report/report.h"
#include "store/store.h"

namespace akgen::report {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;
namespace {
constexpr int64_t kMaxSamples = 100'000;

Error NoRecords(const fs::path& file, const std::string& why) {
  return {"AK0610", "this is neither a store of runs nor verdict records: " + why, file.string(),
          "give the file of `akgen bench run`, or what `akgen judge --json` writes, one record a "
          "line or as a list"};
}

Result<std::vector<Json>> Records(const fs::path& file, const std::string& text) {
  std::vector<Json> out;
  Json whole = base::Parse(text);
  if (whole.is_array()) {
    for (Json& r : whole) out.push_back(std::move(r));
  } else if (whole.is_object()) {
    out.push_back(std::move(whole));
  } else {
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      out.push_back(base::Parse(line));
      if (!out.back().is_object())
        return NoRecords(file, "line " + std::to_string(number) + " is not a JSON object");
    }
  }
  for (size_t i = 0; i < out.size(); ++i)
    if (const auto said = record::SummaryOf(out[i]); !said || said->task.empty())
      return NoRecords(file, "record " + std::to_string(i + 1) + " has no task or no verdict");
  if (out.empty()) return NoRecords(file, "it is empty");
  return out;
}

store::VerdictRow RowOf(const Json& record, const record::Judgement& j, const std::string& part,
                        int sample) {
  store::VerdictRow v;
  v.task = j.task, v.verdict = record::NameOf(j.verdict), v.reason = j.reason;
  v.part = part;
  v.sample = sample;
  v.seed = j.seed;
  v.task_hash = j.provenance.task, v.judge_hash = j.provenance.judge,
  v.chip_hash = j.provenance.chip;
  v.candidate_hash = j.provenance.candidate;
  v.key = base::ContentHash(base::Dump(record) + std::to_string(sample));
  v.record = record;
  return v;
}

// A run of the records: tasks in the order in which they come, samples counted up where records do
// not say.
Result<Model> FromRecords(const fs::path& file, const std::vector<Json>& records,
                          const Options& options) {
  auto dir = base::TempDir::Create();
  if (!dir.ok()) return dir.error();
  auto store = store::Store::Open(dir->path() / "records.db", store::Access::kAppend);
  if (!store.ok()) return store.error();
  std::vector<store::TaskRow> tasks;
  std::vector<store::CandidateRow> candidates;
  std::vector<store::VerdictRow> verdicts;
  std::map<std::pair<std::string, std::string>, int64_t> next;
  std::set<std::pair<std::string, int>> counted;
  bench::Config config;
  config.samples = 1;
  auto add_task = [&](const std::string& name, const std::string& category, int level) {
    if (std::any_of(tasks.begin(), tasks.end(), [&](const auto& t) { return t.name == name; }))
      return;
    tasks.push_back({name, category, "", level});
    config.units.push_back(name);
  };
  std::vector<std::string> dropped;
  for (const Json& r : records) {
    const auto judgement = record::JudgementFromJson(r);
    if (!judgement.ok()) return judgement.error();
    const auto place = base::MessageFromJson<record::SampleRef>(r);
    const std::string &name = judgement->task, &part = place.part;
    int64_t& counter = next[{name, part}];
    const int64_t said = place.sample.value_or(counter);
    if (said < 0 || said >= kMaxSamples)
      return NoRecords(file, "a sample's number is not from 0 to 99,999");
    const int sample = static_cast<int>(said);
    counter = said + 1;
    if (const std::string why = record::ContradictionIn(*judgement); !why.empty()) {
      dropped.push_back(name + ", sample " + std::to_string(sample) + ", " + part + ": " + why);
      add_task(name, judgement->category, judgement->level);
      config.samples = std::max(config.samples, sample + 1);
      continue;
    }
    add_task(name, judgement->category, judgement->level);
    verdicts.push_back(RowOf(r, *judgement, part, sample));
    config.samples = std::max(config.samples, sample + 1);
    if (!judgement->chip.empty()) config.chip = judgement->chip;
    config.precision = judgement->precision;
    if (counted.insert({name, sample}).second)
      candidates.push_back({name, judgement->project, verdicts.back().candidate_hash, sample});
  }
  for (const auto& name : options.tasks) add_task(name, "", 0);
  std::string id;
  base::Status s = store->AddRun(bench::ToJson(config), id);
  if (s.ok()) s = store->AddTasks(id, tasks);
  if (s.ok()) s = store->AddCandidates(id, candidates);
  if (s.ok()) s = store->AddVerdicts(id, verdicts);
  if (!s.ok()) return s.error();
  auto runs = store->Runs();
  if (!runs.ok()) return runs.error();
  store::RunRow run = runs->front();
  run.created.clear();  // of the temporary store, not of the records
  auto model = ModelOf(*store, run, options);
  if (model.ok()) model->dropped = std::move(dropped);
  return model;
}

Result<Model> FromStore(const fs::path& file, const Options& options) {
  auto store = store::Store::Open(file, store::Access::kRead);
  if (!store.ok()) return store.error();
  auto runs = store->Runs();
  if (!runs.ok()) return runs.error();
  std::vector<store::RunRow> fitting;
  std::string ids;
  for (const auto& r : *runs) {
    ids += (ids.empty() ? "" : ", ") + r.id.substr(0, 12);
    if (r.id.starts_with(options.run)) fitting.push_back(r);
  }
  if (fitting.size() != 1)
    return Error{
        "AK0611", fitting.empty() ? "the store holds no such run" : "the store holds several runs",
        file.string(), ids.empty() ? "it holds none at all" : "name one with --run: " + ids};
  return ModelOf(*store, fitting[0], options);
}
}  // namespace

Result<std::vector<Json>> RecordsIn(const fs::path& file, const Options& options) {
  auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  if (!text->starts_with("SQLite format 3")) return Records(file, *text);
  auto store = store::Store::Open(file, store::Access::kRead);
  if (!store.ok()) return store.error();
  auto runs = store->Runs();
  if (!runs.ok()) return runs.error();
  std::vector<Json> out;
  for (const store::RunRow& run : *runs) {
    if (!run.id.starts_with(options.run)) continue;
    auto candidates = store->Candidates(run.id);
    auto verdicts = store->Verdicts(run.id);
    if (!candidates.ok()) return candidates.error();
    if (!verdicts.ok()) return verdicts.error();
    for (store::VerdictRow& v : *verdicts) {
      if (!v.record.is_object()) continue;
      v.record["sample"] = v.sample, v.record["part"] = v.part;
      for (const store::CandidateRow& c : *candidates)  // where it lies from here
        if (c.task == v.task && c.sample == v.sample)
          v.record["project"] = store->FolderOf(c).string();
      out.push_back(std::move(v.record));
    }
  }
  if (out.empty()) return NoRecords(file, "it holds no verdict");
  return out;
}

Result<Model> LoadModel(const fs::path& file, const Options& given) {
  Options options = given;
  if (options.title.empty()) options.title = file.stem().string();
  auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  if (text->starts_with("SQLite format 3")) return FromStore(file, options);
  auto records = Records(file, *text);
  if (!records.ok()) return records.error();
  return FromRecords(file, *records, options);
}

}  // namespace akgen::report
