// What is kept of runs: records, stores, journals, curves.
#include "bench/compare.h"
#include "bench/config.h"
#include "bench/export.h"
#include "bench/metrics.h"
#include "corpus/export/columns.h"
#include "corpus/export/compare.h"
#include "corpus/export/export.h"
#include "fuzz.h"
#include "generate/journal.h"
#include "judge/time/critical_path.h"
#include "report/beside.h"
#include "report/curves.h"
#include "report/explain.h"
#include "report/explained.h"
#include "report/report.h"
#include "report/timeline.h"
#include "store/store.h"

namespace akgen::fuzz {
namespace {
using base::Json;
using base::Status;

std::string Seed(const char* name) {
  return *base::ReadFile(std::filesystem::path(AKGEN_FUZZ_SEEDS) / name);
}

Depth RunDepth(const std::string& text, const std::function<Status()>& read) {
  return DepthOf(base::Checked("fuzz", read), text);
}

Status Pages(const std::filesystem::path& file) {
  auto model = report::LoadModel(file, {.code = false});
  if (!model.ok()) return model.error();
  (void)report::Html(*model);
  (void)report::Markdown(*model);
  return {};
}

AKGEN_DOOR(kRecords, "verdict records",
           {Seed("record.json"), Seed("record_pass.json"),
            Seed("record.json") + Seed("record_pass.json")},
           [](const std::string& text) {
             return RunDepth(text, [&] { return Pages(Written("records.jsonl", text)); });
           });

AKGEN_DOOR(kExplained, "records to explain", {Seed("record.json"), Seed("record_pass.json")},
           [](const std::string& text) {
             const auto read = report::ReadExplained(text, "record.json", true);
             if (read.ok())
               for (const auto& one : *read)
                 for (const auto& m : one.findings.all())
                   (void)report::Explain(m.finding,
                                         [](const std::string&) { return "Add(z, x, y, 8);\n"; });
             return DepthOf(read, text);
           });

AKGEN_DOOR(kTimelines, "timelines", {Seed("record_pass.json")}, [](const std::string& text) {
  return RunDepth(text, [&]() -> Status {
    const Json record = base::Parse(text);
    const auto timeline = record::TimelineFromJson(record.at("cases").at(0).at("modelled"));
    (void)report::ChromeTrace(timeline);
    (void)report::TimelineSvg(timeline);
    (void)report::TimelineText(timeline);
    (void)judge::LinesOf(timeline, judge::CriticalPathOf(timeline));
    return {};
  });
});

// A run's file made elsewhere: its rows hold what they like. All but the record is the same each
// time and copied.
Status Began(const std::filesystem::path& file, std::string& run) {
  auto store = store::Store::Open(file, store::Access::kAppend);
  if (!store.ok()) return store.error();
  if (Status s = store->AddRun(base::Parse(Seed("config.json")), run); !s.ok()) return s;
  if (Status s = store->AddTasks(run, {{"UnalignAdd", "Math", "t", 1}}); !s.ok()) return s;
  return store->AddCandidates(run, {{"UnalignAdd", "candidates/UnalignAdd", "c", 0}});
}

Status StoreOf(const Json& record, const std::filesystem::path& file) {
  static const auto began = Folder() / "began.db";
  static std::string run;
  static const Status made = Began(began, run);
  if (!made.ok()) return made;
  std::error_code ec;
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::remove(file.string() + suffix, ec);
  if (!std::filesystem::copy_file(began, file, ec))
    return base::Error{"AK0504", ec.message(), file.string(), ""};
  auto store = store::Store::Open(file, store::Access::kAppend);
  if (!store.ok()) return store.error();
  store::VerdictRow v;
  v.task = "UnalignAdd", v.part = "public", v.key = "k", v.candidate_hash = "c";
  v.verdict = record.is_object() && record.contains("verdict") && record["verdict"].is_string()
                  ? record["verdict"].get<std::string>()
                  : "pass";
  v.record = record;
  return store->AddVerdicts(run, {v});
}

Status Show(const std::filesystem::path& file) {
  auto store = store::Store::Open(file, store::Access::kRead);
  if (!store.ok()) return store.error();
  auto runs = store->Runs();
  if (!runs.ok()) return runs.error();
  auto measured = bench::Measure(*store, runs->at(0));
  if (!measured.ok()) return measured.error();
  (void)bench::ToJson(*measured);
  for (const char* format : {"json", "csv", "markdown", "npukernelbench", "multikernelbench"})
    (void)bench::Export(*store, runs->at(0), format).ok();
  (void)bench::Compare(*store, runs->at(0), *store, runs->at(0)).ok();
  size_t changed = 0;
  (void)corpus::TriesFrom({file.string()}, changed).ok();
  (void)corpus::ColumnsFrom({file.string()}).ok();
  return Pages(file);
}

AKGEN_DOOR(kStores, "stores", {Seed("record.json"), Seed("record_pass.json")},
           [](const std::string& text) {
             return RunDepth(text, [&]() -> Status {
               if (!IsJson(text)) return base::Error{"AK0503", "no record", "", ""};
               const auto file = Folder() / "run.db";
               if (Status s = StoreOf(base::Parse(text), file); !s.ok()) return s;
               return Show(file);
             });
           });

AKGEN_DOOR(kConfigs, "configurations", {Seed("config.json")}, [](const std::string& text) {
  return RunDepth(text, [&]() -> Status {
    const Json config = base::Parse(text);
    if (config.is_discarded()) return base::Error{"AK0503", "no configuration", "", ""};
    (void)bench::ToJson(bench::ConfigFromJson(config));
    (void)bench::Differences(config, base::Parse(Seed("config.json")));
    return {};
  });
});

AKGEN_DOOR(kJournals, "journals", {Seed("journal.jsonl")}, [](const std::string& text) {
  return RunDepth(text, [&]() -> Status {
    const auto file = Written("journal.jsonl", text);
    auto tries = corpus::TriesFromJournal(file);
    if (!tries.ok()) return tries.error();
    corpus::PairOptions options;
    const corpus::Built built = corpus::Build(*tries, options);
    if (Status s = corpus::Export(built, *tries, options, Folder() / "exported"); !s.ok()) return s;
    auto columns = corpus::ColumnsFrom({file.string()});
    if (!columns.ok()) return columns.error();
    const record::Comparison compared = corpus::CompareGenerators(*columns);
    (void)corpus::CompareMarkdown(compared);
    (void)report::BesideHtml(compared, "x");
    return {};
  });
});

AKGEN_DOOR(kResumed, "journals, resumed", {Seed("journal.jsonl")}, [](const std::string& text) {
  return RunDepth(text, [&]() -> Status {
    const std::string whole = Seed("journal.jsonl");
    const Json run = base::Parse(std::string_view(whole).substr(0, whole.find('\n')));
    auto journal = generate::Journal::Open(Written("resumed.jsonl", text), run["config"]);
    if (!journal.ok()) return journal.error();
    (void)(*journal)->Totals();
    (void)(*journal)->Ended();
    (void)(*journal)->State("Sqrt", 0);
    return {};
  });
});

AKGEN_DOOR(kCurves, "curves of training",
           {"{\"step\": 1, \"loss\": 2.5, \"lr\": 0.001, \"tokens\": 4096, \"seconds\": 1.5}\n"
            "{\"step\": 2, \"loss\": 2.25, \"validation_loss\": 2.4, \"lr\": 0.001, \"tokens\": "
            "8192, \"seconds\": 3.0}\n"},
           [](const std::string& text) {
             return RunDepth(text, [&]() -> Status {
               const auto file = Written("metrics.jsonl", text);
               (void)report::IsTraining(file);
               auto curves = report::TrainingFrom({file.string()});
               if (!curves.ok()) return curves.error();
               (void)report::TrainingHtml(*curves, "x");
               (void)report::TrainingMarkdown(*curves);
               return {};
             });
           });
}  // namespace
}  // namespace akgen::fuzz
