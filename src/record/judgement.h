// The record of a judgement: what stores, journals, caches and reports keep and servers answer. One
// definition of its keys; its schema is docs/schema/judgement.schema.json.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "record/backend.h"
#include "record/measured.h"
#include "record/modelled.h"
#include "record/verdict.h"

namespace akgen::record {

// Totals of a launch's modelled time; microseconds, 0: not said.
struct ModelledTime {
  Modelled own, eager;    // eager: estimate of a framework's own launches
  double bound_us = 0;    // the least that the chip allows
  std::string estimator;  // hash of the model that said so
  std::string regime, bottleneck;
  int eager_kernels = 0;
};
// Of an object as judge/timing.h describes it; nothing when it says no time.
std::optional<ModelledTime> ModelledFromJson(const base::Json& modelled);

struct CaseRecord {
  std::string id;
  std::optional<Verdict> verdict;  // nothing: the case was skipped
  std::string reason;
  bool numbers_pass = false;  // every output agrees with the reference, findings aside
  std::vector<Finding> findings;
  base::Json outputs =
      base::Json::array();  // per output: elements, mismatches, max_abs, max_rel, first
  uint32_t block_dim = 0;
  uint64_t tiling_key = 0;
  double build_ms = 0, tile_ms = 0, run_ms = 0, chip_ms = 0, chip_cpu_ms = 0, reference_ms = 0,
         check_ms = 0;
  bool reference_cached = false;
  base::Json arithmetic = base::Json::object();
  std::vector<uint64_t> orders;          // further schedules that it was run under
  base::Json modelled;                   // null when nobody asked
  std::string print;                     // what the kernel printed, when somebody asked
  std::optional<MeasuredTime> measured;  // on a real device
  int vendor_code = 0;                   // what its runtime said, 0: no error
  bool Passed() const { return verdict == Verdict::kPass; }
  std::string_view VerdictName() const;  // "skipped" too
  std::optional<ModelledTime> Time() const { return ModelledFromJson(modelled); }
};

// Hashes (SHA-256 in hex, "" where unknown) of what a verdict depends on, and who gave it.
struct Provenance {
  std::string task, judge, chip, candidate;
  std::string host;        // of the host side in kernel-only mode
  std::string host_build;  // key of its build, where folders outside the project were included
  base::Json sandbox;      // layers that held; null: unknown
  std::optional<DeviceFacts> device;  // of a real one
};

struct Judgement {
  int schema = kVerdictSchema;
  std::string version;  // of the program that judged
  std::string task, category, project, chip;
  int level = 0;
  Backend backend = kDefaultBackend;
  bool sealed = false;
  Verdict verdict = Verdict::kInfraError;
  std::string reason;
  uint64_t seed = 0;
  std::string precision;
  std::string
      range;  // of the range group: "run: N cases", or "not run: " and why; empty in older records
  std::vector<std::string> checks;
  std::vector<std::string> build_options;  // of the kernel, where they are not the defaults
  std::vector<CaseRecord> cases;
  std::vector<MergedFinding> findings;  // of all cases
  base::Json diagnostics = base::Json::array(), rewrites = base::Json::array();
  double build_host_ms = 0, build_kernel_ms = 0;
  Provenance provenance;
  // At most one: the same candidate and inputs on a real device, by values and time alone. Never
  // sealed.
  std::vector<Judgement> npu;
};

base::Json ToJson(const CaseRecord& c);
base::Json ToJson(const Provenance& provenance);
base::Json ToJson(const Judgement& judgement);

// Reads records of this version and of older ones, whose missing members keep their defaults; an
// unknown name or verdict, a later schema, or a member of another type is AK0014.
base::Result<Judgement> JudgementFromJson(const base::Json& record);
base::Result<std::vector<CaseRecord>> CasesFromJson(
    const base::Json& record);                                // of a judgement's record
Provenance ProvenanceFromJson(const base::Json& provenance);  // throws base::Json::exception

// How a record contradicts itself, which none that was judged does: a verdict that its cases do not
// bear out (a pass without a case that passed), or a seal that its backend cannot give. "": it does
// not.
std::string ContradictionIn(const Judgement& judgement);

// What a record says of itself at least, whatever else is in it: that of a judgement, of a
// standalone kernel, a line of a journal. nullopt: it says no verdict.
struct Summary {
  std::string task, verdict, reason;  // verdict: the name of an outcome (record/verdict.h)
  bool sealed = false;
};
std::optional<Summary> SummaryOf(const base::Json& record);

// In what records differ whose verdicts or numbers are shown side by side, a phrase each: versions,
// judges, chips, rules of precision, clocks (a chip's timing), estimators of baselines. Empty:
// nothing of these.
class Mixture {
 public:
  void Add(const base::Json& record);  // what is no record of a judgement adds nothing
  std::vector<std::string> Said() const;

 private:
  std::array<std::vector<std::string>, 6> seen_;  // each once
};

}  // namespace akgen::record
