#include "task/reference_client.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/math_libraries.h"
#include "task/evaluate/terms.h"
#include "task/evaluate_case.h"
#include "task/reference_script.h"

namespace akgen::task {
namespace fs = std::filesystem;
namespace {
using base::Error;
using base::Json;
using base::Result;
using base::Status;

constexpr int kGoldenVersion =
    2;  // raise when generator, rounding or calling of references changes

using record::ReferenceAttribute;
using record::ReferenceParameter;

std::vector<ReferenceParameter> ParametersOf(const std::vector<ParamDesc>& params,
                                             const Layout& layout) {
  std::vector<ReferenceParameter> out;
  size_t flat = 0;
  for (const ParamDesc& p : params) {
    ReferenceParameter& one = out.emplace_back();
    one.name = p.name, one.kind = p.present ? std::string(NameOf(p.kind)) : "none";
    for (const TensorDesc& t : p.tensors)
      one.tensors.push_back({t.dtype, t.shape, layout.offsets[flat++]});
  }
  return out;
}

// An operator takes float attributes in single precision: 0.9 reaches every kernel as 0.9f, and so
// the reference too.
Json AsSingle(const Json& v) {
  if (v.is_number()) return double(float(v.get<double>()));
  Json out = Json::array();
  for (const Json& e : v) out.push_back(AsSingle(e));
  return out;
}

// `exact`: as the case has them, for a graph whose constants are looked up among the attributes.
std::vector<ReferenceAttribute> AttributesOf(const CaseDesc& c, bool exact = false) {
  std::vector<ReferenceAttribute> out;
  for (const AttrValue& a : c.attrs) {
    bool real = !exact && (a.type == "float" || a.type == "list_float");
    out.push_back({a.name, a.type, real ? AsSingle(a.value) : a.value});
  }
  return out;
}

bool IsInteger(base::Dtype d) {
  return !base::IsFloating(d) && d != base::Dtype::kComplex64 && d != base::Dtype::kBool;
}

// The widest floating dtype of the input tensors (numbers passed as scalars do not count, as in
// PyTorch), else of the outputs.
base::Dtype OwnPrecision(const CaseDesc& c) {
  base::Dtype widest = base::Dtype::kFloat32;
  int bytes = 0;
  auto look = [&](const std::vector<ParamDesc>& params) {
    for (const ParamDesc& p : params)
      for (const TensorDesc& t : p.tensors)
        if (p.kind != ParamKind::kScalar && base::IsFloating(t.dtype) &&
            base::SizeOf(t.dtype) > bytes) {
          bytes = base::SizeOf(t.dtype);
          widest = t.dtype;
        }
  };
  look(c.inputs);
  if (!bytes) look(c.outputs);
  return widest;
}

fs::path GoldenPath(const std::string& key) {
  return base::CacheDir() / "goldens" / key.substr(0, 2) / (key + ".bin");
}

// One for each case of a task, whatever the values were: seeds have no end.
fs::path MarkPath(const TaskSpec& task, const CaseDesc& c) {
  return base::CacheDir() / "references" / GoldenKey(task, c, 0);
}

// A cached golden, or nothing when there is none of the right size.
std::optional<base::SharedMemory> ReadCached(const fs::path& path, size_t bytes) {
  base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat st;
  if (!fd.valid() || ::fstat(fd.get(), &st) != 0 || size_t(st.st_size) != bytes)
    return std::nullopt;
  auto memory = base::SharedMemory::Map(fd.get(), bytes, false);
  if (!memory) return std::nullopt;
  fd.Release();  // Map took it
  return std::move(memory.value());
}

// Oldest files go until the folder fits; failing to tidy up is not an error.
void Evict(const fs::path& folder, uint64_t limit) {
  struct File {
    fs::file_time_type time;
    fs::path path;
    uint64_t bytes;
  };
  std::vector<File> files;
  uint64_t total = 0;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code e1, e2;
    if (!it->is_regular_file(e1)) continue;
    files.push_back({it->last_write_time(e1), it->path(), it->file_size(e2)});
    if (!e2) total += files.back().bytes;
  }
  if (total <= limit) return;
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.time < b.time; });
  for (const File& f : files) {
    if (total <= limit) break;
    if (fs::remove(f.path, ec)) total -= f.bytes;
  }
}
}  // namespace

std::string GoldenKey(const TaskSpec& task, const CaseDesc& c, uint64_t seed) {
  Json dists = Json::array();
  for (const ParamSpec& p : task.inputs) dists.push_back(p.dist);
  Json key{{"version", kGoldenVersion},
           {"script", task.reference},
           {"native", task.native_reference},
           {"task", task.name},
           {"case", c.id},
           {"columns", c.columns},
           {"dists", std::move(dists)},
           {"draws", c.draws},
           {"seed", seed},
           {"inputs", record::ToJson(ParametersOf(c.inputs, LayoutOf(Flatten(c.inputs))))},
           {"outputs", record::ToJson(ParametersOf(c.outputs, LayoutOf(Flatten(c.outputs))))},
           {"attrs", record::ToJson(AttributesOf(c))}};
  return base::ContentHash(base::Dump(key));
}

Status ReferenceClient::Start() {
  if (process_.alive()) return {};
  auto started = base::HelperProcess::Start("akgen-reference", base::MathLibrarySettings());
  unreachable_ = !started.ok();
  if (!started)
    return Error{"AK0113", "akgen-reference cannot be started: " + started.error().message,
                 started.error().where,
                 "this task's reference needs libtorch: install the package akgen in place of "
                 "akgen-judge, or build "
                 "with -DAKGEN_TORCH=ON"};
  process_ = std::move(started.value());
  return {};
}

Result<record::ReferenceReply> ReferenceClient::Ask(const record::ReferenceRequest& request,
                                                    const std::vector<int>& fds,
                                                    const base::Error& silent) {
  const Status sent = process_.channel().Send(record::ToJson(request), fds);
  auto reply = sent.ok() ? process_.channel().Receive(options_.timeout_ms)
                         : Result<base::Message>(sent.error());
  if (!reply) {
    const int crash = reply.error().code == "AK0010" ? process_.CrashSignal() : 0;
    process_ = {};  // a process that does not answer is not asked again
    if (crash)      // an operator that does not look at the shapes it is given, say
      return Error{
          "AK0111",
          "the reference failed: libtorch crashed in it (" + std::string(::strsignal(crash)) + ")",
          silent.where, "run it on the case's shapes and dtypes"};
    return Error{silent.code, silent.message + ": " + reply.error().message, silent.where,
                 silent.fix};
  }
  try {
    auto said = record::ReferenceReplyFromJson(reply->body);
    return said.error ? Result<record::ReferenceReply>(*said.error) : said;
  } catch (const Json::exception& e) {
    return Error{"AK0113", std::string("akgen-reference sent a malformed reply: ") + e.what(),
                 request.name, "reinstall akgen: its processes are of different versions"};
  }
}

namespace {
// Before the inputs are looked at: of such a case there are none.
Error RefusedForSize(const TaskSpec& task, const CaseDesc& c, const std::string& reason) {
  return Error{"AK0114", "case " + c.id + " " + reason, task.name, "skip this case"};
}

record::ReferenceRequest RequestFor(const TaskSpec& task, const CaseDesc& c,
                                    const TensorSet& inputs) {
  record::ReferenceRequest request;
  request.script = task.reference, request.name = (task.folder / "reference.py").string();
  request.native = task.native_reference;
  request.inputs = ParametersOf(c.inputs, inputs.layout), request.input_bytes = inputs.layout.bytes;
  return request;
}
}  // namespace

Result<TensorSet> ReferenceClient::Outputs(record::ReferenceRequest request, const CaseDesc& c,
                                           const TensorSet& inputs, std::vector<ParamDesc> outputs,
                                           record::ReferenceReply* said) {
  cached_ = false;
  if (Status s = Start(); !s.ok()) return s.error();
  TensorSet out;
  out.tensors = Flatten(outputs);
  out.layout = LayoutOf(out.tensors);
  auto memory = base::SharedMemory::Create("akgen-goldens", out.layout.bytes);
  if (!memory) return memory.error();
  out.memory = std::move(memory.value());
  request.outputs = ParametersOf(outputs, out.layout), request.output_bytes = out.layout.bytes;
  request.attributes = AttributesOf(c);
  auto reply = Ask(request, {inputs.memory.fd(), out.memory.fd()},
                   {"AK0113", "akgen-reference failed on case " + c.id, request.name,
                    "run the case alone; it may need more memory or time"});
  if (!reply.ok()) return reply.error();
  if (said) *said = std::move(*reply);
  return out;
}

Result<TensorSet> ReferenceClient::Run(const TaskSpec& task, const CaseDesc& c,
                                       const TensorSet& inputs, bool own_precision, double nudge,
                                       int pattern, bool of_results) {
  if (std::string reason = TooLarge(c); !reason.empty()) return RefusedForSize(task, c, reason);
  if (!of_results)
    if (auto done = Evaluated(task, c, inputs, own_precision, {nudge, pattern}))
      return std::move(*done);
  record::ReferenceRequest request = RequestFor(task, c, inputs);
  if (own_precision) request.round = base::NameOf(OwnPrecision(c));
  request.nudge = nudge, request.pattern = pattern, request.noisy = of_results;
  return Outputs(std::move(request), c, inputs, c.outputs);
}

std::optional<TensorSet> ReferenceClient::Evaluated(const TaskSpec& task, const CaseDesc& c,
                                                    const TensorSet& inputs, bool own_precision,
                                                    const Nudge& nudge) {
  evaluated_ = false;
  if (own_precision || task.native_reference || !options_.evaluate) return std::nullopt;
  const auto script = RunnableScript(task.reference, [&]() -> Result<record::ScriptBlock> {
    if (Status s = Start(); !s.ok()) return s.error();
    record::ReferenceRequest request;
    request.as_nodes = true;
    request.script = task.reference, request.name = (task.folder / "reference.py").string();
    auto reply = Ask(request, {}, {"AK0113", "akgen-reference failed", request.name, ""});
    if (!reply.ok()) return reply.error();
    return std::move(reply->script).value_or(record::ScriptBlock{});
  });
  if (!script) return std::nullopt;
  try {
    auto done = evaluate::EvaluateCase(*script, c, inputs, nudge);
    cached_ = false, evaluated_ = true;
    return done;
  } catch (const evaluate::Unsupported&) {
    return std::nullopt;
  }
}

Result<TensorSet> ReferenceClient::Crowded(const TaskSpec& task, const CaseDesc& c,
                                           const TensorSet& inputs,
                                           record::UndecidedSum undecided) {
  if (std::string reason = TooLarge(c); !reason.empty()) return RefusedForSize(task, c, reason);
  {
    const double sum = record::ValueOf(undecided).value();
    const evaluate::LimitSums limit(std::numeric_limits<float>::max(), sum,
                                    undecided == record::UndecidedSum::kLost ? 0 : sum);
    if (auto done = Evaluated(task, c, inputs, false, {})) return std::move(*done);
  }
  record::ReferenceRequest request = RequestFor(task, c, inputs);
  request.undecided = undecided;
  return Outputs(std::move(request), c, inputs, c.outputs);
}

Result<TensorSet> ReferenceClient::Exact(const TaskSpec& task, const CaseDesc& c,
                                         const TensorSet& inputs) {
  if (std::string reason = TooLarge(c); !reason.empty()) return RefusedForSize(task, c, reason);
  record::ReferenceRequest request = RequestFor(task, c, inputs);
  request.exact = true;
  std::vector<ParamDesc> outputs = c.outputs;
  for (ParamDesc& p : outputs)
    for (TensorDesc& t : p.tensors)
      if (t.dtype != base::Dtype::kComplex64) t.dtype = base::Dtype::kFloat64;
  return Outputs(std::move(request), c, inputs, std::move(outputs));
}

Result<TensorSet> ReferenceClient::RunInSingle(const TaskSpec& task, const CaseDesc& c,
                                               const TensorSet& inputs) {
  if (std::string reason = TooLarge(c); !reason.empty()) return RefusedForSize(task, c, reason);
  record::ReferenceRequest request = RequestFor(task, c, inputs);
  request.single = true;
  return Outputs(std::move(request), c, inputs, c.outputs);
}

Result<TensorSet> ReferenceClient::RunUnrounded(const TaskSpec& task, const CaseDesc& c,
                                                const TensorSet& inputs, bool single) {
  if (std::string reason = TooLarge(c); !reason.empty()) return RefusedForSize(task, c, reason);
  record::ReferenceRequest request = RequestFor(task, c, inputs);
  request.single = single, request.unrounded = true;
  std::vector<ParamDesc> outputs = c.outputs;
  for (ParamDesc& p : outputs)
    for (TensorDesc& t : p.tensors)
      if (IsInteger(t.dtype) || base::IsFloating(t.dtype)) t.dtype = base::Dtype::kFloat64;
  return Outputs(std::move(request), c, inputs, std::move(outputs));
}

Result<TensorSet> ReferenceClient::RunOtherwise(const TaskSpec& task, const CaseDesc& c,
                                                const TensorSet& inputs,
                                                const Otherwise& otherwise) {
  if (std::string reason = TooLarge(c); !reason.empty()) return RefusedForSize(task, c, reason);
  if (task.reference.find(otherwise.conversions ? "to(" : "round(") == std::string::npos)
    return base::Error{"AK0112", "the reference makes no integers on the way", task.name, ""};
  record::ReferenceRequest request = RequestFor(task, c, inputs);
  request.before_rounding = otherwise.ties, request.other_undefined = otherwise.conversions;
  return Outputs(std::move(request), c, inputs, c.outputs);
}

Result<std::vector<record::ReferenceVariant>> ReferenceClient::Variants(const TaskSpec& task) {
  if (Status s = Start(); !s.ok()) return s.error();
  record::ReferenceRequest request;
  request.variants = true;
  request.script = task.reference, request.name = (task.folder / "reference.py").string();
  auto reply = Ask(request, {}, {"AK0113", "akgen-reference failed", request.name, ""});
  if (!reply.ok()) return reply.error();
  return std::move(reply->variants);
}

Result<TensorSet> ReferenceClient::RunVariant(const TaskSpec& task, const CaseDesc& c,
                                              const TensorSet& inputs,
                                              const record::ReferenceVariant& variant) {
  record::ReferenceRequest request = RequestFor(task, c, inputs);
  request.variant = variant;
  request.round = base::NameOf(base::Dtype::kFloat32);
  return Outputs(std::move(request), c, inputs, c.outputs);
}

Result<ReferenceClient::Arguments> ReferenceClient::SeenArguments(const TaskSpec& task,
                                                                  const CaseDesc& c,
                                                                  const TensorSet& inputs) {
  record::ReferenceRequest request = RequestFor(task, c, inputs);
  request.watch = true;
  request.round = base::NameOf(base::Dtype::kFloat32);
  record::ReferenceReply reply;
  auto outputs = Outputs(std::move(request), c, inputs, c.outputs, &reply);
  if (!outputs.ok()) return outputs.error();
  return std::move(reply.seen);
}

Result<record::Graph> ReferenceClient::Graph(const TaskSpec& task, const CaseDesc& c,
                                             const TensorSet& inputs) {
  if (Status s = Start(); !s.ok()) return s.error();
  record::ReferenceRequest request = RequestFor(task, c, inputs);
  request.graph = true, request.attributes = AttributesOf(c, true);
  auto reply =
      Ask(request, {inputs.memory.fd()}, {"AK0113", "akgen-reference failed", request.name, ""});
  if (!reply.ok()) return reply.error();
  if (!reply->graph)
    return Error{"AK0113", "akgen-reference gave no graph", request.name,
                 "reinstall akgen: its processes are of different versions"};
  return std::move(*reply->graph);
}

Result<TensorSet> ReferenceClient::Golden(const TaskSpec& task, const CaseDesc& c, uint64_t seed,
                                          const TensorSet& inputs) {
  std::string key = GoldenKey(task, c, seed);
  auto golden = Cached(task, c, key, inputs, false);
  if (!golden || !options_.cache || !task.FindCase(c.id)) return golden;
  const fs::path mark = MarkPath(task, c);
  std::error_code ec;
  if (fs::exists(mark, ec)) return golden;
  fs::create_directories(mark.parent_path(), ec);
  (void)base::WriteFileAtomic(mark, "");  // not being able to only costs time later
  return golden;
}

bool HasGolden(const TaskSpec& task, const CaseDesc& c) {
  std::error_code ec;
  return fs::exists(MarkPath(task, c), ec);
}

Result<TensorSet> ReferenceClient::Peer(const TaskSpec& task, const CaseDesc& c, uint64_t seed,
                                        const TensorSet& inputs) {
  return Cached(task, c, base::ContentHash("peer " + GoldenKey(task, c, seed)), inputs, true);
}

Result<TensorSet> ReferenceClient::Cached(const TaskSpec& task, const CaseDesc& c,
                                          const std::string& key, const TensorSet& inputs,
                                          bool own_precision) {
  if (!options_.cache) return Run(task, c, inputs, own_precision);
  fs::path path = GoldenPath(key);
  TensorSet set;
  set.tensors = Flatten(c.outputs);
  set.layout = LayoutOf(set.tensors);
  if (auto memory = ReadCached(path, set.layout.bytes)) {
    set.memory = std::move(*memory);
    cached_ = true;
    return set;
  }
  auto fresh = Run(task, c, inputs, own_precision);
  if (!fresh || fresh->layout.bytes > options_.cache_file_limit) return fresh;
  std::error_code ec;
  fs::create_directories(path.parent_path(), ec);
  std::string_view bytes(reinterpret_cast<const char*>(fresh->memory.data()), fresh->layout.bytes);
  // Not being able to cache costs time later, nothing else.
  // To look through the folder takes longer than most goldens: after large ones, and after one
  // in 64.
  const bool looks = bytes.size() > options_.cache_limit / 64 || key < "04";
  if (base::WriteFileAtomic(path, bytes).ok() && looks)
    Evict(base::CacheDir() / "goldens", options_.cache_limit);
  return fresh;
}

}  // namespace akgen::task
