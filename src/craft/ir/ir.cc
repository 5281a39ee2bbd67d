#include "craft/ir/ir.h"

#include <fmt/format.h>

#include <algorithm>

namespace akgen::craft::ir {
namespace {
struct Row {
  std::string_view name;
  OpKind kind;
};
constexpr Row kRows[] = {
    {"read", OpKind::none},
    {"splat", OpKind::none},
    {"write", OpKind::none},
#define CRAFT_OP(name, kind, domain) {#name, OpKind::kind},
#include "craft/ir/ops.inc"
#undef CRAFT_OP
};
struct ShortDtype {
  std::string_view name;
  Dtype dtype;
};
constexpr ShortDtype kShort[] = {{"f32", Dtype::kFloat32},   {"f16", Dtype::kFloat16},
                                 {"bf16", Dtype::kBfloat16}, {"i8", Dtype::kInt8},
                                 {"u8", Dtype::kUint8},      {"i16", Dtype::kInt16},
                                 {"i32", Dtype::kInt32},     {"i64", Dtype::kInt64},
                                 {"bool", Dtype::kBool},     {"c64", Dtype::kComplex64}};
}  // namespace

std::string_view NameOf(Op op) { return kRows[static_cast<int>(op)].name; }
OpKind KindOf(Op op) { return kRows[static_cast<int>(op)].kind; }
std::optional<Op> OpFromName(std::string_view name) {
  for (size_t i = 3; i < std::size(kRows); ++i)
    if (kRows[i].name == name) return static_cast<Op>(i);
  return std::nullopt;
}
std::string AttributeWord(const std::string& type) {
  return type == "string" ? "str" : type == "list_int" ? "ints" : type;
}

std::string_view ShortName(Dtype d) {
  for (const auto& s : kShort)
    if (s.dtype == d) return s.name;
  return base::NameOf(d);
}
std::optional<Dtype> DtypeFromShort(std::string_view name) {
  for (const auto& s : kShort)
    if (s.name == name || base::NameOf(s.dtype) == name) return s.dtype;
  return std::nullopt;
}

const HostParam* Program::Param(const std::string& n) const {
  for (const auto& p : params)
    if (p.name == n) return &p;
  return nullptr;
}
const HostTensor* Program::Tensor(const std::string& n) const {
  for (const auto& t : tensors)
    if (t.name == n) return &t;
  return nullptr;
}

const Starts& Kernel::StartsOf(const std::string& name) const {
  return *std::find_if(starts.begin(), starts.end(),
                       [&](const Starts& s) { return s.name == name; });
}

bool Program::HasCube() const {
  return std::any_of(kernels.begin(), kernels.end(), [](const Kernel& k) { return k.cube; });
}

namespace {
std::string Window(const Kernel& k, const GmRef& g) {
  std::string out = k.gms[g.gm].name;
  if (g.list_index) out += "[" + ToText(g.list_index) + "]";
  out += "[";
  for (size_t i = 0; i < g.window.size(); ++i)
    out += fmt::format("{}{} +: {}", i ? ", " : "", ToText(g.window[i].start),
                       ToText(g.window[i].extent));
  return out + "]";
}

void DumpValue(const Kernel& k, const Stmt& s, size_t i, const std::string& in, std::string& out) {
  const Value& v = s.values[i];
  if (v.op == Op::kWrite) {
    out += fmt::format("{}{}[:] = %{}\n", in, k.buffers[v.buffer].name, v.args[0]);
    return;
  }
  out += fmt::format("{}%{}: {}[{}, {}] = {}(", in, i, ShortName(v.dtype), ToText(v.rows),
                     ToText(v.cols), NameOf(v.op));
  if (v.op == Op::kRead) out += k.buffers[v.buffer].name;
  if (v.scalar) out += ToText(v.scalar);
  for (const S& n : v.numbers) out += ToText(n) + ", ";
  for (size_t a = 0; a < v.args.size(); ++a)
    out += fmt::format("{}%{}", a || v.scalar ? ", " : "", v.args[a]);
  out += ")\n";
}

std::string BlocksText(const Blocks& b) {
  std::string out;
  if (!b.group.empty()) out += fmt::format("{} by {}, ", b.group, b.starts);
  for (const auto& [name, extent] : b.over) out += fmt::format("{} of {}, ", name, ToText(extent));
  out += fmt::format("{}, {} of {} by {}", b.row, b.rows, ToText(b.m), ToText(b.tm));
  if (b.n) out += fmt::format(", {}, {} of {} by {}", b.col, b.cols, ToText(b.n), ToText(b.tn));
  return b.order ? out + " order " + ToText(b.order) : out;
}

void DumpBlock(const Kernel& k, const Block& b, int depth, std::string& out) {
  std::string in(depth * 4, ' ');
  for (const auto& s : b) {
    switch (s->kind) {
      case Stmt::kLet: out += fmt::format("{}{} = {}\n", in, s->name, ToText(s->value)); break;
      case Stmt::kFor:
        out += fmt::format("{}for {}{} in ({}, {}, {}):\n", in, s->name,
                           s->count_name.empty() ? "" : ", " + s->count_name, ToText(s->first),
                           ToText(s->last), ToText(s->step));
        DumpBlock(k, s->body, depth + 1, out);
        break;
      case Stmt::kIf:
        out += fmt::format("{}if {}:\n", in, ToText(s->value));
        DumpBlock(k, s->body, depth + 1, out);
        if (!s->other.empty()) {
          out += in + "else:\n";
          DumpBlock(k, s->other, depth + 1, out);
        }
        break;
      case Stmt::kSync: out += in + "sync_all()\n"; break;
      case Stmt::kFlag:
        out += fmt::format("{}{} flag {}\n", in, s->flag.set ? "set" : "wait for", s->flag.id);
        break;
      case Stmt::kBlocks:
        out += fmt::format("{}for {} in blocks:\n", in, BlocksText(*s->blocks));
        DumpBlock(k, s->body, depth + 1, out);
        break;
      case Stmt::kStage: {
        static const char* kNames[] = {"copyin", "compute", "copyout", "cube", "handover"};
        out += fmt::format("{}{}:\n", in, kNames[static_cast<int>(s->stage)]);
        for (const Copy& c : s->copies)
          out += s->stage == StageKind::kCopyIn
                     ? fmt::format("{}    {} <- {}{}\n", in, k.buffers[c.buffer].name,
                                   Window(k, c.gm), c.fill ? " fill " + ToText(c.fill) : "")
                     : fmt::format("{}    {} <-{} {}\n", in, Window(k, c.gm),
                                   c.atomic_add ? " +" : "", k.buffers[c.buffer].name);
        for (size_t i = 0; i < s->values.size(); ++i) DumpValue(k, *s, i, in + "    ", out);
        for (const Handover& h : s->handovers)
          out += fmt::format("{}    {} <- {}\n", in, k.buffers[h.to].name, k.buffers[h.from].name);
        for (const Product& p : s->products)
          out += fmt::format("{}    {} [{}, {}, {}]\n", in, p.text, ToText(p.m), ToText(p.n),
                             ToText(p.k));
        break;
      }
    }
  }
}
}  // namespace

std::string Dump(const Kernel& k) {
  std::string out = fmt::format("kernel {}\n", k.name);
  for (const Gm& g : k.gms) {
    out += fmt::format("    gm {}: {}[", g.name, ShortName(g.dtype));
    for (size_t i = 0; i < g.dims.size(); ++i) out += (i ? ", " : "") + ToText(g.dims[i]);
    out += g.is_list ? "] list\n" : "]\n";
  }
  for (const Starts& s : k.starts)
    out += fmt::format("    starts {} of {}: {} each\n", s.name, s.list, ToText(s.size));
  static const char* kMemories[] = {"ub", "l1", "acc"};
  for (const Buffer& b : k.buffers)
    out += fmt::format("    {} {}: {}[{}, {}]\n", kMemories[static_cast<int>(b.memory)], b.name,
                       ShortName(b.dtype), ToText(b.rows), ToText(b.cols));
  DumpBlock(k, k.body, 1, out);
  return out;
}
std::string Dump(const Program& p) {
  std::string out = fmt::format("program {}\n", p.name);
  for (const Kernel& k : p.kernels) out += Dump(k);
  return out;
}

namespace {
class Verifier {
 public:
  explicit Verifier(const Kernel& k) : k_(k) {}
  base::Status Block(const ir::Block& b) {
    for (const auto& s : b) {
      for (const auto* inner : {&s->body, &s->other})
        if (auto st = Block(*inner); !st.ok()) return st;
      for (const Copy& c : s->copies)
        if (c.buffer < 0 || c.buffer >= static_cast<int>(k_.buffers.size()) ||
            c.gm.gm >= static_cast<int>(k_.gms.size()))
          return Bad("a copy names no buffer or tensor");
      for (size_t i = 0; i < s->values.size(); ++i)
        if (auto st = One(*s, i); !st.ok()) return st;
      for (const Product& p : s->products)
        if (auto st = One(p); !st.ok()) return st;
    }
    return {};
  }

 private:
  base::Status Bad(const std::string& what) const {
    return base::Error{"AK1590", "the compiler made an inconsistent program: " + what, k_.name,
                       "report this program"};
  }
  base::Status One(const Stmt& s, size_t i) const {
    const Value& v = s.values[i];
    for (int a : v.args)
      if (a < 0 || a >= static_cast<int>(i))
        return Bad(fmt::format("%{} uses %{} before it is there", i, a));
    if ((v.op == Op::kRead || v.op == Op::kWrite) &&
        (v.buffer < 0 || v.buffer >= static_cast<int>(k_.buffers.size())))
      return Bad(fmt::format("%{} names no buffer", i));
    if (!v.rows || !v.cols || !v.most_rows || !v.most_cols)
      return Bad(fmt::format("%{} has no shape", i));
    OpKind kind = KindOf(v.op);
    if ((kind == OpKind::binary || kind == OpKind::logic) && v.args.size() == 2 &&
        s.values[v.args[0]].dtype != s.values[v.args[1]].dtype)
      return Bad(fmt::format("%{} mixes dtypes", i));
    if (kind == OpKind::compare && s.values[v.args[0]].dtype != s.values[v.args[1]].dtype)
      return Bad(fmt::format("%{} compares different dtypes", i));
    return {};
  }
  base::Status One(const Product& p) const {
    auto in = [&](int b, Memory m) {
      return b >= 0 && b < static_cast<int>(k_.buffers.size()) && k_.buffers[b].memory == m;
    };
    if (!in(p.acc, Memory::kAcc)) return Bad("a product's sums do not lie in L0C");
    for (const Matrix* x : {&p.a, &p.b})
      if (x->buffer >= 0 ? !in(x->buffer, Memory::kL1)
                         : x->gm.gm >= static_cast<int>(k_.gms.size()))
        return Bad("an operand of a product is neither in L1 nor a tensor");
    if (!Same(p.a.rows, p.m) || !Same(p.a.cols, p.k) || !Same(p.b.rows, p.k) ||
        !Same(p.b.cols, p.n))
      return Bad("the shapes of a product do not fit");
    return {};
  }
  const Kernel& k_;
};
}  // namespace

base::Status Verify(const Program& p) {
  for (const Kernel& k : p.kernels)
    if (auto st = Verifier(k).Block(k.body); !st.ok()) return st;
  return {};
}

std::vector<LaunchSite> LaunchSites(const Program& p) {
  std::vector<LaunchSite> out(p.kernels.size());
  // `after`: another launch may come before the block. Result: or before what follows it.
  std::function<bool(const HostBlock&, bool, bool)> walk = [&](const HostBlock& b, bool conditional,
                                                               bool after) {
    for (const auto& s : b) {
      if (s->kind == HostStmt::kLaunch) {
        out[static_cast<size_t>(s->kernel)] = {s.get(), conditional, !after};
        after = true;
      }
      const bool body = walk(s->body, true, after), other = walk(s->other, true, after);
      after = after || body || other;
    }
    return after;
  };
  walk(p.body, false, false);
  return out;
}

const HostStmt* LaunchWith(const HostBlock& b, size_t from, const std::string& name) {
  for (size_t n = from; n < b.size(); ++n) {
    std::set<std::string> used;
    for (const S& a : b[n]->scalars) Variables(a, used);
    if (b[n]->kind == HostStmt::kLaunch && used.count(name)) return b[n].get();
    for (const HostBlock* inner : {&b[n]->body, &b[n]->other})
      if (const HostStmt* found = LaunchWith(*inner, 0, name)) return found;
  }
  return nullptr;
}

}  // namespace akgen::craft::ir
