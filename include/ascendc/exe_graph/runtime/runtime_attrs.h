// gert::RuntimeAttrs: the values of a node's attributes, in the order of the operator definition.
// Int is stored as int64_t, Float as float, Bool as bool, String as a terminated text, lists as
// ContinuousVector.
#ifndef AKGEN_EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H
#define AKGEN_EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H
#include "exe_graph/runtime/continuous_vector.h"

namespace akgen {
struct HostNode;
}

namespace gert {
class RuntimeAttrs {
 public:
  // The stored value; nullptr for an index past the last attribute. T has to fit the attribute's
  // kind.
  template <typename T>
  const T* GetAttrPointer(size_t index) const {
    return static_cast<const T*>(Find(index));
  }
  const int64_t* GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
  const float* GetFloat(size_t index) const { return GetAttrPointer<float>(index); }
  const bool* GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
  const char* GetStr(size_t index) const { return GetAttrPointer<char>(index); }
  const TypedContinuousVector<int64_t>* GetListInt(size_t index) const {
    return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
  }
  const TypedContinuousVector<float>* GetListFloat(size_t index) const {
    return GetAttrPointer<TypedContinuousVector<float>>(index);
  }
  size_t GetAttrNum() const;
  explicit RuntimeAttrs(const akgen::HostNode* node) : node_(node) {}

 private:
  const void* Find(size_t index) const;
  const akgen::HostNode* node_;
};
}  // namespace gert
#endif
