#include "judge/pool/worker_messages.h"

#include "base/hex.h"

// Names all members of a struct: does not compile when one is left out.
#define AKGEN_ALL_OF(Type, ...)                        \
  [[maybe_unused]] static void AllOf(const Type& it) { \
    [[maybe_unused]] const auto& [__VA_ARGS__] = it;   \
  }
// Every member of a struct crosses, under its own name.
#define AKGEN_MEMBERS(Type, ...) \
  NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Type, __VA_ARGS__) AKGEN_ALL_OF(Type, __VA_ARGS__)

namespace akgen::record {
static void to_json(base::Json& j, const BuildDiagnostic& d) { j = ToJson(d); }
static void from_json(const base::Json& j, BuildDiagnostic& d) { d = DiagnosticFromJson(j); }
static void to_json(base::Json& j, const OutputResult& r) { j = ToJson(r); }
static void from_json(const base::Json& j, OutputResult& r) { r = OutputResultFromJson(j); }
static void to_json(base::Json& j, const OutputValues& v) { j = ToJson(v); }
static void from_json(const base::Json& j, OutputValues& v) { v = OutputValuesFromJson(j); }
}  // namespace akgen::record

// nlohmann knows no std::optional.
template <typename T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(akgen::base::Json& j, const std::optional<T>& value) {
    if (value)
      j = *value;
    else
      j = nullptr;
  }
  static void from_json(const akgen::base::Json& j, std::optional<T>& value) {
    if (j.is_null())
      value.reset();
    else
      value = j.get<T>();
  }
};

namespace akgen::task {
AKGEN_MEMBERS(Declared, dtype, format, origin_format, origin, storage)
AKGEN_MEMBERS(Domain, low, high, nan, source)
AKGEN_MEMBERS(IndexSpec, of, axis, first, stride, key)
AKGEN_MEMBERS(ParamSpec, name, kind, optional, dtype, shape, present, dist, upstream, domain,
              compared, inplace_of, shape_of, zeroed, index, in_signature, declared)
AKGEN_MEMBERS(AttrSpec, name, type, value, other)
AKGEN_MEMBERS(PrecisionSpec, rule, limit, integers, ulps, k)
AKGEN_MEMBERS(HiddenSpec, fixed, multiple, least, most, multiple_of, toggle)
AKGEN_MEMBERS(CaseRow, id, columns, draws, attributes, range)
AKGEN_MEMBERS(TaskSpec, name, category, entry, description, level, folder, inputs, outputs, attrs,
              precision, hidden, lint_right, cases, reference, native_reference)
}  // namespace akgen::task

namespace akgen::toolchain {
AKGEN_MEMBERS(SourceLine, file, line, function)
}  // namespace akgen::toolchain

namespace akgen::sim {
AKGEN_MEMBERS(RunProbe, schedules, expect)
AKGEN_MEMBERS(ProbeReply, ran, schedule, differs, hash, ended)
}  // namespace akgen::sim

namespace akgen::judge {
using base::Json;

AKGEN_MEMBERS(TimeOptions, on, span_cores, what_if, scale, keep_trace)
AKGEN_MEMBERS(DeviceOptions, sim, npu, npu_id, profile)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Options, chip, cases, rows, inputs, range, precision,
                                   include_dirs, repository, with_sources, kernel_only, host, seed,
                                   run_timeout_ms, checks, schedule, orders, probe, want_lines,
                                   want_print, edits, time, backend, devices)
AKGEN_ALL_OF(Options, chip, cases, rows, inputs, range, precision, include_dirs, repository,
             with_sources, kernel_only, host, seed, run_timeout_ms, checks, schedule, orders, probe,
             want_lines, want_print, edits, time, backend, devices, fill_inputs, expected, outputs,
             show_values, progress)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExamineOptions, task, case_id, include_dirs, classes, chip,
                                   backend, seed, count, schedules, run, out)
AKGEN_ALL_OF(ExamineOptions, task, case_id, include_dirs, classes, chip, backend, seed, count,
             schedules, run, out, progress)
AKGEN_MEMBERS(WorkerRequest, dir, task, options, key_only, launch, examine)

Json ToMessage(const WorkerRequest& request) { return request; }
base::Result<WorkerRequest> RequestFromMessage(const Json& message) {
  return base::Checked("a request to judge", [&]() -> base::Result<WorkerRequest> {
    return message.get<WorkerRequest>();
  });
}

// Errors of a comparison may be infinite and what a candidate said may be no text: JSON has
// neither, CBOR has both.
Json ToMessage(const Judgement& judgement) { return base::HexOf(Json::to_cbor(Json(judgement))); }
base::Result<Judgement> JudgementFromMessage(const Json& message) {
  return base::Checked("the process that judges", [&]() -> base::Result<Judgement> {
    return Json::from_cbor(base::BytesOfHex(message.get_ref<const std::string&>()))
        .get<Judgement>();
  });
}

}  // namespace akgen::judge
