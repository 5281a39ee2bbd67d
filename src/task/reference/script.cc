#include "task/reference/script.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <map>

namespace akgen::task {
namespace {
using record::GraphConstant;
using record::ScriptBlock;
using record::ScriptNode;
using torch::jit::Value;

class Writer {
 public:
  ScriptBlock Write(torch::jit::Block& block) {
    ScriptBlock out;
    out.in = Numbers(block.inputs());
    for (torch::jit::Node* n : block.nodes()) out.nodes.push_back(Write(*n));
    out.out = Numbers(block.outputs());
    return out;
  }

 private:
  int Number(Value* v) { return numbers_.emplace(v, int(numbers_.size())).first->second; }
  std::vector<int> Numbers(at::ArrayRef<Value*> values) {
    std::vector<int> out;
    for (Value* v : values) out.push_back(Number(v));
    return out;
  }

  ScriptNode Write(torch::jit::Node& n) {
    ScriptNode out;
    out.op = n.kind().toUnqualString();
    out.in = Numbers(n.inputs());
    if (n.kind() == c10::prim::Constant) WriteConstant(n, &out);
    for (torch::jit::Block* b : n.blocks()) out.blocks.push_back(Write(*b));
    out.out = Numbers(n.outputs());
    return out;
  }
  static void WriteConstant(torch::jit::Node& n, ScriptNode* out) {
    const auto v = torch::jit::toIValue(n.output());
    if (v && v->isList()) {
      out->is_list = true;
      for (const c10::IValue& e : v->toListRef())
        if (!Plain(e, &out->list.emplace_back())) out->op = "ConstantObject";
    } else if (!v || !Plain(*v, &out->value)) {
      out->op = "ConstantObject";  // a tensor, a device: nothing that can be written down here
    }
  }
  static bool Plain(const c10::IValue& v, GraphConstant* out) {
    if (v.isNone())
      *out = std::monostate();
    else if (v.isBool())
      *out = v.toBool();
    else if (v.isInt())
      *out = v.toInt();
    else if (v.isDouble())
      *out = v.toDouble();
    else if (v.isString())
      *out = v.toStringRef();
    else
      return false;
    return true;
  }

  std::map<Value*, int> numbers_;
};
}  // namespace

ScriptBlock ScriptOf(torch::jit::Function& f) {
  auto graph = torch::jit::toGraphFunction(f).graph()->copy();
  torch::jit::Inline(*graph);
  return Writer().Write(*graph->block());
}

}  // namespace akgen::task
