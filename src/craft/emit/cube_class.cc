// Trees of the Cube core as C++.
#include "craft/emit/cube_class.h"

#include <fmt/format.h>

#include "craft/emit/kernel_class.h"

namespace akgen::craft {
using ir::S;
using ir::Ty;

namespace {
const char* PositionName(CubePosition p) {
  static const char* const kNames[] = {"A1", "B1", "A2", "B2", "CO1", "C1", "C2"};
  return kNames[static_cast<int>(p)];
}
// Variables of what stands in a tree, without those that it defines itself.
void FreeVariables(const CubeBlock& b, std::set<std::string>& out) {
  std::set<std::string> own, used;
  for (const CubeInstr& n : b) {
    if (!n.var.empty()) own.insert({n.var, n.count});
    for (const S& s : n.numbers) ir::Variables(s, used);
    for (const S& s : {n.first, n.last, n.step, n.form.scale}) ir::Variables(s, used);
    if (n.gm) ir::Variables(n.gm->offset, used);
    FreeVariables(n.body, used);
    FreeVariables(n.other, used);
  }
  for (const std::string& v : used)
    if (!own.count(v)) out.insert(v);
}
}  // namespace

std::string CubeClass::Tensor(int t) const {
  const CubeTensor& tensor = k_.tensors[static_cast<size_t>(t)];
  return SafeName(tensor.name) + (tensor.member ? "_" : "");
}
std::string CubeClass::Queue(int t) const {
  return SafeName(k_.tensors[static_cast<size_t>(t)].name) + "Queue_";
}
std::string CubeClass::Window(const ir::GmRef& g) {
  const std::string offset = Scalar(g.offset);
  return offset == "0" ? GmTensor(g) : fmt::format("{}[{}]", GmTensor(g), offset);
}

void CubeClass::Block(const CubeBlock& b, int depth, Scope& scope, std::string& out) {
  for (const CubeInstr& n : b) One(n, depth, scope, out);
}

void CubeClass::One(const CubeInstr& n, int depth, Scope& scope, std::string& out) {
  const std::string in(static_cast<size_t>(depth) * 2, ' ');
  switch (n.op) {
    case CubeOp::loop: return Loop(n, depth, scope, out);
    case CubeOp::branch: return Branch(n, depth, scope, out);
    case CubeOp::method: return Method(n, in, out);
    case CubeOp::let:
      locals_[n.var] = n.numbers[0]->type;
      out += fmt::format("{}const {} {} = {};\n", in,
                         n.numbers[0]->type == Ty::kFloat ? "float" : "int64_t", SafeName(n.var),
                         Scalar(n.numbers[0]));
      return;
    case CubeOp::alloc:
    case CubeOp::enque:
    case CubeOp::deque:
    case CubeOp::release: return QueueCall(n, in, scope, out);
    case CubeOp::cross_set:
      out += fmt::format("{}CrossCoreSetFlag<2, PIPE_FIX>({});\n", in, Scalar(n.numbers[0]));
      return;
    case CubeOp::cross_wait:
      out += fmt::format("{}CrossCoreWaitFlag({});\n", in, Scalar(n.numbers[0]));
      return;
    case CubeOp::mmad:
    case CubeOp::mmad_row: out += in + Mmad(n) + ";\n"; return;
    case CubeOp::fixpipe: out += Fixpipe(n, in, ++scope.stores); return;
    default: out += in + Call(n) + ";\n";
  }
}

void CubeClass::Loop(const CubeInstr& n, int depth, Scope& scope, std::string& out) {
  const std::string in(static_cast<size_t>(depth) * 2, ' '), v = SafeName(n.var);
  locals_[n.var] = Ty::kInt;
  out += fmt::format("{0}for (int64_t {1} = {2}; {1} < {3}; {1} += {4}) {{\n", in, v,
                     Scalar(n.first), Scalar(n.last, 5), Scalar(n.step));
  if (!n.count.empty()) {
    locals_[n.count] = Ty::kInt;
    uses_.insert("Least");
    out += fmt::format("{}  const int64_t {} = Least<int64_t>({}, {} - {});\n", in,
                       SafeName(n.count), Scalar(n.step), Scalar(n.last, 5), v);
  }
  Scope inner = scope;
  Block(n.body, depth + 1, inner, out);
  out += in + "}\n";
}

void CubeClass::Branch(const CubeInstr& n, int depth, Scope& scope, std::string& out) {
  const std::string in(static_cast<size_t>(depth) * 2, ' ');
  out += fmt::format("{}if ({}) {{\n", in, Scalar(n.numbers[0]));
  Scope inner = scope;
  Block(n.body, depth + 1, inner, out);
  inner = scope;
  if (!n.other.empty()) {
    out += in + "} else {\n";
    Block(n.other, depth + 1, inner, out);
  }
  out += in + "}\n";
}

void CubeClass::Method(const CubeInstr& n, const std::string& in, std::string& out) {
  std::set<std::string> used;
  FreeVariables(n.body, used);
  std::string params, args;
  for (const std::string& v : used) {
    auto it = locals_.find(v);
    if (it == locals_.end() || params_.count(v)) continue;
    params += fmt::format("{}{} {}", params.empty() ? "" : ", ",
                          it->second == Ty::kFloat ? "float" : "int64_t", SafeName(v));
    args += (args.empty() ? "" : ", ") + SafeName(v);
  }
  const int number = ++stages_[n.name];
  const std::string name = number == 1 ? n.name : fmt::format("{}{}", n.name, number);
  out += fmt::format("{}{}({});\n", in, name, args);
  Scope scope;
  std::string body;
  Block(n.body, 2, scope, body);
  methods_ +=
      fmt::format("{}  __aicore__ inline void {}({}) {{\n{}  }}\n\n",
                  n.comment.empty() ? "" : fmt::format("  // {}\n", n.comment), name, params, body);
}

void CubeClass::QueueCall(const CubeInstr& n, const std::string& in, Scope& scope,
                          std::string& out) {
  const int t = n.tensors[0];
  const CubeTensor& tensor = k_.tensors[static_cast<size_t>(t)];
  const std::string type = CppType(tensor.dtype), name = Tensor(t), queue = Queue(t);
  std::string declared = tensor.member || !scope.declared.insert(t).second
                             ? ""
                             : fmt::format("LocalTensor<{}> ", type);
  switch (n.op) {
    case CubeOp::alloc:
      out +=
          fmt::format("{}{}{} = {}.template AllocTensor<{}>();\n", in, declared, name, queue, type);
      break;
    case CubeOp::deque:
      out += fmt::format("{}{}{} = {}.template DeQue<{}>();\n", in, declared, name, queue, type);
      break;
    case CubeOp::enque: out += fmt::format("{}{}.EnQue({});\n", in, queue, name); break;
    default: out += fmt::format("{}{}.FreeTensor({});\n", in, queue, name);
  }
}

std::string CubeClass::Call(const CubeInstr& n) {
  std::string helper;
  switch (n.op) {
    case CubeOp::nd_to_nz: helper = "NdToNz"; break;
    case CubeOp::copy_row: helper = "CopyRow"; break;
    case CubeOp::load_row: helper = "LoadRow"; break;
    case CubeOp::zero_a:
    case CubeOp::zero_b: helper = "Zeros"; break;
    case CubeOp::load_a: helper = n.form.transposed ? "LoadLeftTransposed" : "LoadLeft"; break;
    case CubeOp::load_b: helper = n.form.transposed ? "LoadRightTransposed" : "LoadRight"; break;
    default: helper = std::string(RowOf(n.op).name);
  }
  uses_.insert({"Fractals", helper});
  if (helper == "LoadLeft" || helper == "LoadRight" || helper == "LoadLeftTransposed")
    uses_.insert("LoadPart");
  std::string args;
  for (int t : n.tensors) args += (args.empty() ? "" : ", ") + Tensor(t);
  if (n.gm) args += ", " + Window(*n.gm);
  for (const S& s : n.numbers) args += ", " + Scalar(s);
  return fmt::format("{}({})", helper, args);
}

// Unit flags: 2 goes on with the same sums, 3 hands them over.
std::string CubeClass::Mmad(const CubeInstr& n) {
  const std::string helper = n.op == CubeOp::mmad_row ? "MultiplyAddRow" : "MultiplyAdd";
  uses_.insert({"Fractals", "MultiplyAdd", helper});
  const std::string unit = n.form.unit_flag ? Scalar(n.numbers[4], 1) + " ? 3 : 2" : "0";
  std::string args;
  for (int t : n.tensors) args += Tensor(t) + ", ";
  for (size_t i = 0; i < 4; ++i) args += Scalar(n.numbers[i]) + ", ";
  return fmt::format("{}({}{}, {})", helper, args, unit, n.form.pairs_of_k ? "true" : "false");
}

std::string CubeClass::Fixpipe(const CubeInstr& n, const std::string& in, int number) {
  uses_.insert({"Fractals", "StoreSums"});
  const std::string how = number == 1 ? "how" : fmt::format("how{}", number);
  std::string out = fmt::format("{}FixpipeParamsV220 {};\n", in, how);
  const char* quant = n.form.dtype == base::Dtype::kFloat16    ? n.form.scale ? "DEQF16" : "F322F16"
                      : n.form.dtype == base::Dtype::kBfloat16 ? "F322BF16"
                                                               : nullptr;
  narrows_ |= quant != nullptr;
  if (quant) out += fmt::format("{}{}.quantPre = QuantMode_t::{};\n", in, how, quant);
  if (n.form.scale) {
    uses_.insert("ScaleBits");
    out += fmt::format("{}{}.deqScalar = ScaleBits({});\n", in, how, FloatScalar(n.form.scale));
  }
  if (n.form.relu) out += in + how + ".reluEn = true;\n";
  if (n.form.unit_flag) out += in + how + ".unitFlag = 3;\n";
  const std::string type = CppType(n.form.dtype);
  if (n.form.atomic_add) out += fmt::format("{}SetAtomicAdd<{}>();\n", in, type);
  out +=
      fmt::format("{}StoreSums({}, {}, {}, {}, {}, {});\n", in, Window(*n.gm), Tensor(n.tensors[0]),
                  Scalar(n.numbers[0]), Scalar(n.numbers[1]), Scalar(n.numbers[2]), how);
  if (n.form.atomic_add) out += in + "SetAtomicNone();\n";
  return out;
}

std::string CubeClass::Init() {
  std::string args, out;
  for (const ir::Gm& g : kernel_.gms) args += fmt::format("GM_ADDR {}, ", SafeName(g.name));
  out = fmt::format(
      "  template <typename Tiling>\n  __aicore__ inline void Init({}const Tiling &t) {{\n", args);
  for (const auto& p : kernel_.params)
    out += fmt::format("    {}_ = t.{};\n", SafeName(p.name), FieldOf(p_, index_, p));
  if (of_sequence_) out += fmt::format("    cores_ = t.{};\n", CoresField(index_));
  out += ListInit(p_, index_);
  for (const auto& [name, value] : k_.sizes)
    out += fmt::format("    {}_ = {};\n", SafeName(name), Scalar(value));
  for (const ir::Gm& g : kernel_.gms) {
    S size = ir::Int(1);
    for (const S& d : g.dims) size = ir::Mul(size, d);
    out += fmt::format("    {0}Gm_.SetGlobalBuffer((__gm__ {1} *){0}, {2});\n", SafeName(g.name),
                       CppType(g.dtype), Scalar(size));
  }
  for (size_t t = 0; t < k_.tensors.size(); ++t) {
    const CubeTensor& tensor = k_.tensors[t];
    const std::string bytes = Scalar(tensor.bytes), name = SafeName(tensor.name);
    if (tensor.depth > 0) {
      out += fmt::format("    pipe_.InitBuffer({}, {}, {});\n", Queue(static_cast<int>(t)),
                         tensor.depth, bytes);
    } else {
      out += fmt::format(
          "    pipe_.InitBuffer({0}Buf_, {1});\n    {0}_ = {0}Buf_.template Get<{2}>();\n", name,
          bytes, CppType(tensor.dtype));
    }
  }
  return out + "  }\n";
}

std::string CubeClass::Members() {
  std::string out = "  TPipe pipe_;\n";
  for (size_t t = 0; t < k_.tensors.size(); ++t) {
    const CubeTensor& tensor = k_.tensors[t];
    const char* position = PositionName(tensor.position);
    out += tensor.depth > 0
               ? fmt::format("  TQue<QuePosition::{}, {}> {};\n", position, tensor.depth,
                             Queue(static_cast<int>(t)))
               : fmt::format("  TBuf<QuePosition::{}> {}Buf_;\n", position, SafeName(tensor.name));
    if (tensor.member)
      out += fmt::format("  LocalTensor<{}> {};\n", CppType(tensor.dtype),
                         Tensor(static_cast<int>(t)));
  }
  for (const ir::Gm& g : kernel_.gms)
    out += fmt::format("  GlobalTensor<{}> {}Gm_;\n", CppType(g.dtype), SafeName(g.name));
  for (const auto& p : kernel_.params)
    out += fmt::format("  {} {}_ = 0;\n", p.type == Ty::kFloat ? "float" : "int64_t",
                       SafeName(p.name));
  if (of_sequence_) out += "  int64_t cores_ = 0;\n";
  out += ListMembers();
  for (const auto& [name, value] : k_.sizes)
    out += fmt::format("  int64_t {}_ = 0;  // of K at a time\n", SafeName(name));
  return out;
}

std::string CubeClass::Body(std::set<std::string>& uses) {
  for (const auto& p : kernel_.params) params_.insert(p.name);
  for (const auto& [name, value] : k_.sizes) params_.insert(name);
  std::string process;
  Scope scope;
  Block(k_.body, 2, scope, process);
  std::string init = Init(), members = Members();
  if (narrows_)
    process =
        "    SetCtrlSpr<48, 48>(1);  // sums beyond half or bfloat16 become infinite, and NaN "
        "stays NaN\n" +
        process + "    PipeBarrier<PIPE_ALL>();\n    ResetCtrlSpr<48, 48>();\n";
  std::string out = " public:\n" + init + "\n  __aicore__ inline void Process() {\n" + process +
                    "  }\n\n private:\n" + methods_ + members;
  uses.insert(uses_.begin(), uses_.end());
  return out;
}

}  // namespace akgen::craft
