#include "judge/judge.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>

#include "base/hash.h"
#include "base/seed.h"
#include "chip/chip.h"
#include "judge/baseline.h"
#include "judge/blame.h"
#include "judge/findings.h"
#include "judge/host_answers.h"
#include "judge/pack.h"
#include "judge/profile.h"
#include "judge/provenance.h"
#include "judge/rules.h"
#include "judge/skeleton.h"
#include "judge/smaller_case.h"
#include "judge/unread.h"
#include "sim/check/checks.h"
#include "task/compare.h"
#include "task/histogram.h"
#include "task/index.h"
#include "task/strict.h"
#include "toolchain/project.h"

namespace akgen::judge {
namespace {
using base::Json;
using record::Verdict;
using Clock = std::chrono::steady_clock;

double MsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

// State of one judgement.
class Session {
 public:
  Session(toolchain::Builder& b, runner::Runner& r, task::ReferenceClient& ref, const task::TaskSpec& t,
          const Options& o)
      : builder_(b), runner_(r), reference_(ref), task_(t), options_(o) {}

  Judgement Run(const std::string& dir);
  std::string HostKey(const std::string& dir);

 private:
  bool Prepare(const std::string& dir);
  bool HostRequest(toolchain::BuildRequest& request);
  bool BuildHost();
  bool Stop(Verdict v, std::string reason) {
    out_.verdict = v;
    out_.reason = std::move(reason);
    return false;
  }
  bool Refuse(const Breach& breach) {
    out_.diagnostics.push_back(ToJson(breach));
    return Stop(Verdict::kRejected, breach.code + ": " + breach.message);
  }
  void Refuse(const Breach& breach, CaseResult& r);
  void AddBuild(const toolchain::BuildReply& reply);
  // A machine with more memory might have gone on.
  void NoteMemory(const Json& reply) { out_.repeatable = out_.repeatable && reply.value("status", "") != "memory"; }
  bool KeepsTheRules(const task::CaseDesc& c, const task::TensorSet& inputs, uint64_t digest, const Json& reply,
                     CaseResult& r);
  void RunCase(const task::CaseRow& row, CaseResult& r);
  void TimeFromSmaller(const task::CaseRow& row, const task::CaseDesc& c, CaseResult& r);
  bool BuildKernel(const task::CaseDesc& c, CaseResult& r, std::string& so);
  bool Tile(const task::CaseDesc& c, const task::TensorSet& inputs, CaseResult& r, Json& tiling);
  bool Execute(const task::CaseDesc& c, const std::string& so, const Json& tiling, const task::TensorSet& inputs,
               Packed& packed, CaseResult& r);
  void Note(const task::CaseDesc& c, const std::string& so, const Json& reply, const task::TensorSet& inputs,
            const Packed& packed, CaseResult& r);
  base::Result<task::Comparison> CompareOne(const task::CaseDesc& c, const task::TensorSet& inputs,
                                            const Packed& packed, const task::TensorSet& golden, size_t i);
  void CompareOutputs(const task::CaseDesc& c, const task::TensorSet& inputs, const Packed& packed,
                      const task::TensorSet& golden, CaseResult& r);
  void LookForUnread(const std::vector<const task::CaseRow*>& rows);
  void Summarise();

  toolchain::Builder& builder_;
  runner::Runner& runner_;
  task::ReferenceClient& reference_;
  const task::TaskSpec& task_;
  const Options& options_;
  Judgement out_;
  uint64_t seed_ = 0;
  chip::Chip chip_;
  toolchain::Project project_;
  std::string host_so_;
  Json describe_, op_;
  std::map<std::string, toolchain::BuildReply> kernels_;  // by prelude
  double scale_ = 0;                                      // of a run that stands for a larger one
  std::set<size_t> read_;                                 // inputs that some case read
};

void Session::AddBuild(const toolchain::BuildReply& reply) {
  out_.repeatable = out_.repeatable && Repeatable(reply);
  for (const auto& d : reply.diagnostics) out_.diagnostics.push_back(ToJson(d));
  for (const auto& w : reply.rewrites) {
    Json j{{"file", w.file}, {"line", w.line}, {"what", w.what}};
    if (std::find(out_.rewrites.begin(), out_.rewrites.end(), j) == out_.rewrites.end()) out_.rewrites.push_back(j);
  }
}

// The candidate's host side, or in kernel-only mode the one that is given to it.
bool Session::HostRequest(toolchain::BuildRequest& request) {
  if (!options_.kernel_only) {
    request = toolchain::HostRequest(project_);
  } else if (options_.host.empty()) {
    auto text = HostSkeleton(task_);
    if (!text.ok()) return Stop(Verdict::kInfraError, text.error().message);
    request.kind = "host";
    request.sources = {{"/op_host/" + task_.entry + ".cpp", *text}};
    out_.provenance["host"] = base::Sha256(*text);
  } else {
    auto host = toolchain::LoadHost(options_.host);
    if (!host.ok())
      return Stop(Verdict::kInfraError, host.error().code + ": " + host.error().message + ": " + host.error().where);
    request = toolchain::HostRequest(*host);
    out_.provenance["host"] = base::HashOfFolder(host->dir / "op_host");
  }
  for (const auto& d : options_.include_dirs) request.include_dirs.push_back(d);
  return true;
}

std::string Session::HostKey(const std::string& dir) {
  auto project = toolchain::LoadProject(dir, !options_.kernel_only);
  if (!project.ok()) return "";
  project_ = *project;
  toolchain::BuildRequest request;
  if (!HostRequest(request)) return "";
  request.only_key = true;
  auto reply = builder_.Build(request);
  return reply.ok() ? reply->key : "";
}

bool Session::BuildHost() {
  toolchain::BuildRequest request;
  if (!HostRequest(request)) return false;
  auto reply = builder_.Build(request);
  if (!reply.ok()) return Stop(Verdict::kInfraError, reply.error().message);
  out_.build_host_ms = reply->build_ms;
  if (!options_.include_dirs.empty()) out_.provenance["host_build"] = reply->key;
  AddBuild(*reply);
  if (!reply->ok) return Stop(VerdictOf(*reply), "host code does not build: " + ReasonOf(*reply));
  host_so_ = reply->so;
  if (auto closed = ClosedToHost(reply->imports)) {
    if (auto missing = OutcomeOfMissing(*closed)) return Stop(missing->verdict, "host code: " + missing->reason);
    return Refuse(*BreachInHostImports({*closed}));
  }
  auto described =
      runner_.Call({{"cmd", "describe"}, {"so", host_so_}, {"request", {{"soc", chip_.ConfigName()}}}}, {}, 30000);
  if (!described.ok())
    return Stop(VerdictOf(described.error()), "the op definition could not be read: " + described.error().message);
  const std::string status = described->value("status", "error"), detail = described->value("detail", "");
  if (status == "timeout" || status == "error")
    return Stop(OutcomeOf(*described, {}).verdict, "the op definition could not be read: " + detail);
  if (auto unloaded = OutcomeOfLoading(*described)) return Stop(unloaded->verdict, "host code: " + unloaded->reason);
  auto checked = CheckedDescription(*described);
  if (!checked.ok()) return Stop(Verdict::kBuildError, checked.error().code + ": " + checked.error().message);
  describe_ = std::move(*checked);
  op_ = ChooseOp(describe_, task_);
  if (op_.is_null())
    return Stop(Verdict::kBuildError, "the host code registers no operator" + (detail.empty() ? "" : ": " + detail));
  return true;
}

bool Session::Prepare(const std::string& dir) {
  auto chip = chip::LoadChip(options_.chip);
  if (!chip.ok()) return Stop(Verdict::kInfraError, chip.error().message);
  chip_ = *chip;
  out_.provenance["chip"] = HashOfChip(chip_);
  if (!chip_.runnable) return Stop(Verdict::kUnsupported, "the chip " + chip_.name + " is known but not simulated");
  auto project = toolchain::LoadProject(dir, !options_.kernel_only);
  if (!project.ok()) return Stop(Verdict::kBuildError, project.error().code + ": " + project.error().message);
  project_ = *project;
  out_.provenance["candidate"] = base::HashOfFolder(project_.dir);
  if (auto breach = BreachInSources(project_.dir)) return Refuse(*breach);
  return BuildHost();
}

bool Session::BuildKernel(const task::CaseDesc& c, CaseResult& r, std::string& so) {
  std::string prelude = KernelPrelude(describe_, op_, c);
  r.prelude = prelude;
  auto known = kernels_.find(prelude);
  if (known == kernels_.end()) {
    toolchain::BuildRequest request = toolchain::KernelRequest(project_, {chip_.npu_arch}, options_.backend);
    request.prelude = prelude;
    auto start = Clock::now();
    auto reply = builder_.Build(request);
    if (!reply.ok()) {
      r.verdict = Verdict::kInfraError;
      r.reason = reply.error().message;
      return false;
    }
    r.build_ms = MsSince(start);
    out_.build_kernel_ms += r.build_ms;
    AddBuild(*reply);
    known = kernels_.emplace(prelude, *reply).first;
  }
  if (!known->second.ok) {
    r.verdict = VerdictOf(known->second);
    r.reason = "the kernel does not build: " + ReasonOf(known->second);
    return false;
  }
  so = known->second.so;
  return true;
}

bool Session::Tile(const task::CaseDesc& c, const task::TensorSet& inputs, CaseResult& r, Json& tiling) {
  auto start = Clock::now();
  Json request{{"cmd", "tile"}, {"so", host_so_}, {"request", TileRequest(task_, op_, c, inputs, chip_)}};
  auto reply = runner_.Call(request, {}, 30000);
  r.tile_ms = MsSince(start);
  if (!reply.ok()) {
    r.verdict = VerdictOf(reply.error());
    r.reason = "tiling: " + reply.error().message;
    return false;
  }
  tiling = *reply;
  if (tiling.value("status", "") == "ok") {
    auto checked = CheckedTiling(tiling);
    if (!checked.ok()) {
      r.verdict = Verdict::kRuntimeError;
      r.reason = checked.error().code + ": " + checked.error().message;
      return false;
    }
    tiling = std::move(*checked);
    r.block_dim = tiling.value("block_dim", 0u);
    r.tiling_key = tiling.value("tiling_key", uint64_t{0});
    if (r.block_dim >= 1 && r.block_dim <= 65535) return true;
    r.verdict = Verdict::kRuntimeError;
    r.reason = "the tiling function asks for " + std::to_string(r.block_dim) + " blocks; 1 to 65535 are possible";
    return false;
  }
  NoteMemory(tiling);
  r.verdict = OutcomeOf(tiling, {}).verdict;
  r.reason = "the tiling function failed: " + tiling.value("detail", tiling.value("status", "no reason given"));
  return false;
}

bool Session::Execute(const task::CaseDesc& c, const std::string& so, const Json& tiling, const task::TensorSet& inputs,
                      Packed& packed, CaseResult& r) {
  uint64_t workspace = 0;
  for (const Json& w : tiling.value("workspaces", Json::array())) {
    const uint64_t bytes = w.get<uint64_t>(), most = chip_.gm_bytes ? chip_.gm_bytes : uint64_t{1} << 40;
    if (bytes > most - std::min(most, workspace)) {
      r.verdict = Verdict::kRuntimeError;
      r.reason = "the tiling function asks for a workspace of " + std::to_string(bytes) + " bytes; the chip has " +
                 std::to_string(most);
      return false;
    }
    workspace += bytes;
  }
  Json request{{"cmd", "run"},
               {"so", so},
               {"entry", project_.entry.symbol},
               {"regions", packed.regions},
               {"args", packed.args},
               {"tiling_hex", tiling.value("tiling_hex", "")},
               {"workspace_bytes", workspace + chip_.lib_workspace},
               {"blocks", r.block_dim},
               {"tiling_key", r.tiling_key},
               {"chip", chip::ToJson(chip_)},
               {"checks", options_.checks},
               {"schedule", options_.schedule},
               {"sites", options_.want_lines},
               {"limits", {{"wall_ms", options_.run_timeout_ms}}}};
  if (!options_.probe.is_null()) request["probe"] = options_.probe;
  if (options_.time.on) {
    TimeOptions time = options_.time;
    if (scale_ > 0) time.scale = scale_;
    auto timing = TimingRequest(chip_, time);
    if (!timing.ok()) {
      r.reason = timing.error().ToString();
      return false;
    }
    request["timing"] = *timing;
  }
  uint64_t digest = DigestOf(inputs);
  auto start = Clock::now();
  auto reply = runner_.Call(request, {inputs.memory.fd(), packed.outputs.fd()},
                            runner::kGuestPatience * options_.run_timeout_ms + 5000);
  r.run_ms = MsSince(start);
  if (!reply.ok()) {
    r.verdict = VerdictOfBrokenRun(options_.backend, VerdictOf(reply.error()));
    r.reason = reply.error().message;
    return false;
  }
  if (auto odd = TakenApart([&] { Note(c, so, *reply, inputs, packed, r); }); odd.verdict != Verdict::kPass) {
    r.verdict = VerdictOfBrokenRun(options_.backend, odd.verdict);
    r.reason = odd.reason;
    return false;
  }
  const bool passed = r.verdict == Verdict::kPass;
  return KeepsTheRules(c, inputs, digest, *reply, r) && passed;
}

// What a run says, in the case's own terms.
void Session::Note(const task::CaseDesc& c, const std::string& so, const Json& reply, const task::TensorSet& inputs,
                   const Packed& packed, CaseResult& r) {
  r.chip_ms = reply.value("run_us", 0.0) / 1000;
  r.chip_cpu_ms = reply.value("run_cpu_us", 0.0) / 1000;
  r.findings = NameFindings(builder_, so, reply.value("findings", Json::array()));
  r.lines = NameSites(builder_, so, reply.value("sites", Json::array()));
  r.probe = reply.value("probe", Json());
  r.modelled = NameModelled(builder_, so, reply);
  if (HasTime(r.modelled)) {
    r.modelled["bottleneck"] = ProfileOf(r.modelled, chip_).bottleneck;
    if (!options_.time.what_if) r.modelled.erase("what_if");  // they served to name it
    if (auto p = TimingOf(chip_); p.ok()) r.modelled.update(BaselinesOf(reference_, task_, c, inputs, *p, chip_));
  }
  NoteMemory(reply);
  RunOutcome outcome = OutcomeOf(reply, r.findings);
  r.verdict = outcome.verdict;
  r.reason = outcome.reason;
  r.arithmetic = reply.value("arithmetic", Json::object());
  read_.merge(InputsRead(task_, op_, c, packed, reply.value("unread", Json::array())));
}

void Session::Refuse(const Breach& b, CaseResult& r) {
  record::Finding f;
  f.code = b.code;
  f.message = b.message;
  f.fix = b.fix;
  r.findings.push_back(f);
  r.verdict = Verdict::kRejected;
  r.reason = b.code + ": " + b.message;
}

// What a run may not do however it ends.
bool Session::KeepsTheRules(const task::CaseDesc& c, const task::TensorSet& inputs, uint64_t digest, const Json& reply,
                            CaseResult& r) {
  auto breach = InputsChanged(digest, inputs);
  if (!breach && r.verdict == Verdict::kPass) breach = StateKept(reply);
  if (!breach && r.verdict == Verdict::kPass) breach = SilentDowncast(c, r.arithmetic);
  if (breach) Refuse(*breach, r);
  return !breach;
}

// One output by the rule that was asked for. The peer is computed only for the first output that may need it.
base::Result<task::Comparison> Session::CompareOne(const task::CaseDesc& c, const task::TensorSet& inputs,
                                                   const Packed& packed, const task::TensorSet& golden, size_t i) {
  const auto& o = packed.flat_outputs[i];
  std::span<const uint8_t> out{packed.outputs.data() + o.offset, o.desc.Bytes()};
  if (auto indices = task::CompareIndices(c, inputs, i, out, golden.Bytes(i))) return *indices;
  if (options_.precision == "upstream") {
    auto rule = task::RuleFor(task_, c, o.desc.dtype);
    if (!rule.ok()) return rule.error();
    auto exact = task::Compare(*rule, o.desc, out, golden.tensors[i], golden.Bytes(i));
    if (exact.pass) return exact;
    // Upstream's own reference is computed in the case's dtype.
    auto own = reference_.Peer(task_, c, seed_, inputs);
    if (!own.ok()) return exact;
    auto again = task::Compare(*rule, o.desc, out, golden.tensors[i], own->Bytes(i));
    return again.pass ? again : exact;
  }
  bool quantised = task_.precision.rule == "Q";
  auto first = task::CompareStrict(quantised, o.desc, out, golden.tensors[i], golden.Bytes(i));
  if (!first.peer_may_excuse) return first.result;
  auto peer = reference_.Peer(task_, c, seed_, inputs);
  if (!peer.ok()) return first.result;  // no excuse without a peer
  return task::CompareStrict(quantised, o.desc, out, golden.tensors[i], golden.Bytes(i), peer->Bytes(i)).result;
}

void Session::CompareOutputs(const task::CaseDesc& c, const task::TensorSet& inputs, const Packed& packed,
                             const task::TensorSet& golden, CaseResult& r) {
  auto start = Clock::now();
  r.verdict = Verdict::kPass;
  for (size_t i = 0; i < packed.flat_outputs.size(); ++i) {
    const auto& o = packed.flat_outputs[i];
    if (!o.compared) continue;
    auto compared = CompareOne(c, inputs, packed, golden, i);
    if (!compared.ok()) {
      r.verdict = Verdict::kInfraError;
      r.reason = compared.error().message;
      return;
    }
    const task::Comparison& cmp = *compared;
    Json first = Json::array();
    for (const auto& m : cmp.first) first.push_back({{"index", m.index}, {"out", m.out}, {"ref", m.ref}});
    r.outputs.push_back({{"name", o.name},
                         {"rule", options_.precision == "upstream" ? task_.precision.rule : "strict"},
                         {"elements", cmp.elements},
                         {"mismatches", cmp.mismatches},
                         {"max_abs", cmp.max_abs},
                         {"max_rel", cmp.max_rel},
                         {"first", first},
                         {"histogram", task::ErrorHistogram(o.desc, {packed.outputs.data() + o.offset, o.desc.Bytes()},
                                                            golden.Bytes(i))}});
    if (!cmp.pass && r.verdict == Verdict::kPass) {
      r.verdict = Verdict::kWrongAnswer;
      r.reason = "output '" + o.name + "': " + cmp.reason;
    }
  }
  r.check_ms = MsSince(start);
}

// Modelled time of a case too large to run: from one with fewer rounds of the kernel's loop (sim/timing/extrapolate.h).
void Session::TimeFromSmaller(const task::CaseRow& row, const task::CaseDesc& c, CaseResult& r) {
  constexpr uint64_t kCheap = uint64_t{2} << 30;
  for (int64_t factor = 2; factor <= 1024; factor *= 2) {
    auto small = SmallerCase(task_, row, c, factor);
    if (!small) return;
    if (small->memory_estimate > kCheap) continue;
    CaseResult part;
    std::string so;
    if (!BuildKernel(*small, part, so)) return;
    auto inputs = task::GenerateInputs(task_, *small, seed_);
    Json tiling;
    if (!inputs.ok() || !Tile(*small, *inputs, part, tiling)) return;
    PoisonPadding(*inputs);
    auto packed = Pack(op_, *small, *inputs);
    if (!packed.ok()) return;
    scale_ = double(factor);
    Execute(*small, so, tiling, *inputs, *packed, part);
    scale_ = 0;
    if (!HasTime(part.modelled) || !part.modelled.contains("scaled")) return;
    const Json& scaled = part.modelled["scaled"];
    r.modelled = {
        {"us", scaled["us"]},
        {"regime", part.modelled.value("regime", "")},
        {"bottleneck", part.modelled["bottleneck"]},
        {"cores", part.modelled["cores"]},
        {"blocks", part.modelled["blocks"]},
        {"extrapolated", {{"factor", factor}, {"from_us", part.modelled["us"]}, {"within_us", scaled["bound_us"]}}}};
    NoteRange(r.modelled);
    return;
  }
}

void Session::RunCase(const task::CaseRow& row, CaseResult& r) {
  r.id = row.id;
  auto c = task::ResolveCase(task_, row);
  if (!c.ok()) {
    r.reason = c.error().message;
    return;
  }
  if (std::string too_large = task::TooLarge(*c); !too_large.empty()) {
    r.skipped = true;
    r.verdict = Verdict::kUndecided;
    r.reason = too_large;
    if (options_.time.on) TimeFromSmaller(row, *c, r);
    return;
  }
  std::string so;
  if (!BuildKernel(*c, r, so)) return;
  auto inputs = task::GenerateInputs(task_, *c, seed_);
  if (!inputs.ok()) {
    r.reason = inputs.error().message;
    return;
  }
  Json tiling;
  if (!Tile(*c, *inputs, r, tiling)) return;
  PoisonPadding(*inputs);
  auto packed = Pack(op_, *c, *inputs);
  if (!packed.ok()) {
    r.reason = packed.error().message;
    return;
  }
  if (!Execute(*c, so, tiling, *inputs, *packed, r) || !options_.probe.is_null()) return;
  auto start = Clock::now();
  auto golden = reference_.Golden(task_, *c, seed_, *inputs);
  r.reference_ms = MsSince(start);
  r.reference_cached = reference_.last_was_cached();
  if (!golden.ok()) {
    r.verdict = Verdict::kInfraError;
    r.reason = golden.error().ToString();
    return;
  }
  if (r.reason = NothingToCompare(*c, *golden); !r.reason.empty()) {
    r.verdict = Verdict::kUndecided;
    return;
  }
  CompareOutputs(*c, *inputs, *packed, *golden, r);
  if (r.verdict != Verdict::kPass) return;
  r.numbers_pass = true;
  RunOutcome outcome = OutcomeOf(r.findings);
  r.verdict = outcome.verdict;
  r.reason = outcome.reason;
}

// An answer that is right without an input that it depends on is right by luck, or knows the case.
void Session::LookForUnread(const std::vector<const task::CaseRow*>& rows) {
  for (size_t input = 0; input < task_.inputs.size(); ++input)
    for (size_t i = 0; i < rows.size() && !read_.contains(input); ++i) {
      CaseResult& r = out_.cases[i];
      if (r.verdict != Verdict::kPass) continue;
      auto c = task::ResolveCase(task_, *rows[i]);
      auto finding = c.ok() ? Unread(reference_, task_, *c, seed_, input) : std::nullopt;
      if (!finding) continue;
      r.findings.push_back(*finding);
      r.verdict = Verdict::kFinding;
      r.reason = finding->code + ": " + finding->message;
      break;
    }
}

// The first case that did not pass decides; skipped cases do not count as passed nor as failed.
void Session::Summarise() {
  size_t passed = 0, skipped = 0;
  const CaseResult* bad = nullptr;
  for (const CaseResult& r : out_.cases) {
    skipped += r.skipped;
    passed += r.verdict == Verdict::kPass;
    if (!bad && !r.skipped && r.verdict != Verdict::kPass) bad = &r;
  }
  if (bad) {
    out_.verdict = bad->verdict;
    out_.reason = "case " + bad->id + ": " + bad->reason;
  } else if (passed) {
    out_.verdict = Verdict::kPass;
    if (skipped) out_.reason = std::to_string(skipped) + " cases skipped";
  } else {
    out_.verdict = Verdict::kUndecided;
    out_.reason = out_.cases.empty() ? "no case was asked for" : "every case was skipped";
  }
}

Judgement Session::Run(const std::string& dir) {
  out_.task = task_.name;
  out_.project = dir;
  out_.category = task_.category;
  out_.level = task_.level;
  out_.chip = options_.chip;
  out_.backend = options_.backend;
  out_.seed = options_.seed.value_or(0);
  out_.checks = sim::NamesOf(sim::ChecksFromJson(options_.checks));
  out_.provenance = {{"task", HashOfTask(task_)}, {"judge", HashOfJudge()}, {"chip", ""}, {"candidate", ""}};
  if (auto status = runner_.Call({{"cmd", "status"}}, {}, 10000); status.ok())
    out_.provenance["sandbox"] = (*status)["sandbox"];
  std::vector<const task::CaseRow*> rows;
  out_.precision = options_.precision;
  const auto& own = options_.rows.empty() ? task_.cases : options_.rows;
  if (options_.cases.empty())
    for (const auto& row : own) rows.push_back(&row);
  for (const auto& id : options_.cases) {
    const task::CaseRow* row = task_.FindCase(id);
    if (!row) {
      Stop(Verdict::kInfraError, "AK0103: the task has no case " + id);
      return out_;
    }
    rows.push_back(row);
  }
  bool prepared = false;
  if (auto odd = TakenApart([&] { prepared = Prepare(dir); }); odd.verdict != Verdict::kPass)
    Stop(odd.verdict, odd.reason);
  if (!prepared) return out_;
  out_.seed = seed_ = options_.seed ? *options_.seed : base::DrawSeed();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (options_.progress) options_.progress(i, rows.size(), "case " + rows[i]->id);
    out_.cases.emplace_back();
    CaseResult& r = out_.cases.back();
    if (auto odd = TakenApart([&] { RunCase(*rows[i], r); }); odd.verdict != Verdict::kPass)
      r.verdict = odd.verdict, r.reason = odd.reason;
  }
  LookForUnread(rows);
  Summarise();
  if (std::string why = ChangedUnderneath(project_.dir, out_.provenance.value("candidate", "")); !why.empty())
    Stop(Verdict::kInfraError, why);
  return out_;
}

base::Result<Judge> Judge::Start() {
  auto b = toolchain::Builder::Start();
  if (!b.ok()) return b.error();
  auto r = runner::Runner::Start();
  if (!r.ok()) return r.error();
  return Judge(std::move(*b), std::move(*r));
}

Judgement Judge::Run(const std::string& project_dir, const task::TaskSpec& task, const Options& options) {
  Judgement j;
  try {
    j = Session(builder_, runner_, reference_, task, options).Run(project_dir);
  } catch (const std::exception& e) {  // ours to mend; the run that asked goes on
    j.task = task.name, j.project = project_dir, j.category = task.category, j.level = task.level;
    j.chip = options.chip, j.backend = options.backend, j.seed = options.seed.value_or(0),
    j.precision = options.precision;
    j.verdict = Verdict::kInfraError;
    j.reason = std::string("an error of akgen itself: ") + e.what();
  }
  j.repeatable = j.repeatable && Repeatable(j.verdict);
  return j;
}

std::string Judge::HostKey(const std::string& project_dir, const task::TaskSpec& task, const Options& options) {
  return Session(builder_, runner_, reference_, task, options).HostKey(project_dir);
}

}  // namespace akgen::judge
