// The documentation part: units of text, questions about them by a teacher, held against what the
// interface has.
#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "corpus/records/stage.h"
#include "corpus/teach/api_table.h"
#include "corpus/teach/teaching.h"
#include "corpus/teach/units.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;
using base::Result;

namespace {
constexpr size_t kMaxPairs = 4, kLeastAnswer = 20, kMaxAnswer = 20000;
const char* kDocumentationSystem =
    "You teach how kernels for Ascend NPUs are written in Ascend C. From the passage you are "
    "given, and nothing else, "
    "write up to four questions that somebody who writes kernels would ask, each with the "
    "reasoning that leads to the answer and a complete answer. Answer with one JSON object: "
    "{\"pairs\": "
    "[{\"question\": …, \"reasoning\": …, \"answer\": …}]}.";

// What a teacher answers; what is no text of a pair is empty.
struct TeacherPair {
  std::string question, reasoning, answer;
};
std::vector<TeacherPair> TeacherPairsFromJson(const Json& answer) {
  const auto text = [](const Json& pair, const char* key) {
    const auto at = pair.find(key);
    return at != pair.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  std::vector<TeacherPair> out;
  const Json pairs = answer.value("pairs", Json::array());
  for (size_t i = 0; pairs.is_array() && i < pairs.size(); ++i)
    out.push_back(
        {text(pairs[i], "question"), text(pairs[i], "reasoning"), text(pairs[i], "answer")});
  return out;
}

// Files in order of their names; what cannot be read is counted and named.
Result<std::vector<Question>> Questions(const TeachOptions& o, FoldersRead& read) {
  std::vector<Question> out;
  OtherFiles& others = read.others.emplace();
  for (const std::string& folder : o.folders) {
    const fs::path root = fs::absolute(folder).lexically_normal();
    std::vector<fs::path> files;
    std::error_code ec;
    for (fs::recursive_directory_iterator it(root, ec), end; !ec && it != end; it.increment(ec))
      if (it->is_regular_file()) files.push_back(it->path());
    if (ec)
      return base::Error{"AK0801", "cannot read the documentation: " + ec.message(), folder,
                         "name a folder with Markdown, HTML or text"};
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      const std::string ending = file.extension().string(),
                        name = (root.filename() / file.lexically_relative(root)).generic_string();
      const bool html = ending == ".html" || ending == ".htm";
      if (!html && ending != ".md" && ending != ".txt") {
        ++others.files;
        continue;
      }
      TextRead text = ReadText(file);
      if (!text.refused.empty()) {
        read.refused[name] = text.refused;
        continue;
      }
      ++read.files, others.repaired += text.repaired;
      for (const Unit& u : CutMarkdown(html ? MarkdownOfHtml(text.text) : text.text)) {
        const std::string passage =
            fmt::format("From `{}`{}:\n\n{}", name, u.title.empty() ? "" : ", " + u.title, u.text);
        out.push_back({fmt::format("{}:{}", name, u.line),
                       "documentation/" + name,
                       base::ContentHash(passage),
                       {{"system", kDocumentationSystem}, {"user", passage}},
                       {{"source", name},
                        {"title", u.title},
                        {"line", u.line},
                        {"unit", base::ContentHash(u.text)}}});
      }
    }
  }
  return out;
}
}  // namespace

Result<Taught> BuildDocumentation(const fs::path& dir, const TeachOptions& o) {
  FoldersRead read;
  auto questions = Questions(o, read);
  if (!questions.ok()) return questions.error();
  const ApiTable table = ApiTable::Load();
  return Teach(
      dir, "documentation", o, *questions, read,
      [&](const Question& q, const Json& answer, Stage& stage) {
        std::vector<Json> out;
        const std::vector<TeacherPair> pairs = TeacherPairsFromJson(answer);
        for (size_t i = 0; i < std::min(pairs.size(), kMaxPairs); ++i) {
          const auto& [question, reasoning, text] = pairs[i];
          std::string objection =
              question.size() < 10 || text.size() < kLeastAnswer || text.size() > kMaxAnswer ||
                      reasoning.empty()
                  ? "a pair is not complete"
                  : table.Objection(reasoning + "\n" + text, q.messages[1].content);
          if (!objection.empty()) {
            stage.Add("objected"), stage.Reason("objections", objection);
            continue;
          }
          if (!stage.ledger().AddKey("question", base::ContentHash(question))) {
            stage.Add("duplicates_removed");
            continue;
          }
          out.push_back({{"task", question},
                         {"reasoning", {{"teacher", reasoning}}},
                         {"answer", text},
                         {"verification",
                          {{"verdict", "checked"}, {"by", "names and dtypes of the interface"}}}});
        }
        return out;
      });
}

}  // namespace akgen::corpus
