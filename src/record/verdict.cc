#include "record/verdict.h"

#include <algorithm>
#include <array>
#include <utility>

namespace akgen::record {
namespace {
constexpr std::array<std::pair<Verdict, std::string_view>, 10> kNames{
    {{Verdict::kPass, "pass"},
     {Verdict::kWrongAnswer, "wrong_answer"},
     {Verdict::kFinding, "finding"},
     {Verdict::kRuntimeError, "runtime_error"},
     {Verdict::kTimeout, "timeout"},
     {Verdict::kBuildError, "build_error"},
     {Verdict::kRejected, "rejected"},
     {Verdict::kUnsupported, "unsupported"},
     {Verdict::kUndecided, "undecided"},
     {Verdict::kInfraError, "infra_error"}}};

base::Json PlaceJson(const Place& p) {
  return {
      {"file", p.file}, {"line", p.line}, {"pipe", p.pipe}, {"what", p.what}, {"block", p.block}};
}
Place PlaceFromJson(const base::Json& j) {
  return {j.value("file", ""), j.value("line", 0), j.value("pipe", ""), j.value("what", ""),
          j.value("block", -1)};
}
}  // namespace

std::string_view NameOf(Verdict v) {
  for (auto& [value, name] : kNames)
    if (value == v) return name;
  return "infra_error";
}

std::optional<Verdict> VerdictFromName(std::string_view name) {
  for (auto& [value, n] : kNames)
    if (n == name) return value;
  return std::nullopt;
}

void to_json(base::Json& j, Verdict v) { j = NameOf(v); }
void from_json(const base::Json& j, Verdict& v) {
  const auto named = VerdictFromName(j.get_ref<const std::string&>());
  if (!named) base::ThrowJsonShape("an unknown verdict");
  v = *named;
}

bool Sealed(const base::Json& record) {
  const auto field = record.is_object() ? record.find("sealed") : record.end();
  return field != record.end() && field->is_boolean() && field->get<bool>();
}

bool Counts(const Outcome& outcome) { return outcome.sealed && Rank(outcome.name) >= 0; }

bool Builds(Verdict v) {
  switch (v) {
    case Verdict::kBuildError:
    case Verdict::kRejected:
    case Verdict::kUnsupported:
    case Verdict::kInfraError: return false;
    default: return true;
  }
}
bool Builds(std::string_view outcome) {
  auto v = VerdictFromName(outcome);
  return v && Builds(*v);
}

int Rank(Verdict v) {
  switch (v) {
    case Verdict::kPass: return kRankOfPass;
    case Verdict::kWrongAnswer:
    case Verdict::kFinding: return 3;
    case Verdict::kRuntimeError:
    case Verdict::kTimeout: return 2;
    case Verdict::kBuildError: return 1;
    case Verdict::kRejected: return 0;
    case Verdict::kUnsupported:
    case Verdict::kUndecided:
    case Verdict::kInfraError: return -1;
  }
  return -1;
}
int Rank(std::string_view outcome) {
  if (outcome == "refused") return 1;
  if (outcome == "no_code" || outcome == "too_long") return 0;
  auto v = VerdictFromName(outcome);
  return v ? Rank(*v) : -1;
}

namespace {
bool SamePlace(const Place& a, const Place& b) { return a.file == b.file && a.line == b.line; }
bool SameFault(const Finding& a, const Finding& b) {
  if (a.code != b.code || a.warning != b.warning || a.undecided != b.undecided ||
      !SamePlace(a.place, b.place))
    return false;
  if (a.other.has_value() != b.other.has_value() || (a.other && !SamePlace(*a.other, *b.other)))
    return false;
  return !a.place.file.empty() ||
         a.message == b.message;  // without a place the words are all there is
}
}  // namespace

void FindingsOfCases::Add(const std::string& case_id, const std::vector<Finding>& findings) {
  for (const Finding& f : findings) {
    auto same = std::find_if(all_.begin(), all_.end(),
                             [&](const MergedFinding& m) { return SameFault(m.finding, f); });
    if (same == all_.end()) {
      all_.push_back({f, {case_id}});
      continue;
    }
    same->finding.count += f.count;
    if (same->finding.edits.empty()) same->finding.edits = f.edits;
    if (same->cases.back() != case_id) same->cases.push_back(case_id);
  }
}

base::Json ToJson(const MergedFinding& m) {
  base::Json j = ToJson(m.finding);
  j["cases"] = m.cases;
  return j;
}

std::string WithoutMessages(std::string reason, const std::vector<MergedFinding>& told) {
  for (const MergedFinding& m : told)
    if (const size_t at = reason.find(": " + m.finding.message); at != std::string::npos)
      reason.erase(at, 2 + m.finding.message.size());
  return reason;
}

base::Json ToJson(const Finding& f) {
  base::Json j{{"code", f.code},       {"check", f.check},   {"undecided", f.undecided},
               {"message", f.message}, {"fix", f.fix},       {"place", PlaceJson(f.place)},
               {"block", f.block},     {"memory", f.memory}, {"buffer", f.buffer},
               {"address", f.address}, {"bytes", f.bytes},   {"count", f.count},
               {"warning", f.warning}};
  if (f.other) j["other"] = PlaceJson(*f.other);
  if (!f.edits.empty()) j["edits"] = ToJson(f.edits);
  return j;
}

Finding FindingFromJson(const base::Json& j) {
  Finding f;
  f.code = j.value("code", "");
  f.check = j.value("check", "");
  f.undecided = j.value("undecided", false);
  f.message = j.value("message", "");
  f.fix = j.value("fix", "");
  if (j.contains("place")) f.place = PlaceFromJson(j["place"]);
  if (j.contains("other")) f.other = PlaceFromJson(j["other"]);
  f.block = j.value("block", -1);
  f.memory = j.value("memory", "");
  f.buffer = j.value("buffer", "");
  f.address = j.value("address", int64_t{0});
  f.bytes = j.value("bytes", uint64_t{0});
  f.count = j.value("count", uint64_t{1});
  f.warning = j.value("warning", false);
  if (j.contains("edits")) f.edits = EditsFromJson(j["edits"]);
  return f;
}

}  // namespace akgen::record
