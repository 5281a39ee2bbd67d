#include "judge/kernelbench/answer.h"

#include "base/files.h"
#include "base/json.h"
#include "base/regex.h"

namespace akgen::judge::kernelbench {
namespace fs = std::filesystem;
namespace {
base::Error NoAnswer(const fs::path& path) {
  return {"AK0510",
          "no candidate: neither custom_op.asc with model_new.py, nor an answer that holds both",
          path.string(),
          "give a folder with both files, or a file with two fenced blocks of these names"};
}

Answer AnswerFromJson(const base::Json& json) {
  auto text = [&](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
  };
  return {text("custom_op_asc"), text("model_new_py")};
}

std::string Block(const std::string& text, const char* pattern) {
  const auto found = base::Regex(pattern).Find(text);
  return found ? (*found)[1].text : "";
}
}  // namespace

base::Result<Answer> ReadAnswer(const fs::path& path) {
  std::error_code ec;
  Answer answer;
  if (fs::is_directory(path, ec)) {
    auto asc = base::ReadFile(path / "custom_op.asc"),
         model = base::ReadFile(path / "model_new.py");
    if (!asc.ok() || !model.ok()) return NoAnswer(path);
    return Answer{*asc, *model};
  }
  auto text = base::ReadFile(path);
  if (!text.ok()) return text.error();
  if (const base::Json json = base::Parse(*text); json.is_object()) {
    answer = AnswerFromJson(json);
  } else {
    answer.asc = Block(*text, R"((?sm)^```[^\n]*\bcustom_op\.asc\b[^\n]*\n(.*?)^```)");
    answer.model = Block(*text, R"((?sm)^```[^\n]*\bmodel_new\.py\b[^\n]*\n(.*?)^```)");
  }
  if (answer.asc.empty() || answer.model.empty()) return NoAnswer(path);
  return answer;
}

}  // namespace akgen::judge::kernelbench
