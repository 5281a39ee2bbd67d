// ge::Operator: a graph node, as far as support checks (OpAICoreDef::SetCheckSupport) look at it.
#ifndef AKGEN_GRAPH_OPERATOR_H
#define AKGEN_GRAPH_OPERATOR_H
#include "graph/tensor.h"

namespace ge {
class Operator {
 public:
  Operator() = default;
  explicit Operator(const char* type) : type_(type) {}
  TensorDesc GetInputDescByName(const char* name) const { return Find(inputs_, name); }
  TensorDesc GetOutputDescByName(const char* name) const { return Find(outputs_, name); }
  TensorDesc GetInputDesc(uint32_t index) const {
    return index < inputs_.size() ? inputs_[index].second : TensorDesc();
  }
  TensorDesc GetOutputDesc(uint32_t index) const {
    return index < outputs_.size() ? outputs_[index].second : TensorDesc();
  }
  TensorDesc GetInputDesc(const std::string& name) const {
    return GetInputDescByName(name.c_str());
  }
  TensorDesc GetOutputDesc(const std::string& name) const {
    return GetOutputDescByName(name.c_str());
  }
  size_t GetInputsSize() const { return inputs_.size(); }
  size_t GetOutputsSize() const { return outputs_.size(); }
  graphStatus GetOpType(AscendString& type) const {
    type = AscendString(type_.c_str());
    return GRAPH_SUCCESS;
  }
  graphStatus GetName(AscendString& name) const { return GetOpType(name); }

  // Attributes keep their value as text of numbers; a missing name or another kind gives
  // GRAPH_FAILED.
  template <typename T>
  graphStatus GetAttr(const char* name, T& value) const {
    auto it = attrs_.find(name);
    if (it == attrs_.end()) return GRAPH_FAILED;
    return it->second.Get(value);
  }
  Operator& SetAttr(const char* name, int64_t value) { return Keep(name, value); }
  Operator& SetAttr(const char* name, int32_t value) {
    return Keep(name, static_cast<int64_t>(value));
  }
  Operator& SetAttr(const char* name, float value) { return Keep(name, value); }
  Operator& SetAttr(const char* name, bool value) {
    return Keep(name, static_cast<int64_t>(value));
  }
  Operator& AddInput(const char* name, const TensorDesc& desc) {
    inputs_.emplace_back(name, desc);
    return *this;
  }
  Operator& AddOutput(const char* name, const TensorDesc& desc) {
    outputs_.emplace_back(name, desc);
    return *this;
  }

 private:
  struct Value {
    bool is_float = false;
    int64_t number = 0;
    float real = 0;
    template <typename T>
    graphStatus Get(T& out) const {
      if constexpr (std::is_integral_v<T>) {
        if (is_float) return GRAPH_FAILED;
        out = static_cast<T>(number);
        return GRAPH_SUCCESS;
      } else if constexpr (std::is_floating_point_v<T>) {
        if (!is_float) return GRAPH_FAILED;
        out = static_cast<T>(real);
        return GRAPH_SUCCESS;
      } else {
        return GRAPH_FAILED;
      }
    }
  };
  Operator& Keep(const char* name, int64_t value) {
    attrs_[name] = Value{false, value, 0};
    return *this;
  }
  Operator& Keep(const char* name, float value) {
    attrs_[name] = Value{true, 0, value};
    return *this;
  }
  using Named = std::vector<std::pair<std::string, TensorDesc>>;
  static TensorDesc Find(const Named& list, const char* name) {
    for (const auto& entry : list) {
      if (entry.first == name) return entry.second;
    }
    return TensorDesc();
  }
  std::string type_;
  Named inputs_, outputs_;
  std::map<std::string, Value> attrs_;
};
}  // namespace ge
#endif
