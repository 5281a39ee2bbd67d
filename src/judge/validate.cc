#include "judge/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "judge/findings.h"
#include "judge/host_answers.h"
#include "judge/validate_memory.h"

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
    if (text.compare(at, 8, "#include") != 0) out.append(text, at, end - at);
    else out += '\n';  // lines keep their numbers
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
    bool whole = (next == 0 || !letter(text[next - 1])) && (end == text.size() || !letter(text[end]));
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
  Json tiling;
};

std::string_view NameOf(Validated::Outcome o) {
  static constexpr std::string_view kNames[] = {"agree", "refused", "mismatch", "finding", "build_failed", "crashed"};
  return kNames[static_cast<int>(o)];
}

Json ToJson(const Validated& v) {
  Json findings = Json::array();
  for (const auto& f : v.findings) findings.push_back(record::ToJson(f));
  return {{"label", v.label}, {"outcome", NameOf(v.outcome)}, {"reason", v.reason}, {"elements", v.elements},
          {"exact", v.exact}, {"undecided", v.undecided},     {"worst", v.worst},   {"findings", findings}};
}

base::Result<Validator> Validator::Start(const std::string& name, record::Backend backend) {
  auto chip = chip::LoadChip(name);
  if (!chip.ok()) return chip.error();
  auto target = craft::TargetOf(*chip);
  if (!target.ok()) return target.error();
  auto b = toolchain::Builder::Start();
  if (!b.ok()) return b.error();
  auto r = runner::Runner::Start();
  if (!r.ok()) return r.error();
  return Validator(std::move(*b), std::move(*r), std::move(*chip), *target, backend);
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
    job.out->reason = fmt::format("{} elements of outputs are never written", job.expected.never_written);
  } else {
    job.out->reason = outputs.error().code + ": " + outputs.error().message;
    if (!outputs.error().where.empty()) job.out->reason += " (" + outputs.error().where + ")";
  }
  job.out->outcome = Validated::kRefused;
}

Json Validator::TileRequest(const Job& job) const {
  auto tensor = [](const craft::Tensor& t) {
    return Json{{"shape", t.shape}, {"dtype", int(t.dtype)}, {"format", 2}, {"present", true}};
  };
  auto param = [&](const std::vector<craft::Tensor>& tensors, bool list) -> Json {
    if (!list) return tensors.empty() ? Json{{"present", false}} : tensor(tensors[0]);
    Json j{{"present", true}, {"list", Json::array()}};
    for (const auto& t : tensors) j["list"].push_back(tensor(t));
    return j;
  };
  Json request{{"op", job.camel}, {"inputs", Json::array()}, {"outputs", Json::array()}, {"attrs", Json::object()}};
  for (const auto& p : job.program.program.params) {
    if (!p.is_attr) request["inputs"].push_back(param(job.in->args.tensors.at(p.name), p.is_list));
    if (!p.is_attr) continue;
    if (auto n = job.in->args.attrs.find(p.name); n != job.in->args.attrs.end())
      std::visit([&](const auto& v) { request["attrs"][p.name] = v; }, n->second);
    if (auto l = job.in->args.int_lists.find(p.name); l != job.in->args.int_lists.end())
      request["attrs"][p.name] = l->second;
  }
  size_t output = 0;
  for (const HostTensor& t : job.program.program.tensors)
    if (t.kind != HostTensor::kWorkspace)
      request["outputs"].push_back(param(job.expected.tensors[output++], t.is_list));
  request["chip"] = chip::ToJson(chip_);
  return request;
}

// One unit of host code and one of kernels, each program in a namespace of its own.
bool Validator::BuildTogether(const std::vector<Job*>& jobs, std::string& host, std::string& kernel, std::string& why) {
  toolchain::BuildRequest h, k;
  h.kind = "host";
  k.backend = backend_;
  k.device.arch = chip_.npu_arch;
  std::string host_text =
      "#include <algorithm>\n#include <cmath>\n#include <limits>\n#include <string>\n#include "
      "\"register/tilingdata_base.h\"\n"
      "#include \"register/op_def_registry.h\"\n#include \"tiling/platform/platform_ascendc.h\"\n";
  std::string kernel_text = "#include \"kernel_operator.h\"\n#include \"kernel_operator_list_tensor_intf.h\"\n";
  std::set<std::string> hosts, kernels;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const std::string &name = jobs[i]->program.program.name, &entry = jobs[i]->entry;
    craft::Files files;
    if (hosts.insert(name).second) {
      files = craft::EmitProject({jobs[i]->program});
      host_text += fmt::format(
          "namespace program{} {{\nnamespace ops {{ using namespace ::ops; }}\nnamespace optiling {{ using namespace "
          "::optiling; }}\n",
          i);
      host_text += WithoutIncludes(files.at("op_host/" + name + "_tiling.h")) +
                   WithoutIncludes(files.at("op_host/" + name + ".cpp")) + "}\n";
    }
    if (!kernels.insert(entry).second) continue;  // another set of inputs of the same program
    const std::string& own = jobs[i]->in->kernel;
    if (own.empty() && files.empty()) files = craft::EmitProject({jobs[i]->program});
    std::string text =
        own.empty() ? files.at("op_kernel/" + name + ".cpp") : Replaced(own, jobs[i]->in->program.program.name, entry);
    kernel_text += fmt::format(
        "#undef AKGEN_DEFAULT_TILING\n#define AKGEN_DEFAULT_TILING {}TilingData\nnamespace program{} {{\n#line 1 "
        "\"op_kernel/{}.cpp\"\n",
        jobs[i]->camel, i, entry);
    kernel_text += WithoutIncludes(text) + "\n}\n";
  }
  h.sources = {{"/akgen/validate/host.cpp", host_text}};
  k.sources = {{"/akgen/validate/kernel.cpp", kernel_text}};
  auto built = builder_.Build(h);
  if (!built.ok() || !built->ok)
    return why = "host code: " + (built.ok() ? built->FirstError() : built.error().message), false;
  host = built->so;
  auto described =
      runner_.Call({{"cmd", "describe"}, {"so", host}, {"request", {{"soc", chip_.ConfigName()}}}}, {}, run_ms_);
  if (!described.ok()) return why = described.error().message, false;
  auto checked = CheckedDescription(*described);
  if (!checked.ok()) return why = checked.error().message, false;
  k.prelude = TilingHeader(*checked);
  built = builder_.Build(k);
  if (!built.ok() || !built->ok)
    return why = "kernel: " + (built.ok() ? built->FirstError() : built.error().message), false;
  kernel = built->so;
  return true;
}

namespace {
Json RunOf(const Json& tiling, const std::string& entry, const KernelMemory& m, const chip::Chip& chip) {
  uint64_t workspace = 0;
  for (const Json& w : tiling.value("workspaces", Json::array())) workspace += w.get<uint64_t>();
  return {{"entry", entry},
          {"regions", m.regions},
          {"args", m.args},
          {"tiling_hex", tiling.value("tiling_hex", "")},
          {"workspace_bytes", workspace + chip.lib_workspace},
          {"blocks", tiling.value("block_dim", 1u)},
          {"tiling_key", tiling.value("tiling_key", uint64_t{0})},
          {"chip", chip::ToJson(chip)}};
}

void JudgeReply(const Json& reply, const KernelMemory& m, const uint8_t* memory, bool keep, Validated& v) {
  if (reply.value("status", "") != "ok") {
    v.outcome = v.findings.empty() ? Validated::kCrashed : Validated::kFinding;
    v.reason = reply.value("status", "") + ": " + reply.value("detail", "") +
               (v.findings.empty() ? "" : ": " + v.findings.back().message);
    return;
  }
  if (reply.contains("state_changed")) {
    v.outcome = Validated::kCrashed;
    v.reason = "the kernel changed variables of its object";
    return;
  }
  v.outcome = Validated::kAgree;
  for (const WrittenTensor& t : m.written) {
    if (keep) {
      v.outputs.emplace_back(t.name, *t.expected);
      v.outputs.back().second.bytes.assign(memory + t.offset, memory + t.offset + t.expected->bytes.size());
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
  // A finding of the kernel explains a mismatch, so it comes first; warnings count too: we emit code without any.
  if (v.findings.empty()) return;
  v.outcome = Validated::kFinding;
  v.reason = v.findings[0].code + ": " + v.findings[0].message;
}
}  // namespace

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
  Json tiles = Json::array(), runs = Json::array();
  for (Job* j : jobs) tiles.push_back(TileRequest(*j));
  auto tiled = runner_.Call({{"cmd", "tile"}, {"so", host}, {"requests", tiles}, {"limits", {{"wall_ms", run_ms_}}}},
                            {}, run_ms_ + 5000);
  if (!tiled.ok() || tiled->value("status", "") != "ok")
    return fail(Validated::kCrashed, "tiling: " + (tiled.ok() ? base::Dump(*tiled) : tiled.error().message));
  Arena arena;
  std::vector<Job*> running;
  for (size_t i = 0; i < jobs.size(); ++i) {
    Job& j = *jobs[i];
    if (const Json answers = tiled->value("answers", Json::array()); i < answers.size()) j.tiling = answers[i];
    if (j.tiling.value("status", "") != "ok") {
      j.out->outcome = Validated::kBuildFailed;
      j.out->reason = "the tiling function fails, the interpreter does not: " + j.tiling.value("detail", "");
      continue;
    }
    j.memory = arena.Add(j.program.program, j.in->args, j.expected);
    runs.push_back(RunOf(j.tiling, j.entry, j.memory, chip_));
    running.push_back(&j);
  }
  if (running.empty()) return;
  if (auto st = arena.Allocate(); !st.ok()) return fail(Validated::kCrashed, st.error().message);
  auto reply = runner_.Call({{"cmd", "run"}, {"so", kernel}, {"runs", runs}, {"limits", {{"wall_ms", run_ms_}}}},
                            {arena.inputs().fd(), arena.outputs().fd()}, runner::kGuestPatience * run_ms_ + 5000);
  if (!reply.ok() || reply->value("status", "") != "ok") {
    jobs = running;
    return fail(Validated::kCrashed,
                "run: " + (reply.ok() ? reply->value("status", "") + ": " + reply->value("detail", "")
                                      : reply.error().message));
  }
  for (size_t i = 0; i < running.size(); ++i) {
    Validated& v = *running[i]->out;
    RunOutcome odd = TakenApart([&] {
      const Json& one = reply->at("answers").at(i);
      v.findings = NameFindings(builder_, kernel, one.value("findings", Json::array()));
      JudgeReply(one, running[i]->memory, arena.outputs().data(), running[i]->in->keep, v);
    });
    if (odd.verdict != record::Verdict::kPass) v.outcome = Validated::kCrashed, v.reason = odd.reason;
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
    jobs[i].program.program.name += fmt::format("_v{}", all[i].like >= 0 ? static_cast<size_t>(all[i].like) : i);
    jobs[i].camel = craft::CamelCase(jobs[i].program.program.name);
    jobs[i].entry =
        all[i].kernel.empty() ? jobs[i].program.program.name : fmt::format("{}_k{}", jobs[i].program.program.name, i);
    Interpret(jobs[i]);
    if (out[i].outcome != Validated::kRefused) running.push_back(&jobs[i]);
  }
  if (!running.empty()) RunTogether(running);
  return out;
}

}  // namespace akgen::judge
