#include "corpus/export/formats.h"

#include <algorithm>
#include <fstream>

#include "base/json.h"
namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;
using generate::Message;

namespace {
std::string Thinking(const std::string& reasoning, const std::string& answer) {
  return reasoning.empty() ? answer : "<think>" + reasoning + "</think>\n" + answer;
}

Json Reply(const std::string& text) {
  return Json::array({{{"role", "assistant"}, {"content", text}}});
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
    if (m.role != "system")
      out.push_back({{"from", m.role == "assistant" ? "gpt" : "human"}, {"value", m.content}});
  return out;
}

// `messages` are a conversation (IsConversation).
Json Alpaca(const std::vector<Message>& messages) {
  std::vector<std::string> talk;
  for (const Message& m : messages)
    if (m.role != "system") talk.push_back(m.content);
  Json history = Json::array();
  for (size_t i = 0; i + 3 < talk.size(); i += 2) history.push_back({talk[i], talk[i + 1]});
  return {{"instruction", talk.at(talk.size() - 2)},
          {"input", ""},
          {"output", talk.back()},
          {"system", Join(messages, "system")},
          {"history", history}};
}

// What LLaMA-Factory calls its data sets, and in which columns it finds what. `suffix`: "",
// "_validation", "_test".
Json DatasetInfo(const std::string& suffix, Json info) {
  const Json tags{{"role_tag", "from"},
                  {"content_tag", "value"},
                  {"user_tag", "human"},
                  {"assistant_tag", "gpt"}};
  info["akgen_sft" + suffix] = {{"file_name", "sft" + suffix + ".json"},
                                {"formatting", "alpaca"},
                                {"columns",
                                 {{"prompt", "instruction"},
                                  {"query", "input"},
                                  {"response", "output"},
                                  {"system", "system"},
                                  {"history", "history"}}}};
  info["akgen_sft_sharegpt" + suffix] = {
      {"file_name", "sft_sharegpt" + suffix + ".json"},
      {"formatting", "sharegpt"},
      {"columns", {{"messages", "conversations"}, {"system", "system"}}},
      {"tags", tags}};
  info["akgen_preference" + suffix] = {{"file_name", "preference" + suffix + ".json"},
                                       {"formatting", "sharegpt"},
                                       {"ranking", true},
                                       {"columns",
                                        {{"messages", "conversations"},
                                         {"system", "system"},
                                         {"chosen", "chosen"},
                                         {"rejected", "rejected"}}},
                                       {"tags", tags}};
  return info;
}

std::vector<std::pair<std::string, Json>> SampleRows(const std::string& format, const Sample& s) {
  std::vector<Message> talk = s.messages;
  if (format != "openai") talk.back().content = Thinking(s.reasoning, talk.back().content);
  if (format == "llama_factory")
    return {
        {"sft", Alpaca(talk)},
        {"sft_sharegpt", {{"conversations", Sharegpt(talk)}, {"system", Join(talk, "system")}}}};
  if (format == "mindspeed_llm") return {{"sft", Alpaca(talk)}};
  Json row{{"messages", generate::ToJson(talk)}};
  if (format == "nemo_rl") row["task_name"] = s.name;
  return {{"sft", row}};
}

Json PreferenceRow(const std::string& format, const Preference& p) {
  const std::string chosen = Thinking(p.chosen_reasoning, p.chosen),
                    rejected = Thinking(p.rejected_reasoning, p.rejected);
  const Json prompt = generate::ToJson(p.prompt);
  if (format == "trl")
    return {{"prompt", prompt}, {"chosen", Reply(chosen)}, {"rejected", Reply(rejected)}};
  if (format == "verl") return {{"prompt", prompt}, {"chosen", chosen}, {"rejected", rejected}};
  if (format == "openai")
    return {
        {"input", {{"messages", prompt}, {"tools", Json::array()}, {"parallel_tool_calls", true}}},
        {"preferred_output", Reply(p.chosen)},
        {"non_preferred_output", Reply(p.rejected)}};
  if (format == "ms_swift") {
    Json messages = prompt;
    messages.push_back({{"role", "assistant"}, {"content", chosen}});
    return {{"messages", messages}, {"rejected_response", rejected}};
  }
  if (format == "nemo_rl")
    return {{"context", prompt},
            {"completions",
             {{{"rank", 0}, {"completion", Reply(chosen)}},
              {{"rank", 1}, {"completion", Reply(rejected)}}}},
            {"task_name", p.name}};
  if (format == "mindspeed_llm")
    return {{"system", Join(p.prompt, "system")},
            {"question", Join(p.prompt, "user")},
            {"chosen", chosen},
            {"rejected", rejected}};
  return {{"conversations", Sharegpt(p.prompt)},
          {"system", Join(p.prompt, "system")},
          {"chosen", {{"from", "gpt"}, {"value", chosen}}},
          {"rejected", {{"from", "gpt"}, {"value", rejected}}}};
}
}  // namespace

std::optional<std::vector<Message>> ConversationFromJson(const Json& line) {
  if (!line.is_object()) return std::nullopt;
  static const std::map<std::string, std::string> kRoles = {{"human", "user"},
                                                            {"user", "user"},
                                                            {"gpt", "assistant"},
                                                            {"assistant", "assistant"},
                                                            {"system", "system"}};
  const bool share = line.contains("conversations");
  const Json talk = share ? line["conversations"] : line.value("messages", Json::array());
  if (!talk.is_array()) return std::nullopt;
  std::vector<Message> out;
  for (const Json& m : talk) {
    const char *who = share ? "from" : "role", *what = share ? "value" : "content";
    if (!m.is_object() || !m.contains(who) || !m.contains(what) || !m[who].is_string() ||
        !m[what].is_string())
      return std::nullopt;
    auto role = kRoles.find(m[who].get<std::string>());
    if (role == kRoles.end()) return std::nullopt;
    out.push_back({role->second, m[what].get<std::string>()});
  }
  return out;
}

bool IsConversation(const std::vector<Message>& messages) {
  size_t spoken = 0;
  for (const Message& m : messages) {
    if (m.role == "system" && spoken == 0) continue;
    if (m.role != (spoken % 2 ? "assistant" : "user")) return false;
    ++spoken;
  }
  return spoken > 0 && spoken % 2 == 0;
}

const std::vector<std::string>& FormatNames() {
  static const std::vector<std::string> kNames = {
      "trl", "llama_factory", "verl", "openai", "ms_swift", "nemo_rl", "mindspeed_llm"};
  return kNames;
}

// An array of rows, or a row a line; written beside its name and renamed.
struct FormatWriter::File {
  fs::path name, part;
  std::ofstream out;
  bool array = false;
  size_t rows = 0;
};

FormatWriter::FormatWriter(fs::path dir, std::vector<std::string> formats)
    : dir_(std::move(dir)), formats_(std::move(formats)) {
  for (const std::string& f : formats_) {
    for (const auto& [stem, row] :
         SampleRows(f, {{{"user", ""}, {"assistant", ""}}, "", "", "train"}))
      At(f, stem, "train");
    At(f, "preference", "train");
  }
}
FormatWriter::~FormatWriter() {
  std::error_code ec;
  for (auto& [key, f] : files_)
    if (f->out.is_open()) f->out.close(), fs::remove(f->part, ec);
}

FormatWriter::File& FormatWriter::At(const std::string& format, const std::string& stem,
                                     const std::string& split) {
  const bool array = format == "llama_factory";
  std::string name =
      format + "/" + stem + (split == "train" ? "" : "_" + split) + (array ? ".json" : ".jsonl");
  auto& f = files_[name];
  if (f) return *f;
  f = std::make_unique<File>();
  f->name = dir_ / name;
  f->part = dir_ / (name + ".part");
  f->array = array;
  std::error_code ec;
  fs::create_directories(f->name.parent_path(), ec);
  f->out.open(f->part, std::ios::trunc);
  if (array) f->out << "[";
  return *f;
}

void FormatWriter::Row(const std::string& format, const std::string& stem, const std::string& split,
                       const Json& row) {
  File& f = At(format, stem, split);
  if (f.array)
    f.out << (f.rows ? ",\n" : "\n") << base::Dump(row);
  else
    f.out << base::Dump(row) << "\n";
  ++f.rows;
  if (!f.out && status_.ok())
    status_ = base::Error{"AK0002", "cannot write " + f.part.string(), f.part.string(),
                          "is the disk full?"};
}

void FormatWriter::Add(const Sample& s) {
  if (!IsConversation(s.messages)) {
    ++left_out_;
    return;
  }
  for (const std::string& f : formats_)
    for (const auto& [stem, row] : SampleRows(f, s)) Row(f, stem, s.split, row);
}
void FormatWriter::Add(const Preference& p) {
  std::vector<Message> whole = p.prompt;
  whole.push_back({"assistant", p.chosen});
  if (!IsConversation(whole)) {
    ++left_out_;
    return;
  }
  for (const std::string& f : formats_) Row(f, "preference", p.split, PreferenceRow(f, p));
}

base::Status FormatWriter::Close() {
  std::error_code ec;
  Json info = Json::object();
  for (auto& [key, f] : files_) {
    if (f->array) f->out << "\n]\n";
    f->out.close();
    if (f->out.fail() && status_.ok())
      status_ = base::Error{"AK0002", "cannot write " + f->part.string(), f->part.string(),
                            "is the disk full?"};
    if (status_.ok())
      fs::rename(f->part, f->name, ec);
    else
      fs::remove(f->part, ec);
    for (const char* suffix : {"", "_validation", "_test"})
      if (f->name.filename() == "preference" + std::string(suffix) + ".json" ||
          f->name.filename() == "sft" + std::string(suffix) + ".json")
        info = DatasetInfo(suffix, info);
  }
  if (ec && status_.ok())
    status_ = base::Error{"AK0002", "cannot write the exports: " + ec.message(), dir_.string(),
                          "is the disk full?"};
  if (status_.ok() && std::count(formats_.begin(), formats_.end(), "llama_factory")) {
    for (auto it = info.begin(); it != info.end();)
      it = files_.count("llama_factory/" + it.value()["file_name"].get<std::string>())
               ? std::next(it)
               : info.erase(it);
    status_ =
        base::WriteFileAtomic(dir_ / "llama_factory/dataset_info.json", base::Dump(info, 1) + "\n");
  }
  files_.clear();
  return status_;
}

}  // namespace akgen::corpus
