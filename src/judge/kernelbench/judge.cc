#include "judge/kernelbench/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/files.h"
#include "base/version.h"
#include "judge/kernelbench/machine.h"
#include "judge/run/simulated_chip.h"
#include "judge/run/value_range.h"
#include "judge/time/baseline.h"
#include "toolchain/host_section.h"

namespace akgen::judge::kernelbench {
namespace fs = std::filesystem;
using base::Json;
using record::Verdict;
namespace {
constexpr double kTolerance = 1e-4, kHalfTolerance = 1e-2;  // absolute and relative
constexpr double kMaxSpeedup = 10;

Result Ended(Stop stop) {
  Result r;
  r.verdict = stop.verdict, r.reason = std::move(stop.reason);
  r.findings = std::move(stop.findings), r.diagnostics = std::move(stop.diagnostics);
  return r;
}

base::Result<Values> ValuesOf(const TensorFile& t) {
  auto bytes = base::ReadFile(t.file);
  if (!bytes.ok()) return bytes.error();
  return Values{t.dtype, t.shape, {bytes->begin(), bytes->end()}};
}

// torch.allclose, where NaN in the same places agree; integers are equal. "": it holds.
std::string Difference(const Values& got, const Values& expected, double tolerance) {
  if (got.shape != expected.shape)
    return fmt::format("shape [{}], expected [{}]", fmt::join(got.shape, ", "),
                       fmt::join(expected.shape, ", "));
  if (got.dtype != expected.dtype)
    return fmt::format("dtype {}, expected {}", base::NameOf(got.dtype),
                       base::NameOf(expected.dtype));
  const size_t size = size_t(base::SizeOf(got.dtype)), count = expected.bytes.size() / size;
  uint64_t wrong = 0, first = 0;
  for (size_t i = 0; i < count; ++i) {
    const double g = NumberAt(got.dtype, &got.bytes[i * size]),
                 e = NumberAt(got.dtype, &expected.bytes[i * size]);
    const double most = base::IsFloating(got.dtype) ? tolerance + tolerance * std::fabs(e) : 0;
    if (g == e || (std::isnan(g) && std::isnan(e)) ||
        (std::isfinite(e) && std::fabs(g - e) <= most))
      continue;
    if (wrong++ == 0) first = i;
  }
  if (!wrong) return "";
  return fmt::format("{} of {} elements are wrong; the first is {}: {:g}, expected {:g}", wrong,
                     count, first, NumberAt(got.dtype, &got.bytes[first * size]),
                     NumberAt(got.dtype, &expected.bytes[first * size]));
}

task::ParamDesc TensorParam(std::string name, base::Dtype dtype,
                            const std::vector<int64_t>& shape) {
  task::ParamDesc p;
  p.name = std::move(name), p.tensors = {{dtype, shape}};
  return p;
}

// Times of the reference: its operators one by one, and its bytes.
std::optional<Time> ReferenceTime(const Task& task, const chip::Chip& chip) {
  const auto parameters = TimingOf(chip);
  const auto table = sim::LoadEager();
  const auto errors = sim::LoadErrors();
  if (!parameters.ok() || !table.ok() || !errors.ok()) return std::nullopt;
  task::CaseDesc c;
  double bytes = 0;
  for (size_t i = 0; i < task.trials.at(0).inputs.size(); ++i)
    if (const auto& t = task.trials[0].inputs[i]) {
      c.inputs.push_back(TensorParam("x" + std::to_string(i), t->dtype, t->shape));
      bytes += double(ElementsOf(t->shape)) * base::SizeOf(t->dtype);
    }
  for (size_t i = 0; i < task.parameters.size(); ++i)
    c.inputs.push_back(
        TensorParam("p" + std::to_string(i), task.parameters[i].dtype, task.parameters[i].shape));
  for (const TensorFile& t : task.trials[0].outputs) {
    c.outputs.push_back(TensorParam("y" + std::to_string(c.outputs.size()), t.dtype, t.shape));
    bytes += double(ElementsOf(t.shape)) * base::SizeOf(t.dtype);
  }
  return Time{0, BaselineOf(c, &task.graph, *parameters, *table, chip, *errors).eager_us,
              bytes / parameters->hbm_rate};
}

// A convolution's arithmetic is no part of the estimate for eager operators.
bool HasEagerTime(const record::Graph& graph) {
  return std::none_of(graph.nodes.begin(), graph.nodes.end(), [](const record::GraphNode& n) {
    return n.op.find("convolution") != std::string::npos;
  });
}

void TakeTime(const Json& modelled, const Task& task, const chip::Chip& chip, Result* r) {
  auto time = ReferenceTime(task, chip);
  if (!time || !HasEagerTime(task.graph)) {
    r->untimed = "no estimate of the reference's own time";
    return;
  }
  for (const Json& launch : modelled) {
    const auto own = record::LaunchTimeFromJson(launch);
    if (!own) {
      r->untimed = WhyNoTime(launch);
      return;
    }
    time->us += own->us;
  }
  r->time = time;
}

// Runs the trials in order, up to the first that fails.
base::Result<Result> Trials(Executor& executor, const Task& task, const Machine& machine,
                            const chip::Chip& chip) {
  Result r;
  Json modelled;
  for (const Trial& trial : task.trials) {
    std::vector<Values> inputs;
    for (const auto& i : trial.inputs) {
      auto values = i ? ValuesOf(*i) : base::Result<Values>(Values{});
      if (!values.ok()) return values.error();
      inputs.push_back(std::move(*values));
    }
    const bool first = &trial == &task.trials.front();
    auto ran = machine.Run(executor, inputs, first);
    Stop stop{Verdict::kPass, ""};
    if (auto* stopped = std::get_if<Stop>(&ran)) {
      stop = std::move(*stopped);
    } else {
      auto& good = std::get<Machine::Ran>(ran);
      if (first) modelled = std::move(good.modelled), r.findings = std::move(good.findings);
      if (good.outputs.size() != trial.outputs.size())
        stop = {Verdict::kWrongAnswer,
                fmt::format("{} results, expected {}", good.outputs.size(), trial.outputs.size())};
      for (size_t i = 0; stop.verdict == Verdict::kPass && i < good.outputs.size(); ++i) {
        auto expected = ValuesOf(trial.outputs[i]);
        if (!expected.ok()) return expected.error();
        const bool half = base::IsFloating(expected->dtype) && base::SizeOf(expected->dtype) == 2;
        const std::string wrong =
            Difference(good.outputs[i], *expected,
                       task.tolerance.value_or(half ? kHalfTolerance : kTolerance));
        if (!wrong.empty()) stop = {Verdict::kWrongAnswer, wrong};
      }
    }
    if (stop.verdict != Verdict::kPass) {
      const int passed = r.trials;
      r = Ended(std::move(stop));
      r.trials = passed, r.trial = trial.name;
      return r;
    }
    ++r.trials;
  }
  r.verdict = Verdict::kPass;
  TakeTime(modelled, task, chip, &r);
  return r;
}

double PassAtK(double n, double c, double k) {
  if (n - c < k) return 1;
  double none = 1;
  for (double i = n - c + 1; i <= n; ++i) none *= 1 - k / i;
  return 1 - none;
}
}  // namespace

double Time::Sol() const {
  const double light = std::min(speed_of_light, 0.999 * std::min(us, eager_us));
  return (eager_us - light) / ((us - light) + (eager_us - light));
}

base::Result<Result> Judge(Executor& executor, const fs::path& task_file, const fs::path& candidate,
                           const Options& options) {
  auto answer = ReadAnswer(candidate);
  if (!answer.ok()) return answer.error();
  chip::Chip chip;
  if (auto no = LoadRunnable(options.chip, &chip)) return Ended({no->verdict, no->reason});
  if (const std::string rule = toolchain::BrokenRule(answer->asc); !rule.empty())
    return Ended({Verdict::kRejected, rule});
  auto folder = base::TempDir::Create();
  if (!folder.ok()) return folder.error();
  const fs::path model = folder->path() / "model_new.py";
  if (auto s = base::WriteFileAtomic(model, answer->model); !s.ok()) return s.error();
  auto task = PrepareTask({task_file, model, folder->path(), options.elements, options.secret});
  if (!task.ok()) return task.error();
  if (!task->rules.empty()) return Ended({Verdict::kRejected, task->rules[0]});
  if (!task->refused.empty()) return Ended({Verdict::kUnsupported, "the task: " + task->refused});
  auto host = HostHalf::Build(executor, answer->asc, chip);
  if (auto* stop = std::get_if<Stop>(&host)) return Ended(std::move(*stop));
  auto recording = Record(executor, *task, *answer, std::get<HostHalf>(host));
  if (auto* stop = std::get_if<Stop>(&recording)) return Ended(std::move(*stop));
  const auto& recorded = std::get<Recording>(recording);
  auto machine =
      Machine::Build(executor, answer->asc, recorded, {chip, options.checks, options.timeout_ms});
  if (auto* stop = std::get_if<Stop>(&machine)) return Ended(std::move(*stop));
  auto result = Trials(executor, *task, std::get<Machine>(machine), chip);
  if (!result.ok()) return result.error();
  result->cap = task->cap;
  for (const HostCall& call : recorded.calls)
    result->launches +=
        uint64_t(std::count_if(call.steps.begin(), call.steps.end(), [](const HostStep& s) {
          return std::holds_alternative<LaunchStep>(s);
        }));
  return result;
}

Json ToJson(const Result& r) {
  Json findings = Json::array();
  for (const auto& f : r.findings) findings.push_back(record::ToJson(f));
  Json time;
  if (r.time)
    time = {{"us", r.time->us},
            {"eager_us", r.time->eager_us},
            {"speed_of_light_us", r.time->speed_of_light},
            {"speedup", r.time->Speedup()},
            {"sol", r.time->Sol()}};
  return {{"schema", record::kVerdictSchema},
          {"version", base::kVersion},
          {"backend", record::NameOf(record::kDefaultBackend)},
          {"sealed", record::IsSealed(record::kDefaultBackend)},
          {"verdict", record::NameOf(r.verdict)},
          {"reason", r.reason},
          {"trial", r.trial},
          {"trials", r.trials},
          {"launches", r.launches},
          {"cap", r.cap},
          {"modelled", time},
          {"untimed", r.untimed},
          {"findings", findings},
          {"diagnostics", record::ToJson(r.diagnostics)}};
}

Score ScoreOf(const std::vector<Sample>& samples) {
  Score out;
  std::map<std::string, std::pair<int, int>> tasks;  // samples, passed
  std::vector<std::pair<std::string, double>> limits{{"0", 0}, {"0.5", .5},  {"0.8", .8},
                                                     {"1", 1}, {"1.5", 1.5}, {"2", 2}};
  std::map<std::string, int> faster;
  int timed = 0;
  double logs = 0, sol = 0;
  for (const Sample& s : samples) {
    auto& [n, passed] = tasks[s.task];
    ++n;
    if (s.result.verdict != Verdict::kPass) continue;
    ++passed, ++out.correct;
    const double speedup = s.result.time ? s.result.time->Speedup() : 0;
    const bool odd = speedup > kMaxSpeedup;
    out.flagged += odd;
    for (const auto& [name, p] : limits) faster[name] += p == 0 || (!odd && speedup > p);
    if (!s.result.time || odd) continue;
    ++timed, logs += std::log(speedup), sol += s.result.time->Sol();
  }
  out.samples = samples.size();
  for (const auto& [name, p] : limits)
    out.fast.emplace_back(name,
                          samples.empty() ? 0.0 : double(faster[name]) / double(samples.size()));
  for (const int k : {1, 5, 10}) {
    double sum = 0;
    for (const auto& [name, t] : tasks) sum += PassAtK(t.first, t.second, k);
    if (!tasks.empty() &&
        std::all_of(tasks.begin(), tasks.end(), [&](const auto& t) { return t.second.first >= k; }))
      out.pass.emplace_back(std::to_string(k), sum / double(tasks.size()));
  }
  if (timed) out.geometric_mean = std::exp(logs / timed), out.sol = sol / timed;
  return out;
}

Json ToJson(const Score& s) {
  Json fast = Json::object(), pass = Json::object();
  for (const auto& [p, share] : s.fast) fast[p] = share;
  for (const auto& [k, share] : s.pass) pass[k] = share;
  return {{"samples", s.samples},
          {"correct", s.correct},
          {"flagged", s.flagged},
          {"fast_p", fast},
          {"pass_at_k", pass},
          {"geometric_mean", s.geometric_mean ? Json(*s.geometric_mean) : Json()},
          {"sol", s.sol ? Json(*s.sol) : Json()}};
}

}  // namespace akgen::judge::kernelbench
