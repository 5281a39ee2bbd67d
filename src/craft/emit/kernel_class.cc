#include "craft/emit/kernel_class.h"

#include <fmt/format.h>

#include <algorithm>

namespace akgen::craft {
using base::Dtype;
using ir::S;
using ir::SKind;
using ir::Ty;

namespace {
// Is it the distance of rows of one of the instruction's tiles?
bool IsPitch(const LoweredKernel& k, const Instr& in, const S& s) {
  return std::any_of(in.tiles.begin(), in.tiles.end(), [&](const Tile& t) {
    return t.most_cols && ir::Same(RowPitch(k, t.most_rows, t.most_cols), s);
  });
}

// A temporary by its slot and, where a slot serves several dtypes, its dtype.
std::string TempName(const LoweredKernel& k, int temp) {
  const Temp& t = k.temps[temp];
  auto has = [&](Dtype d) {
    return std::any_of(k.temps.begin(), k.temps.end(),
                       [&](const Temp& o) { return !o.bits && o.dtype == d; });
  };
  const bool half = t.dtype == Dtype::kFloat16
                        ? !has(Dtype::kBfloat16)
                        : t.dtype == Dtype::kBfloat16 && !has(Dtype::kFloat16);
  std::string type = t.bits                       ? "mask"
                     : t.dtype == Dtype::kFloat32 ? "v"
                     : half                       ? "narrow"
                                                  : std::string(ir::ShortName(t.dtype)) + "_";
  return fmt::format("{}{}", type, t.slot);
}

// The temporaries that a stage uses, by slot.
void DeclareTemporaries(const LoweredKernel& k, const StageCode& code, std::string& out) {
  std::map<std::pair<int, std::string>, int> used;
  for (const Instr& in : code.instrs)
    for (const Tile& t : in.tiles)
      if (t.temp >= 0) used.insert({{k.temps[t.temp].slot, TempName(k, t.temp)}, t.temp});
  for (const auto& [place, t] : used) {
    const Temp& temp = k.temps[t];
    std::string type = temp.bits ? "uint8_t" : CppType(temp.dtype);
    out += fmt::format("    LocalTensor<{}> {} = {}_.template Get<{}>();\n", type, place.second,
                       k.slots[temp.slot].name, type);
  }
}

void StageVariables(const LoweredKernel& k, const ir::Stmt& s, std::set<std::string>& out) {
  for (const ir::Copy& c : s.copies)
    for (const S& e : {c.gm.offset, c.gm.rows, c.gm.cols, c.gm.row_stride, c.gm.list_index})
      ir::Variables(e, out);
  if (auto it = k.code.find(&s); it != k.code.end())
    for (const Instr& in : it->second.instrs) {
      ir::Variables(in.rows, out);
      ir::Variables(in.cols, out);
      for (const S& e : in.scalars) ir::Variables(e, out);
    }
}

std::string FlagLine(const ir::Stmt& s, const std::string& in) {
  return s.flag.set ? fmt::format("{}CrossCoreSetFlag<2, PIPE_MTE2>({});\n", in, s.flag.id)
                    : fmt::format("{}CrossCoreWaitFlag({});\n", in, s.flag.id);
}

}  // namespace

const std::string& SharedNumbers::Use(const std::string& text, ir::Ty type, const char* what) {
  Number& n = numbers_[text];
  if (n.uses++ == 0) n.what = what, n.type = type;
  return n.name;
}

void SharedNumbers::Declare(const std::map<std::string, ir::Ty>& taken, std::string& out) {
  constexpr size_t kShort = 12;  // characters that need no name
  std::vector<std::pair<std::string, Number*>> order;
  for (auto& [text, shared] : numbers_)
    if (shared.uses > 1 && text.size() > kShort) order.push_back({text, &shared});
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first.size() < b.first.size(); });
  std::map<std::string, int> named;
  for (size_t i = 0; i < order.size(); ++i) {
    Number& shared = *order[i].second;
    do {
      const int number = ++named[shared.what];
      shared.name = number > 1 ? fmt::format("{}{}", shared.what, number) : shared.what;
    } while (taken.count(shared.name) > 0);
    std::string value = order[i].first;
    for (size_t j = i; j-- > 0;)
      for (const std::string& part : {"(" + order[j].first + ")", order[j].first})
        for (size_t at; (at = value.find(part)) != std::string::npos;)
          value.replace(at, part.size(), order[j].second->name);
    out += fmt::format("    const {} {} = {};\n", shared.type == Ty::kFloat ? "float" : "int64_t",
                       shared.name, value);
  }
}

std::string KernelClass::Pitch(const S& rows, const S& cols) {
  return Named(RowPitch(k_, rows, cols), 7, "pitch");
}

std::string KernelClass::Named(const S& s, int least, const char* what) {
  const std::string& name = shared_.Use(Scalar(s), s->type, what);
  return name.empty() ? Scalar(s, least) : name;
}

std::string KernelClass::TileText(const Tile& t, bool in_row_loop) {
  std::string name = t.buffer >= 0 ? BufferName(t.buffer) : "";
  Dtype real = t.buffer >= 0 ? k_.kernel.buffers[t.buffer].dtype : k_.temps[t.temp].dtype;
  if (t.temp >= 0) {
    name = TempName(k_, t.temp);
  } else if (t.dtype != real && CppType(t.dtype) != CppType(real)) {
    name += fmt::format(".template ReinterpretCast<{}>()", CppType(t.dtype));
  }
  if (in_row_loop && !t.same_row)
    name += fmt::format("[row * {}]", Pitch(t.most_rows, t.most_cols));
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
    uses_.insert({"RowsJoin", "LanesJoin", "ToLanes", "FromLanes",
                  helper == "LanesWindow" ? "LanesRuns" : "LanesRun", helper});
  }
  std::string out;
  if (in.text.rfind("FillLong", 0) == 0) uses_.insert("FillLong");
  if (in.text.rfind("Whole", 0) == 0)
    uses_.insert({"RowsJoin", "WholeJoin", in.text.substr(0, in.text.find('<'))});
  for (const char* f : {"FloorDiv", "FloorMod"})
    if (in.text.find(f) != std::string::npos) uses_.insert(f);
  if (in.text.rfind("Rows", 0) == 0)
    uses_.insert({"RowsJoin", "Fold", in.text.substr(0, in.text.find('<'))});
  if (in.text.rfind("ColumnsReduce", 0) == 0) uses_.insert({"RowsJoin", "Fold", "ColumnsReduce"});
  for (size_t i = 0; i < in.text.size(); ++i) {
    char c = in.text[i];
    if ((c == '$' || c == '@') && i + 1 < in.text.size() &&
        std::isdigit(static_cast<unsigned char>(in.text[i + 1]))) {
      size_t at = in.text[++i] - '0';
      while (i + 1 < in.text.size() && std::isdigit(static_cast<unsigned char>(in.text[i + 1])))
        at = at * 10 + in.text[++i] - '0';
      constexpr std::string_view kToFloat = "static_cast<float>(";
      const bool cast = c == '@' && out.size() >= kToFloat.size() &&
                        out.compare(out.size() - kToFloat.size(), kToFloat.size(), kToFloat) == 0;
      if (cast && in.scalars[at]->type == Ty::kFloat &&
          in.text.compare(i + 1, 1, ")") == 0) {  // it is one
        out.resize(out.size() - kToFloat.size());
        ++i;
      }
      out += c == '$'
                 ? TileText(in.tiles[at], in_loop)
                 : Named(in.scalars[at], 0, IsPitch(k_, in, in.scalars[at]) ? "pitch" : "value");
    } else if (c == '#' && i + 1 < in.text.size() && in.text[i + 1] == 'n') {
      bool alone = in.text.compare(i + 2, 1, ")") == 0 || in.text.compare(i + 2, 1, ",") == 0 ||
                   in.text.compare(i + 2, 1, ";") == 0;
      out += Named(n, alone ? 0 : 9, "count");
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

void KernelClass::Instrs(const StageCode& code, std::string& out) {
  const auto behind = [&](size_t i) {
    if (auto hooks = code.behind.find(i); hooks != code.behind.end())
      RunHooks(hooks->second, "    ", out);
  };
  for (size_t i = 0; i < code.instrs.size();) {
    const Instr& in = code.instrs[i];
    bool loop = in.per_row && !ir::IsConst(in.rows, 1);
    if (!loop) {
      // One row: a loop of one turn is the instruction itself.
      if (in.text.rfind("if (#r > 0)", 0) != 0) out += "    " + InstrText(in, false);
      behind(i++);
      continue;
    }
    out += fmt::format("    for (int64_t row = 0; row < {}; ++row) {{\n", Scalar(in.rows));
    int group = in.group;
    for (; i < code.instrs.size() && code.instrs[i].group == group; ++i)
      out += "      " + InstrText(code.instrs[i], true);
    out += "    }\n";
    behind(i - 1);
  }
}

// Twice: what is said more than once is known only after the first time.
std::string KernelClass::Code(const StageCode& code) {
  std::string names, instrs;
  shared_ = {};
  Instrs(code, instrs);
  shared_.Declare(locals_, names);
  instrs.clear();
  DeclareTemporaries(k_, code, names);
  Instrs(code, instrs);
  shared_ = {};
  return names + instrs;
}

void KernelClass::RunHooks(const std::vector<Hook>& hooks, const std::string& in,
                           std::string& out) {
  bool barrier = false;
  for (const Hook& h : hooks) {
    std::string b = BufferName(h.buffer), q = QueueName(h.buffer);
    if (!k_.HasQueue(h.buffer)) {
      barrier = barrier || h.action == Hook::kAlloc || h.action == Hook::kEnQue;
      continue;
    }
    switch (h.action) {
      case Hook::kAlloc:
        out +=
            fmt::format("{}{} = {}.template AllocTensor<{}>();\n", in, b, q, BufferType(h.buffer));
        break;
      case Hook::kEnQue: out += fmt::format("{}{}.EnQue({});\n", in, q, b); break;
      case Hook::kDeQue:
        out += fmt::format("{}{} = {}.template DeQue<{}>();\n", in, b, q, BufferType(h.buffer));
        break;
      case Hook::kFree: out += fmt::format("{}{}.FreeTensor({});\n", in, q, b); break;
    }
  }
  if (barrier) out += in + "PipeBarrier<PIPE_ALL>();\n";
}

void KernelClass::CopyLine(const ir::Stmt& s, const ir::Copy& c, std::string& out) {
  const ir::Buffer& b = k_.kernel.buffers[c.buffer];
  bool in = s.stage == ir::StageKind::kCopyIn;
  std::string window = fmt::format("{}[{}]", GmTensor(c.gm), Scalar(c.gm.offset));
  const bool one = ir::IsConst(c.gm.rows, 1);
  const std::string f = in ? "LoadRows" : "StoreRows";
  if (!one) uses_.insert(f);
  if (c.atomic_add) out += fmt::format("    SetAtomicAdd<{}>();\n", BufferType(c.buffer));
  const std::string to = in ? BufferName(c.buffer) : window,
                    from = in ? window : BufferName(c.buffer);
  const std::string type = BufferType(c.buffer);
  out += one ? fmt::format(
                   "    DataCopyPad({}, {}, DataCopyExtParams{{1, static_cast<uint32_t>({} * "
                   "sizeof({})), 0, 0, 0}}{});\n",
                   to, from, Scalar(c.gm.cols, 6), type,
                   in ? fmt::format(", DataCopyPadExtParams<{}>{{false, 0, 0, 0}}", type) : "")
             : fmt::format("    {}({}, {}, {}, {}, {}, {});\n", f, to, from, Scalar(c.gm.rows),
                           Scalar(c.gm.cols), Scalar(c.gm.row_stride),
                           Scalar(RowPitch(k_, b.rows, b.cols)));
  if (c.atomic_add) out += "    SetAtomicNone();\n";
}

void KernelClass::StageMethod(const ir::Stmt& s, const std::string& name,
                              const std::set<std::string>& locals) {
  std::string args;
  for (const std::string& v : locals)
    args += fmt::format("{}{} {}", args.empty() ? "" : ", ",
                        locals_.at(v) == Ty::kFloat ? "float" : "int64_t", SafeName(v));
  std::string out = fmt::format("  __aicore__ inline void {}({}) {{\n", name, args);
  auto hooks = k_.hooks.find(&s);
  if (hooks != k_.hooks.end()) RunHooks(hooks->second.before, "    ", out);
  for (const ir::Copy& c : s.copies) CopyLine(s, c, out);
  methods_.push_back({ClassPart::kFixed, out});
  std::string code, after;
  if (auto it = k_.code.find(&s); it != k_.code.end()) code = Code(it->second);
  methods_.push_back({ClassPart::kStatements, code});
  if (hooks != k_.hooks.end()) RunHooks(hooks->second.after, "    ", after);
  methods_.push_back({ClassPart::kFixed, after + "  }\n\n"});
}

void KernelClass::Process(const ir::Block& b, int depth, std::string& out) {
  std::string in(depth * 2, ' ');
  for (const auto& s : b) {
    auto hooks = s->kind == ir::Stmt::kStage ? k_.hooks.end() : k_.hooks.find(s.get());
    if (hooks != k_.hooks.end()) RunHooks(hooks->second.before, in, out);
    switch (s->kind) {
      case ir::Stmt::kLet:
        locals_[s->name] = s->value->type;
        out += fmt::format("{}const {} {} = {};\n", in,
                           s->value->type == Ty::kFloat ? "float" : "int64_t", SafeName(s->name),
                           Scalar(s->value));
        break;
      case ir::Stmt::kFor: {
        std::string v = SafeName(s->name);
        locals_[s->name] = Ty::kInt;
        out += fmt::format("{0}for (int64_t {1} = {2}; {1} < {3}; {1} += {4}) {{\n", in, v,
                           Scalar(s->first), Scalar(s->last, 5), Scalar(s->step));
        if (!s->count_name.empty()) {
          locals_[s->count_name] = Ty::kInt;
          uses_.insert("Least");
          out += fmt::format("{}  const int64_t {} = Least<int64_t>({}, {} - {});\n", in,
                             SafeName(s->count_name), Scalar(s->step), Scalar(s->last, 5), v);
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
      case ir::Stmt::kFlag: out += FlagLine(*s, in); break;
      case ir::Stmt::kBlocks: break;  // expand_blocks has made loops of them
      case ir::Stmt::kSync:           // one core has to wait for its own copies only
        if (of_mixed_operator_)
          out += in + "SyncAll();\n";
        else
          out += fmt::format(
              "{0}if (GetBlockNum() > 1) {{\n{0}  SyncAll();\n{0}}} else {{\n{0}  "
              "PipeBarrier<PIPE_ALL>();\n{0}}}\n",
              in);
        break;
      case ir::Stmt::kStage: {
        static const char* kNames[] = {"CopyIn", "Compute", "CopyOut"};
        std::set<std::string> used, locals;
        StageVariables(k_, *s, used);
        for (const auto& v : used)
          if (locals_.count(v) && !params_.count(v)) locals.insert(v);
        std::string name = fmt::format("{}{}", kNames[static_cast<int>(s->stage)], stages_++);
        StageMethod(*s, name, locals);
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
  out = fmt::format(
      "  template <typename Tiling>\n  __aicore__ inline void Init({}const Tiling &t) {{\n", args);
  for (const auto& p : k_.kernel.params)
    out += fmt::format("    {}_ = t.{};\n", SafeName(p.name), FieldOf(p_, index_, p));
  if (of_sequence_) out += fmt::format("    cores_ = t.{};\n", CoresField(index_));
  out += ListInit(p_, index_);
  for (const auto& list : ListsOf(k_.kernel)) {
    out += fmt::format(
        "    {0}_count_ = t.{1}_count;\n    for (int64_t i = 0; i < {0}_count_; ++i) {{\n      "
        "{0}_sizes_[i] = "
        "t.{1}_sizes[i];\n    }}\n",
        SafeName(list), ListFieldOf(p_, index_, list));
  }
  for (const ir::Gm& g : k_.kernel.gms) {
    std::string n = SafeName(g.name);
    if (g.is_list) {
      out +=
          fmt::format("    {0}List_ = ListTensorDesc(reinterpret_cast<__gm__ void *>({0}));\n", n);
      continue;
    }
    S size = ir::Int(1);
    for (const S& d : g.dims) size = ir::Mul(size, d);
    out += fmt::format("    {0}Gm_.SetGlobalBuffer((__gm__ {1} *){0}, {2});\n", n, CppType(g.dtype),
                       Scalar(size));
  }
  for (size_t b = 0; b < k_.kernel.buffers.size(); ++b) {
    const ir::Buffer& buffer = k_.kernel.buffers[b];
    if (buffer.memory != ir::Memory::kUb) continue;
    Dtype d = buffer.dtype == Dtype::kBool ? Dtype::kUint8 : buffer.dtype;
    std::string bytes = Scalar(TileBytes(k_, buffer.rows, buffer.cols, d)),
                n = SafeName(buffer.name);
    if (!k_.HasQueue(b)) {
      out += fmt::format(
          "    pipe_.InitBuffer({0}Buf_, {1});\n    {0}_ = {0}Buf_.template Get<{2}>();\n", n,
          bytes, BufferType(static_cast<int>(b)));
    } else if (k_.HasMemory(b)) {
      out +=
          fmt::format("    pipe_.InitBuffer({}, {}, {});\n", QueueName(int(b)), k_.depth[b], bytes);
    }
  }
  return out;
}

std::string KernelClass::InitSlots() {
  std::string out;
  for (const auto& slot : k_.slots)
    out += fmt::format("    pipe_.InitBuffer({}_, {});\n", slot.name, Scalar(slot.bytes));
  return out;
}

std::string KernelClass::Members() {
  std::string out = "  TPipe pipe_;\n";
  static const char* kQueues[] = {"", "TQue<QuePosition::VECIN, {}>",
                                  "TQue<QuePosition::VECOUT, {}>",
                                  "TQueBind<QuePosition::VECIN, QuePosition::VECOUT, {}>"};
  std::string tensors;
  for (size_t b = 0; b < k_.kernel.buffers.size(); ++b) {
    if (k_.kernel.buffers[b].memory != ir::Memory::kUb) continue;
    std::string n = SafeName(k_.kernel.buffers[b].name);
    if (!k_.HasQueue(b)) {
      out += fmt::format("  TBuf<QuePosition::VECCALC> {}Buf_;\n", n);
    } else if (k_.HasMemory(b)) {
      out += fmt::format(
          "  {} {};\n",
          fmt::format(fmt::runtime(kQueues[static_cast<int>(k_.roles[b])]), k_.depth[b]),
          QueueName(int(b)));
    }
    tensors += fmt::format("  LocalTensor<{}> {}_;\n", BufferType(static_cast<int>(b)), n);
  }
  out += tensors;
  for (const ir::Gm& g : k_.kernel.gms)
    out += g.is_list
               ? fmt::format("  ListTensorDesc {}List_;\n", SafeName(g.name))
               : fmt::format("  GlobalTensor<{}> {}Gm_;\n", CppType(g.dtype), SafeName(g.name));
  for (const auto& p : k_.kernel.params)
    out += fmt::format("  {} {}_ = 0;\n", p.type == Ty::kFloat ? "float" : "int64_t",
                       SafeName(p.name));
  if (of_sequence_) out += "  int64_t cores_ = 0;\n";
  out += ListMembers();
  for (const auto& list : ListsOf(k_.kernel))
    out += fmt::format("  int64_t {0}_count_ = 0;\n  int64_t {0}_sizes_[{1}];\n", SafeName(list),
                       kMaxTensors);
  return out;
}

ClassText KernelClass::Text(std::set<std::string>& uses) {
  for (const auto& p : k_.kernel.params) params_.insert(p.name);
  std::string process, slots;
  Process(k_.kernel.body, 2, process);
  for (const auto& slot : k_.slots)
    slots += fmt::format("  TBuf<QuePosition::VECCALC> {}_;\n", slot.name);
  ClassText out = {{ClassPart::kFixed, " public:\n" + Init()},
                   {ClassPart::kStatements, InitSlots()}};
  out.push_back({ClassPart::kFixed,
                 "  }\n\n  __aicore__ inline void Process() {\n" + process + "  }\n\n private:\n"});
  out.insert(out.end(), methods_.begin(), methods_.end());
  out.push_back({ClassPart::kFixed, Members()});
  out.push_back({ClassPart::kDeclarations, slots});
  uses.insert(uses_.begin(), uses_.end());
  return out;
}

}  // namespace akgen::craft
