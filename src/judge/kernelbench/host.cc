#include "judge/kernelbench/host.h"

#include <algorithm>
#include <stdexcept>

#include "base/hex.h"
#include "base/text.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "judge/run/lone.h"
#include "toolchain/host_section.h"

namespace akgen::judge::kernelbench {
using base::Json;
using record::Verdict;
namespace {
constexpr uint64_t kMaxText = 128u << 20, kMaxStorage = uint64_t{1} << 32;
constexpr size_t kMaxStorages = 10000, kMaxSteps = 2000000, kMaxArguments = 32;
constexpr int kCallMs = 30000;

[[noreturn]] void NoCall(const std::string& what) { throw std::invalid_argument(what); }

uint64_t NumberOf(const Json& j, uint64_t most) {
  if (!j.is_number_unsigned() || j.get<uint64_t>() > most) NoCall("a number that is none");
  return j.get<uint64_t>();
}

Place PlaceOf(const Json& storage, const Json& offset, const HostCall& call) {
  Place p{size_t(NumberOf(storage, kMaxStorages)), NumberOf(offset, kMaxStorage)};
  if (p.storage >= call.storages.size() || p.offset > call.storages[p.storage].bytes)
    NoCall("a place in no tensor");
  return p;
}

void Within(const Place& p, uint64_t bytes, const HostCall& call) {
  if (bytes > call.storages[p.storage].bytes - p.offset) NoCall("bytes outside of a tensor");
}

std::vector<uint8_t> HexOf(const Json& j) {
  const std::string& digits = j.get_ref<const std::string&>();
  if (digits.size() > (256u << 10) || digits.size() % 2 ||
      digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    NoCall("bytes that are none");
  return base::BytesOfHex(digits);
}

HostStep HostStepFromJson(const Json& j, const HostCall& call) {
  const std::string kind = j.at(0).get<std::string>();
  if (kind == "launch") {
    LaunchStep s;
    s.kernel = j.at(1).get<std::string>();
    if (s.kernel.empty() || s.kernel.size() > 200 ||
        !std::all_of(s.kernel.begin(), s.kernel.end(), base::IsWord))
      NoCall("a kernel without a name");
    s.blocks = uint32_t(NumberOf(j.at(2), UINT32_MAX));
    if (j.at(3).size() > kMaxArguments) NoCall("a launch with more than 32 arguments");
    for (const Json& a : j.at(3)) {
      LaunchArgument& arg = s.arguments.emplace_back();
      if (a.is_string())
        arg.kind = LaunchArgument::Kind::kBytes, arg.bytes = HexOf(a);
      else if (a.is_array())
        arg.kind = LaunchArgument::Kind::kPlace, arg.place = PlaceOf(a.at(0), a.at(1), call);
    }
    return s;
  }
  if (kind == "copy") {
    CopyStep s{PlaceOf(j.at(1), j.at(2), call), PlaceOf(j.at(3), j.at(4), call),
               NumberOf(j.at(5), kMaxStorage)};
    Within(s.to, s.bytes, call), Within(s.from, s.bytes, call);
    return s;
  }
  if (kind != "fill") NoCall("a step of no kind");
  FillStep s{PlaceOf(j.at(1), j.at(2), call), HexOf(j.at(3)), NumberOf(j.at(4), kMaxStorage)};
  Within(s.to, s.bytes.size() * s.times, call);
  return s;
}

HostResult HostResultFromJson(const Json& j, const HostCall& call) {
  HostResult r;
  r.type = j.at("dtype").get<std::string>();
  const auto dtype = DtypeOfName(r.type);
  if (!dtype) NoCall("a result of no dtype");
  r.dtype = *dtype;
  r.place = PlaceOf(j.at("place").at(0), j.at("place").at(1), call);
  uint64_t last = 0;
  bool empty = false;
  for (const Json& n : j.at("sizes")) r.sizes.push_back(int64_t(NumberOf(n, kMaxStorage)));
  for (const Json& n : j.at("strides")) r.strides.push_back(int64_t(NumberOf(n, kMaxStorage)));
  if (r.sizes.size() != r.strides.size() || r.sizes.size() > 16) NoCall("a result without strides");
  for (size_t i = 0; i < r.sizes.size(); ++i) {
    empty |= r.sizes[i] == 0;
    if (r.sizes[i]) last += uint64_t(r.sizes[i] - 1) * uint64_t(r.strides[i]);
    if (last > kMaxStorage) NoCall("a result outside of its tensor");
  }
  if (!empty) Within(r.place, (last + 1) * uint64_t(base::SizeOf(r.dtype)), call);
  return r;
}

HostCall HostCallFromJson(const Json& j) {
  HostCall call;
  if (j.at("storages").size() > kMaxStorages || j.at("steps").size() > kMaxSteps)
    NoCall("more steps than there are");
  for (const Json& s : j.at("storages")) {
    const int64_t argument = s.at(1).get<int64_t>();
    if (argument < -1 || argument > int64_t(kMaxStorages)) NoCall("an argument that is none");
    call.storages.push_back({NumberOf(s.at(0), kMaxStorage), int(argument)});
  }
  for (const Json& s : j.at("steps")) call.steps.push_back(HostStepFromJson(s, call));
  for (const Json& r : j.at("results")) call.results.push_back(HostResultFromJson(r, call));
  return call;
}

std::string NumbersOf(const std::vector<int64_t>& numbers) {
  std::string out;
  for (const int64_t n : numbers) out += (out.empty() ? "" : ",") + std::to_string(n);
  return "[" + out + "]";
}

// As include/ascendc/akgen/torch/call.h reads it.
std::string TextOf(const TracedArgument& a) {
  if (a.tensor)
    return a.tensor->type + NumbersOf(a.tensor->sizes) + "%" + NumbersOf(a.tensor->strides);
  std::string list;
  for (const TracedArgument& item : a.list) list += (list.empty() ? "" : ", ") + TextOf(item);
  if (!a.list.empty()) return "[" + list + "]";
  if (a.value.is_null()) return "None";
  std::string text = base::Dump(a.value);
  return text;
}

std::string TextOf(const TracedCall& call) {
  std::string out;
  for (const TracedArgument& a : call.arguments) out += (out.empty() ? "" : ", ") + TextOf(a);
  return call.op + "(" + out + ")";
}

std::string LastLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}
}  // namespace

std::variant<HostHalf, Stop> HostHalf::Build(Executor& executor, const std::string& asc,
                                             const chip::Chip& chip) {
  auto folder = base::TempDir::Create();
  if (!folder.ok()) return Stop{Verdict::kInfraError, folder.error().message};
  toolchain::BuildRequest b;
  b.kind = "program";
  b.device.arch = chip.npu_arch;
  b.defines = {"AKGEN_RECORD_LAUNCHES"};
  b.sources = {
      {"/candidate/custom_op.asc", toolchain::WithRecordedLaunches(asc)},
      {"/akgen_call.cpp",
       "#include \"akgen/torch/call.h\"\n"
       "int main(int argc, char** argv) { return akgen_torch::RecordMain(argc, argv); }\n"}};
  b.project_dir = folder->path().string();
  auto built = executor.Build(b);
  if (!built.ok()) return Stop{Verdict::kInfraError, built.error().message};
  if (!built->ok) return Stop{VerdictOf(*built), ReasonOf(*built), built->diagnostics};
  return HostHalf(built->so, chip);
}

std::variant<HostCall, Stop> HostHalf::Call(Executor& executor, const TracedCall& call) const {
  auto folder = base::TempDir::Create();
  if (!folder.ok()) return Stop{Verdict::kInfraError, folder.error().message};
  ProgramLaunch l;
  l.object = object_, l.folder = folder->path().string(), l.chip = chip_, l.wall_ms = kCallMs;
  l.argv = {"custom_op", TextOf(call)};
  const ProgramReply reply = executor.RunProgram(l);
  if (auto unloaded = OutcomeOfLoading(reply.status, reply.detail))
    return Stop{unloaded->verdict, unloaded->reason};
  const RunOutcome outcome = OutcomeOf(reply.status, reply.detail, {});
  constexpr std::string_view kUnsupported =
      "unsupported: ";  // what the recording says before it ends the program
  if (LastLine(reply.console).starts_with(kUnsupported))
    return Stop{Verdict::kUnsupported, LastLine(reply.console).substr(kUnsupported.size())};
  if (LastLine(reply.console).starts_with("RuntimeError: "))
    return Stop{Verdict::kRuntimeError, "custom_op." + call.op + ": " + LastLine(reply.console)};
  if (outcome.verdict != Verdict::kPass) return Stop{outcome.verdict, outcome.reason};
  auto text = ReadUntrusted(folder->path() / "launches.json", kMaxText);
  if (reply.exit_code != 0 || !text.ok())
    return Stop{Verdict::kRuntimeError, "custom_op." + call.op + " ended with exit code " +
                                            std::to_string(reply.exit_code) + ": " +
                                            LastLine(reply.console)};
  try {
    return HostCallFromJson(base::Parse(*text));
  } catch (const std::exception& e) {  // ours, and what JSON says of kinds
    return Stop{Verdict::kRuntimeError,
                std::string("host code says what cannot be used: ") + e.what()};
  }
}

}  // namespace akgen::judge::kernelbench
