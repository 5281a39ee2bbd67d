#include "generate/script_model.h"

#include <optional>
#include <sstream>

#include "base/fields.h"
#include "base/files.h"

namespace akgen::generate {
using base::Error;
using base::Json;
using base::Result;

namespace {
// A line of the file; beside it an Answer, whose text may be in a file of its own.
struct ScriptLine {
  Json when = Json::object();
  std::optional<std::string> file, text;

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("when", m.when);
    io.Field("file", m.file);
    io.Field("text", m.text);
  }
};

bool Meets(const Json& when, const Json& tags) {
  for (const auto& [key, value] : when.items())
    if (!tags.contains(key) || tags[key] != value) return false;
  return true;
}
}  // namespace

Result<std::unique_ptr<Model>> ScriptModel::Load(const std::filesystem::path& file,
                                                 const std::filesystem::path& transcript) {
  auto text = base::ReadFile(file);
  if (!text.ok())
    return Error{"AK0705", "the file of answers cannot be read", file.string(),
                 "--model script:FILE names a file of JSON lines"};
  std::unique_ptr<ScriptModel> model(new ScriptModel(transcript));
  model->file_ = file.string();
  std::istringstream in(*text);
  int number = 0;
  for (std::string row; std::getline(in, row);) {
    ++number;
    if (row.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::string where = file.string() + ":" + std::to_string(number);
    Json j = base::Parse(row);
    auto said = base::Checked(
        where, [&] { return Result<ScriptLine>(base::MessageFromJson<ScriptLine>(j)); });
    if (!said.ok() || !said->when.is_object() || !(said->file || said->text))
      return Error{"AK0705", "this line is not an answer", where,
                   R"(write {"when": {"task": "Sqrt", "turn": 0}, "text": "…"})"};
    auto answer = base::Checked(
        where, [&]() -> Result<Answer> { return AnswerFromJson(said->file ? Json::object() : j); });
    if (!answer.ok()) return Error{"AK0705", answer.error().message, where, answer.error().fix};
    Line line{said->when, std::move(*answer)};
    if (said->file) {
      auto content = base::ReadFile(file.parent_path() / *said->file);
      if (!content.ok())
        return Error{"AK0705", "the answer's file cannot be read", where, content.error().where};
      line.answer.text = *content;
    }
    SplitReasoning(line.answer.text, line.answer.reasoning);
    if (line.answer.finish.empty()) line.answer.finish = "stop";
    model->lines_.push_back(std::move(line));
  }
  return std::unique_ptr<Model>(std::move(model));
}

const Answer* ScriptModel::Find(const base::Json& tags) const {
  for (const Line& line : lines_)
    if (Meets(line.when, tags)) return &line.answer;
  return nullptr;
}

// Of several answers at once each is a sample of its own.
Result<std::vector<Answer>> ScriptModel::Ask(const Request& request) {
  std::vector<Answer> out;
  for (int i = 0; i < std::max(1, request.n); ++i) {
    Json tags = request.tags;
    if (request.n > 1) tags["sample"] = i;
    const Answer* answer = Find(tags);
    if (!answer)
      return Error{"AK0705", "the script has no answer for " + base::Dump(tags), file_,
                   "add a line whose \"when\" this meets"};
    out.push_back(*answer);
  }
  transcript_.Add(request, out, {});
  return out;
}

}  // namespace akgen::generate
