// A report on a run, made from its records alone: as one JSON model, and from it a page (HTML, one
// file, no network) and Markdown. Numbers come from bench/metrics.h, so that they are those of
// `akgen bench show`.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "bench/metrics.h"
#include "record/judgement.h"
#include "report/on_device.h"

namespace akgen::report {

inline constexpr int kReportSchema = 1;

struct Options {
  std::string title;  // default: the file's name
  std::string run;    // id of a run, or its beginning; needed when the file holds several
  std::vector<std::string> tasks;  // count these too, when a file of records says nothing of them
  bool code = true;  // put in the candidates' sources where their folder is still what was judged
};

struct SampleCase {
  std::string part;  // "public" or "hidden"
  record::CaseRecord record;
};

struct SourceText {
  std::string file, text;
};

struct ReportSample {
  int number = 0;
  std::string verdict = "missing", reason;  // of the hidden cases where the public ones passed
  bool right = false;
  std::vector<SampleCase> cases;
  base::Json diagnostics = base::Json::array();
  std::vector<SourceText> code;
  std::string code_note;                          // why there is none
  std::map<std::string, std::string> provenance;  // the hashes that the record names
  base::Json timeline;
};

struct ReportTask {
  std::string name, category;
  int level = 0;
  std::string best = "missing", reason = "no candidate";  // of the best sample, by record::Standing
  int right = 0, of = 0;
  std::vector<ReportSample> samples;
};

// What is left of all samples after a stage, and what was lost in it.
struct FlowStage {
  std::string name;
  size_t left = 0;
  std::vector<std::pair<std::string, size_t>> lost;  // by verdict
};

struct Model {
  std::string title;
  std::string created, chip, precision, judge;  // of the run
  bench::Metrics headline;
  bool has_hidden = false;
  std::vector<std::string>
      mixture;  // in what the records differ that should not be shown side by side
  std::vector<std::string>
      dropped;  // records that contradict themselves, and how: they count as missing
  std::vector<FlowStage> flow;
  std::vector<ReportTask> tasks;
  std::optional<DeviceComparison> device;  // where a real device ran some of them
};

// The model of a run. `file` is a store (store/store.h), or verdict records (judge/judge.h) as one
// JSON object, a list, or one object a line; a record may add "sample", "part" ("public" or
// "hidden"), "level" and "category". AK0610 the file is neither, AK0611 no such run or several;
// errors of the store.
base::Result<Model> LoadModel(const std::filesystem::path& file, const Options& options);

// The records of such a file, each with its "sample" and "part". Of a store: of all of its runs, or
// of options.run. The same errors.
base::Result<std::vector<base::Json>> RecordsIn(const std::filesystem::path& file,
                                                const Options& options = {});

enum class Code { kKeep, kOmit };
//   {"schema", "title", "run": {"created", "chip", "precision", "judge"}, "headline":
//   bench::ToJson(Metrics), "has_hidden", "mixture": [TEXT…], "dropped": [TEXT…], "flow": [{"name",
//   "count", "lost": [[verdict, count]…]}…],
//    "tasks": [{"name", "level", "category", "best", "right", "of", "reason", "samples":
//    [{"sample", "verdict", "reason", "right", "cases", "diagnostics", "code", "code_note",
//    "provenance", "timeline"}…]}…], "device": of report/on_device.h, where a real device ran some}
base::Json ToJson(const Model& model, Code code = Code::kKeep);
std::string Html(const Model& model);
std::string Markdown(const Model& model);

}  // namespace akgen::report
