// A report on a run, made from its records alone: as one JSON model, and from it a page (HTML, one file, no network)
// and Markdown. Numbers come from bench/metrics.h, so that they are those of `akgen bench show`.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace akgen::report {

inline constexpr int kReportSchema = 1;

struct Options {
  std::string title;               // default: the file's name
  std::string run;                 // id of a run, or its beginning; needed when the file holds several
  std::vector<std::string> tasks;  // count these too, when a file of records says nothing of them
  bool code = true;                // put in the candidates' sources where their folder is still what was judged
};

// The model of a run. `file` is a store (store/store.h), or verdict records (judge/judge.h) as one JSON object, a list,
// or one object a line; a record may add "sample", "part" ("public" or "hidden"), "level" and "category".
//   {"schema", "title", "run": {"created", "chip", "precision", "judge"}, "headline": bench::ToJson(Metrics),
//   "has_hidden", "mixture": [TEXT…] (in what the records differ that should not be shown side by side),
//    "flow": [{"name", "count", "lost": [[verdict, count]…]}…],
//    "tasks": [{"name", "level", "category", "best", "right", "of", "reason", "samples": [{"sample", "verdict",
//    "reason",
//      "cases", "diagnostics", "code", "code_note", "provenance", "timeline"}…]}…]}
// AK0610 the file is neither, AK0611 no such run or several; errors of the store.
base::Result<base::Json> LoadModel(const std::filesystem::path& file, const Options& options);

std::string Html(const base::Json& model);
std::string Markdown(const base::Json& model);

}  // namespace akgen::report
