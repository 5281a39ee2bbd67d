#include "task/reference/trace.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>

namespace akgen::task {
namespace {
using record::GraphArg;
using record::GraphNumber;
using From = GraphNumber::From;
using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Value;

struct CannotSay : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What is known of a value: its concrete IValue and, for numbers, how it came from attributes,
// shapes and elements.
struct Known {
  c10::IValue value;
  GraphNumber expr;                   // a constant: it came from nowhere
  std::vector<GraphNumber> elements;  // of a list of integers that came from somewhere
};

// Names of the tensors of a trace. They are told apart by their implementation and kept alive, so
// that none is used twice.
class TensorNames {
 public:
  void Give(const at::Tensor& t, const std::string& id) {
    ids_[t.unsafeGetTensorImpl()] = id;
    alive_.push_back(t);
  }
  std::string Of(const at::Tensor& t) const {
    auto it = ids_.find(t.unsafeGetTensorImpl());
    if (it == ids_.end()) throw CannotSay("a tensor that no operation made");
    return it->second;
  }
  // Those of all tensors of a value, at the end of `out`.
  void AppendOf(const c10::IValue& v, std::vector<std::string>& out) const {
    if (v.isTensor())
      out.push_back(Of(v.toTensor()));
    else if (v.isTensorList())
      for (const at::Tensor& t : v.toTensorVector()) out.push_back(Of(t));
    else if (v.isTuple())
      for (const auto& e : v.toTupleRef().elements()) AppendOf(e, out);
  }

 private:
  std::map<const void*, std::string> ids_;
  std::vector<at::Tensor> alive_;
};

// Answers that depend on elements of tensors decide what the reference does: the graph says
// which.
bool DependsOnData(const GraphNumber& n) {
  return n.from == From::kElement || n.from == From::kComputed ||
         std::any_of(n.args.begin(), n.args.end(), DependsOnData);
}

// A number as it is written into the graph: the expression it came from, or its value.
GraphNumber Plain(const Known& k) {
  const c10::IValue& v = k.value;
  GraphNumber out = k.expr;
  if (v.isInt())
    out.value = v.toInt();
  else if (v.isDouble())
    out.value = v.toDouble();
  else if (v.isBool())
    out.value = v.toBool();
  else if (v.isString())
    out.value = v.toStringRef();
  return out;
}

// x[:, i]: a tensor or nothing for each dimension.
bool IsIndexList(const c10::IValue& v) {
  if (!v.isList() || v.isTensorList() || v.toListRef().empty()) return false;
  const auto all = v.toListRef();
  return std::all_of(all.begin(), all.end(), [](const c10::IValue& t) {
    return t.isNone() || (t.isTensor() && t.toTensor().defined());
  });
}

GraphArg Integers(const Known& k) {
  const auto values = k.value.toIntVector();
  record::GraphArgs list;
  for (const GraphNumber& n : k.elements)
    if (list.size() < values.size() && n.HasInt() && n.Int() == values[list.size()])
      list.push_back(GraphArg::Number(n));
  if (list.size() != values.size()) return GraphArg::List(values);  // it was changed since
  return GraphArg::List(std::move(list));
}

class Tracer {
 public:
  record::Graph Run(torch::jit::Graph& g, const std::vector<TraceInput>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) Input(inputs[i], g.inputs()[i]);
    Walk(g.block());
    for (Value* v : g.outputs()) names_.AppendOf(At(v).value, made_.outputs);
    return std::move(made_);
  }

 private:
  static constexpr int64_t kSmall = 4096;  // elements: larger inputs come without their values
  struct Source {
    std::string id;
    std::optional<GraphNumber> index;  // nothing: the whole
    at::Tensor real;
  };
  Known& At(Value* v) { return known_.at(v); }

  void Input(const TraceInput& in, Value* v) {
    Known k{in.value, {}};
    if (in.value.isTensor()) {
      names_.Give(in.value.toTensor(), in.name);
      source_[in.name] = {in.name, std::nullopt, in.real[0]};
    } else if (in.value.isTensorList()) {
      auto list = in.value.toTensorVector();
      for (size_t i = 0; i < list.size(); ++i) {
        std::string id = in.name + "." + std::to_string(i);
        names_.Give(list[i], id);
        source_[id] = {id, std::nullopt, in.real[i]};
      }
    } else if (in.value.isInt() || in.value.isDouble() || in.value.isBool() ||
               in.value.isString()) {
      k.expr = GraphNumber::Of(From::kAttribute, in.name);
    }
    known_[v] = k;
  }

  void Walk(Block* b) {
    for (Node* n : b->nodes()) One(n);
  }

  void One(Node* n) {
    switch (n->kind()) {
      case c10::prim::If: {
        Ask(At(n->input(0)));
        Block* taken = n->blocks()[At(n->input(0)).value.toBool() ? 0 : 1];
        Walk(taken);
        for (size_t i = 0; i < n->outputs().size(); ++i)
          known_[n->output(i)] = At(taken->outputs()[i]);
        return;
      }
      case c10::prim::Loop: return Loop(n);
      case c10::prim::Constant: {
        auto v = torch::jit::toIValue(n->output());
        known_[n->output()] = {v ? *v : c10::IValue(), {}};
        if (v && v->isTensor()) names_.Give(v->toTensor(), "const" + std::to_string(next_++));
        return;
      }
      case c10::prim::RaiseException: throw CannotSay("the reference raises an exception");
      case c10::prim::ListConstruct: return MakeList(n);
      case c10::prim::TupleConstruct: {
        std::vector<c10::IValue> elements;
        for (Value* in : n->inputs()) elements.push_back(At(in).value);
        known_[n->output()] = {c10::ivalue::Tuple::create(elements), {}};
        return;
      }
      case c10::prim::ListUnpack:
      case c10::prim::TupleUnpack: {
        const c10::IValue& whole = At(n->input(0)).value;
        for (size_t i = 0; i < n->outputs().size(); ++i)
          known_[n->output(i)] = {
              whole.isTuple() ? whole.toTupleRef().elements()[i] : whole.toListRef()[i], {}};
        return;
      }
      case c10::prim::Uninitialized: known_[n->output()] = {c10::IValue(), {}}; return;
      case c10::prim::unchecked_cast: known_[n->output()] = At(n->input(0)); return;
      default: return Execute(n);
    }
  }

  void MakeList(Node* n) {
    auto type = n->output()->type()->expectRef<c10::ListType>().getElementType();
    c10::impl::GenericList list(type);
    bool tensors = type->isSubtypeOf(*c10::TensorType::get());
    if (tensors) {
      c10::List<at::Tensor> t;
      for (Value* in : n->inputs()) t.push_back(At(in).value.toTensor());
      known_[n->output()] = {t, {}};
      return;
    }
    for (Value* in : n->inputs()) list.push_back(At(in).value);
    if (type->kind() == c10::TypeKind::IntType) {
      c10::List<int64_t> ints;
      Known made;
      for (Value* in : n->inputs()) {
        ints.push_back(At(in).value.toInt());
        made.elements.push_back(Plain(At(in)));
      }
      made.value = ints;
      known_[n->output()] = std::move(made);
    } else {
      known_[n->output()] = {c10::IValue(list), {}};
    }
  }

  void Loop(Node* n) {
    int64_t trips = At(n->input(0)).value.toInt();
    Ask(At(n->input(0)));
    bool go = At(n->input(1)).value.toBool();
    Block* body = n->blocks()[0];
    std::vector<Known> carried;
    for (size_t i = 2; i < n->inputs().size(); ++i) carried.push_back(At(n->input(i)));
    constexpr int64_t kMaxTrips = 4096;
    if (trips > kMaxTrips && trips != std::numeric_limits<int64_t>::max())
      throw CannotSay("a loop with more than 4096 turns");
    for (int64_t t = 0; go && t < trips; ++t) {
      known_[body->inputs()[0]] = {c10::IValue(t), GraphNumber::Of(From::kTurn, "")};
      known_[body->inputs()[0]].expr.turn = t;
      for (size_t i = 0; i < carried.size(); ++i) known_[body->inputs()[i + 1]] = carried[i];
      Walk(body);
      go = At(body->outputs()[0]).value.toBool();
      for (size_t i = 0; i < carried.size(); ++i) carried[i] = At(body->outputs()[i + 1]);
    }
    for (size_t i = 0; i < carried.size(); ++i) known_[n->output(i)] = carried[i];
  }

  void Ask(const Known& k) {
    if (DependsOnData(k.expr)) made_.asked.push_back(Plain(k));
  }

  GraphArg Argument(const Known& k) {
    const c10::IValue& v = k.value;
    if (v.isTensor() && v.toTensor().defined()) return GraphArg::Tensor(names_.Of(v.toTensor()));
    if (v.isScalar() || v.isString()) return GraphArg::Number(Plain(k));
    if (v.isIntList()) return Integers(k);
    record::GraphArgs list;
    if (IsIndexList(v)) {
      for (const c10::IValue& t : v.toListRef())
        list.push_back(t.isNone() ? GraphArg{} : GraphArg::Tensor(names_.Of(t.toTensor())));
      return GraphArg::List(std::move(list));
    }
    if (!v.isTensorList() && !v.isDoubleList()) return {};
    if (v.isTensorList())
      for (const at::Tensor& t : v.toTensorVector()) list.push_back(GraphArg::Tensor(names_.Of(t)));
    else
      for (double d : v.toDoubleVector())
        list.push_back(GraphArg::Number(record::GraphConstant(d)));
    return GraphArg::List(std::move(list));
  }

  void Execute(Node* n) {
    std::string op = n->kind().toUnqualString();
    bool item = op == "item" || ((op == "Int" || op == "Float" || op == "Bool") &&
                                 At(n->input(0)).value.isTensor());
    if (item) return Item(n, op);
    torch::jit::Stack stack;
    for (Value* in : n->inputs()) stack.push_back(At(in).value);
    torch::jit::Stack given = stack;
    try {
      n->getOperation()(stack);
    } catch (const std::exception&) {
      // This libtorch cannot do it without storage: zeros of the same shapes tell the shape of the
      // result.
      stack = OnZeros(n, given);
    }
    bool tensors = false;
    for (const c10::IValue& v : stack)
      tensors |= v.isTensor() || (v.isTensorList() && n->kind().is_aten() && op != "append");
    bool moves = op == "__getitem__" || op == "append" || !n->kind().is_aten();
    for (size_t i = 0; i < n->outputs().size(); ++i) known_[n->output(i)] = {stack[i], {}};
    if (tensors && !moves) return Record(n, op, stack);
    if (n->outputs().size() == 1 && !tensors && !moves) Derive(n, op);
  }

  torch::jit::Stack OnZeros(Node* n, const torch::jit::Stack& given) {
    constexpr int64_t kMaxElements = 1 << 25;
    torch::jit::Stack stack = given;
    const std::string op = n->kind().toUnqualString();
    const bool in_place = op.back() == '_' && given[0].isTensor();
    auto zeros = [&](const at::Tensor& t, bool written) {
      if (t.numel() > kMaxElements) throw CannotSay("the shape of " + op + " on large tensors");
      const auto options = t.options().device(at::kCPU);
      if (written) return at::zeros(t.sizes(), options);
      return at::zeros(t.dim() ? std::vector<int64_t>{1} : std::vector<int64_t>{}, options)
          .expand(t.sizes());
    };
    for (c10::IValue& v : stack) {
      if (IsIndexList(v)) {
        c10::List<c10::optional<at::Tensor>> list;
        for (const c10::IValue& t : v.toListRef())
          list.push_back(t.isNone() ? c10::optional<at::Tensor>() : zeros(t.toTensor(), false));
        v = list;
      }
      if (!v.isTensor() || (!v.toTensor().is_meta() && !in_place)) continue;
      const at::Tensor t = v.toTensor();
      static const std::set<std::string> kSameShape = {"abs", "gelu", "layer_norm"};
      if (t.numel() > kMaxElements && kSameShape.count(op)) {
        stack = {at::empty(given[0].toTensor().sizes(),
                           given[0].toTensor().options().device(at::kMeta))};
        return stack;
      }
      v = zeros(t, in_place && &v == &stack[0]);
    }
    n->getOperation()(stack);
    if (in_place) return {given[0]};
    for (c10::IValue& v : stack)
      if (v.isTensor())
        v = at::empty(v.toTensor().sizes(), v.toTensor().options().device(at::kMeta));
    return stack;
  }

  void Record(Node* n, const std::string& op, const torch::jit::Stack& stack) {
    record::GraphNode node{op, {}, {}};
    for (Value* in : n->inputs()) node.args.push_back(Argument(At(in)));
    for (const c10::IValue& v : stack) {
      std::vector<at::Tensor> list;
      if (v.isTensor())
        list = {v.toTensor()};
      else if (v.isTensorList())
        list = v.toTensorVector();
      for (const at::Tensor& t : list) {
        std::string id = "v" + std::to_string(next_++);
        names_.Give(t, id);
        node.out.push_back({id, t.sizes().vec(), c10::toString(t.scalar_type())});
        if (op == "select" && node.args[0].IsTensor()) {
          auto from = source_.find(node.args[0].tensor);
          if (from != source_.end() && At(n->input(1)).value.toInt() == 0 &&
              from->second.real.dim() > 0)
            Select(id, from->second, At(n->input(2)));
        }
      }
    }
    if (node.out.size() == 1) Shadow(n, op, node.id());
    made_.nodes.push_back(std::move(node));
  }

  const at::Tensor* RealOf(const at::Tensor& t) {
    std::string id = names_.Of(t);
    if (auto it = shadow_.find(id); it != shadow_.end()) return &it->second;
    auto it = source_.find(id);
    return it != source_.end() && it->second.real.numel() <= kSmall ? &it->second.real : nullptr;
  }
  // The values of what is made of small inputs alone: some references take an element of it.
  void Shadow(Node* n, const std::string& op, const std::string& id) {
    if (op.back() == '_' || source_.count(id)) return;
    torch::jit::Stack stack;
    for (Value* in : n->inputs()) {
      const c10::IValue& v = At(in).value;
      if (v.isTensorList()) return;
      if (!v.isTensor()) {
        stack.push_back(v);
        continue;
      }
      const at::Tensor* real = v.toTensor().defined() ? RealOf(v.toTensor()) : nullptr;
      if (!real) return;
      stack.push_back(real->to(v.toTensor().scalar_type()).clone());
    }
    try {
      n->getOperation()(stack);
    } catch (const std::exception&) {
      return;
    }
    if (stack.size() == 1 && stack[0].isTensor() && !stack[0].toTensor().is_meta() &&
        stack[0].toTensor().numel() <= kSmall)
      shadow_[id] = stack[0].toTensor();
  }

  // A part of an input: its place is counted in elements.
  void Select(const std::string& id, const Source& from, const Known& which) {
    Source part{from.id, Plain(which), from.real[which.value.toInt()]};
    int64_t size = part.real.numel(), at = which.value.toInt() * size;
    if (size != 1 && !which.expr.IsConstant())
      part.index = GraphNumber::Of(From::kOperation, "mul", {*part.index, GraphNumber(size)}, at);
    else if (size != 1)
      part.index = GraphNumber(at);
    if (from.index && part.index->Is(0))
      part.index = from.index;
    else if (from.index && !from.index->Is(0))
      part.index = GraphNumber::Of(From::kOperation, "add", {*from.index, *part.index},
                                   from.index->Int() + at);
    source_[id] = std::move(part);
  }

  void Derive(Node* n, const std::string& op) {
    bool symbolic = false;
    std::vector<GraphNumber> args;
    for (Value* in : n->inputs()) {
      const Known& k = At(in);
      symbolic |= !k.expr.IsConstant();
      args.push_back(k.value.isTensor()
                         ? GraphNumber::Of(From::kTensor, names_.Of(k.value.toTensor()))
                         : Plain(k));
    }
    bool of_shape =
        (op == "size" || op == "numel") && !args.empty() && args[0].from == From::kTensor;
    if (symbolic || of_shape)
      known_[n->output()].expr = GraphNumber::Of(From::kOperation, op, std::move(args));
  }

  void Item(Node* n, const std::string& op) {
    at::Tensor t = At(n->input(0)).value.toTensor();
    auto it = source_.find(names_.Of(t));
    auto shadow = shadow_.find(names_.Of(t));
    bool computed = it == source_.end() && shadow != shadow_.end() && shadow->second.numel() == 1;
    if (!computed && (it == source_.end() || it->second.real.numel() != 1))
      throw CannotSay("an element of a computed tensor decides");
    at::Scalar s = computed ? shadow->second.item() : it->second.real.item();
    bool real = op == "Float" || (op == "item" && s.isFloatingPoint());
    Known k;
    k.value = op == "Bool"    ? c10::IValue(s.toBool())
              : real          ? c10::IValue(s.toDouble())
              : s.isBoolean() ? c10::IValue(s.toBool())
                              : c10::IValue(s.toLong());
    k.expr = computed ? GraphNumber::Of(From::kComputed, names_.Of(t))
                      : GraphNumber::Of(From::kElement, it->second.id);
    if (!computed && it->second.index) k.expr.args = {*it->second.index};
    known_[n->output()] = k;
  }

  std::map<Value*, Known> known_;
  TensorNames names_;
  std::map<std::string, Source> source_;
  std::map<std::string, at::Tensor> shadow_;
  record::Graph made_;
  int next_ = 0;
};
}  // namespace

base::Result<record::Graph> Trace(torch::jit::Function& f, const std::vector<TraceInput>& inputs,
                                  const std::string& where) {
  try {
    auto graph = torch::jit::toGraphFunction(f).graph()->copy();
    torch::jit::Inline(*graph);
    return Tracer().Run(*graph, inputs);
  } catch (const CannotSay& e) {
    return base::Error{"AK0115", std::string("not a static graph: ") + e.what(), where,
                       "write the kernel by hand"};
  }
}

}  // namespace akgen::task
