#include "corpus/export/export.h"

#include <algorithm>
#include <map>

#include "base/files.h"
#include "corpus/export/formats.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;
using base::Status;
using generate::Message;

namespace {
// A conversation to learn from: everything before the last message is context.
struct Talk {
  std::vector<Message> messages;  // ends with the assistant's
  const Try* last;
  std::string kind;  // "answer" or "repair"
  const Try* failed = nullptr;
};

std::vector<Talk> TalksOf(const Built& b) {
  std::vector<Talk> out;
  for (const Try* t : b.passes) {
    out.push_back({t->prompt, t, "answer"});
    out.back().messages.push_back({"assistant", t->answer});
  }
  for (const Repair& r : b.repairs) {
    out.push_back({r.failed->prompt, r.repaired, "repair", r.failed});
    out.back().messages.push_back({"assistant", r.failed->answer});
    out.back().messages.push_back({"user", r.failed->feedback});
    out.back().messages.push_back({"assistant", r.repaired->answer});
  }
  return out;
}

// As our own records show it: the thought in front of the answer.
std::vector<Message> Thinking(const Talk& t) {
  std::vector<Message> out = t.messages;
  if (!t.last->reasoning.empty())
    out.back().content = "<think>" + t.last->reasoning + "</think>\n" + out.back().content;
  return out;
}

Json RecordOf(const Try& t) {
  return {{"task", t.task},
          {"verdict", t.verdict},
          {"reason", t.reason},
          {"modelled_us", t.modelled.us},
          {"sample", t.sample},
          {"turn", t.turn},
          {"source", t.source},
          {"generator", t.generator},
          {"provenance", t.provenance},
          {"reasoning", t.reasoning},
          {"answer", t.answer}};
}

class Writer {
 public:
  explicit Writer(fs::path dir) : dir_(std::move(dir)) {}
  void Lines(const std::string& name, const std::vector<Json>& rows) {
    std::string text;
    for (const Json& r : rows) text += base::Dump(r) + "\n";
    Put(name, text);
  }
  void Whole(const std::string& name, const Json& j) { Put(name, base::Dump(j, 1) + "\n"); }
  const Status& status() const { return status_; }

 private:
  void Put(const std::string& name, const std::string& text) {
    if (!status_.ok()) return;
    std::error_code ec;
    fs::create_directories((dir_ / name).parent_path(), ec);
    status_ = base::WriteFileAtomic(dir_ / name, text);
  }
  fs::path dir_;
  Status status_;
};

// Prompts to try answers on, for reinforcement learning: a row per task and prompt.
std::vector<Json> RlRows(const std::vector<Try>& tries) {
  std::map<std::string, const Try*> prompts;
  for (const Try& t : tries)
    if (Asks(t)) prompts.emplace(t.task + base::Dump(generate::ToJson(t.prompt)), &t);
  std::vector<Json> rl;
  for (const auto& [key, t] : prompts)
    rl.push_back({{"data_source", "akgen"},
                  {"prompt", generate::ToJson(t->prompt)},
                  {"ability", "code"},
                  {"reward_model", {{"style", "rule"}, {"ground_truth", t->task}}},
                  {"extra_info",
                   {{"split", "train"},
                    {"index", rl.size()},
                    {"task", t->task},
                    {"generator", t->generator}}}});
  return rl;
}

Json Card(const Built& b, const std::vector<Try>& tries, const PairOptions& o) {
  std::map<std::string, size_t> verdicts, kinds, tasks, generators;
  for (const Try& t : tries) ++verdicts[t.verdict], ++tasks[t.task], ++generators[t.generator];
  for (const Pair& p : b.pairs) ++kinds[p.kind];
  return {{"schema", 1},
          {"tries", tries.size()},
          {"without_question",
           std::count_if(tries.begin(), tries.end(), [](const Try& t) { return !Asks(t); })},
          {"tries_by_verdict", verdicts},
          {"tries_by_task", tasks},
          {"tries_by_generator", generators},
          {"answers", b.passes.size()},
          {"repairs", b.repairs.size()},
          {"pairs", b.pairs.size()},
          {"pairs_by_kind", kinds},
          {"setting", o.setting},
          {"faster", o.faster},
          {"per_task", o.per_task}};
}
}  // namespace

Built Build(const std::vector<Try>& tries, const PairOptions& options) {
  return {Passes(tries), FindRepairs(tries), MakePairs(tries, options)};
}

Status Export(const Built& b, const std::vector<Try>& tries, const PairOptions& options,
              const fs::path& dir) {
  Writer w(dir);
  FormatWriter formats(dir, FormatNames());
  std::vector<Json> samples, pairs;
  for (const Talk& t : TalksOf(b)) {
    samples.push_back({{"schema", 1},
                       {"kind", t.kind},
                       {"messages", generate::ToJson(Thinking(t))},
                       {"record", RecordOf(*t.last)}});
    if (t.failed)
      samples.back()["failed"] = RecordOf(*t.failed),
      samples.back()["diagnosis"] = t.failed->feedback;
    formats.Add(Sample{t.messages, t.last->reasoning, t.last->task});
  }
  for (const Pair& p : b.pairs) {
    pairs.push_back({{"schema", 1},
                     {"kind", p.kind},
                     {"margin", p.margin},
                     {"prompt", generate::ToJson(p.chosen->prompt)},
                     {"chosen", RecordOf(*p.chosen)},
                     {"rejected", RecordOf(*p.rejected)}});
    formats.Add(Preference{p.chosen->prompt, p.chosen->reasoning, p.chosen->answer,
                           p.rejected->reasoning, p.rejected->answer, p.chosen->task});
  }
  w.Lines("samples.jsonl", samples);
  w.Lines("pairs.jsonl", pairs);
  if (auto s = formats.Close(); !s.ok()) return s;
  w.Lines("verl/rl.jsonl", RlRows(tries));
  w.Whole("card.json", Card(b, tries, options));
  return w.status();
}

}  // namespace akgen::corpus
