// Registration of host functions by operator name:
// IMPL_OP_OPTILING(Name).Tiling(f).TilingParse<Info>(g) and kin.
#ifndef AKGEN_REGISTER_OP_IMPL_REGISTRY_H
#define AKGEN_REGISTER_OP_IMPL_REGISTRY_H
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"

namespace gert {
// Where tiling may run; here it runs on the host.
enum class TilingPlacement : uint32_t { TILING_ON_HOST, TILING_ON_AICPU };

class OpImplRegisterV2;

struct OpImplKernelRegistry {
  using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext*);
  using InferShapeRangeKernelFunc = ge::graphStatus (*)(InferShapeRangeContext*);
  using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext*);
  using TilingKernelFunc = ge::graphStatus (*)(TilingContext*);
  using TilingParseFunc = ge::graphStatus (*)(TilingParseContext*);
  using KernelFunc = ge::graphStatus (*)(KernelContext*);
  using CompileInfoCreatorFunc = void* (*)();
  using CompileInfoDeleterFunc = void (*)(void*);
};

class OpImplRegisterV2 {
 public:
  explicit OpImplRegisterV2(const char* op_type) : op_type_(op_type) {}
  OpImplRegisterV2& InferShape(OpImplKernelRegistry::InferShapeKernelFunc function);
  OpImplRegisterV2& InferShapeRange(OpImplKernelRegistry::InferShapeRangeKernelFunc function);
  OpImplRegisterV2& InferDataType(OpImplKernelRegistry::InferDataTypeKernelFunc function);
  OpImplRegisterV2& Tiling(OpImplKernelRegistry::TilingKernelFunc function,
                           size_t max_tiling_data_size = 0);
  template <typename T>
  OpImplRegisterV2& TilingParse(OpImplKernelRegistry::TilingParseFunc function) {
    return Parse(reinterpret_cast<void*>(function), &Create<T>, &Delete<T>);
  }
  template <typename T>
  OpImplRegisterV2& TilingParse(OpImplKernelRegistry::KernelFunc function) {
    return Parse(reinterpret_cast<void*>(function), &Create<T>, &Delete<T>);
  }
  // Inputs of the definition whose values the host functions read.
  OpImplRegisterV2& InputsDataDependency(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                               std::initializer_list<TilingPlacement>) {
    return TilingInputsDataDependency(inputs);
  }
  // Attributes behind those of the definition, which only the host functions see.
  OpImplRegisterV2& PrivateAttr(const char* name);
  OpImplRegisterV2& PrivateAttr(const char* name, int64_t value);
  OpImplRegisterV2& PrivateAttr(const char* name, float value);
  OpImplRegisterV2& PrivateAttr(const char* name, bool value);
  OpImplRegisterV2& PrivateAttr(const char* name, const char* value);
  OpImplRegisterV2& PrivateAttr(const char* name, const std::vector<int64_t>& value);
  OpImplRegisterV2& PrivateAttr(const char* name, const std::vector<float>& value);
  OpImplRegisterV2& InferOutDataTypeSameWithFirstInput();
  // Keys of kernels that are compiled beforehand: nothing is, here.
  template <typename F>
  OpImplRegisterV2& GenSimplifiedKey(F) {
    return *this;
  }
  OpImplRegisterV2& OutputShapeDependOnCompute(std::initializer_list<int32_t>) { return *this; }

 private:
  template <typename T>
  static void* Create() {
    return new T();
  }
  template <typename T>
  static void Delete(void* info) {
    delete static_cast<T*>(info);
  }
  OpImplRegisterV2& Parse(void* function, OpImplKernelRegistry::CompileInfoCreatorFunc create,
                          OpImplKernelRegistry::CompileInfoDeleterFunc destroy);
  std::string op_type_;
};
using OpImplRegister = OpImplRegisterV2;
}  // namespace gert

#define IMPL_OP_COUNTER(op_type, name, counter)                             \
  [[maybe_unused]] static ::gert::OpImplRegisterV2 name##op_type##counter = \
      ::gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_NUMBERED(op_type, name, counter) IMPL_OP_COUNTER(op_type, name, counter)
#define IMPL_OP(op_type) IMPL_OP_NUMBERED(op_type, op_impl_register_, __COUNTER__)
#define IMPL_OP_INFERSHAPE(op_type) \
  IMPL_OP_NUMBERED(op_type, op_impl_register_infershape_, __COUNTER__)
#define IMPL_OP_OPTILING(op_type) IMPL_OP_NUMBERED(op_type, op_impl_register_optiling_, __COUNTER__)
#endif
