#include "corpus/teach/teaching.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "base/files.h"
#include "corpus/records/record.h"
#include "corpus/records/stage.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;
using base::Result;

namespace {
constexpr int kMaxInARow = 5;  // failures of the teacher

// The JSON object in an answer, whatever stands around it.
Json ObjectIn(const std::string& text) {
  size_t from = text.find('{'), to = text.rfind('}');
  return from == std::string::npos || to == std::string::npos || to < from
             ? Json()
             : base::Parse(text.substr(from, to + 1 - from));
}

Json ToJson(const FoldersRead& read) {
  Json out{{"files", read.files}, {"refused", read.refused}};
  if (read.others) out["mended"] = read.others->repaired, out["other_files"] = read.others->files;
  return out;
}

class Teaching {
 public:
  Teaching(const std::string& name, const TeachOptions& o, const std::vector<Question>& questions,
           Stage stage)
      : name_(name), o_(o), questions_(questions), stage_(std::move(stage)) {}

  Result<Taught> Run(
      const FoldersRead& read,
      const std::function<std::vector<Json>(const Question&, const Json&, Stage&)>& take) {
    std::vector<size_t>& left = *stage_.state().left;
    std::vector<size_t> todo = left;
    const size_t again = todo.size();
    for (size_t i = stage_.Count("asked"); i < questions_.size(); ++i) todo.push_back(i);
    std::optional<base::Error> trouble;
    int in_a_row = 0;
    for (size_t at = 0; at < todo.size() && in_a_row < kMaxInARow;) {
      const size_t n = std::min(todo.size() - at, static_cast<size_t>(std::max(1, o_.concurrency)));
      auto answers = Ask(std::vector<size_t>(todo.begin() + static_cast<long>(at),
                                             todo.begin() + static_cast<long>(at + n)));
      if (auto s = stage_.Begin(); !s.ok()) return s.error();
      std::string lines;
      for (size_t k = 0; k < n; ++k, ++at) {
        if (at < again)
          left.erase(std::find(left.begin(), left.end(), todo[at]));
        else
          stage_.Set("asked", todo[at] + 1);
        if (answers[k].ok()) {
          in_a_row = 0;
          Take(questions_[todo[at]], *answers[k], take, lines);
        } else {
          ++in_a_row;
          trouble = answers[k].error();
          left.push_back(todo[at]);
          stage_.Add("trouble"),
              stage_.Reason("trouble_because", trouble->code + ": " + trouble->message);
        }
      }
      if (auto s = stage_.Commit(lines); !s.ok()) return s.error();
      if (o_.progress)
        o_.progress(at, todo.size(), fmt::format("{} records", stage_.Count("records")));
    }
    auto manifest =
        stage_.Finish(name_, {{"read", ToJson(read)},
                              {"questions", questions_.size()},
                              {"done", left.empty() && stage_.Count("asked") == questions_.size()},
                              {"options", {{"seed", o_.seed}, {"teacher", o_.teacher_name}}}});
    if (!manifest.ok()) return manifest.error();
    if (in_a_row >= kMaxInARow) return *trouble;
    return Taught{read,
                  questions_.size(),
                  left.size(),
                  stage_.Count("records"),
                  stage_.Count("objected"),
                  stage_.Count("answers_unusable"),
                  stage_.Count("duplicates_removed")};
  }

 private:
  std::vector<Result<std::string>> Ask(const std::vector<size_t>& which) {
    std::vector<Result<std::string>> out(which.size(), std::string());
    std::vector<std::thread> threads;
    for (size_t k = 0; k < which.size(); ++k)
      threads.emplace_back([&, k] {
        const Question& q = questions_[which[k]];
        auto answers = o_.teacher->Ask(
            {q.messages, 1, o_.seed + which[k], {{"stage", name_}, {"unit", q.name}}});
        if (!answers.ok())
          out[k] = answers.error();
        else if (!answers->empty())
          out[k] = answers->front().text;
      });
    for (std::thread& t : threads) t.join();
    return out;
  }

  void Take(const Question& q, const std::string& text,
            const std::function<std::vector<Json>(const Question&, const Json&, Stage&)>& take,
            std::string& lines) {
    const Json answer = ObjectIn(text);
    if (!answer.is_object())
      return stage_.Add("answers_unusable"),
             stage_.Reason("objections", "the answer holds no JSON object");
    for (Json& fields : take(q, answer, stage_)) {
      Json r = q.fields;
      r.update(fields);
      r["id"] = base::ContentHash(base::Dump(r));
      r["schema"] = 1, r["kind"] = name_, r["name"] = q.name, r["family"] = q.family,
      r["split"] = SplitOf(q.family), r["teacher"] = o_.teacher_name;
      r["license"] = o_.own ? "the user's" : "unknown", r["others_kernel"] = !o_.own;
      stage_.Add("records");
      lines += base::Dump(r) + "\n";
    }
  }

  const std::string name_;
  const TeachOptions& o_;
  const std::vector<Question>& questions_;
  Stage stage_;
};
}  // namespace

Result<Taught> Teach(
    const fs::path& dir, const std::string& name, const TeachOptions& o,
    const std::vector<Question>& questions, const FoldersRead& read,
    const std::function<std::vector<Json>(const Question&, const Json&, Stage&)>& take) {
  std::string all;
  for (const Question& q : questions) all += q.key;
  const Json same{{"seed", o.seed},
                  {"teacher", o.teacher_name},
                  {"questions", base::ContentHash(all)},
                  {"own", o.own}};
  auto stage = Stage::Open(
      dir / name, same,
      {"records", "asked", "answers_unusable", "objected", "duplicates_removed", "trouble"},
      {"objections", "trouble_because"});
  if (!stage.ok()) return stage.error();
  if (!stage->state().left) stage->state().left.emplace();
  const auto& left = *stage->state().left;
  if (std::any_of(left.begin(), left.end(), [&](size_t i) { return i >= questions.size(); }))
    return base::Error{"AK0801", "the ledger of " + (dir / name).string() + " is damaged",
                       (dir / name).string(), "remove the folder and build again"};
  return Teaching(name, o, questions, std::move(*stage)).Run(read, take);
}

}  // namespace akgen::corpus
