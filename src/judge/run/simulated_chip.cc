#include "judge/run/simulated_chip.h"

#include "runner/process/runner_reply.h"
#include "runner/process/runner_request.h"

#include <sys/stat.h>

#include <filesystem>

namespace akgen::judge {
using base::Json;

namespace {
constexpr int kHostMs = 10000;      // a definition that takes longer has no end
constexpr int kOverheadMs = 20000;  // of processes and messages around what has a limit of its own

// What a helper that broke, or a process that gave an answer of no known form, is called.
template <class Reply>
Reply Ended(const base::Error& e, bool ours) {
  Reply r;
  if (!ours && e.code == "AK0612") {
    r.status = "malformed";
    r.detail = e.code + ": " + e.message;
  } else if (!ours && e.code == "AK0014") {
    r.status = "malformed";
    r.detail =
        "the process that ran the candidate answered what the chip never answers: " + e.message;
  } else {
    r.status = !ours && e.code == "AK0011" ? "timeout" : "error";
    r.detail = e.message;
  }
  return r;
}

// The replies to `n` requests out of the answer of the process that ran them; each as `read` takes
// it.
template <class Reply, class Read>
std::vector<Reply> RepliesOf(const base::Result<Json>& answer, size_t n, bool ours, Read&& read) {
  auto all = [&](const Reply& r) { return std::vector<Reply>(n, r); };
  if (!answer.ok()) return all(Ended<Reply>(answer.error(), ours));
  auto replies = base::Checked("the runner", [&]() -> base::Result<std::vector<Reply>> {
    std::vector<Reply> out;
    const auto all_said = runner::RunnerReplyFromJson(*answer);
    if (!all_said.ok()) {
      auto one = read(*answer);
      if (!one.ok()) return one.error();
      return all(*one);
    }
    for (size_t i = 0; i < n; ++i) {
      if (!all_said.answers || i >= all_said.answers->size())
        base::ThrowJsonShape("an answer is missing");
      auto one = read((*all_said.answers)[i]);
      if (!one.ok()) return one.error();
      out.push_back(std::move(*one));
    }
    return out;
  });
  return replies.ok() ? std::move(*replies) : all(Ended<Reply>(replies.error(), ours));
}

base::Result<ProgramReply> ProgramReplyFromJson(const Json& j) {
  return base::Checked("the program", [&]() -> base::Result<ProgramReply> {
    auto run = sim::RunReplyFromJson(j);
    if (!run.ok()) return run.error();
    return ProgramReply{run->status,
                        run->detail,
                        j.value("console", ""),
                        j.value("exit_code", 0),
                        j.value("process", Json::object()).value("wall_ms", 0.0),
                        std::move(run->findings),
                        j.value("launches", uint64_t{0}),
                        run->vector_ops,
                        run->copies,
                        run->bytes_in,
                        run->bytes_out,
                        std::move(run->modelled)};
  });
}
}  // namespace

base::Result<std::unique_ptr<Executor>> SimulatedChip::Start() {
  auto b = toolchain::Builder::Start();
  if (!b.ok()) return b.error();
  auto r = runner::Runner::Start();
  if (!r.ok()) return r.error();
  return std::unique_ptr<Executor>(new SimulatedChip(std::move(*b), std::move(*r)));
}

base::Result<toolchain::BuildReply> SimulatedChip::Build(const toolchain::BuildRequest& request) {
  return builder_.Build(request);
}

base::Result<std::vector<toolchain::SourceLine>> SimulatedChip::Symbolise(
    const std::string& object, const std::vector<uint64_t>& pcs) {
  return builder_.Symbolize(object, pcs);
}

// Candidates that follow each other often share their host code. The object's file is named by
// what it was built from; its number and time say that it is the same one.
Description SimulatedChip::Describe(const std::string& host_object, const chip::Chip& chip) {
  struct stat st{};
  if (::stat(host_object.c_str(), &st) != 0) st = {};
  const Described now{host_object, chip.ConfigName(), st.st_ino, st.st_mtim.tv_sec,
                      st.st_mtim.tv_nsec};
  if (description_.status == "ok" && now == described_) return description_;
  description_ = AskToDescribe(host_object, chip);
  described_ = now;
  return description_;
}

Description SimulatedChip::AskToDescribe(const std::string& host_object, const chip::Chip& chip) {
  runner::RunnerRequest request;
  request.command = runner::Command::kDescribe, request.so = host_object;
  request.host = {record::DescribeRequest{chip.ConfigName()}}, request.single = true;
  request.limits.wall_ms = kHostMs;
  auto answer = runner_.Call(runner::ToJson(request), {}, kHostMs + kOverheadMs);
  auto d = answer.ok() ? DescriptionFromJson(*answer) : base::Result<Description>(answer.error());
  return d.ok() ? std::move(*d) : Ended<Description>(d.error(), false);
}

std::vector<TileReply> SimulatedChip::Tile(const std::string& host_object,
                                           const std::vector<TileRequest>& requests, int wall_ms) {
  runner::RunnerRequest request;
  request.command = runner::Command::kTile, request.so = host_object;
  for (const TileRequest& r : requests) request.host.push_back(r);
  request.limits.wall_ms = wall_ms;
  auto answer = runner_.Call(runner::ToJson(request), {}, wall_ms + kOverheadMs);
  return RepliesOf<TileReply>(answer, requests.size(), false, TileReplyFromJson);
}

// Only akgen's own code runs a guest: an end without an answer is an internal error, and so is a
// malformed answer.
std::vector<sim::RunReply> SimulatedChip::Run(const Launch& launch) {
  const bool guest = launch.backend == record::Backend::kGuest;
  runner::RunnerRequest request;
  request.command = runner::Command::kRun, request.so = launch.object;
  request.runs = launch.runs;
  request.limits.wall_ms = launch.wall_ms, request.limits.clock_ms = launch.clock_ms;
  const int clock_ms = guest ? int(launch.wall_ms * runner::kGuestPatience) : launch.wall_ms;
  auto answer = runner_.Call(runner::ToJson(request), {launch.inputs_fd, launch.outputs_fd},
                             clock_ms + kOverheadMs);
  return RepliesOf<sim::RunReply>(answer, launch.runs.size(), guest, sim::RunReplyFromJson);
}

ProgramReply SimulatedChip::RunProgram(const ProgramLaunch& launch) {
  runner::RunnerRequest request;
  request.command = runner::Command::kProgram, request.so = launch.object;
  request.argv = launch.argv, request.dir = launch.folder, request.readable = launch.readable;
  request.chip = chip::ToJson(launch.chip), request.checks = launch.checks;
  if (launch.timing) request.timing = sim::ToJson(*launch.timing);
  request.limits.wall_ms = launch.wall_ms;
  auto answer = runner_.Call(runner::ToJson(request), {}, launch.wall_ms + kOverheadMs);
  auto reply =
      answer.ok() ? ProgramReplyFromJson(*answer) : base::Result<ProgramReply>(answer.error());
  return reply.ok() ? std::move(*reply) : Ended<ProgramReply>(reply.error(), false);
}

ProgramReply SimulatedChip::RunScript(const ProgramLaunch& launch) {
  runner::RunnerRequest request;
  request.command = runner::Command::kScript, request.so = launch.object;
  request.argv = launch.argv, request.dir = launch.folder, request.readable = launch.readable;
  request.limits.wall_ms = launch.wall_ms, request.limits.memory = uint64_t{16} << 30;
  auto answer = runner_.Call(runner::ToJson(request), {}, launch.wall_ms + kOverheadMs);
  auto reply =
      answer.ok() ? ProgramReplyFromJson(*answer) : base::Result<ProgramReply>(answer.error());
  return reply.ok() ? std::move(*reply) : Ended<ProgramReply>(reply.error(), false);
}

Json SimulatedChip::Layers() {
  auto status = runner_.Call(runner::ToJson(runner::RunnerRequest{}), {}, 10000);
  return status.ok() ? runner::RunnerReplyFromJson(*status).sandbox : Json();
}

std::optional<RunOutcome> LoadRunnable(const std::string& name, chip::Chip* chip) {
  auto known = chip::LoadChip(name);
  if (!known.ok()) return RunOutcome{record::Verdict::kInfraError, known.error().message};
  *chip = std::move(*known);
  if (chip->runnable) return std::nullopt;
  return RunOutcome{record::Verdict::kUnsupported,
                    "the chip " + chip->name + " is known but not simulated"};
}

}  // namespace akgen::judge
