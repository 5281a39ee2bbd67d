#include "judge/kernelbench/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/files.h"
#include "base/regex.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "toolchain/host_section.h"
#include "toolchain/rewrite.h"

namespace akgen::judge::kernelbench {
using base::Json;
using record::Verdict;
namespace {
constexpr uint8_t kPoison = 0xff;  // NaN in every format

Stop Unsupported(const std::string& what) { return {Verdict::kUnsupported, what}; }

// `__vector__`, `__mix__(1, 2)` … between __global__ and the result of a kernel.
std::string QualifiersOf(const std::string& code, const std::string& kernel) {
  const base::Regex head(
      (R"(__global__((?:\s*(?:__\w+__|\[\w+\])(?:\s*\([^)]*\))?)*)\s*(?:__attribute__\S*\s*)?void\s+)" +
       kernel + R"(\s*\()")
          .c_str());
  const auto found = head.Find(code);
  const std::string said = found ? (*found)[1].text : "";
  return said.find_first_not_of(" \t\n") == std::string::npos ? "__aicore__" : said;
}

// An entry of pointers alone, which calls the kernel with the launch's numbers.
std::string EntryOf(const std::string& name, const toolchain::EntryDeclaration& kernel,
                    const std::string& qualifiers, const LaunchStep& launch) {
  std::string parameters, values, before;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchArgument& a = launch.arguments[i];
    const std::string argument = "with_" + std::to_string(i);
    values += values.empty() ? "" : ", ";
    if (a.kind != LaunchArgument::Kind::kBytes) {
      parameters += (parameters.empty() ? "GM_ADDR " : ", GM_ADDR ") + argument;
      values += "(" + kernel.types[i] + ")" + argument;
      continue;
    }
    std::string bytes;
    for (const uint8_t b : a.bytes) bytes += (bytes.empty() ? "" : ",") + std::to_string(b);
    before += fmt::format(
        "static_assert(sizeof({0}) == {1}, \"a parameter\"); struct {2}_bytes {{ unsigned char "
        "b[{1}]; }}; ",
        kernel.types[i], a.bytes.size(), argument);
    values += fmt::format("__builtin_bit_cast({0}, {2}_bytes{{{{{1}}}}})", kernel.types[i], bytes,
                          argument);
  }
  return "extern \"C\" __global__ " + qualifiers + " void " + name + "(" + parameters + ") { " +
         before + kernel.name + "(" + values + "); }\n";
}

// What its numbers are, apart from its addresses.
std::string KeyOf(const LaunchStep& launch) {
  std::string key = launch.kernel;
  for (const LaunchArgument& a : launch.arguments) {
    key += a.kind == LaunchArgument::Kind::kBytes ? "|" : "*";
    key.append(a.bytes.begin(), a.bytes.end());
  }
  return key;
}

size_t Padded(uint64_t bytes) { return (bytes + 1023) & ~uint64_t{511}; }

size_t ElementBytes(base::Dtype dtype) { return size_t(base::SizeOf(dtype)); }

void Gather(const TracedTensor& t, const std::vector<Source>& sources,
            const ValuesOfSources& values, uint8_t* into) {
  const size_t size = ElementBytes(t.dtype);
  size_t source = 0;
  for (size_t i = 0; i < t.numbers.size(); ++i) {
    const int64_t n = t.numbers[i];
    uint8_t* to = into + i * size;
    if (n < 0) {
      std::memset(to, kPoison, size);
      continue;
    }
    if (uint64_t(n) < sources[source].first ||
        uint64_t(n) >= sources[source].first + sources[source].count) {
      const auto after =
          std::upper_bound(sources.begin(), sources.end(), uint64_t(n),
                           [](uint64_t at, const Source& s) { return at < s.first; });
      source = size_t(after - sources.begin()) - 1;
    }
    const uint64_t at = (uint64_t(n) - sources[source].first) * size;
    if (at + size <= values[source].size())
      std::memcpy(to, values[source].data() + at, size);
    else
      std::memset(to, kPoison, size);
  }
}

// The elements of a view, in order.
std::vector<uint8_t> Dense(const uint8_t* at, const std::vector<int64_t>& sizes,
                           const std::vector<int64_t>& strides, size_t size) {
  std::vector<uint8_t> out(ElementsOf(sizes) * size);
  std::vector<int64_t> index(sizes.size());
  for (size_t i = 0; i * size < out.size(); ++i) {
    int64_t from = 0;
    for (size_t d = 0; d < sizes.size(); ++d) from += index[d] * strides[d];
    std::memcpy(&out[i * size], at + size_t(from) * size, size);
    for (size_t d = sizes.size(); d-- > 0 && ++index[d] == sizes[d];) index[d] = 0;
  }
  return out;
}

void TensorsOf(const TracedArgument& a, std::vector<const TracedTensor*>* out) {
  if (a.tensor) out->push_back(&*a.tensor);
  for (const TracedArgument& item : a.list) TensorsOf(item, out);
}

std::vector<const TracedTensor*> TensorsOf(const TracedCall& call) {
  std::vector<const TracedTensor*> out;
  for (const TracedArgument& a : call.arguments) TensorsOf(a, &out);
  return out;
}

base::Result<CallMemory> Lay(const HostCall& call,
                             const std::vector<const TracedTensor*>& tensors) {
  CallMemory m;
  size_t in = 0, out = 0;
  for (const HostStorage& s : call.storages) {
    const bool argument = s.argument >= 0 && size_t(s.argument) < tensors.size();
    m.given.push_back(argument && tensors[size_t(s.argument)]->given);
    m.fresh.push_back(!argument);
    size_t& next = m.given.back() ? in : out;
    m.at.push_back(next);
    next += Padded(s.bytes);
  }
  auto i = base::SharedMemory::Create("akgen-in", std::max<size_t>(in, 512));
  auto o = base::SharedMemory::Create("akgen-out", std::max<size_t>(out, 512));
  if (!i.ok()) return i.error();
  if (!o.ok()) return o.error();
  m.in = std::move(*i), m.out = std::move(*o);
  std::memset(m.out.data(), kPoison, m.out.size());
  return m;
}

// How often each storage is an argument of a launch.
std::vector<int> LaunchesOf(const HostCall& call) {
  std::vector<int> out(call.storages.size());
  for (const HostStep& step : call.steps)
    if (const auto* launch = std::get_if<LaunchStep>(&step))
      for (const LaunchArgument& a : launch->arguments)
        if (a.kind == LaunchArgument::Kind::kPlace) ++out[a.place.storage];
  return out;
}

bool IsResult(const HostCall& call, size_t storage) {
  return std::any_of(call.results.begin(), call.results.end(),
                     [&](const HostResult& r) { return r.place.storage == storage; });
}

std::variant<sim::RunRequest, Stop> RequestOf(const HostCall& call, const LaunchStep& launch,
                                              const CallMemory& memory,
                                              const std::vector<int>& launches) {
  sim::RunRequest r;
  r.blocks = launch.blocks;
  std::vector<Place> places;
  for (const LaunchArgument& a : launch.arguments) {
    if (a.kind == LaunchArgument::Kind::kBytes) continue;
    if (a.kind == LaunchArgument::Kind::kNull) {
      r.args.push_back({});
      continue;
    }
    const auto known = std::find(places.begin(), places.end(), a.place);
    r.args.push_back({sim::RunArgument::kRegion, {size_t(known - places.begin())}, {}});
    if (known != places.end()) continue;
    for (const Place& other : places)
      if (other.storage == a.place.storage)
        return Unsupported("a launch with two addresses in one tensor");
    const size_t s = a.place.storage;
    const bool output =
        memory.fresh[s] && launches[s] == 1 && a.place.offset == 0 && IsResult(call, s);
    const sim::Role role = memory.given[s] ? sim::Role::kInput
                           : output        ? sim::Role::kOutput
                                           : sim::Role::kInout;
    places.push_back(a.place);
    r.regions.push_back({"argument " + std::to_string(r.args.size()), role,
                         memory.at[s] + a.place.offset,
                         size_t(call.storages[s].bytes - a.place.offset), 0});
  }
  return r;
}

void Fill(const FillStep& fill, uint8_t* at) {
  for (uint64_t i = 0; i < fill.times; ++i, at += fill.bytes.size())
    std::memcpy(at, fill.bytes.data(), fill.bytes.size());
}
}  // namespace

std::variant<Machine, Stop> Machine::Build(Executor& executor, const std::string& asc,
                                           const Recording& recording,
                                           const MachineOptions& options) {
  Machine m(recording, options);
  auto folder = base::TempDir::Create();
  if (!folder.ok()) return Stop{Verdict::kInfraError, folder.error().message};
  const std::string device = toolchain::DeviceHalf(asc),
                    code = toolchain::BlankCommentsAndStrings(device);
  const auto declared = toolchain::DeclaredEntries(device);
  std::string made = "\n";
  std::map<std::string, std::string> known;
  for (const HostCall& call : recording.calls) {
    auto& entries = m.entries_.emplace_back();
    for (const HostStep& step : call.steps) {
      const auto* launch = std::get_if<LaunchStep>(&step);
      if (!launch) continue;
      const auto kernel = std::find_if(declared.begin(), declared.end(),
                                       [&](const auto& k) { return k.name == launch->kernel; });
      if (kernel == declared.end() || kernel->types.size() != launch->arguments.size())
        return Stop{Verdict::kRuntimeError,
                    "a launch of " + launch->kernel + ", which is no kernel of the source"};
      const auto [at, first] = known.try_emplace(
          KeyOf(*launch), "akb_" + std::to_string(known.size()) + "_" + launch->kernel);
      if (first) made += EntryOf(at->second, *kernel, QualifiersOf(code, kernel->name), *launch);
      entries.push_back(at->second);
    }
  }
  toolchain::BuildRequest b;
  b.kind = "kernel", b.backend = options.backend, b.device.arch = options.chip.npu_arch;
  b.project_dir = folder->path().string();
  const std::string path = (folder->path() / "custom_op.asc").string();
  if (auto s = base::WriteFileAtomic(path, device + made); !s.ok())
    return Stop{Verdict::kInfraError, s.error().message};
  b.sources = {{path, std::nullopt}};
  auto built = executor.Build(b);
  if (!built.ok()) return Stop{Verdict::kInfraError, built.error().message};
  if (!built->ok) return Stop{VerdictOf(*built), ReasonOf(*built), built->diagnostics};
  m.object_ = built->so;
  return m;
}

std::optional<Stop> Machine::Launch(Executor& executor, const LaunchStep& launch,
                                    sim::RunRequest request, const CallMemory& memory, bool time,
                                    Ran* ran) const {
  request.chip = options_.chip;
  request.checks = sim::ChecksFromJson(options_.checks);
  if (time) {
    auto timing = TimingRequest(options_.chip, {.on = true});
    if (!timing.ok()) return Stop{Verdict::kInfraError, timing.error().message};
    request.timing = std::move(*timing);
  }
  judge::Launch asked{object_, options_.backend, {std::move(request)}};
  asked.inputs_fd = memory.in.fd(), asked.outputs_fd = memory.out.fd(),
  asked.wall_ms = options_.timeout_ms;
  const sim::RunReply reply = executor.Run(asked).at(0);
  std::vector<record::Finding> findings;
  RunOutcome outcome = TakenApart([&] {
    findings = NameFindings(executor, object_, reply.findings);
    if (time) ran->modelled.push_back(NameModelled(executor, object_, reply));
  });
  if (outcome.verdict != Verdict::kPass)
    outcome.verdict = VerdictOfBrokenRun(options_.backend, outcome.verdict);
  if (outcome.verdict == Verdict::kPass) outcome = OutcomeOf(reply.status, reply.detail, findings);
  if (outcome.verdict == Verdict::kPass) outcome = OutcomeOf(findings);
  if (outcome.verdict != Verdict::kPass)
    return Stop{outcome.verdict, launch.kernel + ": " + outcome.reason, {}, findings};
  for (auto& f : findings) ran->findings.push_back(std::move(f));
  return std::nullopt;
}

// All steps of one call.
std::optional<Stop> Machine::Steps(Executor& executor, size_t number, CallMemory& memory, bool time,
                                   Ran* ran) const {
  const HostCall& call = recording_->calls[number];
  const std::vector<int> launches = LaunchesOf(call);
  size_t entry = 0;
  for (const HostStep& step : call.steps) {
    if (const auto* launch = std::get_if<LaunchStep>(&step)) {
      auto asked = RequestOf(call, *launch, memory, launches);
      if (auto* stop = std::get_if<Stop>(&asked)) return std::move(*stop);
      auto& request = std::get<sim::RunRequest>(asked);
      request.entry = entries_[number][entry++];
      if (auto stop = Launch(executor, *launch, std::move(request), memory, time, ran)) return stop;
      for (const LaunchArgument& a : launch->arguments)
        if (a.kind == LaunchArgument::Kind::kPlace) memory.fresh[a.place.storage] = false;
      continue;
    }
    const auto* copy = std::get_if<CopyStep>(&step);
    const auto* fill = std::get_if<FillStep>(&step);
    const Place to = copy ? copy->to : fill->to;
    if (memory.given[to.storage]) return Stop{Verdict::kWrongAnswer, "host code changes an input"};
    if (copy)
      std::memmove(memory.Of(to), memory.Of(copy->from), copy->bytes);
    else
      Fill(*fill, memory.Of(to));
    memory.fresh[to.storage] = false;
  }
  return std::nullopt;
}

std::optional<Stop> Machine::Call(Executor& executor, size_t number, bool time,
                                  ValuesOfSources* values, Ran* ran) const {
  const Trace& trace = recording_->trace;
  const HostCall& call = recording_->calls[number];
  const auto tensors = TensorsOf(trace.calls[number]);
  auto memory = Lay(call, tensors);
  if (!memory.ok()) return Stop{Verdict::kInfraError, memory.error().message};
  std::map<const TracedTensor*, size_t> storage_of;
  for (size_t s = 0; s < call.storages.size(); ++s) {
    const int a = call.storages[s].argument;
    if (a < 0 || size_t(a) >= tensors.size()) continue;
    const TracedTensor& t = *tensors[size_t(a)];
    if (t.numbers.size() * ElementBytes(t.dtype) != call.storages[s].bytes)
      return Stop{Verdict::kRuntimeError,
                  "host code says what cannot be used: another size of an argument"};
    Gather(t, trace.sources, *values, memory->Of({s, 0}));
    storage_of[&t] = s;
  }
  if (auto stop = Steps(executor, number, *memory, time, ran)) return stop;
  for (size_t i = 0; i < trace.sources.size(); ++i) {
    const Source& s = trace.sources[i];
    if (s.call != number) continue;
    if (s.kind == Source::Kind::kResult && s.index < call.results.size()) {
      const HostResult& r = call.results[s.index];
      (*values)[i] = Dense(memory->Of(r.place), r.sizes, r.strides, ElementBytes(r.dtype));
    } else if (s.kind == Source::Kind::kChanged && s.index < trace.calls[number].arguments.size()) {
      const auto& t = trace.calls[number].arguments[s.index].tensor;
      if (t && storage_of.contains(&*t))
        (*values)[i] =
            Dense(memory->Of({storage_of[&*t], 0}), t->sizes, t->strides, ElementBytes(t->dtype));
    }
  }
  return std::nullopt;
}

std::variant<Machine::Ran, Stop> Machine::Run(Executor& executor, const std::vector<Values>& inputs,
                                              bool time) const {
  Ran ran;
  const Trace& trace = recording_->trace;
  ValuesOfSources values(trace.sources.size());
  for (size_t i = 0; i < trace.sources.size(); ++i) {
    const Source& s = trace.sources[i];
    if (s.kind == Source::Kind::kHeld) values[i] = s.bytes;
    if (s.kind == Source::Kind::kInput && s.index < inputs.size())
      values[i] = inputs[s.index].bytes;
  }
  for (size_t number = 0; number < trace.calls.size(); ++number)
    if (auto stop = Call(executor, number, time, &values, &ran)) return std::move(*stop);
  for (const TracedTensor& t : trace.outputs) {
    std::vector<uint8_t> memory(t.numbers.size() * ElementBytes(t.dtype));
    Gather(t, trace.sources, values, memory.data());
    ran.outputs.push_back(
        {t.dtype, t.sizes, Dense(memory.data(), t.sizes, t.strides, ElementBytes(t.dtype))});
  }
  return ran;
}

}  // namespace akgen::judge::kernelbench
