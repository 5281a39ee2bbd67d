// gert::InferShapeContext: derives output shapes from input shapes, values and attributes.
#ifndef AKGEN_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H
#define AKGEN_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H
#include "exe_graph/runtime/kernel_context.h"

namespace gert {
class InferShapeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  const Shape* GetInputShape(size_t index) const { return Origin(InputStorageShape(index)); }
  const Shape* GetRequiredInputShape(size_t ir) const { return Origin(IrInputStorageShape(ir, 0)); }
  const Shape* GetOptionalInputShape(size_t ir) const { return Origin(IrInputStorageShape(ir, 0)); }
  const Shape* GetDynamicInputShape(size_t ir, size_t relative) const {
    return Origin(IrInputStorageShape(ir, relative));
  }
  const Tensor* GetInputTensor(size_t index) const { return InputTensor(index); }
  const Tensor* GetRequiredInputTensor(size_t ir) const { return IrInputTensor(ir, 0); }
  const Tensor* GetOptionalInputTensor(size_t ir) const { return IrInputTensor(ir, 0); }
  const Tensor* GetDynamicInputTensor(size_t ir, size_t relative) const {
    return IrInputTensor(ir, relative);
  }
  Shape* GetOutputShape(size_t index) {
    StorageShape* shape = OutputStorageShape(index);
    return shape == nullptr ? nullptr : &shape->MutableOriginShape();
  }

 private:
  static const Shape* Origin(const StorageShape* shape) {
    return shape == nullptr ? nullptr : &shape->GetOriginShape();
  }
};
}  // namespace gert
#endif
