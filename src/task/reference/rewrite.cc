#include "task/reference/rewrite.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/library.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
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
at::Tensor NudgeInPlace(at::Tensor t, double by, int64_t pattern, int64_t place) {
  if (t.scalar_type() == at::kDouble && t.is_non_overlapping_and_dense())
    NudgeElements({by, int(pattern), 0, uint64_t(place)}, t.data_ptr<double>(),
                  uint64_t(t.numel()));
  return t;
}
at::Tensor MovedTies(const at::Tensor& x, double share) {
  if (x.scalar_type() != at::kDouble && x.scalar_type() != at::kFloat) return x;
  return at::where((x * 2).remainder(2) == 1, x, x * (1 + share));
}
at::Tensor Defined(const at::Tensor& x) {
  if (!x.is_floating_point()) return x;
  return x.masked_fill((x.abs() < 0x1p63).logical_not(), 0x1p30);
}
// Roundings of a sum are as large as its terms make them, however small it is.
at::Tensor NudgeSumInPlace(at::Tensor sum, const at::Tensor& roundings, double by, int64_t pattern,
                           int64_t place) {
  if (sum.scalar_type() != at::kDouble || !sum.is_non_overlapping_and_dense()) return sum;
  const at::Tensor nudged = NudgeInPlace(roundings.clone(), by, pattern, place);
  return sum.add_((nudged - roundings).nan_to_num(0, 0, 0));
}
// What a norm takes its mean of, a row for each mean.
at::Tensor RowsOfMeans(const at::Tensor& x, const std::string& norm, c10::IntArrayRef size) {
  if (norm == "batch_norm") return x.transpose(0, 1).reshape({x.size(1), -1});
  const int64_t each = c10::multiply_integers(size);
  const int64_t means = norm == "group_norm"      ? x.size(0) * each
                        : norm == "instance_norm" ? x.size(0) * x.size(1)
                                                  : x.numel() / std::max<int64_t>(1, each);
  return x.reshape({means, -1});
}
// A norm's mean is rounded as the sum that it is, and all that it is subtracted from moves with it,
// however little the elements differ. `size`: groups, or what layer_norm takes.
at::Tensor NudgeNormInPlace(at::Tensor out, const at::Tensor& x,
                            const c10::optional<at::Tensor>& weight, c10::string_view norm,
                            c10::IntArrayRef size, double eps, double by, int64_t pattern,
                            int64_t place) {
  if (out.scalar_type() != at::kDouble || !out.is_non_overlapping_and_dense() || x.numel() == 0)
    return out;
  const std::string name(norm);
  const at::Tensor rows = RowsOfMeans(x, name, size), mean = rows.mean(1, true),
                   roundings = rows.abs().mean(1, true) * std::sqrt(double(rows.size(1)));
  auto normal = [&](const at::Tensor& from) {
    const at::Tensor left = rows - from;
    return left * (left.square().mean(1, true) + eps).rsqrt();
  };
  at::Tensor change =
      normal(mean + NudgeInPlace(roundings.clone(), by, pattern, place) - roundings) - normal(mean);
  if (name == "batch_norm") {
    std::vector<int64_t> sizes = x.sizes().vec();
    std::swap(sizes[0], sizes[1]);
    change = change.view(sizes).transpose(0, 1);
  } else {
    change = change.view(x.sizes());
  }
  if (weight && weight->defined()) {
    std::vector<int64_t> sizes(size_t(x.dim()), 1);
    if (name != "layer_norm") sizes[1] = weight->numel();
    change = change * (name == "layer_norm" ? *weight : weight->view(sizes));
  }
  return out.add_(change.nan_to_num(0, 0, 0));
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
  m.def("defined(Tensor x) -> Tensor", Defined);
  m.def("moved_ties(Tensor x, float share) -> Tensor", MovedTies);
  m.def("nudge_(Tensor(a!) self, float by, int pattern, int place) -> Tensor(a!)", NudgeInPlace);
  m.def(
      "nudge_norm_(Tensor(a!) self, Tensor x, Tensor? weight, str norm, int[] size, float eps, "
      "float by, int pattern, int place) -> Tensor(a!)",
      NudgeNormInPlace);
  m.def(
      "nudge_sum_(Tensor(a!) self, Tensor roundings, float by, int pattern, int place) -> "
      "Tensor(a!)",
      NudgeSumInPlace);
  m.def("round_(Tensor(a!) self, int bfloat) -> Tensor(a!)", RoundInPlace);
}

bool IsOneOf(const Node* n, std::initializer_list<const char*> names) {
  const std::string name = n->kind().toQualString();
  return std::any_of(names.begin(), names.end(),
                     [&](const char* one) { return name == std::string("aten::") + one; });
}

// What is rounded, to stand where `v` stands; null where `v` is no rounded value. Who else uses the
// values on the way keeps them.
Value* Unrounded(Value* v) {
  Node* n = v->node();
  if (IsOneOf(n, {"round"}) && n->inputs().size() == 1) return n->input(0);
  if (IsOneOf(n, {"to", "type_as", "trunc", "floor", "ceil"}))
    return Unrounded(n->input(0));  // whole by now
  std::map<size_t, Value*> inner;
  if (IsOneOf(n, {"clamp", "clamp_min", "clamp_max", "reshape", "view", "contiguous", "flatten",
                  "squeeze", "unsqueeze", "transpose", "permute"})) {
    if (Value* one = Unrounded(n->input(0))) inner[0] = one;
  } else if (n->kind() == torch::jit::prim::TupleConstruct ||
             n->kind() == torch::jit::prim::ListConstruct) {
    for (size_t i = 0; i < n->inputs().size(); ++i)
      if (Value* one = Unrounded(n->input(i))) inner[i] = one;
  } else if (n->kind() == torch::jit::prim::If && v->uses().size() <= 1) {
    bool found = false;
    for (Block* block : n->blocks())
      if (Value* one = Unrounded(block->outputs()[v->offset()]))
        block->replaceOutput(v->offset(), one), found = true;
    return found ? v : nullptr;
  }
  if (inner.empty()) return nullptr;
  Node* copy = n->owningGraph()->createClone(n, [](Value* same) { return same; });
  copy->insertAfter(n);
  for (const auto& [i, value] : inner) copy->replaceInput(i, value);
  return copy->output();
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

// Whether float32 would round the result; in place or not. Products of sizes are no tensors.
bool Rounds(const Node* n) {
  if (n->outputs().size() != 1 || n->output()->type()->kind() != c10::TypeKind::TensorType)
    return false;
  std::string op = n->kind().toUnqualString();
  if (op.size() > 1 && op.back() == '_') op.pop_back();
  return n->kind().is_aten() && kArithmetic.count(op) > 0;
}

// Where the operands of a sum of products, or of a plain sum, stand.
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

// Clones of a sum over other terms, in front of it.
class SumOfOthers {
 public:
  explicit SumOfOthers(Node* n)
      : n_(n),
        graph_(*n->owningGraph()),
        list_(IsOneOf(n, {"einsum"}) && n->input(1)->node()->kind() == kList ? n->input(1)->node()
                                                                             : nullptr) {
    operands_ = OperandsOf(n);
    if (!list_) return;
    operands_.emplace();
    for (size_t k = 0; k < list_->inputs().size(); ++k) operands_->factors.push_back(k);
  }
  // The sums of positive and of negative terms. Nothing where it is none of at most two factors.
  std::optional<std::pair<Value*, Value*>> AboveAndBelow() {
    if (!operands_ || operands_->factors.size() > 2) return std::nullopt;
    torch::jit::WithInsertPoint before(n_);
    auto signs = [&](std::vector<bool> negative, std::optional<bool> addend) {
      return Clone([&](size_t k, Value* v) { return Part(v, negative[k]); },
                   [&](Value* v) { return addend ? Part(v, *addend) : Call("zeros_like", {v}); });
    };
    if (operands_->factors.size() == 1) return std::pair(signs({false}, {}), signs({true}, {}));
    return std::pair(Sum(signs({false, false}, false), signs({true, true}, {})),
                     Sum(signs({false, true}, true), signs({true, false}, {})));
  }
  // What rounding each addition in single precision may move it by, in units of its last place: the
  // magnitudes of its n terms times sqrt(n) (Higham and Mary, "A New Approach to Probabilistic
  // Rounding Error Analysis", SIAM J. Sci. Comput. 41(5), 2019). Null: it is no sum.
  Value* Roundings() {
    if (!operands_) return nullptr;
    torch::jit::WithInsertPoint before(n_);
    auto all = [&](const char* op) {
      return Clone([&, op](size_t, Value* v) { return Call(op, {v}); },
                   [&, op](Value* v) { return Call(op, {v}); });
    };
    Value* magnitudes = all("abs");
    // A mean of ones is 1, of n terms.
    Value* count = IsOneOf(n_, {"mean"}) ? TermsOfMeans(magnitudes) : all("ones_like");
    return Call("mul", {magnitudes, Call("sqrt", {count})});
  }
  // How many terms each of the means `of` has.
  Value* TermsOfMeans(Value* of) {
    static const auto kCount = c10::Symbol::fromQualString("akgen::count");
    return graph_.insertNode(graph_.create(kCount, {n_->input(0), of}, 1))
        ->output()
        ->setType(c10::IntType::get());
  }

 private:
  static constexpr auto kList = torch::jit::prim::ListConstruct;
  static bool IsTensor(const Value* v) { return v->type()->kind() == c10::TypeKind::TensorType; }
  Value* Clone(const std::function<Value*(size_t, Value*)>& factor,
               const std::function<Value*(Value*)>& addend) {
    Node* from = list_ ? list_ : n_;
    Node* made = graph_.createClone(from, [](Value* v) { return v; });
    for (size_t k = 0; k < operands_->factors.size(); ++k) {
      const size_t at = operands_->factors[k];
      made->replaceInput(at, factor(k, from->input(at)));
    }
    if (const auto at = operands_->addend; at && IsTensor(from->input(*at)))
      made->replaceInput(*at, addend(from->input(*at)));
    graph_.insertNode(made);
    if (!list_) return made->output();
    Node* whole = graph_.createClone(n_, [](Value* v) { return v; });
    whole->replaceInput(1, made->output());
    return graph_.insertNode(whole)->output();
  }
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
  Node* list_;  // the operands of einsum
  std::optional<SumOperands> operands_;
};

// Changes arithmetic, each place in its own way.
class Nudger {
 public:
  Nudger(double by, int pattern) : by_(by), pattern_(pattern) {}
  void Nudge(Block* block) {
    const std::vector<Node*> nodes(block->nodes().begin(), block->nodes().end());
    for (Node* n : nodes) {
      for (Block* inner : n->blocks()) Nudge(inner);
      if (!Rounds(n)) continue;
      Value* roundings = SumOfOthers(n).Roundings();
      torch::jit::WithInsertPoint after(n->next());
      Node* nudge =
          roundings ? Make("nudge_sum_", {n->output(), roundings}) : Make("nudge_", {n->output()});
      n->output()->replaceAllUsesAfterNodeWith(nudge, nudge->output());
      if (IsOneOf(n, {"batch_norm", "instance_norm", "group_norm", "layer_norm"}))
        NudgeMean(n, nudge->output());
    }
  }

 private:
  Node* Make(const std::string& op, std::vector<Value*> inputs) {
    Graph& g = *inputs[0]->owningGraph();
    for (const torch::jit::IValue& v :
         {torch::jit::IValue(by_), torch::jit::IValue(int64_t(pattern_)),
          torch::jit::IValue(place_++)})
      inputs.push_back(g.insertConstant(v));
    return g.insertNode(g.create(c10::Symbol::fromQualString("akgen::" + op), inputs, 1));
  }
  void NudgeMean(Node* norm, Value* out) {
    Graph& g = *norm->owningGraph();
    auto input = [&](const char* name) {
      const auto at = norm->maybeSchema() ? norm->maybeSchema()->argumentIndexWithName(name)
                                          : c10::optional<int>();
      return at ? norm->input(size_t(*at)) : nullptr;
    };
    // Statistics that are given are no sums.
    for (const char* measured : {"training", "use_input_stats"})
      if (Value* v = input(measured))
        if (const auto said = torch::jit::toIValue(v); !said || !said->toBool()) return;
    Value *eps = input("eps"), *weight = input("weight"), *size = input("normalized_shape");
    if (!eps || !weight) return;
    if (!size) {
      std::vector<Value*> groups;
      if (Value* given = input("num_groups")) groups.push_back(given);
      size = g.insertNode(g.createList(c10::IntType::get(), groups))->output();
    }
    Node* nudge = Make("nudge_norm_",
                       {out, norm->input(0), weight,
                        g.insertConstant(std::string(norm->kind().toUnqualString())), size, eps});
    out->replaceAllUsesAfterNodeWith(nudge, nudge->output());
  }

  double by_;
  int pattern_;
  int64_t place_ = 0;
};
}  // namespace

void NudgeResults(Block* block, double by, int pattern) { Nudger(by, pattern).Nudge(block); }

void MoveTies(Block* block, double share) {
  static const auto kMoved = c10::Symbol::fromQualString("akgen::moved_ties");
  for (Node* n : block->nodes()) {
    for (Block* inner : n->blocks()) MoveTies(inner, share);
    if (!IsOneOf(n, {"round", "round_"}) || n->inputs().size() != 1) continue;
    Graph& g = *n->owningGraph();
    torch::jit::WithInsertPoint before(n);
    Node* moved = g.insertNode(g.create(kMoved, {n->input(0), g.insertConstant(share)}, 1));
    n->replaceInput(0, moved->output());
  }
}

void ConvertOtherwise(Block* block) {
  static const auto kDefined = c10::Symbol::fromQualString("akgen::defined");
  for (Node* n : block->nodes()) {
    for (Block* inner : n->blocks()) ConvertOtherwise(inner);
    if (!IsOneOf(n, {"to"}) || !n->input(0)->type()->isSubtypeOf(*c10::TensorType::get())) continue;
    const auto* schema = n->maybeSchema();
    const auto index = schema ? schema->argumentIndexWithName("dtype") : c10::nullopt;
    if (!index) continue;
    const auto said = torch::jit::toIValue(n->input(size_t(*index)));
    if (!said || !said->isInt() || !c10::isIntegralType(at::ScalarType(said->toInt()), false))
      continue;
    torch::jit::WithInsertPoint before(n);
    Graph& g = *n->owningGraph();
    n->replaceInput(0, g.insertNode(g.create(kDefined, {n->input(0)}, 1))->output());
  }
}

void MarkUndecidedSums(Block* block, double undecided) {
  static const auto kMark = c10::Symbol::fromQualString("akgen::mark_");
  const std::vector<Node*> nodes(block->nodes().begin(), block->nodes().end());
  for (Node* n : nodes) {
    for (Block* inner : n->blocks()) MarkUndecidedSums(inner, undecided);
    if (!n->kind().is_aten()) continue;
    SumOfOthers others(n);
    const auto sums = others.AboveAndBelow();
    if (!sums) continue;
    Graph& g = *n->owningGraph();
    torch::jit::WithInsertPoint after(n->next());
    Value* count =
        IsOneOf(n, {"mean"}) ? others.TermsOfMeans(n->output()) : g.insertConstant(int64_t{1});
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
