#include "judge/kernelbench/recording.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/files.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "toolchain/host_section.h"

namespace akgen::judge::kernelbench {
namespace fs = std::filesystem;
using base::Json;
using record::Verdict;
namespace {
constexpr int kMaxRuns = 64, kModelMs = 120000;
constexpr std::chrono::minutes kMaxTime{10};
constexpr uint64_t kMaxConstants = 64u << 10;  // bytes

std::string PathOf(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  return "/usr/bin/" + program;
}

std::variant<Trace, Stop> RunModel(Executor& executor, const Task& task, const Answer& answer,
                                   const Json& known) {
  auto folder = base::TempDir::Create();
  if (!folder.ok()) return Stop{Verdict::kInfraError, folder.error().message};
  const Json asked{{"init", task.init},
                   {"inputs", task.inputs},
                   {"schemas", toolchain::SchemasOf(answer.asc)},
                   {"known", known}};
  const fs::path script = base::HomeDir() / "python" / "akgen" / "kernelbench" / "model.py";
  auto recorder = base::ReadFile(script);
  if (!recorder.ok()) return Stop{Verdict::kInfraError, recorder.error().message};
  for (const auto& [name, text] :
       {std::pair{"model_new.py", answer.model}, std::pair{"model.json", base::Dump(asked)},
        std::pair{"record_model.py", *recorder}})
    if (auto s = base::WriteFileAtomic(folder->path() / name, text); !s.ok())
      return Stop{Verdict::kInfraError, s.error().message};
  // Of root's privileges an interpreter keeps none: it works in a folder of its own.
  constexpr uid_t kNobody = 65534;
  if (::geteuid() == 0 && ::chown(folder->path().c_str(), kNobody, kNobody) != 0)
    return Stop{Verdict::kInfraError, "a folder cannot be given to nobody"};
  ProgramLaunch l;
  l.object = PathOf(task.python), l.folder = folder->path().string(), l.wall_ms = kModelMs;
  l.argv = {l.object, "-I", "-B", (folder->path() / "record_model.py").string(), l.folder};
  l.readable = task.folders;
  for (const char* path : {"/usr/bin", "/etc/alternatives", "/etc/localtime", "/proc/cpuinfo",
                           "/proc/meminfo", "/sys/devices/system"})
    l.readable.push_back(path);
  const ProgramReply reply = executor.RunScript(l);
  if (reply.status == "error") return Stop{Verdict::kInfraError, reply.detail};
  const RunOutcome outcome = OutcomeOf(reply.status, reply.detail, {});
  if (outcome.verdict != Verdict::kPass)
    return Stop{outcome.verdict, "model_new.py: " + outcome.reason};
  if (reply.exit_code != 0)
    return Stop{Verdict::kRuntimeError, fmt::format("model_new.py ended with exit code {}: {}",
                                                    reply.exit_code, reply.console.substr(0, 500))};
  auto trace = ReadTrace(folder->path());
  if (!trace.ok()) return Stop{Verdict::kRuntimeError, trace.error().message};
  return std::move(*trace);
}

std::vector<TracedResult> ResultsOf(const HostCall& call) {
  std::vector<TracedResult> out;
  for (const HostResult& r : call.results) out.push_back({r.sizes, r.type});
  return out;
}

Json ToJson(const std::vector<TracedResult>& results) {
  Json out = Json::array();
  for (const TracedResult& r : results) out.push_back({{"shape", r.shape}, {"dtype", r.type}});
  return out;
}

// Parameters get the values of the task's own; of what is no parameter only a little is a constant:
// a table of answers is not. Returns what is wrong.
std::string TakeParameters(const Task& task, Trace* trace) {
  uint64_t constants = 0;
  for (const Source& s : trace->sources) {
    if (s.kind != Source::Kind::kHeld) continue;
    bool known = false;
    for (const TensorFile& p : task.parameters) {
      if (p.dtype != s.dtype || ElementsOf(p.shape) != s.count) continue;
      auto bytes = base::ReadFile(p.file);
      known = known || (bytes.ok() &&
                        std::equal(bytes->begin(), bytes->end(), s.bytes.begin(), s.bytes.end(),
                                   [](char a, uint8_t b) { return uint8_t(a) == b; }));
    }
    const bool alike = s.count && std::equal(s.bytes.begin() + base::SizeOf(s.dtype), s.bytes.end(),
                                             s.bytes.begin());
    if (!known && !alike) constants += s.bytes.size();
    if (constants > kMaxConstants)
      return s.name +
             " of ModelNew has values that no parameter of Model has: layers have to be made in "
             "Model's order, "
             "and what is computed from them by a kernel";
  }
  return "";
}
void TypesOf(const Task& task, Recording* r) {
  for (Source& s : r->trace.sources) {
    if (s.kind == Source::Kind::kInput && !task.trials.empty() &&
        s.index < task.trials[0].inputs.size()) {
      if (const auto& input = task.trials[0].inputs[s.index]) s.dtype = input->dtype;
    } else if (s.kind == Source::Kind::kResult && s.index < r->calls[s.call].results.size()) {
      s.dtype = r->calls[s.call].results[s.index].dtype;
    } else if (s.kind == Source::Kind::kChanged &&
               s.index < r->trace.calls[s.call].arguments.size()) {
      if (const auto& t = r->trace.calls[s.call].arguments[s.index].tensor) s.dtype = t->dtype;
    }
  }
}

bool KeepsTypes(const Trace& trace, const TracedTensor& t) {
  for (size_t source = 0; const int64_t n : t.numbers) {
    if (n < 0) continue;
    while (uint64_t(n) < trace.sources[source].first) --source;
    while (uint64_t(n) >= trace.sources[source].first + trace.sources[source].count) ++source;
    if (trace.sources[source].kind != Source::Kind::kEmpty &&
        trace.sources[source].dtype != t.dtype)
      return false;
  }
  return true;
}

bool KeepsTypes(const Trace& trace, const TracedArgument& a) {
  return (!a.tensor || KeepsTypes(trace, *a.tensor)) &&
         std::all_of(a.list.begin(), a.list.end(),
                     [&](const TracedArgument& item) { return KeepsTypes(trace, item); });
}

bool KeepsTypes(const Trace& trace) {
  for (const TracedCall& c : trace.calls)
    for (const TracedArgument& a : c.arguments)
      if (!KeepsTypes(trace, a)) return false;
  return std::all_of(trace.outputs.begin(), trace.outputs.end(),
                     [&](const TracedTensor& t) { return KeepsTypes(trace, t); });
}
}  // namespace

std::variant<Recording, Stop> Record(Executor& executor, const Task& task, const Answer& answer,
                                     const HostHalf& host) {
  Json known = Json::array();
  Recording out;
  const auto start = std::chrono::steady_clock::now();
  for (int run = 0; run < kMaxRuns; ++run) {
    auto traced = RunModel(executor, task, answer, known);
    if (auto* stop = std::get_if<Stop>(&traced)) return std::move(*stop);
    out.trace = std::move(std::get<Trace>(traced));
    bool again = false;
    for (size_t i = 0; i < out.trace.calls.size() && !again; ++i) {
      if (i >= out.calls.size()) {
        if (std::chrono::steady_clock::now() - start > kMaxTime)
          return Stop{Verdict::kTimeout,
                      "the model and its bindings take longer than ten minutes on shapes alone"};
        auto call = host.Call(executor, out.trace.calls[i]);
        if (auto* stop = std::get_if<Stop>(&call)) return std::move(*stop);
        out.calls.push_back(std::move(std::get<HostCall>(call)));
        known.push_back(ToJson(ResultsOf(out.calls.back())));
      }
      again = out.trace.calls[i].results != ResultsOf(out.calls[i]);
    }
    if (again) continue;
    if (!out.trace.end.empty())
      return Stop{record::VerdictFromName(out.trace.end).value_or(Verdict::kRuntimeError),
                  out.trace.reason};
    if (out.trace.calls.empty())
      return Stop{Verdict::kRejected, "forward calls no operator of torch.ops.custom_op"};
    if (const std::string wrong = TakeParameters(task, &out.trace); !wrong.empty())
      return Stop{Verdict::kWrongAnswer, wrong};
    TypesOf(task, &out);
    if (!KeepsTypes(out.trace))
      return Stop{Verdict::kUnsupported, "a model that takes elements of one type for another"};
    return out;
  }
  return Stop{Verdict::kRuntimeError, "the model's calls do not come to an end"};
}

}  // namespace akgen::judge::kernelbench
