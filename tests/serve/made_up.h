// A service that gives made-up answers, behind the routes of every protocol.
#pragma once
#include <gtest/gtest.h>

#include <regex>

#include "base/version.h"
#include "serve/handlers.h"
#include "serve/mcp.h"
#include "serve/submission.h"
#include "serve/task_choice.h"

namespace akgen::serve {
using base::Json;

inline std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// The answer's kind is the first word of what is submitted: an ending, or an outcome.
class MadeUp : public Service {
 public:
  MadeUp() : tasks_(task::ListTasks()) {
    std::erase_if(tasks_, [](const task::TaskInfo& t) {
      return t.name != "Sqrt" && t.name != "Gelu" && t.name != "Tril";
    });
    for (size_t i = 0; i < tasks_.size(); ++i) all_.push_back(i);
    splits_ = {{"all", "train", all_}, {"level1", "test", {0}}};
  }
  std::string Submit(Submission s, Done done) override {
    if (const auto* work = std::get_if<JudgeWork>(&s.work)) {
      asked += "asked " + KeptToJson(s).dump();
      subject_ = work->task;
    } else if (const auto* kernel = std::get_if<KernelWork>(&s.work)) {
      asked += "asked for kernel " + Json{kernel->source, kernel->launch, kernel->chip,
                                          kernel->seed,   kernel->time,   kernel->advise}
                                         .dump();
      subject_ = "(kernel)";
    } else {
      const auto& e = std::get<ExamineWork>(s.work);
      asked += "asked to examine " + Json{e.of.task, e.classes, e.count, e.seed}.dump();
      subject_ = e.of.task;
    }
    asked += " deadline " + std::to_string(s.deadline.count()) + " run " +
             std::to_string(s.run_limit.count()) + (s.outlives_limits ? " outlives" : "") +
             (s.kept ? " kept" : "") + (s.again ? " again" : "") + " key " + s.key + " priority " +
             std::string(NameOf(s.priority)) + "\n";
    answer_ = Of(s);
    if (waiting)
      pending = [done, a = answer_] { done(a); };
    else
      done(answer_);
    return answer_.id;
  }
  void Cancel(const std::string& id) override { asked += "cancelled " + id + "\n"; }
  bool Withdraw(const std::string& id, const Caller&) override { return id == "j1"; }
  std::optional<JobState> State(const std::string& id, const Caller&) override {
    if (id == "j1") return JobState{"j1", "done", subject_, 0, answer_};
    if (id == "j2") return JobState{"j2", "queued", "Sqrt", 3, {}};
    return {};
  }
  bool Follow(const std::string& id, const Caller& caller, Watch watch) override {
    const auto state = waiting ? waiting : State(id, caller);
    if (state) watch(*state);
    return state.has_value();
  }
  std::vector<JobState> UnderWay(const Caller&, size_t) override {
    return {{"j2", "queued", "Sqrt", 3, {}}, {"j3", "running", "Gelu", 0, {}}};
  }
  std::vector<Seen> Recent(const Caller&, size_t most) override {
    std::vector<Seen> out;
    for (const char* how : {"pass", "finding", "cancelled"}) out.push_back(SeenAs(how));
    if (out.size() > most) out.resize(most);
    return out;
  }
  std::optional<Seen> Find(const std::string& id, const Caller&) override {
    if (id != "pass" && id != "finding" && id != "build_error" && id != "expired") return {};
    return SeenAs(id);
  }
  bool Aside(std::function<void()> work) override { return aside.push_back(work), true; }
  void WorkAside() {
    for (const auto& work : std::exchange(aside, {})) work();
  }
  const std::vector<task::TaskInfo>& Tasks() const override { return tasks_; }
  const std::vector<TaskSplit>& Splits() const override { return splits_; }
  base::Result<task::TaskSpec> Task(const std::string& name) const override {
    for (const task::TaskInfo& t : tasks_)
      if (t.name == name) return task::LoadTaskFolder(t.folder);
    return base::Error{"AK0101", "there is no task `" + name + "`", "", "GET /v1/tasks lists them"};
  }
  uint64_t Seed() const override { return 5; }
  ServiceLoad Load() const override { return {4, 1, 2}; }
  bool Ready() const override { return ready; }

  std::string asked;
  bool ready = true;
  std::optional<JobState> waiting;  // where what is submitted stands until `pending` is called
  std::function<void()> pending;
  std::vector<std::function<void()>> aside;  // not with the locks of who asks for it

 private:
  static Answer Kind(const std::string& how) {
    for (Ending e : {Ending::kInvalid, Ending::kConflict, Ending::kOverloaded, Ending::kExpired,
                     Ending::kCancelled, Ending::kStopping, Ending::kFault})
      if (NameOf(e) == how) return Without("j1", e, {"AK0905", "ended as " + how, "here", "again"});
    Answer a;
    a.id = "j1", a.ending = Ending::kDone, a.outcome = how,
    a.reason = how == "pass" ? "" : "because " + how;
    a.sealed = true, a.queued_ms = 1500, a.judged_ms = 2500,
    a.merit.right_values = how == "pass" || how == "finding";
    a.merit.bound_share = how == "pass" ? 0.5 : 0;
    if (how == "no_code" || how == "refused") return a;
    Json findings = Json::array();
    if (how == "finding")
      findings.push_back(
          {{"code", "AK1201"},
           {"message", "a race"},
           {"fix", "wait"},
           {"check", "racecheck"},
           {"place",
            {{"file", "op_kernel/k.cpp"}, {"line", 7}, {"pipe", "PIPE_V"}, {"what", "Add"}}}});
    a.record = {
        {"task", "Sqrt"},
        {"verdict", how},
        {"reason", a.reason},
        {"findings", findings},
        {"sealed", true},
        {"project", "p"},
        {"diagnostics", Json::array()},
        {"cases",
         {{{"id", "0"},
           {"verdict", how},
           {"numbers_pass", a.merit.right_values},
           {"findings", findings},
           {"modelled",
            {{"us", 4.0}, {"range_us", {3.0, 5.0}}, {"bound_us", 2.0}, {"baseline_us", 8.0}}}}}}};
    if (how == "build_error")
      a.record["diagnostics"] = {
          {{"severity", "error"}, {"file", "k.cpp"}, {"line", 3}, {"col", 4}, {"message", "bad"}}};
    return a;
  }
  static Answer Of(const Submission& s) {
    std::string text = "pass";
    if (const auto* work = std::get_if<JudgeWork>(&s.work)) {
      text = work->candidate.text;
      if (!work->candidate.files.empty()) text = work->candidate.files.begin()->second;
    } else if (const auto* kernel = std::get_if<KernelWork>(&s.work)) {
      text = kernel->source;
    }
    return Kind(text.substr(0, text.find(' ')));
  }
  static Seen SeenAs(const std::string& how) {
    Seen seen;
    seen.answer = Kind(how), seen.subject = "Sqrt", seen.client = "c<";
    JudgeWork work;
    work.task = "Sqrt", work.candidate.files["op_kernel/k.cpp"] = "int x;\nint y;\n";
    seen.work = work, seen.answer.id = how;
    return seen;
  }

  std::vector<task::TaskInfo> tasks_;
  std::vector<size_t> all_;
  std::vector<TaskSplit> splits_;
  std::string subject_;
  Answer answer_;
};

class Written : public Stream {
 public:
  explicit Written(std::string& out) : out_(out) {}
  bool Write(std::string_view part) override { return out_ += part, true; }
  void End() override { out_ += "(end)\n"; }

 private:
  std::string& out_;
};

class SentTo : public Socket {
 public:
  explicit SentTo(std::string& out) : out_(out) {}
  bool Send(std::string text) override { return out_ += text + "\n", true; }
  void Close() override { out_ += "(closed)\n"; }

 private:
  std::string& out_;
};

class Handlers : public ::testing::Test {
 protected:
  Handlers() {
    AddHealth(router_, service_, metrics_), AddV1(router_, service_), AddJobs(router_, service_);
    AddOpenEnv(router_, service_), AddRewards(router_, service_),
        AddSandboxFusion(router_, service_);
    AddMcp(router_, service_), AddPage(router_, service_, true), AddOpenApi(router_);
  }
  std::string Ask(const std::string& method, const std::string& path, const std::string& body,
                  std::map<std::string, std::string> headers = {},
                  std::map<std::string, std::string> query = {}) {
    Request request;
    request.method = method, request.path = path, request.body = body,
    request.headers = std::move(headers);
    request.query = std::move(query), request.caller = {"owner", "me"};
    std::string out = "\n## " + method + " " + path + " " + body + "\n";
    router_.Handle(std::move(request), [&](const Response& r) {
      out += service_.asked + std::to_string(r.status) + " " + r.type;
      for (const auto& [name, value] : r.headers) out += " " + name + ": " + value;
      const Json json = base::Parse(r.body);
      out += "\n" + (json.is_discarded() ? r.body : json.dump()) + "\n";
      if (r.stream) r.stream(std::make_shared<Written>(out));
    });
    service_.WorkAside();
    if (const auto end = std::exchange(service_.pending, {})) end();
    service_.asked.clear();
    return Tidy(std::regex_replace(out, std::regex("[0-9a-f]{32}"), "ID"));
  }
  static std::string Tidy(const std::string& text) {
    return Replaced(Replaced(text, base::kVersion, "VERSION"),
                    task::ListTasks()[0].folder.parent_path().parent_path(), "TASKS");
  }
  std::string Post(const std::string& path, const Json& body) {
    return Ask("POST", path, body.dump());
  }

  MadeUp service_;
  Metrics metrics_;
  Router router_;
};

}  // namespace akgen::serve
