#include "corpus/export/columns.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <utility>

#include "corpus/export/tries.h"
#include "record/modelled.h"
#include "record/sample_ref.h"
#include "record/verdict.h"
#include "store/store.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Result;

namespace {
// A column with its possible names, from the shortest to one that nothing else has.
struct Named {
  std::vector<std::string> names;
  Column column;
};

std::string PlaceOf(const fs::path& file) {
  std::error_code ec;
  fs::path place = fs::weakly_canonical(file, ec);
  return (ec ? file : place).string();
}

Result<Named> FromJournal(const fs::path& file) {
  auto tries = TriesFromJournal(file);
  if (!tries.ok()) return tries.error();
  const std::string generator = tries->empty() ? "journal" : tries->front().generator,
                    place = PlaceOf(file);
  Named out{{generator, generator + ", " + fs::path(place).parent_path().filename().string(),
             generator + ", " + place},
            {}};
  std::map<std::pair<std::string, int>, record::Transcript> transcripts;
  for (const Try& t : *tries) {
    const std::string verdict = t.sealed ? t.verdict : std::string(record::kUnsealed);
    out.column.outcomes.push_back({t.task, verdict, t.reason, t.sample, t.turn, t.modelled.us});
    record::Transcript& said = transcripts[{t.task, t.sample}];
    said.task = t.task, said.sample = t.sample;
    if (said.answers.empty())
      for (const auto& message : t.prompt) said.prompt.emplace_back(message.role, message.content);
    said.answers.push_back({t.answer, verdict, t.reason, t.feedback, t.modelled.us});
  }
  for (auto& [key, said] : transcripts) out.column.transcripts.push_back(std::move(said));
  return out;
}

Result<Named> FromRun(const store::Store& store, const store::RunRow& run) {
  auto verdicts = store.Evidence(run.id);
  auto tasks = store.Tasks(run.id);
  if (!verdicts.ok() || !tasks.ok()) return verdicts.ok() ? tasks.error() : verdicts.error();
  const std::string stem = store.path().stem().string(), id = run.id.substr(0, 12);
  Named out{{stem, stem + ", " + id, PlaceOf(store.path()) + ", " + run.id}, {}};
  const int samples = record::RunShapeOf(run.config).Samples();
  for (const auto& t : *tasks) out.column.wanted[t.name] = samples;
  std::map<std::pair<std::string, int>, Outcome> outcomes;
  std::set<std::pair<std::string, int>> untimed;
  for (const auto& v : *verdicts) {  // public before hidden
    if (v.sample >= samples) continue;
    auto [it, fresh] = outcomes.try_emplace({v.task, v.sample},
                                            Outcome{v.task, v.verdict, v.reason, v.sample, 0, 0});
    Outcome& o = it->second;
    if (o.verdict != "pass") continue;
    o.verdict = v.verdict, o.reason = v.reason;
    const double us = record::SumOfRecord(v.record).us;
    o.modelled_us += us;
    if (us <= 0) untimed.insert(it->first);
  }
  for (auto& [key, o] : outcomes) {
    if (untimed.contains(key)) o.modelled_us = 0;
    out.column.outcomes.push_back(std::move(o));
  }
  return out;
}

Result<std::vector<Named>> FromFile(const fs::path& file) {
  std::vector<Named> out;
  if (std::ifstream(file).peek() == EOF)
    return base::Error{"AK0801", "cannot read it, or it is empty", file.string(),
                       "name journals of `akgen generate` and stores of `akgen bench run`"};
  if (!IsStore(file)) {
    auto journal = FromJournal(file);
    if (!journal.ok()) return journal.error();
    out.push_back(std::move(*journal));
    return out;
  }
  auto store = store::Store::Open(file, store::Access::kRead);
  if (!store.ok()) return store.error();
  auto runs = store->Runs();
  if (!runs.ok()) return runs.error();
  for (const auto& run : *runs) {
    auto column = FromRun(*store, run);
    if (!column.ok()) return column.error();
    out.push_back(std::move(*column));
  }
  return out;
}
}  // namespace

Result<std::vector<Column>> ColumnsFrom(const std::vector<std::string>& files) {
  std::vector<Named> all;
  std::set<std::string> places;  // a file that is named twice is one column
  for (const std::string& file : files) {
    auto more = FromFile(file);
    if (!more.ok()) return more.error();
    for (Named& n : *more)
      if (places.insert(n.names.back()).second) all.push_back(std::move(n));
  }
  const size_t levels = 3;
  std::vector<size_t> level(all.size(), 0);
  for (size_t round = 1; round < levels; ++round) {
    std::map<std::string, int> count;
    for (size_t i = 0; i < all.size(); ++i) ++count[all[i].names[level[i]]];
    for (size_t i = 0; i < all.size(); ++i)
      if (count[all[i].names[level[i]]] > 1) ++level[i];
  }
  std::vector<Column> out;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].column.name = all[i].names[level[i]];
    out.push_back(std::move(all[i].column));
  }
  return out;
}

}  // namespace akgen::corpus
