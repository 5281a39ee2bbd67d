#include "task/reference/rewrite.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/library.h>

#include <algorithm>
#include <limits>
#include <set>

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
// `sum` where its terms add up to `size` by their sizes, of which each element of `sum` shares
// `count`-th parts: as Terms of task/evaluate/terms.h.
at::Tensor MarkInPlace(at::Tensor sum, const at::Tensor& size, int64_t count, double undecided) {
  constexpr double kMost = std::numeric_limits<float>::max();
  if (sum.scalar_type() != at::kDouble || !sum.is_non_overlapping_and_dense()) return sum;
  const at::Tensor all = size * double(count), whole = sum * double(count);
  const at::Tensor least = (all - whole.abs()) / 2;  // of the terms of either sign
  sum.masked_fill_((all > kMost) & all.isfinite() & ((whole.abs() <= kMost) | (least > kMost)),
                   undecided);
  return sum;
}
int64_t CountOf(const at::Tensor& terms, const at::Tensor& means) {
  return terms.numel() / std::max<int64_t>(1, means.numel());
}
TORCH_LIBRARY(akgen, m) {
  m.def("mark_(Tensor(a!) self, Tensor size, int count, float undecided) -> Tensor(a!)",
        MarkInPlace);
  m.def("count(Tensor terms, Tensor means) -> int", CountOf);
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

void MarkUndecidedSums(Block* block, double undecided) {
  static const auto kMark = c10::Symbol::fromQualString("akgen::mark_"),
                    kCount = c10::Symbol::fromQualString("akgen::count"),
                    kAbs = c10::Symbol::fromQualString("aten::abs");
  const std::vector<Node*> nodes(block->nodes().begin(), block->nodes().end());
  for (Node* n : nodes) {
    for (Block* inner : n->blocks()) MarkUndecidedSums(inner, undecided);
    const bool mean = IsOneOf(n, {"mean"});
    if (!mean && !IsOneOf(n, {"sum",
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
                              "conv1d",
                              "conv2d",
                              "conv3d",
                              "conv_transpose1d",
                              "conv_transpose2d",
                              "conv_transpose3d",
                              "_convolution",
                              "convolution",
                              "cumsum"}))
      continue;
    Graph& g = *n->owningGraph();
    torch::jit::WithInsertPoint before(n);
    auto size_of = [&](Value* v) {
      return v->type()->kind() == c10::TypeKind::TensorType
                 ? g.insertNode(g.create(kAbs, {v}, 1))->output()
                 : v;
    };
    Node* sizes = g.createClone(n, [&](Value* v) -> Value* {
      Node* list = v->node();
      if (list->kind() != torch::jit::prim::ListConstruct) return size_of(v);
      return g.insertNode(g.createClone(list, size_of))->output();
    });
    g.insertNode(sizes);
    torch::jit::WithInsertPoint after(n->next());
    Value* count = mean ? g.insertNode(g.create(kCount, {n->input(0), n->output()}, 1))
                              ->output()
                              ->setType(c10::IntType::get())
                        : g.insertConstant(int64_t{1});
    Node* mark = g.insertNode(
        g.create(kMark, {n->output(), sizes->output(), count, g.insertConstant(undecided)}, 1));
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
