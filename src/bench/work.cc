#include "bench/work.h"

#include <chrono>

#include "base/files.h"
#include "record/judgement.h"
#include "task/hidden.h"

namespace akgen::bench {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using record::Verdict;

namespace {
using Clock = std::chrono::steady_clock;

constexpr int kRaggedCases = 8;

fs::path CachePath(const std::string& key) {
  return base::CacheDir() / "verdicts" / key.substr(0, 2) / (key + ".json");
}

std::optional<Json> FromCache(const std::string& key) {
  auto text = base::ReadFile(CachePath(key));
  if (!text.ok()) return std::nullopt;
  Json j = base::Parse(*text);
  return record::JudgementFromJson(j).ok() ? std::optional(std::move(j)) : std::nullopt;
}

void ToCache(const std::string& key, const Json& record) {
  fs::path path = CachePath(key);
  std::error_code ec;
  fs::create_directories(path.parent_path(), ec);
  // Not being able to cache costs time later, nothing else.
  (void)base::WriteFileAtomic(path, base::Dump(record));
}

void AddTimes(store::VerdictRow& v, const judge::Judgement& j) {
  v.build_ms = j.build_host_ms + j.build_kernel_ms;
  for (const auto& c : j.cases) {
    v.run_ms += c.tile_ms + c.run_ms;
    v.reference_ms += c.reference_ms;
    v.check_ms += c.check_ms;
  }
}
// Hidden cases by task, judge and seed: drawing them asks the reference, which takes a while to
// start.
Result<std::vector<task::CaseRow>> DrawnCases(
    const LoadedUnit& unit, const Config& config, uint64_t seed, int count,
    const std::string& prefix, const std::function<Result<std::vector<task::CaseRow>>()>& draw) {
  std::string key = base::ContentHash(base::Dump(
      Json{unit.hash, config.judge_hash, seed, count, prefix, config.inputs, config.precision}));
  fs::path path = base::CacheDir() / "hidden" / (key + ".json");
  std::vector<task::CaseRow> rows;
  if (auto text = base::ReadFile(path); text.ok()) {
    Json kept = base::Parse(*text);
    if (kept.is_array())
      for (const Json& one : kept) rows.push_back(task::CaseRowFromJson(one));
    if (!rows.empty()) return rows;
  }
  auto drawn = draw();
  if (!drawn.ok()) return drawn;
  Json j = Json::array();
  for (const auto& row : *drawn) j.push_back(task::ToJson(row));
  std::error_code ec;
  fs::create_directories(path.parent_path(), ec);
  (void)base::WriteFileAtomic(path, base::Dump(j));
  return drawn;
}
}  // namespace

Result<std::vector<task::CaseRow>> Worker::Drawn(const LoadedUnit& unit, uint64_t seed, int count,
                                                 const std::string& prefix) {
  return DrawnCases(
      unit, config_, seed, count, prefix, [&]() -> Result<std::vector<task::CaseRow>> {
        return pool_.WithReference([&](task::ReferenceClient& reference) {
          const bool widen =
              prefix == "hidden" && config_.inputs != "upstream" && config_.precision != "upstream";
          return task::HiddenCases(unit.spec, seed, count, prefix, reference, widen);
        });
      });
}

// A candidate for one case knows its shapes: only its values are drawn again. Several times, since
// one draw alone may take an answer that computes nothing.
Result<std::vector<task::CaseRow>> Worker::Hidden(const LoadedUnit& unit) {
  if (unit.unit.case_id.empty()) return Drawn(unit, config_.hidden_seed, config_.hidden, "hidden");
  std::vector<task::CaseRow> out;
  for (const task::CaseRow& row : unit.cases)
    for (int k = 0; k < config_.hidden; ++k)
      out.push_back(task::WithId(row, "hidden" + std::to_string(k)));
  return out;
}

Status Worker::Start() {
  if (judge_) return {};
  auto lease = pool_.Take();
  if (!lease.ok()) return lease.error();
  judge_.emplace(std::move(*lease));
  return {};
}

judge::Options Worker::OptionsFor(const LoadedUnit& unit, const std::vector<task::CaseRow>& cases,
                                  uint64_t seed) const {
  judge::Options o;
  o.chip = config_.chip;
  o.backend = config_.backend;
  o.rows = cases;
  o.include_dirs = config_.include_dirs;
  o.kernel_only = config_.form == "kernel-only";
  o.host = unit.host.string();
  o.seed = seed;
  o.precision = config_.precision, o.inputs = config_.inputs;
  o.run_timeout_ms = config_.timeout_s * 1000;
  o.checks = config_.checks;
  o.time.on = config_.time;
  o.devices = config_.devices;
  return o;
}

Status Worker::JudgeFresh(const LoadedUnit& unit, const Candidate& candidate,
                          const judge::Options& options, store::VerdictRow& v, bool* keep) {
  if (Status s = Start(); !s.ok()) return s;
  judge::Judgement j = (*judge_)->Run(candidate.dir.string(), unit.spec, options);
  v.record = judge::ToJson(j);
  v.verdict = record::NameOf(j.verdict);
  v.reason = j.reason;
  v.task_fault = j.task_fault;
  *keep = j.repeatable && !j.task_fault;
  AddTimes(v, j);
  return {};
}

Result<store::VerdictRow> Worker::Part(const LoadedUnit& unit, const Candidate& candidate,
                                       const std::string& hash, const std::string& part,
                                       const std::vector<task::CaseRow>& cases) {
  auto start = Clock::now();
  store::VerdictRow v;
  v.task = unit.unit.name, v.sample = candidate.sample, v.part = part;
  v.task_hash = unit.hash, v.judge_hash = config_.judge_hash, v.chip_hash = config_.chip_hash,
  v.candidate_hash = hash;
  v.seed = part == "hidden" ? config_.hidden_seed : config_.seed;
  Json rows = Json::array();
  for (const auto& c : cases) rows.push_back(task::ToJson(c));
  Json key{{"candidate", hash},
           {"task", unit.hash},
           {"judge", config_.judge_hash},
           {"chip", config_.chip_hash},
           {"backend", record::NameOf(config_.backend)},
           {"part", part},
           {"seed", v.seed},
           {"cases", rows},
           {"form", config_.form},
           {"host", unit.host_hash},
           {"precision", config_.precision},
           {"inputs", config_.inputs},
           {"checks", config_.checks},
           {"include_dirs", config_.include_dirs},
           {"timeout_s", config_.timeout_s}};
  if (config_.time) key["time"] = true;
  if (config_.devices.npu) key["devices"] = config_.devices.sim;  // which is never kept
  judge::Options options = OptionsFor(unit, cases, v.seed);
  options.range = part == "public" && unit.unit.case_id.empty();
  std::string host_build;  // headers below -I belong to nobody's hash yet
  if (!config_.include_dirs.empty()) {
    if (Status s = Start(); !s.ok()) return s.error();
    host_build = (*judge_)->HostKey(candidate.dir.string(), unit.spec, options);
    key["host_build"] = host_build;
  }
  v.key = base::ContentHash(base::Dump(key));
  auto cached = cache_ ? FromCache(v.key) : std::nullopt;
  bool keep = false;  // a verdict that depends on the load or the size of the machine is judged
                      // again each time
  if (cached) {
    v.cached = true;
    v.record = std::move(*cached);
    const auto said = record::SummaryOf(v.record);
    v.verdict = said->verdict, v.reason = said->reason;
  } else {
    if (Status s = JudgeFresh(unit, candidate, options, v, &keep); !s.ok()) return s.error();
  }
  // A header that changed in between.
  if (const auto judged = record::JudgementFromJson(v.record); keep && judged.ok())
    keep = judged->provenance.host_build == host_build;
  v.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  auto now = HashOfCandidate(candidate);
  if (!now.ok()) return now.error();
  if (*now != hash)
    return Error{"AK0511", "the candidate changed while it was judged", candidate.dir.string(),
                 "leave the folder alone; start the run in a new file to judge the new content"};
  if (keep && cache_) ToCache(v.key, v.record);
  return v;
}

Result<std::vector<store::VerdictRow>> Worker::Judge(const LoadedUnit& unit,
                                                     const Candidate& candidate,
                                                     const std::string& hash) {
  std::vector<store::VerdictRow> out;
  std::vector<task::CaseRow> published = unit.cases;
  if (config_.profile == "ragged" && unit.unit.case_id.empty()) {
    auto ragged = Drawn(unit, config_.seed,
                        config_.max_cases > 0 ? config_.max_cases : kRaggedCases, "ragged");
    if (!ragged.ok()) return ragged.error();
    published = std::move(*ragged);
  }
  auto open = Part(unit, candidate, hash, "public", published);
  if (!open.ok()) return open.error();
  out.push_back(std::move(*open));
  if (config_.hidden <= 0) return out;
  // Made only now, after the candidate was built.
  auto cases = Hidden(unit);
  if (!cases.ok()) return cases.error();
  auto hidden = Part(unit, candidate, hash, "hidden", *cases);
  if (!hidden.ok()) return hidden.error();
  out.push_back(std::move(*hidden));
  return out;
}

}  // namespace akgen::bench
