// gert::InferDataTypeContext: derives output types from input types.
#ifndef AKGEN_EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H
#define AKGEN_EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H
#include "exe_graph/runtime/kernel_context.h"

namespace gert {
// DT_UNDEFINED for an input that is not there.
class InferDataTypeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  ge::DataType GetInputDataType(size_t index) const { return TypeOf(GetInputDesc(index)); }
  ge::DataType GetRequiredInputDataType(size_t ir) const { return TypeOf(IrInputDesc(ir, 0)); }
  ge::DataType GetOptionalInputDataType(size_t ir) const { return TypeOf(IrInputDesc(ir, 0)); }
  ge::DataType GetDynamicInputDataType(size_t ir, size_t relative) const {
    return TypeOf(IrInputDesc(ir, relative));
  }
  ge::DataType GetOutputDataType(size_t index) const { return TypeOf(GetOutputDesc(index)); }
  ge::graphStatus SetOutputDataType(size_t index, ge::DataType type);

 private:
  static ge::DataType TypeOf(const CompileTimeTensorDesc* desc) {
    return desc == nullptr ? ge::DT_UNDEFINED : desc->GetDataType();
  }
};
}  // namespace gert
#endif
