// akgen-reference: runs TorchScript references for its parent (channel on descriptor 3), or with
// --scripts TASKS prints the references of a folder of tasks as nodes. Requests and replies:
// record/reference_messages.h. Floating inputs are raised to float64 (complex64 to complex128), so
// the script computes the reference values; each result is rounded once to its output's dtype. With
// "round" (a dtype) everything is computed in float32 and the result of every operator rounded to
// that dtype, as a kernel library of that precision would.
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/jit.h>
#include <torch/script.h>

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/channel.h"
#include "base/dtype.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/math_libraries.h"
#include "base/process.h"
#include "record/reference_messages.h"
#include "task/nudge.h"
#include "task/reference/rewrite.h"
#include "task/reference/script.h"
#include "task/reference/trace.h"
#include "task/reference/variants.h"
#include "task/round.h"

namespace akgen::task {
namespace {
using base::Dtype;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

struct Mapping {
  uint8_t* data = nullptr;
  size_t bytes = 0;
  ~Mapping() {
    if (data) ::munmap(data, bytes);
  }
  // Inputs are mapped privately: a script that works in place changes its own copy.
  bool Map(int fd, size_t n, bool shared) {
    void* p = ::mmap(nullptr, n, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) return false;
    data = static_cast<uint8_t*>(p);
    bytes = n;
    return true;
  }
};

std::optional<at::ScalarType> ScalarTypeOf(Dtype d) {
  switch (d) {
    case Dtype::kFloat32: return at::kFloat;
    case Dtype::kFloat16: return at::kHalf;
    case Dtype::kBfloat16: return at::kBFloat16;
    case Dtype::kFloat64: return at::kDouble;
    case Dtype::kInt8: return at::kChar;
    case Dtype::kUint8: return at::kByte;
    case Dtype::kInt16: return at::kShort;
    case Dtype::kInt32: return at::kInt;
    case Dtype::kInt64:
    case Dtype::kUint64:
      return at::kLong;  // there are no functions of unsigned 64 bits: the same bits
    case Dtype::kBool: return at::kBool;
    case Dtype::kComplex64: return at::kComplexFloat;
    default: return std::nullopt;
  }
}

Error Misfit(std::string message, const std::string& where) {
  return Error{"AK0112", std::move(message), where,
               "make the reference return what task.toml declares"};
}

// How floating inputs arrive.
enum class Raise { kNative, kDouble, kSingle, kExact };  // kExact: integers, too, as float64

at::Tensor Nudged(const at::Tensor& raised, const Nudge& nudge) {
  at::Tensor t = raised.contiguous().clone();
  NudgeElements(nudge, t.data_ptr<double>(), uint64_t(t.numel()));
  return t;
}

Result<at::Tensor> Input(const record::ReferenceTensor& p, Mapping& memory, Raise raise,
                         const Nudge& nudge) {
  auto type = ScalarTypeOf(p.dtype);
  if (!type) return Misfit("libtorch has no dtype " + std::string(base::NameOf(p.dtype)), "");
  at::Tensor raw = at::from_blob(memory.data + p.offset, p.shape, at::TensorOptions().dtype(*type));
  if (raise == Raise::kNative) return raw;
  if (raise == Raise::kExact && p.dtype != Dtype::kBool && p.dtype != Dtype::kComplex64)
    return raw.to(at::kDouble);
  if (base::IsFloating(p.dtype) && raise == Raise::kDouble && nudge.by != 0)
    return Nudged(raw.to(at::kDouble), nudge);
  if (base::IsFloating(p.dtype)) return raw.to(raise == Raise::kDouble ? at::kDouble : at::kFloat);
  if (p.dtype == Dtype::kComplex64 && raise == Raise::kDouble) return raw.to(at::kComplexDouble);
  return raw;
}

Result<c10::IValue> Argument(const record::ReferenceParameter& param, Mapping& memory, Raise raise,
                             const Nudge& nudge = {}) {
  if (param.kind == "none") return c10::IValue();
  if (param.kind != "list") {
    auto t = Input(param.tensors.at(0), memory, raise, nudge);
    return t ? Result<c10::IValue>(c10::IValue(t.value())) : Result<c10::IValue>(t.error());
  }
  c10::List<at::Tensor> list;
  for (const record::ReferenceTensor& e : param.tensors) {
    auto t = Input(e, memory, raise, nudge);
    if (!t) return t.error();
    list.push_back(t.value());
  }
  return c10::IValue(list);
}

c10::IValue ValueOf(const record::ReferenceAttribute& a) {
  const std::string& type = a.type;
  const Json& v = a.value;
  if (type == "int") return v.get<int64_t>();
  if (type == "float") return v.get<double>();
  if (type == "bool") return v.get<bool>();
  if (type == "string") return v.get<std::string>();
  if (type == "list_int") return c10::IValue(v.get<std::vector<int64_t>>());
  if (type == "list_bool") {
    c10::List<bool> list;
    for (const Json& e : v) list.push_back(e.get<bool>());
    return c10::IValue(list);
  }
  if (type == "list_list_int") {
    c10::List<c10::List<int64_t>> list;
    for (const Json& e : v) list.push_back(c10::List<int64_t>(e.get<std::vector<int64_t>>()));
    return c10::IValue(list);
  }
  return c10::IValue(v.get<std::vector<double>>());
}

// Tensors of a result in order: a tensor, a list, a tuple or a tuple with lists.
bool FlattenResult(const c10::IValue& v, std::vector<at::Tensor>& out) {
  if (v.isTensor()) {
    out.push_back(v.toTensor());
    return true;
  }
  if (v.isTensorList()) {
    for (const at::Tensor& t : v.toTensorVector()) out.push_back(t);
    return true;
  }
  if (!v.isTuple()) return false;
  for (const c10::IValue& e : v.toTupleRef().elements())
    if (!FlattenResult(e, out)) return false;
  return true;
}

template <typename To, typename Convert>
void Store16(const at::Tensor& t, uint8_t* out, Convert convert) {
  const double* p = t.data_ptr<double>();
  for (int64_t i = 0, n = t.numel(); i < n; ++i) {
    To v = convert(p[i]);
    std::memcpy(out + size_t(i) * sizeof(To), &v, sizeof v);
  }
}

// One rounding: float64 to float16 and bfloat16 do not pass through float32.
void Store(const at::Tensor& result, Dtype dtype, uint8_t* out) {
  at::Tensor t = result.contiguous();
  bool wide = t.scalar_type() == at::kDouble;
  if (dtype == Dtype::kFloat16 && wide)
    return Store16<uint16_t>(t, out, [](double v) { return RoundToHalf(v); });
  if (dtype == Dtype::kBfloat16 && wide)
    return Store16<uint16_t>(t, out, [](double v) { return RoundToBf16(v); });
  at::Tensor rounded = t.to(*ScalarTypeOf(dtype)).contiguous();
  if (rounded.numel() > 0) std::memcpy(out, rounded.data_ptr(), rounded.nbytes());
}

std::string ShapeText(at::IntArrayRef shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

Status StoreAll(const std::vector<record::ReferenceParameter>& params,
                const std::vector<at::Tensor>& results, Mapping& memory, const std::string& where) {
  size_t at = 0;
  for (const record::ReferenceParameter& param : params)
    for (const record::ReferenceTensor& p : param.tensors) {
      const std::string& name = param.name;
      if (at >= results.size())
        return Misfit("too few results: none for output '" + name + "'", where);
      const at::Tensor& r = results[at++];
      if (r.sizes() != at::IntArrayRef(p.shape))
        return Misfit("output '" + name + "' has shape " + ShapeText(r.sizes()) + ", declared " +
                          ShapeText(p.shape),
                      where);
      if (r.is_complex() != (p.dtype == Dtype::kComplex64))
        return Misfit("output '" + name + "' is complex on one side only", where);
      if (!ScalarTypeOf(p.dtype))
        return Misfit("output '" + name + "': libtorch lacks its dtype", where);
      Store(r, p.dtype, memory.data + p.offset);
    }
  if (at != results.size()) return Misfit("more results than declared outputs", where);
  return {};
}

// libtorch's text without its C++ back trace.
std::string Short(const std::exception& e) {
  std::string text = e.what();
  if (auto* c = dynamic_cast<const c10::Error*>(&e)) text = c->what_without_backtrace();
  if (size_t p = text.find("\nException raised from"); p != std::string::npos) text.resize(p);
  if (text.size() > 2000) text.resize(2000);
  return text;
}

class Server {
 public:
  record::ReferenceReply Answer(base::Message& m) {
    auto start = std::chrono::steady_clock::now();
    record::ReferenceReply reply;
    auto request = base::Checked("request", [&]() -> Result<record::ReferenceRequest> {
      return record::ReferenceRequestFromJson(m.body);
    });
    Status s = !request.ok()       ? Status(request.error())
               : request->graph    ? Graph(*request, m, reply)
               : request->variants ? Variants(*request, reply)
               : request->as_nodes ? AsNodes(*request, reply)
                                   : Run(*request, m, reply);
    if (!s.ok()) reply.error = s.error();
    reply.ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return reply;
  }

 private:
  Result<torch::jit::Function*> Compile(const std::string& script, const std::string& where) {
    auto it = compiled_.find(script);
    if (it == compiled_.end()) {
      try {
        it = compiled_.emplace(script, torch::jit::compile(script)).first;
      } catch (const std::exception& e) {
        return Error{"AK0110", "the reference does not compile: " + Short(e), where,
                     "TorchScript takes torch.* functions of tensors, with types on the arguments"};
      }
    }
    torch::jit::Function* f = it->second->find_function("reference");
    if (!f) return Error{"AK0110", "the reference has no function 'reference'", where, ""};
    return f;
  }

  // The script as it is asked for: every operator's result rounded to a 16-bit dtype (float32 needs
  // no rounding of its own), in float32 throughout, without its last rounding.
  Result<torch::jit::Function*> CompileAsAsked(const record::ReferenceRequest& r) {
    auto plain = Compile(r.script, r.name);
    const std::string round = r.native ? "" : r.round.value_or("");
    const bool narrow = round == "float16" || round == "bfloat16";
    const auto undecided = record::ValueOf(r.undecided);
    if (!plain || !(narrow || r.single || r.unrounded || undecided || r.noisy ||
                    r.before_rounding != 0 || r.other_undefined))
      return plain;
    auto& unit =
        rewritten_[round + (r.single ? " single" : "") + (r.unrounded ? " unrounded" : "") +
                   (undecided ? " " + std::to_string(*undecided) : "") +
                   (r.other_undefined ? " defined" : "") +
                   (r.before_rounding != 0 ? base::Dump(r.before_rounding) : "") +
                   (r.noisy ? base::Dump({r.nudge, r.pattern}) : "") + "\n" + r.script];
    if (!unit) {
      try {
        auto graph = torch::jit::toGraphFunction(*plain.value()).graph()->copy();
        torch::jit::Inline(*graph);
        if (narrow) RoundResults(graph->block(), round == "bfloat16");
        if (r.single) ComputeInSingle(graph->block());
        if (r.noisy) NudgeResults(graph->block(), r.nudge, r.pattern);
        if (undecided) MarkUndecidedSums(graph->block(), *undecided);
        if (r.other_undefined) ConvertOtherwise(graph->block());
        if (r.before_rounding != 0) MoveTies(graph->block(), r.before_rounding);
        if (r.unrounded && !LeaveUnrounded(*graph))
          return Misfit("the reference rounds no output with torch.round", r.name);
        auto made = std::make_shared<torch::jit::CompilationUnit>();
        made->create_function("reference", graph);
        unit = std::move(made);
      } catch (const std::exception& e) {
        return Error{"AK0110", "the reference cannot be run as asked: " + Short(e), r.name, ""};
      }
    }
    return unit->find_function("reference");
  }

  // The script as one of its variants, or with what its variants are given noted.
  Result<torch::jit::Function*> CompileVariant(const record::ReferenceRequest& r) {
    auto plain = Compile(r.script, r.name);
    if (!plain || (!r.watch && r.variant->name.empty())) return plain;
    const std::string what =
        r.watch ? "" : r.variant->name + base::Dump({r.variant->low, r.variant->high});
    auto& unit = variants_[what + r.script];
    if (!unit) {
      try {
        auto graph =
            r.watch ? MakeWatched(*plain.value()) : MakeVariant(*plain.value(), *r.variant);
        if (!graph)
          return Error{"AK0110", "the reference has no variant '" + r.variant->name + "'", r.name,
                       ""};
        unit = std::make_shared<torch::jit::CompilationUnit>();
        unit->create_function("reference", graph);
      } catch (const std::exception& e) {
        return Error{"AK0110", "the variant cannot be made: " + Short(e), r.name, ""};
      }
    }
    return unit->find_function("reference");
  }

  Status Variants(const record::ReferenceRequest& r, record::ReferenceReply& reply) {
    auto function = Compile(r.script, r.name);
    if (!function) return function.error();
    try {
      reply.variants = VariantsOf(*function.value());
      return {};
    } catch (const std::exception& e) {
      return Error{"AK0110", "the reference has no variants: " + Short(e), r.name, ""};
    }
  }

  Status AsNodes(const record::ReferenceRequest& r, record::ReferenceReply& reply) {
    auto function = Compile(r.script, r.name);
    if (!function) return function.error();
    try {
      reply.script = ScriptOf(*function.value());
      return {};
    } catch (const std::exception& e) {
      return Error{"AK0110", "the reference cannot be written down: " + Short(e), r.name, ""};
    }
  }

  Status Run(const record::ReferenceRequest& r, base::Message& m, record::ReferenceReply& reply) {
    if (m.fds.size() != 2) return Error{"AK0012", "unknown request", "", ""};
    const std::string& where = r.name;
    Raise raise = r.exact               ? Raise::kExact
                  : r.native            ? Raise::kNative
                  : r.round || r.single ? Raise::kSingle
                                        : Raise::kDouble;
    auto function = r.variant || r.watch ? CompileVariant(r) : CompileAsAsked(r);
    if (!function) return function.error();
    Mapping in, out;
    if (!in.Map(m.fds[0].get(), r.input_bytes, false) ||
        !out.Map(m.fds[1].get(), r.output_bytes, true))
      return Error{"AK0003", "cannot map shared memory", where, "free memory"};
    try {
      at::NoGradGuard no_grad;
      std::vector<at::Tensor> results;
      {
        std::vector<c10::IValue> stack;
        for (const record::ReferenceParameter& p : r.inputs) {
          auto v = Argument(p, in, raise, {r.noisy ? 0 : r.nudge, r.pattern, stack.size()});
          if (!v) return v.error();
          stack.push_back(std::move(v.value()));
        }
        for (const record::ReferenceAttribute& a : r.attributes) stack.push_back(ValueOf(a));
        c10::IValue value = (*function.value())(std::move(stack));
        if (!FlattenResult(value, results))
          return Misfit("the reference returns something else than tensors", where);
      }
      if (r.watch) reply.seen = Seen();
      return StoreAll(r.outputs, results, out, where);
    } catch (const std::exception& e) {
      return Error{"AK0111", "the reference failed: " + Short(e), where,
                   "run it on the case's shapes and dtypes"};
    }
  }

  // Descriptor 0 only.
  Status Graph(const record::ReferenceRequest& r, base::Message& m, record::ReferenceReply& reply) {
    const std::string& where = r.name;
    auto function = Compile(r.script, where);
    if (!function) return function.error();
    Mapping in;
    if (m.fds.empty() || !in.Map(m.fds[0].get(), r.input_bytes, false))
      return Error{"AK0003", "cannot map shared memory", where, "free memory"};
    try {
      at::NoGradGuard no_grad;
      std::vector<TraceInput> inputs;
      for (const record::ReferenceParameter& p : r.inputs) {
        TraceInput t;
        t.name = p.name;
        auto v = Argument(p, in, Raise::kNative);
        if (!v) return v.error();
        auto meta = [&](const at::Tensor& x) {
          at::ScalarType type = x.scalar_type();
          if (!r.native)
            type = x.is_floating_point() ? at::kDouble : x.is_complex() ? at::kComplexDouble : type;
          t.real.push_back(x);
          return at::empty(x.sizes(), at::TensorOptions().dtype(type).device(at::kMeta));
        };
        if (v->isTensor()) {
          t.value = meta(v->toTensor());
        } else if (v->isTensorList()) {
          c10::List<at::Tensor> list;
          for (const at::Tensor& x : v->toTensorVector()) list.push_back(meta(x));
          t.value = list;
        }
        inputs.push_back(std::move(t));
      }
      for (const record::ReferenceAttribute& a : r.attributes)
        inputs.push_back({ValueOf(a), a.name, {}});
      auto traced = Trace(*function.value(), inputs, where);
      if (!traced) return traced.error();
      reply.graph = std::move(*traced);
      return {};
    } catch (const std::exception& e) {
      return Error{"AK0115", "not a static graph: " + Short(e), where, "write the kernel by hand"};
    }
  }

  std::map<std::string, std::shared_ptr<torch::jit::CompilationUnit>> compiled_, rewritten_,
      variants_;
};
}  // namespace
}  // namespace akgen::task

namespace {
// The references of all tasks in a folder as nodes, to be read without libtorch
// (task/reference_script.h).
int PrintScripts(const char* tasks) {
  using namespace akgen;
  base::Json out = base::Json::object();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tasks)) {
    if (entry.path().filename() != "reference.py") continue;
    auto script = base::ReadFile(entry.path());
    if (!script.ok()) continue;
    record::ReferenceRequest request;
    request.as_nodes = true, request.script = *script, request.name = entry.path().string();
    base::Message message{record::ToJson(request), {}};
    const record::ReferenceReply reply = task::Server().Answer(message);
    if (reply.error) {
      std::fprintf(stderr, "%s\n", reply.error->ToString().c_str());
      return 1;
    }
    out[base::ContentHash(*script)] = record::ToJson(*reply.script);
  }
  std::puts(base::Dump(out).c_str());
  return 0;
}
}  // namespace

int main(int argc, char** argv) {
  using namespace akgen;
  if (argc == 3 && std::string_view(argv[1]) == "--scripts") return PrintScripts(argv[2]);
  base::RestartWithMathLibrarySettings(argv);
  base::EndWithParent();
  // Each script runs a few times only: profiling and fusing it would cost more than it saves, and
  // change roundings.
  torch::jit::setGraphExecutorOptimize(false);
  base::Channel parent = base::ParentChannel();
  task::Server server;
  for (;;) {
    auto m = parent.Receive();
    // Not by return: libtorch takes its thousands of operators apart one by one.
    if (!m) ::_exit(m.error().code == "AK0010" ? 0 : 1);
    if (!parent.Send(record::ToJson(server.Answer(m.value()))).ok()) ::_exit(1);
  }
}
