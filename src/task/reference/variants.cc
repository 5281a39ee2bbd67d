#include "task/reference/variants.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/jit.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "task/reference/variant_functions.h"

namespace akgen::task {
namespace {
using torch::jit::Block;
using torch::jit::Graph;
using torch::jit::Node;
using torch::jit::Value;
using torch::jit::WithInsertPoint;

// Functions that are expanded as a polynomial, and what is often done by way of a narrower number.
const std::set<std::string> kExpanded = {
    "exp",  "exp2",     "expm1", "erf",   "erfc",       "erfinv", "tanh",    "sin",
    "cos",  "tan",      "log",   "log2",  "log10",      "log1p",  "sigmoid", "sinh",
    "cosh", "asin",     "acos",  "atan",  "asinh",      "acosh",  "atanh",   "gelu",
    "silu", "softplus", "sqrt",  "rsqrt", "reciprocal", "pow",    "lgamma",  "digamma"};

constexpr double kLargestEpsilon = 0.01;

// What a kind of variant puts in the place of an operator.
struct Replacement {
  std::string kind;
  std::shared_ptr<Graph> graph;
  std::vector<c10::TypePtr> arguments;
};

std::shared_ptr<Graph> Inlined(torch::jit::Function& f) {
  auto graph = torch::jit::toGraphFunction(f).graph()->copy();
  torch::jit::Inline(*graph);
  return graph;
}

// Of a whole input: the same for lists and for optional ones.
std::string WithLists(std::string text) {
  const std::string mark = "__input(x: Tensor)";
  std::string more;
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const size_t start = text.rfind("def ", at) + 4;
    const std::string kind = text.substr(start, at - start);
    more += "\ndef " + kind +
            "__list(xs: List[Tensor]) -> List[Tensor]:\n    out: List[Tensor] = []\n" +
            "    for i in range(len(xs)):\n        out.append(" + kind +
            "__input(xs[i]))\n    return out\n" + "\ndef " + kind +
            "__optional(x: Optional[Tensor]) -> Optional[Tensor]:\n    if x is not None:\n        "
            "return " +
            kind + "__input(x)\n    return x\n";
  }
  return text + more;
}

class Functions {
 public:
  static const Functions& All() {
    static const Functions all;
    return all;
  }
  const std::vector<Replacement>& Of(const std::string& op) const {
    static const std::vector<Replacement> none;
    auto it = by_op_.find(op);
    return it == by_op_.end() ? none : it->second;
  }
  std::shared_ptr<Graph> inside, beyond;

 private:
  Functions() : unit_(torch::jit::compile(WithLists(kVariantFunctions))) {
    for (torch::jit::Function* f : unit_->get_functions()) {
      const std::string& name = f->name();
      const size_t split = name.find("__");
      if (split == std::string::npos) {
        (name == "inside" ? inside : beyond) = Inlined(*f);
        continue;
      }
      std::string op = name.substr(split + 2);
      op = op.substr(0, op.find("__"));
      Replacement r{name.substr(0, split), Inlined(*f), {}};
      for (const c10::Argument& a : f->getSchema().arguments()) r.arguments.push_back(a.type());
      by_op_[op].push_back(std::move(r));
    }
  }
  std::shared_ptr<torch::jit::CompilationUnit> unit_;
  std::map<std::string, std::vector<Replacement>> by_op_;
};

bool IsTensor(const c10::TypePtr& t) { return t->kind() == c10::TypeKind::TensorType; }

bool Fits(const Replacement& r, const Node& n) {
  if (r.arguments.size() > n.inputs().size()) return false;
  for (size_t i = 0; i < r.arguments.size(); ++i) {
    const c10::TypePtr given = n.inputs()[i]->type();
    if (IsTensor(r.arguments[i]) != IsTensor(given)) return false;
    if ((r.arguments[i]->kind() == c10::TypeKind::ListType) !=
        (given->kind() == c10::TypeKind::ListType))
      return false;
  }
  return std::all_of(n.outputs().begin(), n.outputs().end(),
                     [](const Value* v) { return IsTensor(v->type()); });
}

// The results of `graph` on `inputs`, where new nodes go. A tuple is taken apart.
std::vector<Value*> Insert(Graph& into, Graph& graph, std::vector<Value*> inputs) {
  std::vector<Value*> out = torch::jit::insertGraph(into, graph, inputs);
  if (out.size() != 1 || out[0]->type()->kind() != c10::TypeKind::TupleType) return out;
  auto parts = torch::jit::createTupleUnpack(out[0]);
  return {parts.begin(), parts.end()};
}

// Users of `n` take `instead`; the node goes once nobody needs it.
void Replace(Node* n, const std::vector<Value*>& instead) {
  for (size_t i = 0; i < n->outputs().size(); ++i) n->output(i)->replaceAllUsesWith(instead.at(i));
}

Value* InsertCall(Graph& g, const char* op, std::vector<Value*> inputs) {
  Node* n = g.insertNode(g.create(c10::Symbol::fromQualString(op), inputs, 1));
  return n->output();
}

// Whether a value is another one seen through operators that only move it.
Value* Unmoved(Value* v) {
  static const std::set<std::string> kMoves = {"unsqueeze", "squeeze",   "expand",
                                               "reshape",   "view",      "contiguous",
                                               "detach",    "expand_as", "to"};
  while (v->node()->kind().is_aten() && kMoves.count(v->node()->kind().toUnqualString()))
    v = v->node()->input(0);
  return v;
}

bool Is(const Value* v, std::initializer_list<const char*> ops) {
  if (!v->node()->kind().is_aten()) return false;
  const std::string op = v->node()->kind().toUnqualString();
  return std::any_of(ops.begin(), ops.end(), [&](const char* o) { return op == o; });
}

// x - max(x): without the maximum.
bool SubtractsMaximum(const Node& n) {
  if (n.kind() != c10::aten::sub || n.inputs().size() < 2 || !IsTensor(n.input(1)->type()))
    return false;
  Value* high = Unmoved(n.input(1));
  return Is(high, {"amax", "max"}) && Unmoved(high->node()->input(0)) == Unmoved(n.input(0));
}
void WithoutMaximum(Node* n) { Replace(n, {n->input(0)}); }

// x + epsilon: a small constant, or an attribute that is called so.
bool AddsEpsilon(const Node& n) {
  if (n.kind() != c10::aten::add || n.inputs().size() < 2 || !IsTensor(n.input(0)->type()))
    return false;
  Value* v = n.input(1);
  if (v->node()->kind() == c10::prim::Param) return v->debugName().find("eps") != std::string::npos;
  auto constant = torch::jit::toIValue(v);
  return constant && constant->isDouble() && constant->toDouble() > 0 &&
         constant->toDouble() < kLargestEpsilon;
}

// mean(d * d) with d = x - mean(x): as mean(x * x) - mean(x) * mean(x).
Value* CentredOf(const Node& n) {
  if ((n.kind() != c10::aten::mean && n.kind() != c10::aten::sum) || n.inputs().size() < 3)
    return nullptr;
  Value* square = n.input(0);
  if (!Is(square, {"mul", "pow"})) return nullptr;
  Value* d = square->node()->input(0);
  if (!Is(d, {"sub"}) || !Is(Unmoved(d->node()->input(1)), {"mean"})) return nullptr;
  if (Is(square, {"pow"})) return d->node()->input(0);
  Value* e = square->node()->input(1);
  bool same = e == d || (Is(e, {"sub"}) && e->node()->input(0) == d->node()->input(0) &&
                         e->node()->input(1) == d->node()->input(1));
  return same ? d->node()->input(0) : nullptr;
}
void SquareOfMean(Node* n) {
  static const auto unit = torch::jit::compile(R"(
def mean(x: Tensor, dim: Optional[List[int]], keep: bool) -> Tensor:
    m = x.mean(dim, keep)
    return (x * x).mean(dim, keep) - m * m

def sum(x: Tensor, dim: Optional[List[int]], keep: bool) -> Tensor:
    m = x.mean(dim, keep)
    s = (x * x).sum(dim, keep)
    return s - m * m * (x.numel() / m.numel())
)");
  auto graph = Inlined(unit->get_function(n->kind().toUnqualString()));
  WithInsertPoint here(n);
  Replace(n, Insert(*n->owningGraph(), *graph, {CentredOf(*n), n->input(1), n->input(2)}));
}

// Right inside of [low, high]: `held` at its ends, else growing past them.
void OnInterval(Node* n, double low, double high, bool held) {
  Graph& g = *n->owningGraph();
  Value* x = n->input(0);
  WithInsertPoint here(n);
  Value *from = g.insertConstant(low), *to = g.insertConstant(high);
  Value* kept = Insert(g, *Functions::All().inside, {x, from, to})[0];
  n->replaceInput(0, kept);
  if (held) return;
  WithInsertPoint after(n->next());
  Value* grown = Insert(g, *Functions::All().beyond, {n->output(), x, from, to})[0];
  n->output()->replaceAllUsesAfterNodeWith(grown->node(), grown);
}

std::map<std::string, std::pair<double, double>>& SeenHere() {
  thread_local std::map<std::string, std::pair<double, double>> seen;
  return seen;
}
at::Tensor Watch(at::Tensor x, std::string name) {
  if (x.numel() == 0 || x.is_complex()) return x;
  at::Tensor v = x.to(at::kDouble);
  v = v.masked_select(at::isfinite(v));
  if (v.numel() == 0) return x;
  const double low = v.min().item<double>(), high = v.max().item<double>();
  auto [it, first] = SeenHere().try_emplace(std::move(name), low, high);
  if (!first) it->second = {std::min(it->second.first, low), std::max(it->second.second, high)};
  return x;
}
TORCH_LIBRARY(akgen_variants, m) { m.def("watch(Tensor(a) x, str name) -> Tensor(a)", Watch); }

// Nodes of one operator at one place of the script (a function that is called twice is there
// twice).
struct Site {
  std::string op, name;  // name: "erf@4"
  std::string line;
  std::vector<Node*> nodes;
};

bool OnIntervals(const Site& s) {
  const Node& n = *s.nodes[0];
  return kExpanded.count(s.op) && n.outputs().size() == 1 && !n.inputs().empty() &&
         IsTensor(n.input(0)->type());
}

struct Made {
  record::ReferenceVariant variant;
  std::function<void()> apply;
};

class Variants {
 public:
  explicit Variants(Graph& g, double low = 0, double high = 0) : graph_(g), low_(low), high_(high) {
    Collect(g.block());
    for (Site& s : sites_) AtSite(s);
    for (Value* v : g.inputs()) OfInput(v);
  }
  std::vector<Made>& made() { return made_; }
  const std::vector<Site>& sites() const { return sites_; }

 private:
  void Collect(Block* block) {
    for (Node* n : block->nodes()) {
      for (Block* inner : n->blocks()) Collect(inner);
      if (!n->kind().is_aten() || n->outputs().empty() || !IsTensor(n->output(0)->type())) continue;
      const torch::jit::SourceRange range = n->sourceRange();
      auto same = [&](const Place& p) {
        return p.start == range.start() && p.end == range.end() &&
               sites_[p.site].op == n->kind().toUnqualString();
      };
      auto it = std::find_if(places_.begin(), places_.end(), same);
      if (it == places_.end()) {
        places_.push_back({range.start(), range.end(), sites_.size()});
        sites_.push_back(NewSite(n, range));
        it = places_.end() - 1;
      }
      sites_[it->site].nodes.push_back(n);
    }
  }
  Site NewSite(Node* n, const torch::jit::SourceRange& range) {
    Site s;
    s.op = n->kind().toUnqualString();
    s.name = s.op;
    if (range.source()) {
      const size_t line = range.source()->lineno_for_offset(range.start());
      s.name += "@" + std::to_string(line + 1);
      s.line = range.source()->get_line(line).str();
      s.line.erase(0, s.line.find_first_not_of(' '));
    }
    if (int n_th = ++named_[s.name]; n_th > 1) s.name += "#" + std::to_string(n_th);
    return s;
  }

  void AtSite(Site& s) {
    auto every = [&s, this](const std::string& kind, std::function<void(Node*)> change,
                            bool on_interval = false) {
      record::ReferenceVariant v;
      v.name = kind + " " + s.name, v.place = s.line, v.on_interval = on_interval;
      made_.push_back(
          {v, [nodes = s.nodes, change] { std::for_each(nodes.begin(), nodes.end(), change); }});
    };
    const Node& first = *s.nodes[0];
    for (const Replacement& r : Functions::All().Of(s.op)) {
      if (!Fits(r, first)) continue;
      every(r.kind, [&r](Node* n) {
        WithInsertPoint here(n);
        std::vector<Value*> inputs(n->inputs().begin(),
                                   n->inputs().begin() + std::ptrdiff_t(r.arguments.size()));
        Replace(n, Insert(*n->owningGraph(), *r.graph, inputs));
      });
    }
    if (SubtractsMaximum(first)) every("no_max", WithoutMaximum);
    if (AddsEpsilon(first)) every("no_epsilon", [](Node* n) { Replace(n, {n->input(0)}); });
    if (CentredOf(first)) every("square_of_mean", SquareOfMean);
    if (!OnIntervals(s)) return;
    const size_t at = made_.size();
    every("short", {}, true), every("held", {}, true);
    for (size_t i = at; i < made_.size(); ++i)
      made_[i].apply = [nodes = s.nodes, held = i > at, this] {
        for (Node* n : nodes) OnInterval(n, low_, high_, held);
      };
  }

  void OfInput(Value* v) {
    const auto kind = v->type()->kind();
    const bool list = kind == c10::TypeKind::ListType &&
                      IsTensor(v->type()->expectRef<c10::ListType>().getElementType());
    const bool optional = kind == c10::TypeKind::OptionalType &&
                          IsTensor(v->type()->expectRef<c10::OptionalType>().getElementType());
    if (!list && !optional && !IsTensor(v->type())) return;
    for (const Replacement& r : Functions::All().Of(list       ? "list"
                                                    : optional ? "optional"
                                                               : "input")) {
      record::ReferenceVariant variant;
      const std::string input =
          v->debugName().substr(0, v->debugName().rfind('.'));  // libtorch numbers them
      variant.name = r.kind + " " + input, variant.place = "input " + input;
      made_.push_back({variant, [&r, v, this] {
                         std::vector<torch::jit::Use> uses(v->uses().begin(), v->uses().end());
                         WithInsertPoint here(*graph_.nodes().begin());
                         Value* changed = Insert(graph_, *r.graph, {v})[0];
                         for (const torch::jit::Use& u : uses)
                           u.user->replaceInput(u.offset, changed);
                       }});
    }
  }

  struct Place {
    size_t start, end, site;
  };
  Graph& graph_;
  double low_, high_;
  std::vector<Site> sites_;
  std::vector<Place> places_;
  std::map<std::string, int> named_;
  std::vector<Made> made_;
};
}  // namespace

std::vector<record::ReferenceVariant> VariantsOf(torch::jit::Function& reference) {
  auto graph = Inlined(reference);
  Variants all(*graph);
  std::vector<record::ReferenceVariant> out;
  for (const Made& m : all.made()) out.push_back(m.variant);
  return out;
}

std::shared_ptr<Graph> MakeVariant(torch::jit::Function& reference,
                                   const record::ReferenceVariant& variant) {
  auto graph = Inlined(reference);
  Variants all(*graph, variant.low, variant.high);
  for (Made& m : all.made()) {
    if (m.variant.name != variant.name) continue;
    m.apply();
    return graph;
  }
  return nullptr;
}

std::shared_ptr<Graph> MakeWatched(torch::jit::Function& reference) {
  auto graph = Inlined(reference);
  Variants all(*graph);
  for (const Site& s : all.sites()) {
    if (!OnIntervals(s)) continue;
    for (Node* n : s.nodes) {
      WithInsertPoint here(n);
      n->replaceInput(0, InsertCall(*graph, "akgen_variants::watch",
                                    {n->input(0), graph->insertConstant(s.name)}));
    }
  }
  return graph;
}

std::map<std::string, std::pair<double, double>> Seen() { return std::exchange(SeenHere(), {}); }

}  // namespace akgen::task
