// The record of a judgement: what stores, journals, caches and reports keep and servers answer. One
// definition of its keys; its schema is docs/schema/judgement.schema.json.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
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
// Of an object as judge/time/timing.h describes it; nothing when it says no time.
std::optional<ModelledTime> ModelledFromJson(const base::Json& modelled);

// What the record of a case has in common with the result that the judge works on. A field of the
// record is a member and a line of the list: reader, writer, the message between processes, the
// schema (docs/schema, by record_test) and the Python class (tools/python_records) are made from
// the list.
struct CaseFields {
  std::string id, reason;
  bool numbers_pass = false;  // every output agrees with the reference, findings aside
  std::vector<Finding> findings;
  uint32_t block_dim = 0;
  uint64_t tiling_key = 0;
  double build_ms = 0, tile_ms = 0, run_ms = 0;
  double chip_ms = 0;      // of run_ms: the chip alone, without process and memory around it
  double chip_cpu_ms = 0;  // the same in time of the processor, which a busy machine leaves alone
  double reference_ms = 0, check_ms = 0;
  bool reference_cached = false;
  base::Json arithmetic = base::Json::object();
  std::vector<uint64_t> orders;          // further schedules that it was run under
  base::Json modelled;                   // null when nobody asked
  std::string print;                     // what the kernel printed, when somebody asked
  std::optional<MeasuredTime> measured;  // on a real device
  int vendor_code = 0;                   // what its runtime said, 0: no error

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("id", m.id);
    io.Field("reason", m.reason);
    io.Field("numbers_pass", m.numbers_pass);
    io.Field("findings", m.findings,
             {"", R"({"type": "array", "items": {"$ref": "#/$defs/finding"}})"});
    io.Field("block_dim", m.block_dim);
    io.Field("tiling_key", m.tiling_key);
    io.Field("build_ms", m.build_ms);
    io.Field("tile_ms", m.tile_ms);
    io.Field("run_ms", m.run_ms);
    io.Field("chip_ms", m.chip_ms);
    io.Field("chip_cpu_ms", m.chip_cpu_ms);
    io.Field("reference_ms", m.reference_ms);
    io.Field("check_ms", m.check_ms);
    io.Field("reference_cached", m.reference_cached);
    io.Field("arithmetic", m.arithmetic,
             {"rounding vector instructions by data type, narrowing casts, and instructions whose "
              "pages call them inaccurate",
              R"({"type": "object"})"});
    io.Sparse("orders", m.orders,
              {"schedules of the further orders of execution that it was run under; blocks "
               "exchanged data",
               R"({"type": "array", "items": {"type": "integer", "minimum": 1}})"});
    io.Sparse("modelled", m.modelled, {"", R"({"$ref": "#/$defs/modelled"})"});
    io.Sparse("print", m.print,
              {"what the kernel printed, at most 64 KiB; of `akgen judge` and `akgen run` alone"});
    io.Field("measured", m.measured, {"", R"({"$ref": "#/$defs/measured"})"});
    io.Sparse("vendor_code", m.vendor_code,
              {"what the device's runtime said; absent: no error", R"({"type": "integer"})"});
  }
};

inline constexpr std::string_view kSkipped =
    "skipped";  // in place of a verdict, of a case that was not judged

struct CaseRecord : CaseFields {
  std::optional<Verdict> verdict;  // nothing: the case was skipped
  base::Json outputs =
      base::Json::array();  // per output: elements, mismatches, max_abs, max_rel, first
  bool Passed() const { return verdict == Verdict::kPass; }
  std::string_view VerdictName() const;  // "skipped" too
  std::optional<ModelledTime> Time() const { return ModelledFromJson(modelled); }

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    auto verdict = SkippableIn(m.verdict);
    io.Field("verdict", verdict, {"", R"({"enum": ["$verdicts", "skipped"]})"});
    CaseFields::EachField(m, io);
    io.Field("outputs", m.outputs,
             {"", R"({"type": "array", "items": {"$ref": "#/$defs/output"}})"});
  }

 private:
  template <class Verdicts>
  struct Skippable {
    Verdicts& verdict;
    friend void to_json(base::Json& j, const Skippable& s) {
      j = s.verdict ? NameOf(*s.verdict) : kSkipped;
    }
    friend void from_json(const base::Json& j, Skippable& s) {
      if (j.get_ref<const std::string&>() != kSkipped) s.verdict = j.get<Verdict>();
    }
  };
  template <class Verdicts>
  static Skippable<Verdicts> SkippableIn(Verdicts& verdict) {
    return {verdict};
  }
};

// Hashes (SHA-256 in hex, "" where unknown) of what a verdict depends on, and who gave it.
struct Provenance {
  std::string task, judge, chip, candidate;
  std::string host;        // of the host side in kernel-only mode
  std::string host_build;  // key of its build, where folders outside the project were included
  base::Json sandbox;      // layers that held; null: unknown
  std::optional<DeviceFacts> device;  // of a real one

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    constexpr base::fields::Note kHash{"", R"({"type": "string", "pattern": "^([0-9a-f]{64})?$"})"};
    io.Field("task", m.task, kHash);
    io.Field("judge", m.judge, kHash);
    io.Field("chip", m.chip, kHash);
    io.Field("candidate", m.candidate, kHash);
    io.Sparse("host", m.host, kHash);
    io.Sparse("host_build", m.host_build);
    io.Sparse("sandbox", m.sandbox,
              {"", R"({"type": "array", "items": {"$ref": "#/$defs/layer"}})"});
    io.Field("device", m.device, {"", R"({"$ref": "#/$defs/device"})"});
  }
};

// Likewise, of a judgement.
struct JudgementFields {
  std::string task, category, project, chip;
  int level = 0;
  Backend backend = kDefaultBackend;
  Verdict verdict = Verdict::kInfraError;
  std::string reason;
  uint64_t seed = 0;  // of the inputs; 0 where none was needed
  std::string precision;
  std::string
      range;  // of the range group: "run: N cases", or "not run: " and why; empty in older records
  std::vector<std::string> checks;
  std::vector<std::string> build_options;  // of the kernel, where they are not the defaults
  std::vector<std::string> lacking;  // what of Ascend C akgen does not have, where that ended it
  base::Json rewrites = base::Json::array();  // what was changed in memory to compile the sources
  double build_host_ms = 0, build_kernel_ms = 0;
  Provenance provenance;

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("task", m.task);
    io.Field("level", m.level, {"", R"({"type": "integer", "minimum": 0})"});
    io.Field("category", m.category);
    io.Field("project", m.project);
    io.Field("chip", m.chip);
    io.Field("backend", m.backend, {"", R"({"enum": ["guest", "native", "npu"]})"});
    io.Needed("verdict", m.verdict, {"", R"({"enum": ["$verdicts"]})"});
    io.Field("reason", m.reason);
    io.Field("seed", m.seed, {"of the inputs"});
    io.Field("precision", m.precision, {"", R"({"enum": ["strict", "upstream"]})"});
    io.Field("range", m.range, {"of the range group: run and how many cases, or not run and why"});
    io.Field("checks", m.checks, {"", R"({"type": "array",
        "items": {"enum": ["memcheck", "initcheck", "racecheck", "synccheck"]},
        "uniqueItems": true})"});
    io.Field("build_options", m.build_options,
             {"of the kernel, from the project's build files or asked for, where they are not the "
              "defaults: --cce-auto-sync=off, -DNAME",
              "", true});
    io.Sparse("lacking", m.lacking,
              {"what of Ascend C akgen does not have, where that ended the judgement"});
    io.Field("rewrites", m.rewrites,
             {"", R"({"type": "array", "items": {"$ref": "#/$defs/rewrite"}})"});
    io.Field("build_host_ms", m.build_host_ms);
    io.Field("build_kernel_ms", m.build_kernel_ms);
    io.Field("provenance", m.provenance, {"", R"({"$ref": "#/$defs/provenance"})"});
  }
};

struct Judgement : JudgementFields {
  int schema = kVerdictSchema;
  std::string version;  // of the program that judged
  bool sealed = false;
  std::vector<CaseRecord> cases;
  std::vector<MergedFinding> findings;  // of all cases
  base::Json diagnostics = base::Json::array();
  // At most one: the same candidate and inputs on a real device, by values and time alone. Never
  // sealed.
  std::vector<Judgement> npu;

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("schema", m.schema, {"", R"({"const": 1})"});
    io.Field("version", m.version, {"of the program that judged"});
    JudgementFields::EachField(m, io);
    io.Derived("sealed", m.sealed,
               {"nothing that ran the candidate's code could have written this verdict"});
    io.Field("cases", m.cases, {"", R"({"type": "array", "items": {"$ref": "#/$defs/case"}})"});
    io.Field("diagnostics", m.diagnostics,
             {"", R"({"type": "array", "items": {"$ref": "#/$defs/diagnostic"}})"});
    io.Derived("findings", m.findings,
               {"those of all cases, one of a code at one place once",
                R"({"type": "array", "items": {"$ref": "#/$defs/merged_finding"}})"});
    io.One("npu", m.npu,
           {"the same candidate and inputs on a real device, by values and time alone; never "
            "sealed",
            R"({"$ref": "#"})"});
  }
  void Complete(const base::Json& from);  // what is derived; and what contradicts itself throws
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
