#include "task/evaluate/run_script.h"

#include <algorithm>

#include "task/evaluate/operations.h"

namespace akgen::task::evaluate {
using record::ScriptBlock;
using record::ScriptNode;

namespace {
Value ConstantOf(const record::GraphConstant& c) {
  return std::visit([](const auto& v) { return Value(v); }, c);
}

bool IsStructure(const std::string& op) {
  static constexpr const char* kNames[] = {
      "Constant",   "If",          "Loop",           "ListConstruct", "TupleConstruct",
      "ListUnpack", "TupleUnpack", "unchecked_cast", "Uninitialized", "RaiseException"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](const char* n) { return op == n; });
}

class Running {
 public:
  std::vector<TensorPtr> Run(const ScriptBlock& script, std::vector<Value> arguments) {
    if (arguments.size() != script.in.size())
      throw Unsupported("other arguments than the script has");
    for (size_t i = 0; i < arguments.size(); ++i) Set(script.in[i], std::move(arguments[i]));
    Walk(script);
    std::vector<TensorPtr> out;
    for (int v : script.out) Flatten(At(v), &out);
    return out;
  }

 private:
  static constexpr int64_t kMaxWork = int64_t{1} << 24;
  static constexpr int64_t kWorkOfNode = 16;

  const Value& At(int v) const { return values_.at(size_t(v)); }
  void Set(int v, Value value) {
    if (size_t(v) >= values_.size()) values_.resize(size_t(v) + 1);
    values_[size_t(v)] = std::move(value);
  }
  std::vector<Value> All(const std::vector<int>& of) const {
    std::vector<Value> out;
    for (int v : of) out.push_back(At(v));
    return out;
  }
  void Pay(int64_t work) {
    if ((work_ += work) > kMaxWork) throw Unsupported("more work than libtorch's start");
  }
  static void Flatten(const Value& v, std::vector<TensorPtr>* out) {
    if (v.IsTensor()) return out->push_back(v.AsTensor());
    for (const Value& e : v.AsList()) Flatten(e, out);
  }

  void Walk(const ScriptBlock& block) {
    for (const ScriptNode& n : block.nodes) One(n);
  }
  void One(const ScriptNode& n) {
    Pay(kWorkOfNode);
    if (n.op == "Constant") return Constant(n);
    if (n.op == "If") return Branch(n);
    if (n.op == "Loop") return Loop(n);
    if (n.op == "ListConstruct" || n.op == "TupleConstruct")
      return Set(n.out.at(0), ListOf(All(n.in)));
    if (n.op == "ListUnpack" || n.op == "TupleUnpack")
      return SetAll(n.out, std::vector<Value>(At(n.in.at(0)).AsList()));
    if (n.op == "unchecked_cast") return Set(n.out.at(0), Value(At(n.in.at(0))));
    if (n.op == "Uninitialized") return Set(n.out.at(0), {});
    if (n.op == "RaiseException") throw Unsupported("an exception");
    const std::vector<Value> args = All(n.in);
    std::vector<Value> results = Apply(n.op, args);
    Pay(WorkOf(n.op, args, results));
    SetAll(n.out, std::move(results));
  }
  void SetAll(const std::vector<int>& to, std::vector<Value> results) {
    if (results.size() < to.size()) throw Unsupported("a result too few");
    for (size_t i = 0; i < to.size(); ++i) Set(to[i], std::move(results[i]));
  }
  void Constant(const ScriptNode& n) {
    if (!n.is_list) return Set(n.out.at(0), ConstantOf(n.value));
    std::vector<Value> list;
    for (const record::GraphConstant& c : n.list) list.push_back(ConstantOf(c));
    Set(n.out.at(0), ListOf(std::move(list)));
  }
  void Branch(const ScriptNode& n) {
    const ScriptBlock& taken = n.blocks.at(At(n.in.at(0)).Bool() ? 0 : 1);
    Walk(taken);
    SetAll(n.out, All(taken.out));
  }
  void Loop(const ScriptNode& n) {
    const ScriptBlock& body = n.blocks.at(0);
    const int64_t trips = At(n.in.at(0)).Int();
    bool go = At(n.in.at(1)).Bool();
    std::vector<Value> carried = All({n.in.begin() + 2, n.in.end()});
    for (int64_t t = 0; go && t < trips; ++t) {
      Pay(kWorkOfNode);  // also of a body without nodes
      Set(body.in.at(0), Value(t));
      for (size_t i = 0; i < carried.size(); ++i) Set(body.in.at(i + 1), carried[i]);
      Walk(body);
      go = At(body.out.at(0)).Bool();
      for (size_t i = 0; i < carried.size(); ++i) carried[i] = At(body.out.at(i + 1));
    }
    SetAll(n.out, std::move(carried));
  }

  std::vector<Value> values_;
  int64_t work_ = 0;
};
}  // namespace

bool CanRun(const ScriptBlock& script) {
  return std::all_of(script.nodes.begin(), script.nodes.end(), [](const ScriptNode& n) {
    return (IsStructure(n.op) || HasOperation(n.op)) &&
           std::all_of(n.blocks.begin(), n.blocks.end(), CanRun);
  });
}

std::vector<TensorPtr> RunScript(const ScriptBlock& script, std::vector<Value> arguments) {
  try {
    return Running().Run(script, std::move(arguments));
  } catch (const std::out_of_range&) {
    throw Unsupported("a script that names values it does not have");
  }
}

}  // namespace akgen::task::evaluate
