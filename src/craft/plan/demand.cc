#include "craft/plan/demand.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "craft/craft.h"
#include "craft/interpret/interpret.h"

namespace akgen::craft {
namespace {
using ir::HostStmt;
using ir::HostTensor;
using ir::S;
using ir::SKind;
using ir::Ty;

struct Demand {
  int line = 0;  // it stands before this one
  std::string text;
};

// What is known on the way to a statement of the host. A copy is what is known on another way.
class Facts {
 public:
  explicit Facts(const ir::Program& p) : p_(&p) {}

  void Name(const std::string& name, const S& value) { value_[name] = Resolved(value); }
  // False where it has been said.
  bool Say(const std::string& text) { return said_.insert(text).second; }
  bool Said(const std::string& text) const { return said_.count(text) > 0; }
  static S Elements(const std::string& tensor) {
    auto n = std::make_shared<ir::Scalar>(*ir::Call("numel", {}, Ty::kInt));
    n->tensor = tensor;
    return n;
  }
  static void Factors(const S& s, std::vector<S>& out) {
    if (s->kind != SKind::kBinary || s->text != "*") return out.push_back(s);
    for (const S& a : s->args) Factors(a, out);
  }
  void Learn(const S& condition) {
    said_.insert(ir::ToText(condition));
    if (condition->kind != SKind::kBinary) return;
    if (condition->text == "and") {
      Learn(condition->args[0]);
      Learn(condition->args[1]);
    }
    const S& a = condition->args[0];
    if (condition->text != "==" || a->type != Ty::kInt) return;
    if (a->text == "len" && a->shape.size() == 1 && ir::AsConst(condition->args[1]))
      rank_[a->shape[0].tensor] = condition->args[1]->i;
    const std::string x = KeyOf(a), y = KeyOf(condition->args[1]);
    if (x != y) as_[x] = y;
  }
  // In terms of inputs and attributes.
  S Resolved(const S& s) const {
    if (s->kind == SKind::kVar) {
      auto it = value_.find(s->text);
      return it == value_.end() ? s : it->second;
    }
    if (s->kind == SKind::kCall && s->text == "prod") {
      if (auto d = StretchOf(s); d && d->from == "0" && d->to == "end") return Elements(d->tensor);
      S product = ir::Int(1);
      for (const ir::ShapePart& p : s->shape) {
        if (!p.value) return s;
        product = ir::Mul(product, Resolved(p.value));
      }
      return Simple(product);
    }
    if (s->args.empty()) return s;
    std::vector<S> args;
    for (const S& a : s->args) args.push_back(Resolved(a));
    // An extent of a tensor of so many counts from the front.
    if (s->text == "dim" && ir::AsConst(args[0])) {
      auto rank = rank_.find(s->tensor);
      if (rank != rank_.end() && args[0]->i < 0) args[0] = ir::Int(args[0]->i + rank->second);
      if (rank != rank_.end() && args[0]->i == rank->second - 1)
        args[0] = ir::Int(-1);  // what ends the shape
    }
    return Simple(ir::MapScalar(s, args));
  }
  bool Equal(const S& a, const S& b) const { return KeyOf(a) == KeyOf(b); }
  // The same for what is equal.
  std::string KeyOf(const S& s) const { return Root(ir::Key(Resolved(s))); }
  // Whatever the attributes are: at least `least`, which is 0 or 1. Extents are at least 1.
  bool AtLeast(int64_t least, const S& s) const {
    auto all = [&](int64_t n) {
      return std::ranges::all_of(s->args, [&](const S& a) { return AtLeast(n, a); });
    };
    if (const ir::Scalar* c = ir::AsConst(s)) return c->i >= least;
    if (s->kind == SKind::kVar) return said_.count("1 <= " + s->text) > 0;
    if (s->text == "max")
      return std::ranges::any_of(s->args, [&](const S& a) { return AtLeast(least, a); });
    if (s->text == "+")
      return all(0) && (least == 0 || AtLeast(1, s->args[0]) || AtLeast(1, s->args[1]));
    if (s->text == "//") {
      const S whole = ir::Mul(s, s->args[1]);  // where it divides evenly
      return AtLeast(least, s->args[0]) && AtLeast(1, s->args[1]) &&
             (least == 0 || Equal(whole, s->args[0]));
    }
    if (s->text == "ceil_div") return AtLeast(least, s->args[0]) && AtLeast(1, s->args[1]);
    if (s->text == "*" || s->text == "min") return all(least);
    static const std::set<std::string> kCounts = {
        "numel", "count", "best_cores", "vector_cores", "cube_cores", "block_rows", "block_cols"};
    return s->kind == SKind::kCall &&
           (kCounts.count(s->text) || ((s->text == "dim" || s->text == "prod") && OfTensor(*s)));
  }

 private:
  // The extents [from, to) of a tensor's shape at positions that are constants; "end": all that
  // follow.
  struct Stretch {
    std::string tensor, from, to;
  };
  static std::optional<Stretch> StretchOf(const S& s) {
    if (s->kind != SKind::kCall) return std::nullopt;
    auto position = [](int64_t at) { return at == 0 ? "end" : std::to_string(at); };
    if (s->text == "dim" && ir::AsConst(s->args[0])) {
      const int64_t at = s->args[0]->i;
      return Stretch{s->tensor, std::to_string(at), position(at + 1)};
    }
    if (s->text != "prod" || s->shape.size() != 1 || s->shape[0].value || s->shape[0].first ||
        s->shape[0].last)
      return std::nullopt;
    const ir::ShapePart& p = s->shape[0];
    return Stretch{p.tensor, std::to_string(p.from), p.to_end ? "end" : std::to_string(p.to)};
  }
  // x.shape[0] * prod(x.shape[1:]) is x.numel, and so is x.numel // d * d where x's last extents
  // make up d.
  static S Simple(const S& s) {
    if (s->kind != SKind::kBinary || s->text != "*") return s;
    std::vector<S> factors;
    Factors(s, factors);
    for (size_t i = 0; i < factors.size(); ++i) {
      const S first = factors[i];
      std::vector<size_t> used = {i};
      std::string tensor, at = "0";
      if (first->text == "//" && first->args[0]->text == "numel") {
        tensor = first->args[0]->tensor;
        const auto d = StretchOf(first->args[1]);
        if (!d || d->tensor != tensor || d->to != "end") continue;
        at = d->from;
      } else if (auto d = StretchOf(first); d && d->from == "0") {
        tensor = d->tensor, at = d->to;
      } else {
        continue;
      }
      for (size_t j = 0; j < factors.size() && at != "end"; ++j) {
        const auto d = StretchOf(factors[j]);
        if (std::ranges::count(used, j) || !d || d->tensor != tensor || d->from != at) continue;
        used.push_back(j), at = d->to;
        j = SIZE_MAX;
      }
      if (at != "end") continue;
      S product = Elements(tensor);
      for (size_t j = 0; j < factors.size(); ++j)
        if (!std::ranges::count(used, j)) product = ir::Mul(product, factors[j]);
      return Simple(product);
    }
    return s;
  }
  std::string Root(std::string key) const {
    for (auto it = as_.find(key); it != as_.end(); it = as_.find(key)) key = it->second;
    return key;
  }
  bool OfTensor(const ir::Scalar& s) const {
    const std::string& name = s.text == "dim" ? s.tensor : s.shape[0].tensor;
    const ir::HostParam* p = p_->Param(name);
    return p ? !p->is_attr : p_->Tensor(name) != nullptr;
  }

  const ir::Program* p_;
  std::map<std::string, S> value_;         // of names
  std::map<std::string, std::string> as_;  // what is equal, by key
  std::set<std::string> said_;             // texts of demands
  std::map<std::string, int64_t> rank_;    // of tensors that are required to have so many extents
};

class Demands {
 public:
  Demands(const ir::Program& p, int first_line) : p_(p), first_line_(first_line), known_(p) {}
  std::vector<Demand> Run() {
    Block(p_.body);
    return std::move(demands_);
  }

 private:
  void Block(const ir::HostBlock& b) {
    for (const auto& s : b) {
      switch (s->kind) {
        case HostStmt::kLet:
          Divisors(s->value, s->place);
          if (s->value->kind != SKind::kCall || s->value->text != "fit")
            known_.Name(s->name, s->value);
          else
            known_.Say("1 <= " + s->name);
          break;
        case HostStmt::kRequire: known_.Learn(s->value); break;
        case HostStmt::kIf: {
          const Facts before = known_;
          Block(s->body);
          known_ = before;
          Block(s->other);
          known_ = before;
          break;
        }
        case HostStmt::kLaunch: Launch(*s); break;
      }
    }
  }

  void Ask(const S& condition, Place place) {
    const std::string text = ir::ToText(condition);
    if (place.line < first_line_ || known_.Said(text)) return;
    known_.Learn(condition);
    demands_.push_back({place.line, text});
  }
  static S Compared(const char* op, S a, S b) {
    return ir::Binary(op, std::move(a), std::move(b), Ty::kBool);
  }

  void Divisors(const S& s, Place place) {
    for (const S& a : s->args) Divisors(a, place);
    const bool divides = (s->kind == SKind::kBinary && (s->text == "//" || s->text == "%")) ||
                         (s->kind == SKind::kCall && s->text == "ceil_div");
    if (divides && s->type == Ty::kInt && !known_.AtLeast(1, known_.Resolved(s->args[1])))
      Ask(Compared("<=", ir::Int(1), s->args[1]), place);
  }

  // How many elements kernels see in it, and null for lists.
  S ElementsOf(const std::string& name, Place place) {
    const HostTensor* t = p_.Tensor(name);
    const ir::HostParam* param = p_.Param(t && t->kind == HostTensor::kInplace ? t->of : name);
    if (t ? t->is_list : param->is_list) return nullptr;
    S n;
    if (!t || t->given || t->kind == HostTensor::kInplace) {
      n = Facts::Elements(t && t->given ? name : param->name);
    } else {
      n = ir::Int(1);
      for (const ir::ShapePart& part : t->shape) {
        if (part.value && !known_.AtLeast(0, known_.Resolved(part.value)))
          Ask(Compared("<=", ir::Int(0), part.value), place);
        const bool whole = !part.value && part.from == 0 && part.to_end && !part.first;
        auto stretch = std::make_shared<ir::Scalar>(*ir::Call("prod", {}, Ty::kInt));
        stretch->shape = {part};
        n = ir::Mul(n, part.value ? part.value : whole ? Facts::Elements(part.tensor) : stretch);
      }
    }
    const bool pairs = (t ? t->dtype : param->dtype) == base::Dtype::kComplex64;
    return pairs ? ir::Mul(n, ir::Int(2)) : n;
  }

  void Launch(const HostStmt& s) {
    const ir::Kernel& kernel = p_.kernels[static_cast<size_t>(s.kernel)];
    std::string list;
    for (size_t g = 0; g < s.tensors.size(); ++g) {
      const S there = ElementsOf(s.tensors[g], s.place);
      if (!there) {
        Alike(kernel, g, s, list);
        continue;
      }
      S said = ir::Int(1);
      for (const S& d : kernel.gms[g].dims) said = ir::Mul(said, Given(d, kernel, s));
      const HostTensor* t = p_.Tensor(s.tensors[g]);
      // One that is made for as many cores as there are has room for those that work.
      if (t && t->kind == HostTensor::kWorkspace && Mentions(there, "vector_cores")) continue;
      const bool output = t && t->kind == HostTensor::kOutput;
      if (known_.Equal(said, there)) continue;
      if (!output && (ir::IsConst(said, 1) || RoundedDown(said, there))) continue;
      // Products in another order are asked for once.
      const std::string key = known_.KeyOf(said) + " in " + known_.KeyOf(there);
      if (!output && !known_.Say(key)) continue;
      Ask(Compared(output ? "==" : "<=", said, there), s.place);
    }
    Loops(kernel, kernel.body, {}, s);
  }
  // (there // d) * d
  bool RoundedDown(const S& said, const S& there) const {
    std::vector<S> factors;
    Facts::Factors(known_.Resolved(said), factors);
    return factors.size() == 2 && std::ranges::any_of(std::array{0, 1}, [&](int i) {
             const S &q = factors[size_t(i)], &d = factors[size_t(1 - i)];
             return q->text == "//" && ir::Same(q->args[1], d) && known_.Equal(q->args[0], there);
           });
  }
  static bool Mentions(const S& s, const std::string& call) {
    return s->text == call ||
           std::ranges::any_of(s->args, [&](const S& a) { return Mentions(a, call); });
  }
  // What a kernel says in its parameters, as the launch gives them.
  static S Given(const S& s, const ir::Kernel& kernel, const HostStmt& launch) {
    return ir::Substitute(s, [&](const std::string& name) -> S {
      for (size_t i = 0; i < kernel.params.size(); ++i)
        if (kernel.params[i].name == name) return launch.scalars[i];
      return nullptr;
    });
  }

  // Elements 0, s, 2 * s, … of a tensor, as many as an attribute says.
  void Loops(const ir::Kernel& kernel, const ir::Block& b, std::map<std::string, S> lets,
             const HostStmt& launch) {
    auto plain = [&](const S& s) {
      return ir::Substitute(s, [&](const std::string& name) -> S {
        auto it = lets.find(name);
        return it == lets.end() ? nullptr : it->second;
      });
    };
    for (const auto& s : b) {
      if (s->kind == ir::Stmt::kLet && s->value->type == Ty::kInt) lets[s->name] = plain(s->value);
      if (!s->count_name.empty() && loop_ == nullptr) {
        loop_ = s.get();
        Loops(kernel, s->body, lets, launch);
        loop_ = nullptr;
      } else {
        Loops(kernel, s->body, lets, launch);
      }
      for (const ir::Copy& c : s->copies)
        if (loop_ && s->stage == ir::StageKind::kCopyIn && !kernel.gms[size_t(c.gm.gm)].is_list)
          for (size_t d = 0; d < c.gm.window.size(); ++d)
            Window(kernel, plain(c.gm.window[d].start), plain(c.gm.window[d].extent),
                   c.gm.window[d].room, launch);
    }
  }
  void Window(const ir::Kernel& kernel, const S& start, const S& extent, const S& room,
              const HostStmt& launch) {
    S last = loop_->last;
    if (last->text == "min") last = last->args[1];
    const S many = Given(last, kernel, launch), there = Given(room, kernel, launch);
    const S resolved = known_.Resolved(many);
    if (resolved->kind != SKind::kVar || known_.Equal(many, there)) return;
    const S i = ir::Var(loop_->name, Ty::kInt), n = ir::Var(loop_->count_name, Ty::kInt);
    std::vector<S> steps = {ir::Int(1)};
    if (start->text == "*") steps.push_back(start->args[ir::Same(start->args[0], i) ? 1 : 0]);
    auto same = [&](const S& a, const S& b) {
      return ir::Same(known_.Resolved(Given(a, kernel, launch)),
                      known_.Resolved(Given(b, kernel, launch)));
    };
    for (const S& step : steps) {
      if (!ir::Same(start, ir::Mul(i, step))) continue;
      const S by = Given(step, kernel, launch);
      if (same(extent, ir::Mul(n, step)))
        Ask(Compared("<=", ir::Mul(many, by), there), launch.place);
      else if (same(extent, ir::Add(ir::Mul(ir::Sub(n, ir::Int(1)), step), ir::Int(1))))
        Ask(Compared("<", ir::Mul(ir::Sub(many, ir::Int(1)), by), there), launch.place);
    }
  }

  // Lists of which tensors of one number are looked at together.
  void Alike(const ir::Kernel& kernel, size_t g, const HostStmt& s, std::string& first) {
    const HostTensor* made = p_.Tensor(s.tensors[g]);
    const std::string& input = made ? made->of : s.tensors[g];
    if (!kernel.gms[g].is_list || first == input) return;
    if (first.empty()) {
      first = input;
      return;
    }
    auto same =
        std::make_shared<ir::Scalar>(*ir::Call("alike", {ir::Var(input, Ty::kInt)}, Ty::kBool));
    same->tensor = first;
    Ask(same, s.place);
  }

  const ir::Program& p_;
  const int first_line_;  // of the host function
  Facts known_;
  const ir::Stmt* loop_ = nullptr;  // tiles() that is looked at
  std::vector<Demand> demands_;
};

std::string With(const std::string& program, const std::vector<Demand>& demands) {
  std::map<int, std::string> by_line;
  for (const Demand& d : demands) {
    std::string& all = by_line[d.line];
    all += (all.empty() ? "" : " and ") + d.text;
  }
  std::string out;
  int line = 1;
  for (size_t at = 0; at < program.size(); ++line) {
    const size_t end = std::min(program.find('\n', at), program.size());
    if (auto it = by_line.find(line); it != by_line.end())
      out += program.substr(at, program.find_first_not_of(' ', at) - at) + "require(" + it->second +
             ")\n";
    out += program.substr(at, end - at) + (end < program.size() ? "\n" : "");
    at = end + 1;
  }
  return out;
}

Arguments ArgumentsOf(const ir::Program& p, const PlanTask& task, const PlanCase& c) {
  Arguments out;
  for (size_t i = 0; i < task.params.size() && i < p.params.size(); ++i) {
    const PlanParam& param = task.params[i];
    const std::string& name = p.params[i].name;
    if (!param.is_attr) {
      auto shape = c.shapes.find(param.id);
      out.tensors[name] = {};
      if (shape != c.shapes.end()) out.tensors[name] = {{p.params[i].dtype, shape->second, {}, {}}};
      continue;
    }
    auto value = c.attrs.find(param.id);
    if (value == c.attrs.end()) continue;
    const base::Json& j = value->second;
    if (j.is_array()) out.int_lists[name] = j.get<std::vector<int64_t>>();
    if (j.is_boolean()) out.attrs[name] = j.get<bool>();
    if (j.is_number_integer()) out.attrs[name] = j.get<int64_t>();
    if (j.is_number_float()) out.attrs[name] = j.get<double>();
    if (j.is_string()) out.attrs[name] = j.get<std::string>();
  }
  size_t o = 0;
  for (const HostTensor& t : p.tensors)
    if (t.kind != HostTensor::kWorkspace && o < c.outputs.size()) {
      if (t.given) out.given[t.name] = c.outputs[o];
      ++o;
    }
  return out;
}

// Cases whose launches the host function goes through with.
std::vector<bool> Accepted(const Compiled& c, const PlanTask& task) {
  std::vector<bool> out;
  for (const PlanCase& one : task.cases) {
    const size_t column = one.column < c.programs.size() ? one.column : 0;
    const ir::Program& p = c.programs[column];
    out.push_back(HostAccepts(p, c.lowered[column], ArgumentsOf(p, task, one)));
  }
  return out;
}
}  // namespace

std::string WithDemands(const std::string& program, const PlanTask& task, const Target& target) {
  const Compiled before = Compile(program, target);
  if (!before.diagnostics.empty()) return program;
  const std::string head = program.substr(0, program.rfind("@host"));
  const int first_line = 1 + static_cast<int>(std::ranges::count(head, '\n'));
  std::vector<Demand> demands = Demands(before.programs[0], first_line).Run();
  if (demands.empty()) return program;
  const std::vector<bool> accepted = Accepted(before, task);
  auto holds = [&](const std::vector<Demand>& some) {
    const Compiled after = Compile(With(program, some), target);
    return after.diagnostics.empty() && Accepted(after, task) == accepted;
  };
  if (holds(demands)) return With(program, demands);
  std::vector<Demand> kept;
  for (const Demand& d : demands)
    if (holds({d})) kept.push_back(d);
  return With(program, kept);
}

}  // namespace akgen::craft
