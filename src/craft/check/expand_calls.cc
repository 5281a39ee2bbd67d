#include "craft/check/expand_calls.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "craft/check/scope.h"

namespace akgen::craft {
namespace {
using ast::Block;
using ast::Expr;
using ast::ExprKind;
using ast::ExprPtr;
using ast::Function;
using ast::Stmt;
using ast::StmtKind;
using ast::StmtPtr;

ExprPtr Node(ExprKind kind, Place place, std::string text, std::vector<ExprPtr> args = {}) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->place = place;
  e->text = std::move(text);
  e->args = std::move(args);
  return e;
}
ExprPtr NameNode(const std::string& name, Place place) {
  return Node(ExprKind::kName, place, name);
}
ExprPtr IntegerNode(int64_t value, Place place) {
  ExprPtr e = Node(ExprKind::kInt, place, std::to_string(value));
  e->int_value = value;
  return e;
}
ExprPtr Call(const std::string& f, Place place, std::vector<ExprPtr> args) {
  args.insert(args.begin(), NameNode(f, place));
  return Node(ExprKind::kCall, place, "", std::move(args));
}
StmtPtr Statement(StmtKind kind, Place place, ExprPtr value, std::vector<ExprPtr> targets = {}) {
  auto s = std::make_shared<Stmt>();
  s->kind = kind;
  s->place = place;
  s->value = std::move(value);
  s->targets = std::move(targets);
  return s;
}
// The names of `return y` and `return y, z`.
std::vector<ExprPtr> Returned(const Stmt& s) {
  if (!s.value) return {};
  return s.value->kind == ExprKind::kList ? s.value->args : std::vector<ExprPtr>{s.value};
}
bool Makes(const Stmt& s, const char* what) {
  return s.kind == StmtKind::kAssign && s.value->kind == ExprKind::kCall &&
         CalleeName(*s.value) == what;
}

using Names = std::map<std::string, ExprPtr>;  // of the called function: what stands for them

class Expander {
 public:
  Expander(const ast::Module& m, Diagnostics& d) : diag_(d) {
    for (const Function& f : m.functions)
      if (f.decorator == "host") hosts_.push_back(&f);
  }

  Function Run() {
    Function out = *hosts_.back();
    Taken(out.body);
    for (const ast::Param& p : out.params) taken_.insert(p.name);
    operator_ = &out;
    out.body = WithNamedReturns(out.body);
    Scope scope;
    scope.level = hosts_.size() - 1;
    scope.operator_itself = true;
    std::set<std::string> results;
    for (const auto& s : out.body)
      if (s->kind == StmtKind::kReturn)
        for (const ExprPtr& e : Returned(*s)) results.insert(e->text);
    scope.results = results;
    out.body = Expanded(out.body, scope);
    for (size_t i = 0; i + 1 < hosts_.size() && diag_.empty(); ++i)
      if (!called_.count(hosts_[i]))
        diag_.Add("AK1515", hosts_[i]->place,
                  fmt::format("nothing calls the host function {}", hosts_[i]->name),
                  "the operator is the last host function: it calls the others");
    return out;
  }

 private:
  struct Scope {
    size_t level = 0;  // functions before this one can be called
    Names names;
    bool operator_itself = false;
    std::set<std::string> results;  // names, as expanded, that the operator returns
  };

  void Taken(const Block& b) {
    for (const auto& s : b) {
      for (const auto& t : s->targets) taken_.insert(t->text);
      Taken(s->body);
      Taken(s->other);
    }
  }
  std::string Fresh(const std::string& base) {
    std::string name = base;
    for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}{}", base, n);
    return name;
  }

  // return f(x), y: what is called gets a name first.
  Block WithNamedReturns(const Block& b) {
    Block out;
    for (const auto& s : b) {
      if (s->kind != StmtKind::kReturn) {
        out.push_back(s);
        continue;
      }
      std::vector<ExprPtr> values = Returned(*s);
      for (ExprPtr& v : values)
        if (v->kind == ExprKind::kCall) {
          ExprPtr name = NameNode(Fresh("result"), v->place);
          out.push_back(Statement(StmtKind::kAssign, v->place, v, {name}));
          v = name;
        }
      ExprPtr value =
          values.size() == 1 ? values[0] : Node(ExprKind::kList, s->place, "tuple", values);
      out.push_back(Statement(StmtKind::kReturn, s->place, values.empty() ? nullptr : value));
    }
    return out;
  }

  const Function* Called(const Expr& e, const Scope& scope) const {
    if (e.kind != ExprKind::kCall || e.args[0]->kind != ExprKind::kName) return nullptr;
    for (size_t i = 0; i < hosts_.size(); ++i) {
      if (hosts_[i]->name != e.args[0]->text) continue;
      if (i < scope.level) return hosts_[i];
      if (std::ranges::count(HostFunctions(), hosts_[i]->name)) return nullptr;
      diag_.Add("AK1515", e.place,
                fmt::format("{} is called before it is written", hosts_[i]->name),
                "write functions in the order in which they call each other, the operator last");
      return nullptr;
    }
    return nullptr;
  }
  size_t LevelOf(const Function& f) const {
    size_t i = 0;
    while (hosts_[i] != &f) ++i;
    return i;
  }

  ExprPtr Renamed(const ExprPtr& e, const Scope& scope) const {
    if (!e) return e;
    if (e->kind == ExprKind::kName) {
      auto it = scope.names.find(e->text);
      if (it == scope.names.end()) return e;
      auto copy = std::make_shared<Expr>(*it->second);
      copy->place = e->place;
      return copy;
    }
    auto copy = std::make_shared<Expr>(*e);
    for (auto& a : copy->args) a = Renamed(a, scope);
    for (auto& k : copy->keywords) k.value = Renamed(k.value, scope);
    return copy;
  }

  // An expression of this scope, with calls of host functions in it done ahead.
  ExprPtr Value(const ExprPtr& e, const Scope& scope, Block& out) {
    if (!e) return e;
    if (const Function* f = Called(*e, scope)) {
      ExprPtr to = NameNode(Fresh(f->name + "_out"), e->place);
      Inline(*e, *f, {to}, scope, out);
      return to;
    }
    if (e->kind == ExprKind::kName) return Renamed(e, scope);
    auto copy = std::make_shared<Expr>(*e);
    for (auto& a : copy->args) a = Value(a, scope, out);
    for (auto& k : copy->keywords) k.value = Value(k.value, scope, out);
    return copy;
  }

  Block Expanded(const Block& b, Scope& scope) {
    Block out;
    for (const auto& s : b) One(*s, scope, out);
    return out;
  }

  void One(const Stmt& s, Scope& scope, Block& out) {
    if (s.kind == StmtKind::kReturn && !scope.operator_itself) return;
    if (s.kind == StmtKind::kAssign && Called(*s.value, scope)) {
      std::vector<ExprPtr> targets;
      for (const auto& t : s.targets) targets.push_back(Renamed(t, scope));
      return Inline(*s.value, *Called(*s.value, scope), targets, scope, out);
    }
    if (s.kind == StmtKind::kExpr && Called(*s.value, scope))
      return Inline(*s.value, *Called(*s.value, scope), {}, scope, out);
    auto copy = std::make_shared<Stmt>(s);
    for (auto& t : copy->targets) t = Renamed(t, scope);
    copy->value = Value(s.value, scope, out);
    if (!scope.operator_itself && Makes(*copy, "empty") &&
        !scope.results.count(copy->targets[0]->text))
      copy->value->args[0] = NameNode("workspace", copy->place);
    copy->body = Expanded(s.body, scope);
    copy->other = Expanded(s.other, scope);
    out.push_back(copy);
  }

  void Inline(const Expr& call, const Function& f, const std::vector<ExprPtr>& targets,
              const Scope& scope, Block& out) {
    called_.insert(&f);
    if (++calls_ > kMaxCalls) {
      if (calls_ == kMaxCalls + 1)
        diag_.Add("AK1515", call.place,
                  fmt::format("more than {} calls of host functions", kMaxCalls),
                  "each call is a launch of its own: call fewer");
      return;
    }
    Scope inner;
    inner.level = LevelOf(f);
    inner.results = scope.results;
    const std::string prefix = (targets.empty() ? f.name : targets[0]->text) + "_";
    if (!Arguments(call, f, prefix, scope, inner, out)) return;
    const Block body = WithNamedReturns(f.body);
    std::vector<ExprPtr> results, made;
    bool returns = false;
    for (const auto& s : body) {
      if (s->kind == StmtKind::kReturn) results = Returned(*s), returns = true;
      if (Makes(*s, "empty") || Makes(*s, "inplace")) made.push_back(s->targets[0]);
    }
    if (!returns) results = made;  // as of the operator: what it makes
    if (results.size() != targets.size())
      return diag_.Add(
          "AK1515", call.place,
          fmt::format("{} gives {} tensors, not {}", f.name, results.size(), targets.size()),
          "give each of them a name: y, z = f(x)");
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i]->kind != ExprKind::kName)
        return diag_.Add("AK1515", results[i]->place,
                         fmt::format("{} returns something that has no name", f.name),
                         "return names of tensors: return y, z");
      inner.names[results[i]->text] = targets[i];
    }
    Extents(f, prefix, inner, out);
    Locals(body, prefix, inner);
    for (auto& s : Expanded(body, inner)) out.push_back(s);
  }

  bool Arguments(const Expr& call, const Function& f, const std::string& prefix, const Scope& scope,
                 Scope& inner, Block& out) {
    if (call.args.size() - 1 > f.params.size())
      return diag_.Add("AK1515", call.place,
                       fmt::format("{} takes {} arguments, not {}", f.name, f.params.size(),
                                   call.args.size() - 1)),
             false;
    for (size_t i = 0; i < f.params.size(); ++i) {
      const ast::Param& p = f.params[i];
      ExprPtr given = i + 1 < call.args.size() ? call.args[i + 1] : nullptr;
      for (const auto& k : call.keywords)
        if (k.name == p.name) given = k.value;
      if (!given && !p.fallback)
        return diag_.Add("AK1515", call.place,
                         fmt::format("argument '{}' of {} is missing", p.name, f.name)),
               false;
      ExprPtr value = given ? Value(given, scope, out) : p.fallback;
      const bool plain = value->kind == ExprKind::kName || value->kind == ExprKind::kInt ||
                         value->kind == ExprKind::kFloat || value->kind == ExprKind::kBool ||
                         value->kind == ExprKind::kString || value->kind == ExprKind::kNone;
      if (!plain) {
        ExprPtr name = NameNode(Fresh(prefix + p.name), call.place);
        out.push_back(Statement(StmtKind::kAssign, call.place, value, {name}));
        value = name;
      }
      inner.names[p.name] = value;
    }
    return true;
  }

  // x: tensor(f16)[m, k] names extents: these are the argument's.
  void Extents(const Function& f, const std::string& prefix, Scope& inner, Block& out) {
    for (const ast::Param& p : f.params) {
      const Expr* a = p.annotation.get();
      if (!a || a->kind != ExprKind::kSubscript || &WithoutExtents(*a) == a) continue;
      NameOperators(Renamed(NameNode(p.name, p.place), inner)->text, a->args.size() - 1, p.place);
      auto shape = [&] {
        return Node(ExprKind::kAttribute, p.place, "shape",
                    {Renamed(NameNode(p.name, p.place), inner)});
      };
      auto require = [&](ExprPtr left, ExprPtr right) {
        ExprPtr equal =
            Node(ExprKind::kCompare, p.place, "==", {std::move(left), std::move(right)});
        out.push_back(Statement(StmtKind::kExpr, p.place, Call("require", p.place, {equal})));
      };
      require(Call("len", p.place, {shape()}),
              IntegerNode(static_cast<int64_t>(a->args.size()) - 1, p.place));
      for (size_t i = 1; i < a->args.size(); ++i) {
        ExprPtr extent = Node(ExprKind::kSubscript, p.place, "",
                              {shape(), IntegerNode(static_cast<int64_t>(i) - 1, p.place)});
        const Expr& name = *a->args[i];
        if (name.kind == ExprKind::kName && !inner.names.count(name.text)) {
          ExprPtr own = NameNode(Fresh(prefix + name.text), p.place);
          out.push_back(Statement(StmtKind::kAssign, p.place, extent, {own}));
          inner.names[name.text] = own;
        } else {
          require(extent, Renamed(a->args[i], inner));
        }
      }
    }
  }

  // What a called function names extents of has them in the operator, too: kernels ask for the
  // tensor's.
  void NameOperators(const std::string& argument, size_t rank, Place place) {
    for (ast::Param& p : operator_->params) {
      if (p.name != argument || !p.annotation || p.fallback ||
          CalleeName(*p.annotation) != "tensor")
        continue;
      std::vector<ExprPtr> named = {p.annotation};
      for (size_t i = 0; i < rank; ++i)
        named.push_back(NameNode(Fresh(fmt::format("{}_{}", argument, i)), place));
      p.annotation = Node(ExprKind::kSubscript, p.annotation->place, "", std::move(named));
    }
  }

  void Locals(const Block& b, const std::string& prefix, Scope& inner) {
    for (const auto& s : b) {
      for (const auto& t : s->targets)
        if (t->kind == ExprKind::kName && !inner.names.count(t->text))
          inner.names[t->text] = NameNode(Fresh(prefix + t->text), t->place);
      Locals(s->body, prefix, inner);
      Locals(s->other, prefix, inner);
    }
  }

  static constexpr int kMaxCalls = 4096;
  int calls_ = 0;
  Function* operator_ = nullptr;
  std::vector<const Function*> hosts_;
  std::set<const Function*> called_;
  std::set<std::string> taken_;
  Diagnostics& diag_;
};
}  // namespace

ast::Function ExpandCalls(const ast::Module& m, Diagnostics& d) { return Expander(m, d).Run(); }

}  // namespace akgen::craft
