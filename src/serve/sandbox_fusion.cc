// SandboxFusion's POST /run_code, as its own client and verl speak it: the program that is "run" is
// a kernel, its standard input names the task and what to look at ("Sqrt", "Sqrt#case3",
// "Sqrt#hidden", "Sqrt#compile"), its output is PASS or the verdict. `language` is not read: verl
// always says python. The time limits of a request are those of the run: a request waits for its
// turn as long as its client does, which is sent blanks meanwhile.
#include "serve/adapters.h"
#include "serve/handlers.h"
#include "serve/submission.h"

namespace akgen::serve {
using base::Error;
using base::Json;
using base::Result;
using record::Verdict;

namespace {
constexpr double kLeastSeconds = 0.1, kMaxSeconds = 3600;

struct RunCode {
  std::string code, task, part;  // part: what stands behind '#'
  double seconds = 0;
  bool verl = false;  // it retries on 504 alone, and takes a SandboxError for a wrong answer
};

Result<RunCode> ReadRunCode(const Json& body) {
  return base::Checked("/run_code", [&]() -> Result<RunCode> {
    RunCode r;
    r.code = body.at("code").get<std::string>();
    r.verl = body.contains("memory_limit_MB");
    std::string in =
        body.contains("stdin") && body["stdin"].is_string() ? body["stdin"].get<std::string>() : "";
    in.erase(0, std::min(in.find_first_not_of(" \t\r\n"), in.size()));
    in.erase(in.find_last_not_of(" \t\r\n") + 1);
    const size_t mark = std::min(in.find('#'), in.size());
    r.task = in.substr(0, mark);
    r.part = mark < in.size() ? in.substr(mark + 1) : "";
    const bool known =
        r.part.empty() || r.part == "compile" || r.part == "hidden" || r.part.starts_with("case");
    if (r.task.empty() || !known)
      return Error{"AK0902", "standard input names no task", "stdin",
                   "send TASK, TASK#caseID, TASK#hidden or TASK#compile as stdin"};
    r.seconds = body.value("compile_timeout", 10.0) + body.value("run_timeout", 10.0);
    if (!(r.seconds >= kLeastSeconds && r.seconds <= kMaxSeconds))
      return Error{"AK0902", "the time limits make no sense", "run_timeout", ""};
    return r;
  });
}

Json Command(const char* status, int code, const std::string& out, const std::string& err,
             double ms) {
  Json c{{"status", status},
         {"execution_time", ms / 1000},
         {"return_code", code},
         {"stdout", out},
         {"stderr", err}};
  if (std::string_view(status) == "TimeLimitExceeded") c["return_code"] = nullptr;
  return c;
}

Json ReplyBody(const char* status, const std::string& message, Json compile, Json run) {
  return {{"status", status},
          {"message", message},
          {"compile_result", std::move(compile)},
          {"run_result", std::move(run)},
          {"executor_pod_name", nullptr},
          {"files", Json::object()}};
}

// Only what counts is said of the candidate; the rest is the sandbox's own trouble.
Response RunReplyOf(const Answer& a, const RunCode& r) {
  if (a.ending == Ending::kInvalid) return EndingReply(a);
  if (!a.Reward()) {
    const bool busy = a.ending == Ending::kOverloaded || a.ending == Ending::kStopping;
    Response error = EndingReply(a);
    error.status = r.verl ? 504 : busy ? 503 : 200;
    Json body = ReplyBody("SandboxError", FeedbackOf(a), nullptr, nullptr);
    body.update(base::Parse(error.body));
    error.body = base::Dump(body) + "\n";
    return error;
  }
  const Json compiled = Command("Finished", 0, "", "", 0);
  if (!Compiled(a))
    return JsonReply(
        ReplyBody("Failed", "", Command("Finished", 1, "", FeedbackOf(a), a.judged_ms), nullptr));
  if (Correct(a) || r.part == "compile")
    return JsonReply(
        ReplyBody("Success", "", compiled, Command("Finished", 0, "PASS\n", "", a.judged_ms)));
  if (a.outcome == record::NameOf(Verdict::kTimeout))
    return JsonReply(ReplyBody("Failed", "", compiled,
                               Command("TimeLimitExceeded", 1, "", FeedbackOf(a), a.judged_ms)));
  return JsonReply(ReplyBody("Failed", "", compiled,
                             Command("Finished", 1, a.outcome + "\n", FeedbackOf(a), a.judged_ms)));
}

// A case that shows whether it builds.
std::vector<std::string> FirstCase(const Service& service, const std::string& name) {
  auto task = service.Task(name);
  if (!task.ok() || task->cases.empty()) return {};
  return {task->cases[0].id};
}

void Run(Service& service, const Request& request, const Reply& reply) {
  auto body = ReadBody(request);
  auto run = body.ok() ? ReadRunCode(*body) : Result<RunCode>(body.error());
  if (!run.ok()) return reply(ErrorReply(422, run.error()));
  Submission s = TextSubmission(run->task, run->code, request.caller);
  auto& work = std::get<JudgeWork>(s.work);
  if (run->part.starts_with("case")) work.cases = {run->part.substr(4)};
  if (run->part == "compile") work.cases = FirstCase(service, run->task);
  s.outlives_limits = true;
  // verl takes every error for a wrong answer: it is told none for a machine that is slow.
  if (!run->verl)
    s.run_limit = std::chrono::milliseconds(static_cast<int64_t>(run->seconds * 1000));
  const std::string id = service.Submit(
      std::move(s), [reply, run = *run](const Answer& a) { reply(RunReplyOf(a, run)); });
  request.presence->OnGone([&service, id] { service.Cancel(id); });
}
}  // namespace

void AddSandboxFusion(Router& router, Service& service) {
  router.OnPatient("POST", "/run_code", [&service](const Request& request, const Reply& reply) {
    Run(service, request, reply);
  });
}

}  // namespace akgen::serve
