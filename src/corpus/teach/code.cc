// The code part: kernels of the user's, with facts read from their sources, the chip's verdict, and
// a teacher's explanation.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "chip/chip.h"
#include "corpus/records/stage.h"
#include "corpus/teach/api_table.h"
#include "corpus/teach/teaching.h"
#include "corpus/teach/units.h"
#include "craft/emit/emit.h"
#include "judge/run/lone.h"
#include "judge/subject.h"
#include "mutate/kernel_view.h"
#include "task/task.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;
using base::Result;

namespace {
constexpr size_t kMaxFacts = 40, kLeastReasoning = 100;
constexpr int kTheirRunMs = 30000;
const char* kCodeSystem =
    "You explain kernels for Ascend NPUs. You are given the sources of one and facts that were "
    "read from them. Answer "
    "with one JSON object: {\"task\": what the kernel computes, on what inputs, as it would be "
    "asked of "
    "somebody who has not seen it, \"reasoning\": why it is built so: how the work is cut among "
    "cores and tiles, what "
    "is moved when, which instructions compute, what orders them}.";
constexpr const char* kOrder[] = {
    "SetFlag",     "WaitFlag",   "PipeBarrier",      "SyncAll",           "EnQue", "DeQue",
    "AllocTensor", "FreeTensor", "CrossCoreSetFlag", "CrossCoreWaitFlag", "IBSet", "IBWait"};
constexpr const char* kTiling[] = {"GetBlockIdx", "GetBlockNum", "InitBuffer", "SetGlobalBuffer",
                                   "GET_TILING_DATA"};

template <size_t N>
bool Among(const std::string& name, const char* const (&list)[N]) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

Json FactsOf(const mutate::SourceIndex& index) {
  Json out{{"tiling", Json::array()},
           {"movement", Json::array()},
           {"computation", Json::array()},
           {"synchronisation", Json::array()}};
  const mutate::KernelView view(index);
  auto add = [&](const char* kind, size_t file, mutate::Span span, const std::string& pipe) {
    if (out[kind].size() >= kMaxFacts) return;
    out[kind].push_back(
        {{"line", index.LineAt(file, span.begin)}, {"text", index.Text(file, span)}});
    if (!pipe.empty()) out[kind].back()["pipe"] = pipe;
  };
  for (const auto& c : index.calls) {
    const std::string pipe = view.PipeOf(c);
    if (Among(c.name, kOrder))
      add("synchronisation", c.file, c.whole, "");
    else if (Among(c.name, kTiling))
      add("tiling", c.file, c.whole, "");
    else if (pipe == "MTE2" || pipe == "MTE3")
      add("movement", c.file, c.whole, pipe);
    else if (pipe == "V")
      add("computation", c.file, c.whole, pipe);
  }
  for (const auto& l : index.loops) add("tiling", l.file, l.condition, "");
  return out;
}

struct Found {
  fs::path path;
  bool project;
  std::string name;
};

// Kernel files and the folders above op_kernel/, each once, by name.
Result<std::vector<Found>> FindKernels(const std::vector<std::string>& folders) {
  std::set<std::pair<std::string, std::pair<std::string, bool>>> found;
  for (const std::string& folder : folders) {
    const fs::path root = fs::absolute(folder).lexically_normal();
    std::error_code ec;
    for (fs::recursive_directory_iterator it(root, ec), end; !ec && it != end; it.increment(ec)) {
      const std::string ending = it->path().extension().string();
      if (!it->is_regular_file() || (ending != ".cpp" && ending != ".cc" && ending != ".h"))
        continue;
      if (it->path().parent_path().filename() == "op_host") continue;  // comes with its kernel
      const bool project = it->path().parent_path().filename() == "op_kernel";
      const fs::path at = project ? it->path().parent_path().parent_path() : it->path();
      if (project || ending != ".h")
        found.insert({(root.filename() / at.lexically_relative(root)).generic_string(),
                      {at.string(), project}});
    }
    if (ec)
      return base::Error{"AK0801", "cannot read the code: " + ec.message(), folder,
                         "name a folder with kernels or operator projects"};
  }
  std::vector<Found> out;
  for (const auto& [name, at] : found) out.push_back({at.first, at.second, name});
  return out;
}

// {path: text} of all sources; empty when one of them is no text, and why.
Json SourcesOf(const Found& f, std::string& why) {
  Json out = Json::object();
  std::error_code ec;
  std::vector<fs::path> files{f.path};
  if (f.project) {
    files.clear();
    for (const char* half : {"op_host", "op_kernel"})
      for (fs::recursive_directory_iterator it(f.path / half, ec), end; !ec && it != end;
           it.increment(ec))
        if (it->is_regular_file() && toolchain::SourceLike(it->path())) files.push_back(it->path());
  }
  for (const fs::path& file : files) {
    TextRead text = ReadText(file);
    if (!text.refused.empty() || text.repaired)
      return why = text.refused.empty() ? "its encoding is broken" : text.refused, Json::object();
    out[f.project ? file.lexically_relative(f.path).generic_string() : file.filename().string()] =
        text.text;
  }
  return out;
}

// Verdict of the chip for a kernel with a launch line; `why` when it must not teach.
Result<Json> Verify(const Found& f, const std::string& text, const std::string& chip,
                    std::string& why) {
  const std::string launch = f.project ? "" : judge::LaunchComment(text);
  if (launch.empty()) return Json{{"verdict", "not_run"}, {"reason", "it has no launch line"}};
  judge::ExamineOptions options;
  options.chip = chip;
  auto subject = judge::Subject::Make(f.path.string(), options);
  if (!subject.ok() && subject.error().code == "AK0013") return subject.error();
  if (!subject.ok()) return why = subject.error().code + ": " + subject.error().message, Json();
  judge::Ask ask;
  ask.timeout_ms = kTheirRunMs;
  const judge::Outcome o = (*subject)->Run(ask);
  if (o.verdict != record::Verdict::kPass)
    why = std::string(record::NameOf(o.verdict)) + ": " + o.reason;
  return Json{
      {"verdict", "pass"}, {"checks", "all"}, {"findings", 0}, {"cases", {{{"inputs", launch}}}}};
}

// Null: it cannot be used, and `why`.
Result<std::optional<Question>> QuestionOf(const Found& f, const TeachOptions& o,
                                           const std::set<std::string>& tasks, std::string& why) {
  const Json files = SourcesOf(f, why);
  if (files.empty()) return std::optional<Question>();
  auto project = toolchain::LoadProject(f.path, false);
  if (!project.ok())
    return why = project.error().code + ": " + project.error().message, std::optional<Question>();
  if (tasks.contains(craft::CamelCase(project->name)))
    return why = "it answers a task of the benchmark", std::optional<Question>();
  auto chip = chip::LoadChip(o.chip);
  if (!chip.ok()) return chip.error();
  auto index = mutate::IndexSource(*project, {chip->npu_arch}, "");
  if (!index.ok() && index.error().code == "AK0013") return index.error();
  if (!index.ok())
    return why = index.error().code + ": " + index.error().message, std::optional<Question>();
  auto verified = Verify(f, files.begin()->get<std::string>(), o.chip, why);
  if (!verified.ok()) return verified.error();
  if (!why.empty()) return std::optional<Question>();
  const Json facts = FactsOf(*index);
  std::string text = "Sources:\n";
  for (const auto& [path, content] : files.items())
    text += fmt::format("`{}`\n```cpp\n{}```\n", path, content.get<std::string>());
  text += "\nFacts:\n" + base::Dump(facts, 1) + "\n";
  Question q{f.name,
             "code/" + f.name,
             base::ContentHash(text),
             {{"system", kCodeSystem}, {"user", text}},
             {{"source", f.name}, {"files", files}, {"facts", facts}, {"verification", *verified}}};
  return std::optional<Question>(std::move(q));
}
}  // namespace

Result<Taught> BuildCode(const fs::path& dir, const TeachOptions& o) {
  auto found = FindKernels(o.folders);
  if (!found.ok()) return found.error();
  std::set<std::string> tasks;
  for (const auto& t : task::ListTasks()) tasks.insert(t.name);
  FoldersRead read{found->size(), {}, {}};
  std::vector<Question> questions;
  for (const Found& f : *found) {
    std::string why;
    auto q = QuestionOf(f, o, tasks, why);
    if (!q.ok()) return q.error();
    if (*q)
      questions.push_back(std::move(**q));
    else
      read.refused[f.name] = why;
    if (o.progress) o.progress(0, found->size(), "reading " + f.name);
  }
  const ApiTable table = ApiTable::Load();
  return Teach(
      dir, "code", o, questions, read, [&](const Question& q, const Json& answer, Stage& stage) {
        auto text = [&](const char* key) {
          return answer.contains(key) && answer[key].is_string() ? answer[key].get<std::string>()
                                                                 : std::string();
        };
        std::string objection =
            text("task").size() < 10 || text("reasoning").size() < kLeastReasoning
                ? "an explanation is not complete"
                : table.Objection(text("reasoning"), q.messages[1].content);
        if (!objection.empty())
          return stage.Add("objected"), stage.Reason("objections", objection), std::vector<Json>();
        return std::vector<Json>{
            {{"task", text("task")}, {"reasoning", {{"teacher", text("reasoning")}}}}};
      });
}

}  // namespace akgen::corpus
