// Tools that put a job into the queue: judge, run, profile, mutate_check.
#include <filesystem>

#include "base/files.h"
#include "judge/examine.h"
#include "record/launch_record.h"
#include "serve/record_view.h"
#include "serve/schemas.h"
#include "serve/submission.h"
#include "serve/tool_arguments.h"
#include "serve/tools.h"

namespace akgen::serve {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr int kMaxMutants = 64;

// op_host and op_kernel of a folder of this machine.
Result<Json> FilesBelow(const std::string& folder) {
  Json files = Json::object();
  std::error_code ec;
  for (const char* part : {"op_host", "op_kernel"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(folder) / part, ec)) {
      if (!entry.is_regular_file()) continue;
      auto text = base::ReadFile(entry.path());
      if (!text.ok()) return text.error();
      files[fs::relative(entry.path(), folder, ec).generic_string()] = std::move(*text);
    }
  if (files.empty())
    return Error{"AK0310", "the folder holds no op_host or op_kernel with files", folder,
                 "name the project's own folder, as an absolute path"};
  return files;
}

Result<Submission> SubmissionOf(const ToolCall& call, CandidateArguments asked) {
  if (!asked.folder.empty()) {
    auto files = FilesBelow(asked.folder);
    if (!files.ok()) return files.error();
    asked.submission["files"] = std::move(*files);
  }
  return ReadSubmission(asked.submission, call.caller);
}

void Queue(Service& service, const ToolCall& call, Result<Submission> submission,
           const ToolReply& reply, std::function<Json(const Answer&)> view) {
  if (!submission.ok()) return reply(ToolError(submission.error()));
  const std::string id =
      service.Submit(std::move(*submission), [reply, view = std::move(view)](const Answer& a) {
        if (a.ending != Ending::kDone) return reply(ToolErrorOf(a));
        // What says nothing of the kernel is no result to work with.
        const bool says_nothing =
            record::VerdictFromName(a.outcome) && !record::Counts({a.outcome, a.sealed});
        reply({view(a), says_nothing});
      });
  call.presence->OnGone([&service, id] { service.Cancel(id); });
  if (call.progress)
    service.Follow(id, call.caller, [progress = call.progress](const JobState& s) {
      if (s.state == "queued") progress("queued, " + std::to_string(s.ahead) + " jobs ahead");
      if (s.state == "running") progress("running");
    });
}

void ToolJudge(Service& service, const ToolCall& call, const ToolReply& reply) {
  const auto asked = CandidateArgumentsFromJson(call.arguments);
  Queue(service, call, SubmissionOf(call, asked), reply, [whole = asked.record](const Answer& a) {
    Json out = SummaryOf(a);
    if (whole) out["record"] = a.record;
    return out;
  });
}

Submission KernelSubmission(const ToolCall& call, const KernelArguments& asked, bool advise) {
  Submission s;
  s.work =
      KernelWork{asked.source, asked.launch, asked.chip, asked.seed, advise || asked.time, advise};
  s.caller = call.caller;
  return s;
}

void ToolRun(Service& service, const ToolCall& call, const ToolReply& reply) {
  const auto asked = KernelArgumentsFromJson(call.arguments).value_or(KernelArguments());
  Queue(service, call, KernelSubmission(call, asked, false), reply, [](const Answer& a) {
    Json out = SummaryOf(a);
    for (const char* name : {"cases", "reward", "reward_version"}) out.erase(name);
    if (const auto launch = record::LaunchRecordFromJson(a.record); launch.ok())
      out["print"] = launch->print, out["counts"] = launch->counts,
      out["modelled"] = launch->modelled;
    return out;
  });
}

Json ProfileView(const Answer& a, const std::string& chip) {
  Json out = SummaryOf(a);
  for (const char* name : {"cases", "reward", "reward_version", "diagnostics"}) out.erase(name);
  out["profiles"] = ToJson(ProfilesOf(ShownOf(a.record), chip));
  return out;
}

// The case with most data unless one is named: what a kernel is tuned for.
std::string CaseToProfile(const Service& service, const std::string& name) {
  auto task = service.Task(name);
  std::string id;
  uint64_t most = 0;
  for (const auto& row : task.ok() ? task->cases : std::vector<task::CaseRow>()) {
    auto c = task::ResolveCase(*task, row);
    if (!c.ok() || !task::TooLarge(*c).empty() || c->memory_estimate <= most) continue;
    most = c->memory_estimate, id = row.id;
  }
  return id;
}

void ToolProfile(Service& service, const ToolCall& call, const ToolReply& reply) {
  const auto asked = CandidateArgumentsFromJson(call.arguments);
  auto view = [chip = asked.chip](const Answer& a) { return ProfileView(a, chip); };
  if (const auto kernel = KernelArgumentsFromJson(call.arguments))
    return Queue(service, call, KernelSubmission(call, *kernel, true), reply, view);
  auto submission = SubmissionOf(call, asked);
  if (submission.ok()) {
    auto& work = std::get<JudgeWork>(submission->work);
    work.cases = {asked.case_id.empty() ? CaseToProfile(service, work.task) : asked.case_id};
    work.advise = true;
    work.seed = work.seed.value_or(1);  // two profiles are compared
  }
  Queue(service, call, std::move(submission), reply, view);
}

Json MutantsView(const Answer& a) {
  const auto t = judge::ExaminedTotalsFromJson(a.record);
  return {{"usable", t.usable},          {"reason", t.reason},         {"case", t.case_id},
          {"planted", t.mutants.size()}, {"observable", t.observable}, {"caught", t.caught},
          {"missed", t.missed},          {"mutants", t.mutants}};
}

void ToolMutate(Service& service, const ToolCall& call, const ToolReply& reply) {
  const auto asked = CandidateArgumentsFromJson(call.arguments);
  auto submission = SubmissionOf(call, asked);
  if (submission.ok()) {
    ExamineWork work;
    work.of = std::get<JudgeWork>(submission->work);
    if (!asked.case_id.empty()) work.of.cases = {asked.case_id};
    work.classes = asked.classes, work.count = asked.count;
    work.seed = work.of.seed.value_or(1);
    submission->work = std::move(work);
  }
  Queue(service, call, std::move(submission), reply, MutantsView);
}

// What a candidate is given by, for all tools that take one.
Json CandidateProperties(bool local) {
  const Json all = PropertiesOf(SubmissionSchema());
  Json out = Json::object();
  for (const char* name : {"files", "text", "form", "chip", "precision", "inputs", "seed"})
    out[name] = all[name];
  out["task"] = Typed("string", "a name of list_tasks");
  if (local)
    out["folder"] = Typed("string",
                          "in place of files: the project's folder, as an absolute path; op_host "
                          "and op_kernel are read");
  return out;
}

Json RunInput() {
  return ObjectOf(
      {{"source", Typed("string", "a kernel file")},
       {"launch",
        Typed("string",
              "blocks=2 args=in:f16[256],out:f16[256]; default: the `// launch:` comment")},
       {"chip", Typed("string")},
       {"seed", {{"type", "integer"}, {"minimum", 0}}},
       {"time", Typed("boolean", "model the time")}},
      {"source"});
}

Json ProfileInput(bool local) {
  Json properties = CandidateProperties(local);
  const Json of_run = PropertiesOf(RunInput());
  for (const auto& [name, schema] : of_run.items())
    if (name != "time") properties[name] = schema;
  properties["case"] = Typed("string", "a case's id; default: the one with most data");
  return ObjectOf(std::move(properties));
}

Json MutateInput(bool local) {
  Json properties = CandidateProperties(local);
  for (const char* name : {"text", "form"}) properties.erase(name);
  properties["case"] = Typed("string", "a case's id; default: one of medium size");
  properties["classes"] =
      ListOf(Typed("string"), "classes of faults, as akgen mutate --list has them; default: all");
  properties["count"] =
      Between(1, kMaxMutants, "mutants at most, spread over the classes; default 8");
  return ObjectOf(std::move(properties), {"task"});
}

Json JudgeOutput() {
  return PartOf(
      SummarySchema(), {},
      {{"record",
        {{"type", Json::array({"object", "null"})}, {"description", "where it was asked for"}}}});
}

// What a caller of /v1 would look up, an agent asks a tool for.
std::string FixForTools(const std::string& fix) {
  if (fix.starts_with("GET /v1/tasks/")) return "show_task lists its cases";
  if (fix.starts_with("GET /v1/tasks")) return "list_tasks lists them";
  if (fix.starts_with("GET /openapi.json")) return "tools/list describes the arguments";
  return fix;
}

}  // namespace

ToolResult ToolError(const Error& e, bool retryable) {
  return {{{"error",
            {{"code", e.code},
             {"message", e.message},
             {"where", e.where},
             {"fix", FixForTools(e.fix)},
             {"retryable", retryable}}}},
          true};
}

ToolResult ToolErrorOf(const Answer& a) {
  return ToolError(a.error.value_or(Error{"AK0516", a.reason, "", ""}), a.Retryable());
}

std::vector<Tool> JudgingTools(bool local) {
  Json judge = CandidateProperties(local);
  const Json all = PropertiesOf(SubmissionSchema());
  for (const char* name : {"cases", "hidden", "edits", "time", "deadline_ms", "cache", "project"})
    judge[name] = all[name];
  judge["record"] = Typed("boolean", "the whole record too: every case with outputs and times");
  const Json optional_object{{"type", Json::array({"object", "null"})}};
  return {
      {"judge", "Judge a kernel",
       "Builds an operator project, runs all cases of its task on the simulated chip, and compares "
       "the results. The "
       "verdict, and findings with the kernel's own lines, the fix in words, and edits where they "
       "are known. A kernel "
       "that is wrong is a normal result.",
       ObjectOf(std::move(judge), {"task"}), JudgeOutput(), false, ToolJudge},
      {"run", "Run a standalone kernel",
       "Runs one kernel file without a task: its findings. Results are not compared with anything.",
       RunInput(),
       PartOf(SummarySchema(), {"cases", "reward", "reward_version"},
              {{"print", Typed("string")},
               {"counts", optional_object},
               {"modelled", optional_object}}),
       false, ToolRun},
      {"profile", "Profile a kernel",
       "Where a kernel's modelled time goes, what limits it, and what changes would gain. A "
       "project with `task`, or a "
       "standalone kernel with `source`.",
       ProfileInput(local),
       PartOf(
           SummarySchema(), {"cases", "reward", "reward_version", "diagnostics"},
           {{"profiles", ListOf(Typed("object"), "case, bottleneck, why, modelled_us, advice")}}),
       false, ToolProfile},
      {"mutate_check",
       "Plant faults in a kernel",
       "Plants faults in a project that passes, one per mutant, and says which of those that "
       "matter the checks catch. "
       "Takes seconds per mutant.",
       MutateInput(local),
       {{"type", "object"},
        {"required",
         Json::array({"usable", "reason", "planted", "observable", "caught", "missed", "mutants"})},
        {"properties",
         {{"usable", Typed("boolean")},
          {"reason", Typed("string")},
          {"case", Typed("string")},
          {"planted", Typed("integer")},
          {"observable", Typed("integer")},
          {"caught", Typed("integer")},
          {"missed", ListOf(Typed("integer"))},
          {"mutants", ListOf(Typed("object"))}}}},
       false,
       ToolMutate}};
}

}  // namespace akgen::serve
