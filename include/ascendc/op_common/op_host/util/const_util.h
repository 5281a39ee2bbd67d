// Values of inputs that the tiling depends on, as the operator-base library reads them.
#ifndef AKGEN_OP_COMMON_OP_HOST_UTIL_CONST_UTIL_H
#define AKGEN_OP_COMMON_OP_HOST_UTIL_CONST_UTIL_H
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"

namespace Ops {
namespace Base {
template <typename From, typename Take>
bool AkgenEach(const gert::Tensor* tensor, size_t most, Take take) {
  const From* values = tensor->GetData<From>();
  const size_t count = static_cast<size_t>(tensor->GetShapeSize());
  if (values == nullptr || tensor->GetSize() == 0) return false;
  for (size_t i = 0; i < count && i < most; ++i) take(values[i]);
  return true;
}
template <typename Take>
bool AkgenEachOf(const gert::Tensor* tensor, size_t most, Take take) {
  if (tensor == nullptr) return false;
  switch (tensor->GetDataType()) {
    case ge::DT_UINT64: return AkgenEach<uint64_t>(tensor, most, take);
    case ge::DT_INT64: return AkgenEach<int64_t>(tensor, most, take);
    case ge::DT_UINT32: return AkgenEach<uint32_t>(tensor, most, take);
    case ge::DT_INT32: return AkgenEach<int32_t>(tensor, most, take);
    default: return false;
  }
}
// The first value of an input of whole numbers. False: it is not there, or not known.
template <typename Context, typename T>
bool GetConstInt(const Context* context, int64_t index, T& value) {
  return context != nullptr && AkgenEachOf(context->GetInputTensor(static_cast<size_t>(index)), 1,
                                           [&](auto v) { value = static_cast<T>(v); });
}
// An input's values as a shape.
template <typename Context>
bool GetConstIntToShape(const Context* context, int64_t index, gert::Shape& shape) {
  const gert::Tensor* tensor =
      context == nullptr ? nullptr : context->GetInputTensor(static_cast<size_t>(index));
  if (tensor == nullptr ||
      (tensor->GetDataType() != ge::DT_INT32 && tensor->GetDataType() != ge::DT_INT64))
    return false;
  shape.SetDimNum(0);
  return AkgenEachOf(tensor, gert::Shape::kMaxDimNum,
                     [&](auto v) { shape.AppendDim(static_cast<int64_t>(v)); });
}
}  // namespace Base
}  // namespace Ops
#endif
