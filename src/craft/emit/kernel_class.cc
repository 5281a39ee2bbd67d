#include "craft/emit/kernel_class.h"

#include <fmt/format.h>

namespace akgen::craft {
using base::Dtype;
using ir::S;
using ir::SKind;
using ir::Ty;

std::string KernelClass::Pitch(const S& rows, const S& cols) { return Scalar(RowPitch(k_, rows, cols), 7); }

std::string KernelClass::TileText(const Tile& t, bool in_row_loop) {
  std::string name = t.buffer >= 0 ? BufferName(t.buffer) : "";
  Dtype real = t.buffer >= 0 ? k_.kernel.buffers[t.buffer].dtype : k_.temps[t.temp].dtype;
  if (t.temp >= 0) {
    name = TempName(t.temp);
  } else if (t.dtype != real && CppType(t.dtype) != CppType(real)) {
    name += fmt::format(".template ReinterpretCast<{}>()", CppType(t.dtype));
  }
  if (in_row_loop && !t.same_row) name += fmt::format("[row * {}]", Pitch(t.most_rows, t.most_cols));
  return name;
}

std::string KernelClass::InstrText(const Instr& in, bool in_loop) {
  // Over all rows the padding between them is computed too: nobody reads it.
  S n = in.cols;
  if (!in_loop && !ir::IsConst(in.rows, 1))
    n = ir::Mul(in.rows, RowPitch(k_, in.tiles[0].most_rows, in.tiles[0].most_cols));
  if (in.round64) n = ir::Mul(ir::CeilDiv(n, ir::Int(64)), ir::Int(64));
  if (in.text.rfind("Lanes", 0) == 0) {
    std::string helper = in.text.substr(0, in.text.find_first_of("(<"));
    uses_.insert(
        {"RowsJoin", "LanesJoin", "ToLanes", "FromLanes", helper == "LanesWindow" ? "LanesRuns" : "LanesRun", helper});
  }
  std::string count = Scalar(n), out;
  if (in.text.rfind("Rows", 0) == 0) uses_.insert({"RowsJoin", "Fold", in.text.substr(0, in.text.find('<'))});
  if (in.text.rfind("ColumnsReduce", 0) == 0) uses_.insert({"RowsJoin", "Fold", "ColumnsReduce"});
  for (size_t i = 0; i < in.text.size(); ++i) {
    char c = in.text[i];
    if ((c == '$' || c == '@') && i + 1 < in.text.size() && std::isdigit(static_cast<unsigned char>(in.text[i + 1]))) {
      size_t at = in.text[++i] - '0';
      while (i + 1 < in.text.size() && std::isdigit(static_cast<unsigned char>(in.text[i + 1])))
        at = at * 10 + in.text[++i] - '0';
      out += c == '$' ? TileText(in.tiles[at], in_loop) : Scalar(in.scalars[at]);
    } else if (c == '#' && i + 1 < in.text.size() && in.text[i + 1] == 'n') {
      bool alone = in.text.compare(i + 2, 1, ")") == 0 || in.text.compare(i + 2, 1, ",") == 0 ||
                   in.text.compare(i + 2, 1, ";") == 0;
      out += alone ? count : Scalar(n, 9);
      ++i;
    } else if (c == '#' && i + 1 < in.text.size() && in.text[i + 1] == 'r') {
      out += "row";
      ++i;
    } else {
      out += c;
    }
  }
  return out + ";\n";
}

// A temporary by its slot and, where a slot serves several dtypes, its dtype.
std::string KernelClass::TempName(int temp) {
  const Temp& t = k_.temps[temp];
  std::string type = t.bits ? "mask" : t.dtype == Dtype::kFloat32 ? "v" : std::string(ir::ShortName(t.dtype)) + "_";
  return fmt::format("{}{}", type, t.slot);
}

void KernelClass::Instrs(const StageCode& code, std::string& out) {
  std::set<std::string> named;
  for (const Instr& in : code.instrs)
    for (const Tile& t : in.tiles)
      if (t.temp >= 0 && named.insert(TempName(t.temp)).second) {
        const Temp& temp = k_.temps[t.temp];
        std::string type = temp.bits ? "uint8_t" : Type(temp.dtype);
        out += fmt::format("    LocalTensor<{}> {} = {}_.template Get<{}>();\n", type, TempName(t.temp),
                           k_.slots[temp.slot].name, type);
      }
  for (size_t i = 0; i < code.instrs.size();) {
    const Instr& in = code.instrs[i];
    bool loop = in.per_row && !ir::IsConst(in.rows, 1);
    if (!loop) {
      // One row: a loop of one turn is the instruction itself.
      std::string text = InstrText(in, false);
      if (in.text.rfind("if (#r > 0)", 0) != 0) out += "    " + text;
      ++i;
      continue;
    }
    out += fmt::format("    for (int64_t row = 0; row < {}; ++row) {{\n", Scalar(in.rows));
    int group = in.group;
    for (; i < code.instrs.size() && code.instrs[i].group == group; ++i)
      out += "      " + InstrText(code.instrs[i], true);
    out += "    }\n";
  }
}

void KernelClass::RunHooks(const std::vector<Hook>& hooks, const std::string& in, std::string& out) {
  bool barrier = false;
  for (const Hook& h : hooks) {
    std::string b = BufferName(h.buffer), q = QueueName(h.buffer);
    if (!k_.HasQueue(h.buffer)) {
      barrier = barrier || h.action == Hook::kAlloc || h.action == Hook::kEnQue;
      continue;
    }
    switch (h.action) {
      case Hook::kAlloc:
        out += fmt::format("{}{} = {}.template AllocTensor<{}>();\n", in, b, q, BufferType(h.buffer));
        break;
      case Hook::kEnQue: out += fmt::format("{}{}.EnQue({});\n", in, q, b); break;
      case Hook::kDeQue: out += fmt::format("{}{} = {}.template DeQue<{}>();\n", in, b, q, BufferType(h.buffer)); break;
      case Hook::kFree: out += fmt::format("{}{}.FreeTensor({});\n", in, q, b); break;
    }
  }
  if (barrier) out += in + "PipeBarrier<PIPE_ALL>();\n";
}

void KernelClass::CopyLine(const ir::Stmt& s, const ir::Copy& c, std::string& out) {
  const ir::Buffer& b = k_.kernel.buffers[c.buffer];
  bool in = s.stage == ir::StageKind::kCopyIn;
  std::string window = fmt::format("{}[{}]", GmTensor(c.gm), Scalar(c.gm.offset));
  std::string f = in ? "LoadRows" : "StoreRows";
  uses_.insert(f);
  if (c.atomic_add) out += fmt::format("    SetAtomicAdd<{}>();\n", BufferType(c.buffer));
  out += fmt::format("    {}({}, {}, {}, {}, {}, {});\n", f, in ? BufferName(c.buffer) : window,
                     in ? window : BufferName(c.buffer), Scalar(c.gm.rows), Scalar(c.gm.cols), Scalar(c.gm.row_stride),
                     Pitch(b.rows, b.cols));
  if (c.atomic_add) out += "    SetAtomicNone();\n";
}

void KernelClass::StageVariables(const ir::Stmt& s, std::set<std::string>& out) const {
  for (const ir::Copy& c : s.copies)
    for (const S& e : {c.gm.offset, c.gm.rows, c.gm.cols, c.gm.row_stride, c.gm.list_index}) ir::Variables(e, out);
  if (auto it = k_.code.find(&s); it != k_.code.end())
    for (const Instr& in : it->second.instrs) {
      ir::Variables(in.rows, out);
      ir::Variables(in.cols, out);
      for (const S& e : in.scalars) ir::Variables(e, out);
    }
}

std::string KernelClass::StageMethod(const ir::Stmt& s, const std::string& name, const std::set<std::string>& locals) {
  std::string args;
  for (const std::string& v : locals)
    args += fmt::format("{}{} {}", args.empty() ? "" : ", ", locals_.at(v) == Ty::kFloat ? "float" : "int64_t",
                        SafeName(v));
  std::string out = fmt::format("  __aicore__ inline void {}({}) {{\n", name, args);
  auto hooks = k_.hooks.find(&s);
  if (hooks != k_.hooks.end()) RunHooks(hooks->second.before, "    ", out);
  for (const ir::Copy& c : s.copies) CopyLine(s, c, out);
  if (auto it = k_.code.find(&s); it != k_.code.end()) Instrs(it->second, out);
  if (hooks != k_.hooks.end()) RunHooks(hooks->second.after, "    ", out);
  return out + "  }\n\n";
}

void KernelClass::Flag(const ir::Stmt& s, const std::string& in, std::string& out) {
  out += s.flag.set ? fmt::format("{}CrossCoreSetFlag<2, PIPE_MTE2>({});\n", in, s.flag.id)
                    : fmt::format("{}CrossCoreWaitFlag({});\n", in, s.flag.id);
}

void KernelClass::Process(const ir::Block& b, int depth, std::string& out) {
  std::string in(depth * 2, ' ');
  for (const auto& s : b) {
    auto hooks = s->kind == ir::Stmt::kStage ? k_.hooks.end() : k_.hooks.find(s.get());
    if (hooks != k_.hooks.end()) RunHooks(hooks->second.before, in, out);
    switch (s->kind) {
      case ir::Stmt::kLet:
        locals_[s->name] = s->value->type;
        out += fmt::format("{}const {} {} = {};\n", in, s->value->type == Ty::kFloat ? "float" : "int64_t",
                           SafeName(s->name), Scalar(s->value));
        break;
      case ir::Stmt::kFor: {
        std::string v = SafeName(s->name);
        locals_[s->name] = Ty::kInt;
        out += fmt::format("{0}for (int64_t {1} = {2}; {1} < {3}; {1} += {4}) {{\n", in, v, Scalar(s->first),
                           Scalar(s->last, 5), Scalar(s->step));
        if (!s->count_name.empty()) {
          locals_[s->count_name] = Ty::kInt;
          uses_.insert("Least");
          out += fmt::format("{}  const int64_t {} = Least<int64_t>({}, {} - {});\n", in, SafeName(s->count_name),
                             Scalar(s->step), Scalar(s->last, 5), v);
        }
        Process(s->body, depth + 1, out);
        out += in + "}\n";
        break;
      }
      case ir::Stmt::kIf:
        out += fmt::format("{}if ({}) {{\n", in, Scalar(s->value));
        Process(s->body, depth + 1, out);
        if (!s->other.empty()) {
          out += in + "} else {\n";
          Process(s->other, depth + 1, out);
        }
        out += in + "}\n";
        break;
      case ir::Stmt::kFlag: Flag(*s, in, out); break;
      case ir::Stmt::kBlocks: break;  // expand_blocks has made loops of them
      case ir::Stmt::kSync:           // one core has to wait for its own copies only
        if (of_mixed_operator_) out += in + "SyncAll();\n";
        else
          out += fmt::format(
              "{0}if (GetBlockNum() > 1) {{\n{0}  SyncAll();\n{0}}} else {{\n{0}  PipeBarrier<PIPE_ALL>();\n{0}}}\n",
              in);
        break;
      case ir::Stmt::kStage: {
        static const char* kNames[] = {"CopyIn", "Compute", "CopyOut"};
        std::set<std::string> used, locals;
        StageVariables(*s, used);
        for (const auto& v : used)
          if (locals_.count(v) && !params_.count(v)) locals.insert(v);
        std::string name = fmt::format("{}{}", kNames[static_cast<int>(s->stage)], stages_++);
        methods_ += StageMethod(*s, name, locals);
        std::string args;
        for (const auto& v : locals) args += (args.empty() ? "" : ", ") + SafeName(v);
        out += fmt::format("{}{}({});\n", in, name, args);
        break;
      }
    }
    if (hooks != k_.hooks.end()) RunHooks(hooks->second.after, in, out);
  }
}

std::string KernelClass::Init() {
  std::string args, out;
  for (const ir::Gm& g : k_.kernel.gms) args += fmt::format("GM_ADDR {}, ", SafeName(g.name));
  out = fmt::format("  template <typename Tiling>\n  __aicore__ inline void Init({}const Tiling &t) {{\n", args);
  for (const auto& p : k_.kernel.params)
    out += fmt::format("    {}_ = t.{};\n", SafeName(p.name), FieldOf(p_, index_, p));
  if (of_sequence_) out += fmt::format("    cores_ = t.{};\n", CoresField(index_));
  for (const auto& list : ListsOf(k_.kernel)) {
    std::string l = SafeName(list);
    out += fmt::format(
        "    {0}_count_ = t.{0}_count;\n    for (int64_t i = 0; i < {0}_count_; ++i) {{\n      {0}_sizes_[i] = "
        "t.{0}_sizes[i];\n    }}\n",
        l);
  }
  for (const ir::Gm& g : k_.kernel.gms) {
    std::string n = SafeName(g.name);
    if (g.is_list) {
      out += fmt::format("    {0}List_ = ListTensorDesc(reinterpret_cast<__gm__ void *>({0}));\n", n);
      continue;
    }
    S size = ir::Int(1);
    for (const S& d : g.dims) size = ir::Mul(size, d);
    out += fmt::format("    {0}Gm_.SetGlobalBuffer((__gm__ {1} *){0}, {2});\n", n, Type(g.dtype), Scalar(size));
  }
  for (size_t b = 0; b < k_.kernel.buffers.size(); ++b) {
    const ir::Buffer& buffer = k_.kernel.buffers[b];
    if (buffer.memory != ir::Memory::kUb) continue;
    Dtype d = buffer.dtype == Dtype::kBool ? Dtype::kUint8 : buffer.dtype;
    std::string bytes = Scalar(TileBytes(k_, buffer.rows, buffer.cols, d)), n = SafeName(buffer.name);
    if (!k_.HasQueue(b)) {
      out += fmt::format("    pipe_.InitBuffer({0}Buf_, {1});\n    {0}_ = {0}Buf_.template Get<{2}>();\n", n, bytes,
                         BufferType(static_cast<int>(b)));
    } else if (k_.HasMemory(b)) {
      out += fmt::format("    pipe_.InitBuffer({}, {}, {});\n", QueueName(int(b)), k_.depth[b], bytes);
    }
  }
  for (const auto& slot : k_.slots)
    out += fmt::format("    pipe_.InitBuffer({}_, {});\n", slot.name, Scalar(slot.bytes));
  return out + "  }\n";
}

std::string KernelClass::Members() {
  std::string out = "  TPipe pipe_;\n";
  static const char* kQueues[] = {"", "TQue<QuePosition::VECIN, {}>", "TQue<QuePosition::VECOUT, {}>",
                                  "TQueBind<QuePosition::VECIN, QuePosition::VECOUT, {}>"};
  for (size_t b = 0; b < k_.kernel.buffers.size(); ++b) {
    if (k_.kernel.buffers[b].memory != ir::Memory::kUb) continue;
    std::string n = SafeName(k_.kernel.buffers[b].name);
    if (!k_.HasQueue(b)) {
      out += fmt::format("  TBuf<QuePosition::VECCALC> {}Buf_;\n", n);
    } else if (k_.HasMemory(b)) {
      out += fmt::format("  {} {};\n", fmt::format(fmt::runtime(kQueues[static_cast<int>(k_.roles[b])]), k_.depth[b]),
                         QueueName(int(b)));
    }
    out += fmt::format("  LocalTensor<{}> {}_;\n", BufferType(static_cast<int>(b)), n);
  }
  for (const auto& slot : k_.slots) out += fmt::format("  TBuf<QuePosition::VECCALC> {}_;\n", slot.name);
  for (const ir::Gm& g : k_.kernel.gms)
    out += g.is_list ? fmt::format("  ListTensorDesc {}List_;\n", SafeName(g.name))
                     : fmt::format("  GlobalTensor<{}> {}Gm_;\n", Type(g.dtype), SafeName(g.name));
  for (const auto& p : k_.kernel.params)
    out += fmt::format("  {} {}_ = 0;\n", p.type == Ty::kFloat ? "float" : "int64_t", SafeName(p.name));
  if (of_sequence_) out += "  int64_t cores_ = 0;\n";
  for (const auto& list : ListsOf(k_.kernel))
    out += fmt::format("  int64_t {0}_count_ = 0;\n  int64_t {0}_sizes_[{1}];\n", SafeName(list), kMostTensors);
  return out;
}

std::string KernelClass::Body(std::set<std::string>& uses) {
  for (const auto& p : k_.kernel.params) params_.insert(p.name);
  std::string process;
  Process(k_.kernel.body, 2, process);
  std::string init = Init(), members = Members();
  std::string out = " public:\n" + init + "\n  __aicore__ inline void Process() {\n" + process + "  }\n\n private:\n" +
                    methods_ + members;
  uses.insert(uses_.begin(), uses_.end());
  return out;
}

}  // namespace akgen::craft
