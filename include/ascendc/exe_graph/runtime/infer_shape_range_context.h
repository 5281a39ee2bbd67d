// gert::InferShapeRangeContext: bounds of shapes. Shapes are always known here, so there is never a
// range.
#ifndef AKGEN_EXE_GRAPH_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H
#define AKGEN_EXE_GRAPH_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H
#include "exe_graph/runtime/kernel_context.h"

namespace gert {
class InferShapeRangeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  const Range<Shape>* GetInputShapeRange(size_t) const { return nullptr; }
  const Range<Shape>* GetRequiredInputShapeRange(size_t) const { return nullptr; }
  const Range<Shape>* GetOptionalInputShapeRange(size_t) const { return nullptr; }
  const Range<Shape>* GetDynamicInputShapeRange(size_t, size_t) const { return nullptr; }
  Range<Shape>* GetOutputShapeRange(size_t) { return nullptr; }
};
}  // namespace gert
#endif
