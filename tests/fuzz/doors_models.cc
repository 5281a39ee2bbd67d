// What models and their servers send: answers, replies, scripts, programs.
#include "craft/craft.h"
#include "fuzz.h"
#include "generate/extract.h"
#include "generate/reply.h"
#include "generate/script_model.h"

namespace akgen::fuzz {
namespace {
using base::Json;
using base::Status;

const std::string kKernel =
                      "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void "
                      "sqrt(GM_ADDR x) {\n}\n",
                  kHost =
                      "#include \"sqrt_tiling.h\"\nnamespace ops {\nclass Sqrt : public OpDef "
                      "{};\nOP_ADD(Sqrt);\n}\n";
const std::string kProject = "Here.\n\n`op_kernel/sqrt.cpp`\n```cpp\n" + kKernel +
                             "```\n`op_host/sqrt.cpp`\n```cpp\n" + kHost + "```\n";
const std::string kAsJson = base::Dump(Json{
    {"files", {{"op_kernel/sqrt.cpp", kKernel}, {"op_host/sqrt.cpp", kHost}}}, {"note", "done"}});

AKGEN_DOOR(kAnswers, "answers", {kProject, kAsJson, "```json\n" + kAsJson + "\n```\n"},
           [](const std::string& text) {
             const auto project = generate::ExtractProject(text, "sqrt", false);
             (void)generate::ExtractProject(text, "sqrt", true);
             (void)generate::ExtractProgram(text);
             return project.files.empty() ? Depth::kRefused : Depth::kTaken;
           });

Depth Reply(const std::string& text, bool stream) {
  generate::ReplyReader reader(stream, size_t{1} << 20);
  for (size_t at = 0; at < text.size(); at += 37)
    if (!reader.Add(std::string_view(text).substr(at, 37))) break;
  std::string problem;
  const auto answers = reader.Finish(problem);
  for (const auto& a : answers) (void)generate::AnswerFromJson(generate::ToJson(a));
  return !answers.empty()                               ? Depth::kTaken
         : problem.find("no JSON") != std::string::npos ? Depth::kUnreadable
                                                        : Depth::kRefused;
}

AKGEN_DOOR(
    kReplies, "replies of endpoints",
    {R"({"choices": [{"index": 0, "message": {"role": "assistant", "content": "<think>a</think>b", "reasoning_content": "c"},
                "finish_reason": "stop", "logprobs": {"content": [{"token": "a", "logprob": -0.5}]}}],
                "usage": {"prompt_tokens": 5, "completion_tokens": 7}})"},
    [](const std::string& text) { return Reply(text, false); });

AKGEN_DOOR(kStreams, "streams of endpoints",
           {"data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"a\"}}]}\n\n"
            "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"b\"}, "
            "\"finish_reason\": \"stop\"}], \"usage\": "
            "{\"completion_tokens\": 2}}\n\ndata: [DONE]\n\n"},
           [](const std::string& text) { return Reply(text, true); });

AKGEN_DOOR(
    kAnswersKept, "answers in caches",
    {R"({"text": "a", "reasoning": "b", "finish": "stop", "prompt_tokens": 1, "completion_tokens": 2, "logprobs": null})"},
    [](const std::string& text) {
      return DepthOf(base::Checked("fuzz",
                                   [&]() -> Status {
                                     (void)generate::AnswerFromJson(base::Parse(text));
                                     return {};
                                   }),
                     text);
    });

AKGEN_DOOR(kScripts, "scripts of answers",
           {"{\"when\": {\"task\": \"Sqrt\", \"turn\": 0}, \"text\": \"a\", \"reasoning\": "
            "\"r\"}\n{\"text\": \"b\"}\n"},
           [](const std::string& text) {
             auto model = generate::ScriptModel::Load(Written("script.jsonl", text), {});
             if (!model.ok()) return IsJson(text) ? Depth::kRefused : Depth::kUnreadable;
             generate::Request request;
             request.tags = {{"task", "Sqrt"}, {"turn", 0}};
             (void)(*model)->Ask(request).ok();
             return Depth::kTaken;
           });

// The kernel language has no half-way: what is no program is refused with a place.
AKGEN_DOOR(kPrograms, "programs",
           {*base::ReadFile(std::filesystem::path(AKGEN_EXAMPLES) / "craft/softmax.py")},
           [](const std::string& text) {
             static const craft::Target kTarget = *craft::LoadTarget();
             const auto compiled = craft::Compile(text, kTarget);
             if (compiled.diagnostics.empty()) return Depth::kTaken;
             const std::string& code =
                 compiled.diagnostics.list()[0].code;  // AK1508, AK1509: no sentence
             return code == "AK1508" || code == "AK1509" ? Depth::kUnreadable : Depth::kRefused;
           });
}  // namespace
}  // namespace akgen::fuzz
