#include "corpus/export.h"

#include <map>

#include "base/files.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;
using base::Status;
using generate::Message;

namespace {
std::string Text(const Json& j, int indent = -1) { return j.dump(indent, ' ', false, Json::error_handler_t::replace); }

std::string Thinking(const Try& t) { return t.reasoning.empty() ? t.answer : "<think>" + t.reasoning + "</think>\n" + t.answer; }

// A conversation to learn from: everything before the last message is context.
struct Talk {
  std::vector<Message> messages;   // ends with the assistant's
  const Try* last;
  std::string kind;                // "answer" or "repair"
  const Try* failed = nullptr;
};

std::vector<Talk> TalksOf(const Built& b, bool thinking) {
  std::vector<Talk> out;
  auto said = [&](const Try& t) { return thinking ? Thinking(t) : t.answer; };
  for (const Try* t : b.passes) {
    out.push_back({t->prompt, t, "answer"});
    out.back().messages.push_back({"assistant", said(*t)});
  }
  for (const Repair& r : b.repairs) {
    out.push_back({r.failed->prompt, r.repaired, "repair", r.failed});
    out.back().messages.push_back({"assistant", r.failed->answer});
    out.back().messages.push_back({"user", r.failed->feedback});
    out.back().messages.push_back({"assistant", said(*r.repaired)});
  }
  return out;
}

Json Reply(const std::string& text) { return Json::array({{{"role", "assistant"}, {"content", text}}}); }

Json RecordOf(const Try& t) {
  return {{"task", t.task}, {"verdict", t.verdict}, {"reason", t.reason}, {"modelled_us", t.modelled_us}, {"sample", t.sample}, {"turn", t.turn},
          {"source", t.source}, {"generator", t.generator}, {"provenance", t.provenance}, {"reasoning", t.reasoning}, {"answer", t.answer}};
}

std::string Join(const std::vector<Message>& messages, const char* role) {
  std::string out;
  for (const Message& m : messages)
    if (m.role == role) out += (out.empty() ? "" : "\n\n") + m.content;
  return out;
}

Json Sharegpt(const std::vector<Message>& messages) {
  Json out = Json::array();
  for (const Message& m : messages)
    if (m.role != "system") out.push_back({{"from", m.role == "assistant" ? "gpt" : "human"}, {"value", m.content}});
  return out;
}

class Writer {
 public:
  explicit Writer(fs::path dir) : dir_(std::move(dir)) {}
  void Lines(const std::string& name, const std::vector<Json>& rows) {
    std::string text;
    for (const Json& r : rows) text += Text(r) + "\n";
    Put(name, text);
  }
  void Whole(const std::string& name, const Json& j) { Put(name, Text(j, 1) + "\n"); }
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

void WriteTrl(Writer& w, const Built& b, const std::vector<Talk>& talks) {
  std::vector<Json> sft, preference;
  for (const Talk& t : talks) sft.push_back({{"messages", generate::ToJson(t.messages)}});
  for (const Pair& p : b.pairs) preference.push_back({{"prompt", generate::ToJson(p.chosen->prompt)}, {"chosen", Reply(Thinking(*p.chosen))}, {"rejected", Reply(Thinking(*p.rejected))}});
  w.Lines("trl/sft.jsonl", sft);
  w.Lines("trl/preference.jsonl", preference);
}

// What LLaMA-Factory calls its data sets, and in which columns it finds what.
Json DatasetInfo() {
  Json tags{{"role_tag", "from"}, {"content_tag", "value"}, {"user_tag", "human"}, {"assistant_tag", "gpt"}};
  return {{"akgen_sft", {{"file_name", "sft.json"}, {"formatting", "alpaca"}, {"columns", {{"prompt", "instruction"}, {"query", "input"}, {"response", "output"}, {"system", "system"}, {"history", "history"}}}}},
          {"akgen_sft_sharegpt", {{"file_name", "sft_sharegpt.json"}, {"formatting", "sharegpt"}, {"columns", {{"messages", "conversations"}, {"system", "system"}}}, {"tags", tags}}},
          {"akgen_preference", {{"file_name", "preference.json"}, {"formatting", "sharegpt"}, {"ranking", true},
                                {"columns", {{"messages", "conversations"}, {"system", "system"}, {"chosen", "chosen"}, {"rejected", "rejected"}}}, {"tags", tags}}}};
}

void WriteLlamaFactory(Writer& w, const Built& b, const std::vector<Talk>& talks) {
  Json alpaca = Json::array(), sharegpt = Json::array(), preference = Json::array();
  for (const Talk& t : talks) {
    Json talk = Sharegpt(t.messages), history = Json::array();
    for (size_t i = 0; i + 3 < talk.size(); i += 2) history.push_back({talk[i]["value"], talk[i + 1]["value"]});
    std::string system = Join(t.messages, "system");
    alpaca.push_back({{"instruction", talk[talk.size() - 2]["value"]}, {"input", ""}, {"output", t.messages.back().content}, {"system", system}, {"history", history}});
    sharegpt.push_back({{"conversations", talk}, {"system", system}});
  }
  for (const Pair& p : b.pairs)
    preference.push_back({{"conversations", Sharegpt(p.chosen->prompt)}, {"system", Join(p.chosen->prompt, "system")},
                          {"chosen", {{"from", "gpt"}, {"value", Thinking(*p.chosen)}}}, {"rejected", {{"from", "gpt"}, {"value", Thinking(*p.rejected)}}}});
  w.Whole("llama_factory/sft.json", alpaca);
  w.Whole("llama_factory/sft_sharegpt.json", sharegpt);
  w.Whole("llama_factory/preference.json", preference);
  w.Whole("llama_factory/dataset_info.json", DatasetInfo());
}

void WriteVerl(Writer& w, const Built& b, const std::vector<Talk>& talks, const std::vector<Try>& tries) {
  std::vector<Json> sft, preference, rl;
  for (const Talk& t : talks) sft.push_back({{"messages", generate::ToJson(t.messages)}});
  for (const Pair& p : b.pairs) preference.push_back({{"prompt", generate::ToJson(p.chosen->prompt)}, {"chosen", Thinking(*p.chosen)}, {"rejected", Thinking(*p.rejected)}});
  std::map<std::string, const Try*> prompts;   // one row per task and prompt
  for (const Try& t : tries) prompts.emplace(t.task + Text(generate::ToJson(t.prompt)), &t);
  for (const auto& [key, t] : prompts)
    rl.push_back({{"data_source", "akgen"}, {"prompt", generate::ToJson(t->prompt)}, {"ability", "code"}, {"reward_model", {{"style", "rule"}, {"ground_truth", t->task}}},
                  {"extra_info", {{"split", "train"}, {"index", rl.size()}, {"task", t->task}, {"generator", t->generator}}}});
  w.Lines("verl/sft.jsonl", sft);
  w.Lines("verl/preference.jsonl", preference);
  w.Lines("verl/rl.jsonl", rl);
}

void WriteOpenai(Writer& w, const Built& b) {
  std::vector<Json> sft, preference;
  for (const Talk& t : TalksOf(b, false)) sft.push_back({{"messages", generate::ToJson(t.messages)}});
  for (const Pair& p : b.pairs)
    preference.push_back({{"input", {{"messages", generate::ToJson(p.chosen->prompt)}, {"tools", Json::array()}, {"parallel_tool_calls", true}}},
                          {"preferred_output", Reply(p.chosen->answer)}, {"non_preferred_output", Reply(p.rejected->answer)}});
  w.Lines("openai/sft.jsonl", sft);
  w.Lines("openai/preference.jsonl", preference);
}

Json Card(const Built& b, const std::vector<Try>& tries, const PairOptions& o) {
  std::map<std::string, size_t> verdicts, kinds, tasks, generators;
  for (const Try& t : tries) ++verdicts[t.verdict], ++tasks[t.task], ++generators[t.generator];
  for (const Pair& p : b.pairs) ++kinds[p.kind];
  return {{"schema", 1}, {"tries", tries.size()}, {"tries_by_verdict", verdicts}, {"tries_by_task", tasks}, {"tries_by_generator", generators},
          {"answers", b.passes.size()}, {"repairs", b.repairs.size()}, {"pairs", b.pairs.size()}, {"pairs_by_kind", kinds},
          {"setting", o.setting}, {"faster", o.faster}, {"per_task", o.per_task}};
}
}  // namespace

Built Build(const std::vector<Try>& tries, const PairOptions& options) { return {Passes(tries), FindRepairs(tries), MakePairs(tries, options)}; }

Status Export(const Built& b, const std::vector<Try>& tries, const PairOptions& options, const fs::path& dir) {
  Writer w(dir);
  std::vector<Talk> talks = TalksOf(b, true);
  std::vector<Json> samples, pairs;
  for (const Talk& t : talks) {
    samples.push_back({{"schema", 1}, {"kind", t.kind}, {"messages", generate::ToJson(t.messages)}, {"record", RecordOf(*t.last)}});
    if (t.failed) samples.back()["failed"] = RecordOf(*t.failed), samples.back()["diagnosis"] = t.failed->feedback;
  }
  for (const Pair& p : b.pairs)
    pairs.push_back({{"schema", 1}, {"kind", p.kind}, {"margin", p.margin}, {"prompt", generate::ToJson(p.chosen->prompt)}, {"chosen", RecordOf(*p.chosen)}, {"rejected", RecordOf(*p.rejected)}});
  w.Lines("samples.jsonl", samples);
  w.Lines("pairs.jsonl", pairs);
  WriteTrl(w, b, talks);
  WriteLlamaFactory(w, b, talks);
  WriteVerl(w, b, talks, tries);
  WriteOpenai(w, b);
  w.Whole("card.json", Card(b, tries, options));
  return w.status();
}

}  // namespace akgen::corpus
