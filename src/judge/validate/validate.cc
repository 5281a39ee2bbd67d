#include "judge/validate/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "judge/run/findings.h"
#include "judge/run/simulated_chip.h"
#include "judge/validate/memory.h"

namespace akgen::judge {
using base::Json;
using craft::ir::HostTensor;

namespace {
// Without the lines that include: in a unit of many programs they stand once, at its head.
std::string WithoutIncludes(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    end = end == std::string::npos ? text.size() : end + 1;
    if (text.compare(at, 8, "#include") != 0)
      out.append(text, at, end - at);
    else
      out += '\n';  // lines keep their numbers
    at = end;
  }
  return out;
}

// Whole words only.
std::string Replaced(const std::string& text, const std::string& word, const std::string& by) {
  auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::string out;
  for (size_t at = 0;;) {
    size_t next = text.find(word, at);
    if (next == std::string::npos) return out + text.substr(at);
    size_t end = next + word.size();
    bool whole =
        (next == 0 || !letter(text[next - 1])) && (end == text.size() || !letter(text[end]));
    out += text.substr(at, next - at) + (whole ? by : word);
    at = end;
  }
}
}  // namespace

struct Validator::Job {
  const Validation* in = nullptr;
  Validated* out = nullptr;
  craft::LoweredProgram program;  // with a name of its own
  std::string camel, entry;       // its host half's name, its kernel's
  craft::Outputs expected;
  KernelMemory memory;
  TileReply tiling;
};

std::string_view NameOf(Validated::Outcome o) {
  static constexpr std::string_view kNames[] = {"agree",   "refused",      "mismatch",
                                                "finding", "build_failed", "crashed"};
  return kNames[static_cast<int>(o)];
}

Json ToJson(const Validated& v) {
  Json findings = Json::array();
  for (const auto& f : v.findings) findings.push_back(record::ToJson(f));
  return {{"label", v.label},   {"outcome", NameOf(v.outcome)},
          {"reason", v.reason}, {"elements", v.elements},
          {"exact", v.exact},   {"undecided", v.undecided},
          {"worst", v.worst},   {"findings", findings}};
}

base::Result<Validator> Validator::Start(const std::string& name, record::Backend backend) {
  auto chip = chip::LoadChip(name);
  if (!chip.ok()) return chip.error();
  auto target = craft::TargetOf(*chip);
  if (!target.ok()) return target.error();
  auto executor = SimulatedChip::Start();
  if (!executor.ok()) return executor.error();
  return Validator(std::move(*executor), std::move(*chip), *target, backend);
}

craft::Limits Validator::limits() const {
  craft::Limits limits(target_);
  limits.bounds = true;
  return limits;
}

void Validator::Interpret(Job& job) const {
  auto outputs = craft::Interpret(job.program.program, job.program, job.in->args, limits());
  if (outputs.ok()) {
    job.expected = std::move(*outputs);
    if (job.expected.never_written == 0) return;
    job.out->reason =
        fmt::format("{} elements of outputs are never written", job.expected.never_written);
  } else {
    job.out->reason = outputs.error().code + ": " + outputs.error().message;
    if (!outputs.error().where.empty()) job.out->reason += " (" + outputs.error().where + ")";
  }
  job.out->outcome = Validated::kRefused;
  if (!job.in->refused) return;
  if (!outputs.ok())
    job.expected = craft::Declared(job.program.program, job.program, job.in->args, limits());
}

TileRequest Validator::TileRequestOf(const Job& job) const {
  auto param = [](const std::vector<craft::Tensor>& tensors, bool list) {
    TileParam p{list || !tensors.empty(), list, {}};
    for (const auto& t : tensors) p.tensors.push_back({t.shape, t.dtype, 2, {}});
    return p;
  };
  TileRequest request;
  request.op = job.camel, request.chip = chip::ToJson(chip_);
  for (const auto& p : job.program.program.params) {
    if (!p.is_attr) request.inputs.push_back(param(job.in->args.tensors.at(p.name), p.is_list));
    if (!p.is_attr) continue;
    if (auto n = job.in->args.attrs.find(p.name); n != job.in->args.attrs.end())
      std::visit([&](const auto& v) { request.attrs[p.name] = v; }, n->second);
    if (auto l = job.in->args.int_lists.find(p.name); l != job.in->args.int_lists.end())
      request.attrs[p.name] = l->second;
  }
  size_t output = 0;
  for (const HostTensor& t : job.program.program.tensors)
    if (t.kind != HostTensor::kWorkspace)
      request.outputs.push_back(param(job.expected.tensors[output++], t.is_list));
  return request;
}

// One unit of host code and one of kernels, each program in a namespace of its own.
bool Validator::BuildTogether(const std::vector<Job*>& jobs, std::string& host, std::string& kernel,
                              std::string& why) {
  toolchain::BuildRequest h, k;
  h.kind = "host";
  k.backend = backend_;
  k.device.arch = chip_.npu_arch;
  std::string host_text =
      "#include <algorithm>\n#include <cmath>\n#include <limits>\n#include <string>\n#include "
      "\"register/tilingdata_base.h\"\n"
      "#include \"register/op_def_registry.h\"\n#include \"tiling/platform/platform_ascendc.h\"\n";
  std::string kernel_text =
      "#include \"kernel_operator.h\"\n#include \"kernel_operator_list_tensor_intf.h\"\n";
  std::set<std::string> hosts, kernels;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const std::string &name = jobs[i]->program.program.name, &entry = jobs[i]->entry;
    craft::Files files;
    if (hosts.insert(name).second) {
      files = craft::EmitProject({jobs[i]->program});
      host_text += fmt::format(
          "namespace program{} {{\nnamespace ops {{ using namespace ::ops; }}\nnamespace optiling "
          "{{ using namespace "
          "::optiling; }}\n",
          i);
      host_text += WithoutIncludes(files.at("op_host/" + name + "_tiling.h")) +
                   WithoutIncludes(files.at("op_host/" + name + ".cpp")) + "}\n";
    }
    if (!kernels.insert(entry).second) continue;  // another set of inputs of the same program
    const std::string& own = jobs[i]->in->kernel;
    if (own.empty() && files.empty()) files = craft::EmitProject({jobs[i]->program});
    std::string text = own.empty() ? files.at("op_kernel/" + name + ".cpp")
                                   : Replaced(own, jobs[i]->in->program.program.name, entry);
    kernel_text += fmt::format(
        "#undef AKGEN_DEFAULT_TILING\n#define AKGEN_DEFAULT_TILING {}TilingData\nnamespace "
        "program{} {{\n#line 1 "
        "\"op_kernel/{}.cpp\"\n",
        jobs[i]->camel, i, entry);
    kernel_text += WithoutIncludes(text) + "\n}\n";
  }
  h.sources = {{"/akgen/validate/host.cpp", host_text}};
  k.sources = {{"/akgen/validate/kernel.cpp", kernel_text}};
  auto built = executor_->Build(h);
  if (!built.ok() || !built->ok)
    return why = "host code: " + (built.ok() ? built->FirstError() : built.error().message), false;
  host = built->so;
  Description described = executor_->Describe(host, chip_);
  if (described.status != "ok") return why = described.detail, false;
  k.prelude = std::move(described.tiling_header);
  built = executor_->Build(k);
  if (!built.ok() || !built->ok)
    return why = "kernel: " + (built.ok() ? built->FirstError() : built.error().message), false;
  kernel = built->so;
  return true;
}

namespace {
sim::RunRequest RequestOf(const TileReply& tiling, const std::string& entry, const KernelMemory& m,
                          const chip::Chip& chip) {
  sim::RunRequest r;
  r.entry = entry;
  r.regions = m.regions, r.args = m.args;
  r.tiling = tiling.tiling, r.tiling_key = tiling.tiling_key, r.blocks = tiling.block_dim;
  r.workspace_bytes = tiling.WorkspaceBytes(chip).value_or(0);
  r.chip = chip;
  return r;
}

void JudgeReply(const sim::RunReply& reply, const KernelMemory& m, const uint8_t* memory, bool keep,
                Validated& v) {
  if (reply.status != "ok") {
    v.outcome = v.findings.empty() ? Validated::kCrashed : Validated::kFinding;
    v.reason = reply.status + ": " + reply.detail +
               (v.findings.empty() ? "" : ": " + v.findings.back().message);
    return;
  }
  if (reply.state_changed) {
    v.outcome = Validated::kCrashed;
    v.reason = "the kernel changed variables of its object";
    return;
  }
  v.outcome = Validated::kAgree;
  for (const WrittenTensor& t : m.written) {
    if (keep) {
      v.outputs.emplace_back(t.name, *t.expected);
      v.outputs.back().second.bytes.assign(memory + t.offset,
                                           memory + t.offset + t.expected->bytes.size());
    }
    Difference d = Compare(t, memory + t.offset);
    v.elements += d.elements;
    v.exact += d.exact;
    v.undecided += d.undecided;
    v.worst = std::max(v.worst, d.worst);
    if (d.first.empty() || v.outcome == Validated::kMismatch) continue;
    v.outcome = Validated::kMismatch;
    v.reason = d.first;
  }
  // A finding of the kernel explains a mismatch, so it comes first; warnings count too: we emit
  // code without any.
  if (v.findings.empty()) return;
  v.outcome = Validated::kFinding;
  v.reason = v.findings[0].code + ": " + v.findings[0].message;
}

// The process that all of them share came to no end, so that none says anything.
bool NoneEnded(const std::vector<sim::RunReply>& replies) {
  return std::all_of(replies.begin(), replies.end(), [&](const sim::RunReply& r) {
    return (r.status == "error" || r.status == "killed" || r.status == "timeout" ||
            r.status == "crash" || r.status == "memory" || r.status == "malformed") &&
           r.findings.empty() && r.detail == replies[0].detail;
  });
}
}  // namespace

// Leaves those whose tiling succeeds. False: the process that tiles came to no end.
bool Validator::TileAll(std::vector<Job*>& jobs, const std::string& host, std::string& why) {
  std::vector<TileRequest> requests;
  for (const Job* j : jobs) requests.push_back(TileRequestOf(*j));
  std::vector<TileReply> tiled = executor_->Tile(host, requests, run_ms_);
  std::vector<Job*> left;
  for (size_t i = 0; i < jobs.size(); ++i) {
    Job& j = *jobs[i];
    j.tiling = std::move(tiled[i]);
    if (j.tiling.status == "ok") {
      left.push_back(&j);
    } else if (j.tiling.status == "failed") {
      j.out->outcome = Validated::kBuildFailed;
      j.out->reason = "the tiling function fails, the interpreter does not: " + j.tiling.detail;
    } else {
      why = "tiling: " + j.tiling.status + ": " + j.tiling.detail;
      return false;
    }
  }
  jobs = std::move(left);
  return true;
}

void Validator::RunTogether(std::vector<Job*> jobs) {
  auto fail = [&](Validated::Outcome outcome, const std::string& why) {
    if (jobs.size() > 1) {
      auto half = jobs.begin() + static_cast<long>(jobs.size() / 2);
      RunTogether({jobs.begin(), half});
      return RunTogether({half, jobs.end()});
    }
    jobs[0]->out->outcome = outcome;
    jobs[0]->out->reason = why;
  };
  std::string host, kernel, why;
  if (!BuildTogether(jobs, host, kernel, why)) return fail(Validated::kBuildFailed, why);
  if (!TileAll(jobs, host, why)) return fail(Validated::kCrashed, why);
  if (jobs.empty()) return;
  Arena arena;
  Launch launch{kernel, backend_, {}, -1, -1, run_ms_};
  for (Job* j : jobs) {
    j->memory = arena.Add(j->program.program, j->in->args, j->expected);
    launch.runs.push_back(RequestOf(j->tiling, j->entry, j->memory, chip_));
  }
  if (auto st = arena.Allocate(); !st.ok()) return fail(Validated::kCrashed, st.error().message);
  launch.inputs_fd = arena.inputs().fd(), launch.outputs_fd = arena.outputs().fd();
  const std::vector<sim::RunReply> replies = executor_->Run(launch);
  if (NoneEnded(replies))
    return fail(Validated::kCrashed, "run: " + replies[0].status + ": " + replies[0].detail);
  for (size_t i = 0; i < jobs.size(); ++i) {
    Validated& v = *jobs[i]->out;
    v.findings = NameFindings(*executor_, kernel, replies[i].findings);
    JudgeReply(replies[i], jobs[i]->memory, arena.outputs().data(), jobs[i]->in->keep, v);
  }
}

std::vector<Validated> Validator::Run(const std::vector<Validation>& all) {
  std::vector<Validated> out(all.size());
  std::vector<Job> jobs(all.size());
  std::vector<Job*> running;
  for (size_t i = 0; i < all.size(); ++i) {
    jobs[i].in = &all[i];
    jobs[i].out = &out[i];
    out[i].label = all[i].label;
    jobs[i].program = all[i].program;
    jobs[i].program.program.name +=
        fmt::format("_v{}", all[i].like >= 0 ? static_cast<size_t>(all[i].like) : i);
    jobs[i].camel = craft::CamelCase(jobs[i].program.program.name);
    jobs[i].entry = all[i].kernel.empty() ? jobs[i].program.program.name
                                          : fmt::format("{}_k{}", jobs[i].program.program.name, i);
    Interpret(jobs[i]);
    if (out[i].outcome != Validated::kRefused || all[i].refused) running.push_back(&jobs[i]);
  }
  if (!running.empty()) RunTogether(running);
  return out;
}

}  // namespace akgen::judge
