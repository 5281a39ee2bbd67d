#include "corpus/records/card.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "base/files.h"
#include "base/markdown.h"
#include "corpus/records/benchmark.h"
#include "corpus/records/corpus_record.h"
#include "corpus/records/ledger.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;

namespace {
Json ToJson(const Lengths& l) {
  Json j{{"sum", l.sum}, {"most", l.most}, {"up_to", Json::object()}};
  for (const auto& [b, n] : l.up_to) j["up_to"][std::to_string(b)] = n;
  return j;
}

// What a manifest says that stood in nobody's way into the records.
struct Removed {
  uint64_t duplicates = 0, near_duplicates = 0, benchmark = 0;
};
Removed RemovedFromJson(const Json& manifest) {
  return {manifest.value("duplicates_removed", uint64_t{0}),
          manifest.value("near_duplicates_removed", uint64_t{0}),
          manifest.value("benchmark_removed", uint64_t{0})};
}

void Count(const CorpusRecord& r, const Benchmark& benchmark, DataCard& c) {
  ++c.records;
  c.verified += r.verdict == "pass";
  c.others += r.others_kernel;
  ++c.kinds[r.kind];
  ++c.splits[r.split];
  ++c.families[r.family];
  ++c.licenses[r.license];
  ++c.sources[r.source];
  if (r.klass) ++c.classes[*r.klass];
  if (r.depth) ++c.depth[fmt::format("{:02}", *r.depth)];
  if (r.dtype) ++c.dtypes[*r.dtype];
  for (const std::string& op : r.operators) ++c.operators[op];
  if (r.graph && !benchmark.Match(*r.graph, r.reference).empty()) ++c.benchmark_overlap;
  const auto count = [&](const char* part, const std::string& text) {
    c.tokens[part].Add(TokensOf(text));
  };
  count("task", r.task);
  if (r.program) count("program", *r.program);
  for (const auto& [part, texts] : {std::pair{"files", &r.files}, {"reasoning", &r.reasoning}}) {
    if (!*texts) continue;
    size_t n = 0;
    for (const auto& [name, text] : **texts) n += TokensOf(text);
    c.tokens[part].Add(n);
  }
}

std::string Table(const char* title, const DataCard::Histogram& counts, uint64_t all) {
  std::string out = fmt::format("\n## {}\n\n| | records | % |\n|---|---|---|\n", title);
  for (const auto& [name, n] : counts)
    out += fmt::format("| {} | {} | {:.1f} |\n", base::MarkdownText(name), n,
                       all ? 100.0 * static_cast<double>(n) / static_cast<double>(all) : 0.0);
  return out;
}

std::string Markdown(const DataCard& c) {
  const uint64_t all = c.records;
  std::string out = "# Data card\n\n";
  out += fmt::format(
      "{} records, {} verified on the simulated chip; {} distinct canonical graphs; {} duplicates "
      "removed. {} of them "
      "are tasks of the benchmark ({} tasks looked at, {} by their graphs, all by their text).\n",
      all, c.verified, c.distinct_graphs, c.duplicates_removed, c.benchmark_overlap,
      c.benchmark_tasks, c.ByGraph());
  out += fmt::format("Records from third-party kernels: {}; what is distributed omits them.\n",
                     c.others);
  for (const auto& [counts, title] : {std::pair{&c.kinds, "Kinds"},
                                      {&c.splits, "Parts, disjoint by family"},
                                      {&c.classes, "Classes of mistakes"},
                                      {&c.dtypes, "Dtypes"},
                                      {&c.depth, "Depth"},
                                      {&c.licenses, "Licences"},
                                      {&c.sources, "Sources"}})
    if (!counts->empty()) out += Table(title, *counts, all);
  out += Table("Families", c.families, all);
  out += "\n## Operators\n\n| | times |\n|---|---|\n";
  for (const auto& [name, n] : c.operators)
    out += fmt::format("| {} | {} |\n", base::MarkdownText(name), n);
  out +=
      "\n## Lengths\n\nWords and signs, about what tokenizers make of code.\n\n| part | mean | "
      "most |\n|---|---|---|\n";
  for (const auto& [name, t] : c.tokens) {
    uint64_t n = 0;
    for (const auto& [b, count] : t.up_to) n += count;
    out += fmt::format("| {} | {:.0f} | {} |\n", name,
                       n ? static_cast<double>(t.sum) / static_cast<double>(n) : 0.0, t.most);
  }
  return out;
}
}  // namespace

void Lengths::Add(uint64_t n) {
  sum += n;
  most = std::max(most, n);
  uint64_t b = 64;
  while (b < n) b *= 2;
  ++up_to[b];
}

Json ToJson(const DataCard& c) {
  Json out{{"schema", 1},
           {"records", c.records},
           {"verified", c.verified},
           {"distinct_graphs", c.distinct_graphs},
           {"benchmark_overlap", c.benchmark_overlap},
           {"duplicates_removed", c.duplicates_removed},
           {"benchmark",
            {{"tasks", c.benchmark_tasks},
             {"by_graph", c.ByGraph()},
             {"by_text", c.benchmark_tasks},
             {"without_graph", c.without_graph},
             {"matches_removed", c.matches_removed}}},
           {"kinds", c.kinds},
           {"splits", c.splits},
           {"families", c.families},
           {"depth", c.depth},
           {"operators", c.operators},
           {"dtypes", c.dtypes},
           {"classes", c.classes},
           {"licenses", c.licenses},
           {"sources", c.sources},
           {"others_kernels", c.others},
           {"stages", c.stages}};
  for (const auto& [part, lengths] : c.tokens) out["tokens"][part] = ToJson(lengths);
  return out;
}

size_t TokensOf(const std::string& text) {
  size_t n = 0, run = 0;
  for (unsigned char c : text) {
    bool word = std::isalnum(c) || c == '_';
    if (word && run++ % 6 == 0) ++n;  // long words are several
    if (!word) run = 0, n += !std::isspace(c);
  }
  return n;
}

base::Status EachRecord(const fs::path& dir, const std::function<base::Status(const Json&)>& f) {
  std::vector<fs::path> files;
  std::error_code ec;
  for (fs::directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec))
    if (fs::exists(it->path() / "records.jsonl")) files.push_back(it->path() / "records.jsonl");
  auto key = [](const fs::path& p) {
    return std::pair(p.parent_path().filename() != "synthetic", p);
  };
  std::sort(files.begin(), files.end(),
            [&](const fs::path& a, const fs::path& b) { return key(a) < key(b); });
  if (files.empty())
    return base::Error{"AK0801", dir.string() + " holds no corpus", dir.string(),
                       "run akgen corpus build first"};
  for (const fs::path& file : files) {
    std::ifstream in(file);
    std::string line;
    for (size_t n = 1; std::getline(in, line); ++n) {
      Json r = base::Parse(line);
      if (!IsCorpusRecord(r))
        return base::Error{"AK0801", "this is no record", fmt::format("{}:{}", file.string(), n),
                           "remove the folder and build again"};
      if (auto s = f(r); !s.ok()) return s;
    }
  }
  return {};
}

base::Result<DataCard> WriteCard(const fs::path& dir) {
  auto benchmark = LoadBenchmark(dir / "benchmark_graphs.json", {});
  return benchmark.ok() ? WriteCard(dir, *benchmark) : benchmark.error();
}

base::Result<DataCard> WriteCard(const fs::path& dir, const Benchmark& benchmark) {
  DataCard c;
  c.benchmark_tasks = benchmark.tasks.size(), c.without_graph = benchmark.without_graph;
  auto graphs = DistinctKeys::Create();
  if (!graphs.ok()) return graphs.error();
  auto each = EachRecord(dir, [&](const Json& json) {
    const CorpusRecord r = CorpusRecordFromJson(json);
    Count(r, benchmark, c);
    if (r.graph) graphs->Add(*r.graph);
    return base::Status{};
  });
  if (!each.ok()) return each.error();
  if (!graphs->trouble().empty())
    return base::Error{"AK0002", "cannot count the graphs: " + graphs->trouble(), dir.string(),
                       "is the disk for temporary files full?"};
  c.distinct_graphs = graphs->Count();
  std::error_code ec;
  for (fs::directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec)) {
    auto text = base::ReadFile(it->path() / "manifest.json");
    if (!text.ok()) continue;
    Json m = base::Parse(*text);
    if (!m.is_object()) continue;
    const Removed removed = RemovedFromJson(m);
    c.duplicates_removed += removed.duplicates + removed.near_duplicates,
        c.matches_removed += removed.benchmark;
    m.erase("seconds");
    c.stages[it->path().filename().string()] = m;
  }
  if (auto s = base::WriteFileAtomic(dir / "card.json", base::Dump(ToJson(c), 1) + "\n"); !s.ok())
    return s.error();
  if (auto s = base::WriteFileAtomic(dir / "card.md", Markdown(c)); !s.ok()) return s.error();
  return c;
}

}  // namespace akgen::corpus
