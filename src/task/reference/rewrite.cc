#include "task/reference/rewrite.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/library.h>

#include <algorithm>
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
TORCH_LIBRARY(akgen, m) {
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
