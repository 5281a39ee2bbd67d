#include "cli/judging_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "sim/check/checks.h"

namespace akgen::cli {
namespace {
constexpr sim::Check kAllChecks[] = {sim::Check::kMem, sim::Check::kInit, sim::Check::kRace,
                                     sim::Check::kSync};

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string w; std::getline(in, w, ',');) words.push_back(w);
  return words;
}

// CLI11's validators answer with a sentence, empty when all is well.
std::string RefuseChecks(const std::string& text) {
  if (text == "all" || text == "none") return "";
  if (text.empty()) return "name at least one check, or none";
  for (const std::string& word : Words(text)) {
    bool known = false;
    for (sim::Check c : kAllChecks) known |= word == sim::NameOf(c);
    if (!known)
      return "there is no check '" + word +
             "'; use all, none, or names out of memcheck,initcheck,racecheck,synccheck";
  }
  return "";
}

std::string RefuseDevices(const std::string& text) {
  for (const std::string& word : Words(text))
    if (word != "sim" && word != "npu")
      return "there is no device '" + word + "'; use sim, npu, or sim,npu";
  return Words(text).empty() ? "name a device: sim, npu, or sim,npu" : "";
}

std::string RefuseUnsealed(const std::string& name) {
  const auto backend = record::BackendFromName(name);
  if (!backend) return "there is no backend '" + name + "'; use guest";
  if (record::IsSealed(*backend)) return "";
  return "verdicts of native execution are not sealed, so nothing is learned from them; use guest";
}
}  // namespace

void JudgingOptions::AddTo(CLI::App& c, unsigned parts, const std::string& group) {
  auto add = [&](const char* name, auto& value, const char* what) {
    CLI::Option* o = c.add_option(name, value, what)->capture_default_str();
    if (!group.empty()) o->group(group);
    return o;
  };
  if (parts & kChip) add("--chip", chip, "SoC to simulate");
  if (parts & kChecks)
    add("--checks", checks,
        "all, none, or comma-separated: memcheck (bounds, alignment, buffers, leaks, overlapping "
        "blocks), "
        "initcheck (undefined data), racecheck (order between accesses), synccheck (flags, queues, "
        "barriers)")
        ->check(CLI::Validator(RefuseChecks, "CHECKS"));
  if (parts & kChecks)
    add("--auto-sync", auto_sync,
        "on or off: whether kernels are compiled with automatic synchronisation (--cce-auto-sync); "
        "default: what the "
        "build files of a project say, else on")
        ->check(CLI::IsMember({"on", "off"}));
  if (parts & kTimeout)
    add("--timeout", timeout_s, "Time limit of one case, in seconds")->check(CLI::PositiveNumber);
  if (parts & kBackend)
    add("--backend", backend,
        "What runs kernel code: guest, interpreted by akgen; or native, in a sandbox, which is "
        "faster for scalar "
        "code and whose verdicts are not sealed: they are never a reward or a sample")
        ->check(CLI::IsMember({"guest", "native"}));
  if (parts & kDevice) {
    add("--device", device,
        "sim, the simulated chip; npu, a real device with the vendor's toolkit, by values and time "
        "alone; or sim,npu: "
        "one record of both (docs/hardware.md)")
        ->check(CLI::Validator(RefuseDevices, "DEVICES"));
    add("--npu", npu, "Number of the real device")->check(CLI::NonNegativeNumber);
  }
  if (parts & kSealedBackend)
    add("--backend", backend, "What runs kernel code: guest, because only its verdicts are sealed")
        ->check(CLI::Validator(RefuseUnsealed, "guest"));
}

base::Json JudgingOptions::Checks() const {
  base::Json out = base::Json::object();
  for (sim::Check c : kAllChecks) out[std::string(sim::NameOf(c))] = checks == "all";
  for (const std::string& word : Words(checks))
    if (out.contains(word)) out[word] = true;
  if (!auto_sync.empty()) out["auto_sync"] = auto_sync == "on";
  return out;
}

void JudgingOptions::Into(judge::Options& o) const {
  o.chip = chip, o.checks = Checks(), o.backend = Backend();
  o.run_timeout_ms = timeout_s * 1000;
  o.devices = Devices();
}

judge::DeviceOptions JudgingOptions::Devices() const {
  const std::vector<std::string> words = Words(device);
  const auto named = [&](const char* name) {
    return std::find(words.begin(), words.end(), name) != words.end();
  };
  judge::DeviceOptions out;
  out.sim = named("sim"), out.npu = named("npu"), out.npu_id = npu;
  return out;
}

void JudgingOptions::Into(judge::LoneOptions& o) const {
  o.chip = chip, o.checks = Checks(), o.backend = Backend();
  o.timeout_ms = timeout_s * 1000;
}

void WarnOfUnsealed(record::Backend backend) {
  if (record::IsSealed(backend)) return;
  fmt::print(stderr,
             "unsealed: kernels ran as machine code; such a verdict is no evidence, and is never a "
             "reward, a sample or "
             "part of pass@k (docs/trust.md)\n");
}

}  // namespace akgen::cli
