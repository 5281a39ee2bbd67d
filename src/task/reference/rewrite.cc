#include "task/reference/rewrite.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/library.h>

#include <algorithm>
#include <limits>
#include <set>

#include "task/nudge.h"

namespace akgen::task {
using torch::jit::Block;
using torch::jit::Graph;
using torch::jit::Node;
using torch::jit::Value;

namespace {
// Rounds in place, so that views of the tensor see it too.
at::Tensor RoundInPlace(at::Tensor t, int64_t bfloat) {
  if (t.scalar_type() == at::kFloat && t.is_non_overlapping_and_dense())
    t.copy_(t.to(bfloat ? at::kBFloat16 : at::kHalf));
  return t;
}
at::Tensor NudgeInPlace(at::Tensor t, double by, int64_t pattern, int64_t number) {
  if (t.scalar_type() == at::kDouble && t.is_non_overlapping_and_dense())
    NudgeElements({by, int(pattern), uint64_t(number)}, t.data_ptr<double>(), uint64_t(t.numel()));
  return t;
}
// `sum`, in place, as Terms of task/evaluate/terms.h: its terms add up to `above` and `below` by
// their signs, as means of `count` of them.
at::Tensor MarkInPlace(at::Tensor sum, const at::Tensor& above, const at::Tensor& below,
                       int64_t count, double undecided) {
  constexpr double kMost = std::numeric_limits<float>::max(),
                   kInfinity = std::numeric_limits<double>::infinity();
  if (sum.scalar_type() != at::kDouble || !sum.is_non_overlapping_and_dense()) return sum;
  const at::Tensor positive = above * double(count), negative = below * double(-count),
                   all = positive + negative, whole = sum * double(count);
  sum.masked_fill_(whole > kMost, kInfinity).masked_fill_(whole < -kMost, -kInfinity);
  sum.masked_fill_(((all > kMost) & all.isfinite() & (whole.abs() <= kMost)) |
                       (at::minimum(positive, negative) > kMost),
                   undecided);
  return sum;
}
int64_t CountOf(const at::Tensor& terms, const at::Tensor& means) {
  return terms.numel() / std::max<int64_t>(1, means.numel());
}
TORCH_LIBRARY(akgen, m) {
  m.def(
      "mark_(Tensor(a!) self, Tensor above, Tensor below, int count, float undecided) -> "
      "Tensor(a!)",
      MarkInPlace);
  m.def("count(Tensor terms, Tensor means) -> int", CountOf);
  m.def("nudge_(Tensor(a!) self, float by, int pattern, int number) -> Tensor(a!)", NudgeInPlace);
  m.def("round_(Tensor(a!) self, int bfloat) -> Tensor(a!)", RoundInPlace);
}

bool IsOneOf(const Node* n, std::initializer_list<const char*> names) {
  const std::string name = n->kind().toQualString();
  return std::any_of(names.begin(), names.end(),
                     [&](const char* one) { return name == std::string("aten::") + one; });
}

// What is rounded, to stand where `v` stands; null where `v` is no rounded value. Nodes on the way
// change in place, so only those whose value nothing else uses.
Value* Unrounded(Value* v) {
  Node* n = v->node();
  if (IsOneOf(n, {"round"}) && n->inputs().size() == 1) return n->input(0);
  if (v->uses().size() > 1) return nullptr;
  if (IsOneOf(n, {"to", "type_as", "trunc", "floor", "ceil"}))
    return Unrounded(n->input(0));  // whole by now
  bool found = false;
  if (IsOneOf(n, {"clamp", "clamp_min", "clamp_max", "reshape", "view", "contiguous", "flatten",
                  "squeeze", "unsqueeze", "transpose", "permute"})) {
    if (Value* inner = Unrounded(n->input(0))) n->replaceInput(0, inner), found = true;
  } else if (n->kind() == torch::jit::prim::TupleConstruct ||
             n->kind() == torch::jit::prim::ListConstruct) {
    for (size_t i = 0; i < n->inputs().size(); ++i)
      if (Value* inner = Unrounded(n->input(i))) n->replaceInput(i, inner), found = true;
  } else if (n->kind() == torch::jit::prim::If) {
    for (Block* block : n->blocks())
      if (Value* inner = Unrounded(block->outputs()[v->offset()]))
        block->replaceOutput(v->offset(), inner), found = true;
  }
  return found ? v : nullptr;
}
}  // namespace

void RoundResults(Block* block, bool bfloat) {
  static const auto kRound = c10::Symbol::fromQualString("akgen::round_");
  for (Node* n : block->nodes()) {
    for (Block* inner : n->blocks()) RoundResults(inner, bfloat);
    if (n->kind() == kRound || !n->kind().is_aten()) continue;
    for (Value* v : n->outputs()) {
      if (v->type()->kind() != c10::TypeKind::TensorType) continue;
      Graph& g = *n->owningGraph();
      torch::jit::WithInsertPoint after(n->next());
      Value* kind = g.insertConstant(int64_t(bfloat));
      Node* round = g.insertNode(g.create(kRound, {v, kind}, 1));
      v->replaceAllUsesAfterNodeWith(round, round->output());
    }
  }
}

namespace {
// Operations whose results float32 rounds.
const std::set<std::string> kArithmetic = {"add",
                                           "sub",
                                           "rsub",
                                           "mul",
                                           "div",
                                           "pow",
                                           "exp",
                                           "expm1",
                                           "log",
                                           "log1p",
                                           "log2",
                                           "log10",
                                           "sqrt",
                                           "rsqrt",
                                           "reciprocal",
                                           "square",
                                           "sigmoid",
                                           "tanh",
                                           "sin",
                                           "cos",
                                           "tan",
                                           "erf",
                                           "softmax",
                                           "log_softmax",
                                           "logsumexp",
                                           "gelu",
                                           "silu",
                                           "mish",
                                           "softplus",
                                           "elu",
                                           "selu",
                                           "hardswish",
                                           "hardsigmoid",
                                           "addcmul",
                                           "addcdiv",
                                           "lerp",
                                           "sum",
                                           "mean",
                                           "var",
                                           "std",
                                           "norm",
                                           "linalg_norm",
                                           "linalg_vector_norm",
                                           "prod",
                                           "cumsum",
                                           "cumprod",
                                           "matmul",
                                           "mm",
                                           "bmm",
                                           "mv",
                                           "dot",
                                           "linear",
                                           "einsum",
                                           "addmm",
                                           "baddbmm",
                                           "addmv",
                                           "bilinear",
                                           "cdist",
                                           "conv1d",
                                           "conv2d",
                                           "conv3d",
                                           "conv_transpose1d",
                                           "conv_transpose2d",
                                           "conv_transpose3d",
                                           "_convolution",
                                           "convolution",
                                           "batch_norm",
                                           "instance_norm",
                                           "group_norm",
                                           "layer_norm",
                                           "avg_pool1d",
                                           "avg_pool2d",
                                           "avg_pool3d",
                                           "adaptive_avg_pool1d",
                                           "adaptive_avg_pool2d",
                                           "adaptive_avg_pool3d"};

// Whether float32 would round the result; in place or not.
bool Rounds(const Node* n) {
  std::string op = n->kind().toUnqualString();
  if (op.size() > 1 && op.back() == '_') op.pop_back();
  return n->kind().is_aten() && kArithmetic.count(op) > 0;
}

void NudgeResults(Block* block, double by, int pattern, int64_t& number) {
  static const auto kNudge = c10::Symbol::fromQualString("akgen::nudge_");
  const std::vector<Node*> nodes(block->nodes().begin(), block->nodes().end());
  for (Node* n : nodes) {
    for (Block* inner : n->blocks()) NudgeResults(inner, by, pattern, number);
    if (!Rounds(n) || n->outputs().size() != 1) continue;
    Graph& g = *n->owningGraph();
    torch::jit::WithInsertPoint after(n->next());
    Node* nudge =
        g.insertNode(g.create(kNudge,
                              {n->output(), g.insertConstant(by),
                               g.insertConstant(int64_t(pattern)), g.insertConstant(number++)},
                              1));
    n->output()->replaceAllUsesAfterNodeWith(nudge, nudge->output());
  }
}
}  // namespace

void NudgeResults(Block* block, double by, int pattern) {
  int64_t number = 0;
  NudgeResults(block, by, pattern, number);
}

namespace {
// Where the operands of a sum of products, or of a plain sum, stand: a list of two counts as both.
struct SumOperands {
  std::vector<size_t> factors;  // one of a plain sum
  std::optional<size_t> addend;
};
std::optional<SumOperands> OperandsOf(const Node* n) {
  if (IsOneOf(n, {"sum", "mean", "cumsum"})) return SumOperands{{0}, {}};
  if (IsOneOf(n, {"matmul", "mm", "bmm", "mv", "dot"})) return SumOperands{{0, 1}, {}};
  if (IsOneOf(n, {"addmm", "baddbmm", "addmv"})) return SumOperands{{1, 2}, 0};
  if (IsOneOf(n, {"linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
                  "conv_transpose3d", "_convolution", "convolution"}))
    return SumOperands{{0, 1}, 2};
  return std::nullopt;
}

// Clones of a sum over terms of one sign, in front of it.
class SignedSums {
 public:
  explicit SignedSums(Node* n) : n_(n), graph_(*n->owningGraph()) {}
  // Nothing where the operands are others than such sums have.
  std::optional<std::pair<Value*, Value*>> AboveAndBelow() {
    Node* list = IsOneOf(n_, {"einsum"}) ? n_->input(1)->node() : nullptr;
    const auto operands = list ? std::optional(SumOperands{{0, 1}, {}}) : OperandsOf(n_);
    if (!operands) return std::nullopt;
    if (list && (list->kind() != torch::jit::prim::ListConstruct || list->inputs().size() != 2))
      return std::nullopt;
    torch::jit::WithInsertPoint before(n_);
    Node* from = list ? list : n_;
    auto clone = [&](std::vector<bool> negative, std::optional<bool> addend) {
      Node* made = graph_.createClone(from, [](Value* v) { return v; });
      for (size_t k = 0; k < operands->factors.size(); ++k) {
        const size_t at = operands->factors[k];
        made->replaceInput(at, Part(from->input(at), negative[k]));
      }
      if (const auto at = operands->addend; at && IsTensor(from->input(*at)))
        made->replaceInput(
            *at, addend ? Part(from->input(*at), *addend) : Call("zeros_like", {from->input(*at)}));
      graph_.insertNode(made);
      if (!list) return made->output();
      Node* whole = graph_.createClone(n_, [](Value* v) { return v; });
      whole->replaceInput(1, made->output());
      return graph_.insertNode(whole)->output();
    };
    if (operands->factors.size() == 1) return std::pair(clone({false}, {}), clone({true}, {}));
    return std::pair(Sum(clone({false, false}, false), clone({true, true}, {})),
                     Sum(clone({false, true}, true), clone({true, false}, {})));
  }

 private:
  static bool IsTensor(const Value* v) { return v->type()->kind() == c10::TypeKind::TensorType; }
  Value* Call(const std::string& op, std::vector<Value*> inputs) {
    std::vector<torch::jit::NamedValue> given(inputs.begin(), inputs.end());
    return graph_.insert(c10::Symbol::fromQualString("aten::" + op), given);
  }
  // What is infinite becomes large: beside 0 it would make NaN, where its sign alone counts.
  Value* Part(Value* v, bool negative) {
    constexpr double kLarge = 1e200;
    return Call("clamp", {v, graph_.insertConstant(negative ? -kLarge : 0.0),
                          graph_.insertConstant(negative ? 0.0 : kLarge)});
  }
  Value* Sum(Value* a, Value* b) { return Call("add", {a, b}); }

  Node* n_;
  Graph& graph_;
};
}  // namespace

void MarkUndecidedSums(Block* block, double undecided) {
  static const auto kMark = c10::Symbol::fromQualString("akgen::mark_"),
                    kCount = c10::Symbol::fromQualString("akgen::count");
  const std::vector<Node*> nodes(block->nodes().begin(), block->nodes().end());
  for (Node* n : nodes) {
    for (Block* inner : n->blocks()) MarkUndecidedSums(inner, undecided);
    if (!n->kind().is_aten()) continue;
    const auto sums = SignedSums(n).AboveAndBelow();
    if (!sums) continue;
    Graph& g = *n->owningGraph();
    torch::jit::WithInsertPoint after(n->next());
    Value* count = IsOneOf(n, {"mean"})
                       ? g.insertNode(g.create(kCount, {n->input(0), n->output()}, 1))
                             ->output()
                             ->setType(c10::IntType::get())
                       : g.insertConstant(int64_t{1});
    Node* mark = g.insertNode(g.create(
        kMark, {n->output(), sums->first, sums->second, count, g.insertConstant(undecided)}, 1));
    n->output()->replaceAllUsesAfterNodeWith(mark, mark->output());
  }
}

void ComputeInSingle(Block* block) {
  for (Node* n : block->nodes()) {
    for (Block* inner : n->blocks()) ComputeInSingle(inner);
    const auto* schema = n->maybeSchema();
    if (!schema || !n->kind().is_aten()) continue;
    for (size_t i = 0; i < n->inputs().size() && i < schema->arguments().size(); ++i) {
      if (schema->arguments()[i].name() != "dtype") continue;
      const auto said = torch::jit::toIValue(n->input(i));
      if (!said || !said->isInt() || said->toInt() != int64_t(at::kDouble)) continue;
      torch::jit::WithInsertPoint before(n);
      n->replaceInput(i, n->owningGraph()->insertConstant(int64_t(at::kFloat)));
    }
  }
}

bool LeaveUnrounded(Graph& graph) {
  bool found = false;
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    if (Value* inner = Unrounded(graph.outputs()[i]))
      graph.block()->replaceOutput(i, inner), found = true;
  return found;
}

}  // namespace akgen::task
