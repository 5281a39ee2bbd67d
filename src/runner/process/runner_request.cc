#include "runner/process/runner_request.h"

#include <array>

namespace akgen::runner {
using base::Json;

namespace {
constexpr std::array kNameOfCommand{"describe", "tile", "run", "program", "script", "status"};

std::optional<Command> CommandFromName(const std::string& name) {
  for (size_t i = 0; i < kNameOfCommand.size(); ++i)
    if (name == kNameOfCommand[i]) return static_cast<Command>(i);
  return std::nullopt;
}

RunnerLimits LimitsFromJson(const Json& j) {
  RunnerLimits l;
  l.wall_ms = j.value("wall_ms", l.wall_ms);
  if (j.contains("clock_ms")) l.clock_ms = j["clock_ms"].get<int>();
  if (j.contains("cpu_s")) l.cpu_s = j["cpu_s"].get<uint64_t>();
  if (j.contains("memory")) l.memory = j["memory"].get<uint64_t>();
  return l;
}
}  // namespace

std::string_view NameOf(Command command) { return kNameOfCommand[static_cast<size_t>(command)]; }

Json ToJson(const RunnerRequest& r) {
  Json limits{{"wall_ms", r.limits.wall_ms}};
  if (r.limits.clock_ms) limits["clock_ms"] = *r.limits.clock_ms;
  if (r.limits.cpu_s) limits["cpu_s"] = *r.limits.cpu_s;
  if (r.limits.memory) limits["memory"] = *r.limits.memory;
  Json out{{"cmd", NameOf(r.command)}, {"so", r.so}, {"limits", limits}};
  if (r.single)
    out["request"] = r.host.at(0);
  else if (!r.host.empty())
    out["requests"] = r.host;
  if (r.command == Command::kRun) {
    Json runs = Json::array();
    for (const sim::RunRequest& run : r.runs) runs.push_back(sim::ToJson(run));
    out["runs"] = std::move(runs);
  }
  if (r.command == Command::kProgram || r.command == Command::kScript)
    out["argv"] = r.argv, out["readable"] = r.readable, out["dir"] = r.dir, out["chip"] = r.chip,
    out["checks"] = r.checks, out["timing"] = r.timing;
  return out;
}

base::Result<RunnerRequest> RunnerRequestFromJson(const Json& j) {
  return base::Checked("a request to the runner", [&]() -> base::Result<RunnerRequest> {
    const std::string name = j.is_object() ? j.value("cmd", "") : "";
    const auto command = CommandFromName(name);
    if (!command) return base::Error{"AK0012", "unknown command: " + name, "", ""};
    RunnerRequest r;
    r.command = *command, r.so = j.value("so", "");
    r.single = !j.contains("requests");
    r.host = r.single ? std::vector<Json>{j.value("request", Json::object())}
                      : j["requests"].get<std::vector<Json>>();
    if (r.command == Command::kRun)
      for (const Json& one : j.value("runs", Json::array())) {
        auto run = sim::RunRequestFromJson(one);
        if (!run.ok()) return run.error();
        r.runs.push_back(std::move(*run));
      }
    r.argv = j.value("argv", std::vector<std::string>{"program"});
    r.readable = j.value("readable", std::vector<std::string>{});
    r.dir = j.value("dir", ""), r.chip = j.value("chip", Json()),
    r.checks = j.value("checks", Json::object());
    r.timing = j.value("timing", Json());
    r.limits = LimitsFromJson(j.value("limits", Json::object()));
    return r;
  });
}

}  // namespace akgen::runner
