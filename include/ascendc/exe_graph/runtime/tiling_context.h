// gert::TilingContext: what a tiling function reads (shapes, types, attributes, platform) and
// writes (tiling data, key, block count, workspace sizes). Indices are instance indices unless the
// name says Required, Optional or Dynamic, which count inputs of the definition (absent optional
// inputs included).
#ifndef AKGEN_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H
#define AKGEN_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H
#include "exe_graph/runtime/kernel_context.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {
class TilingContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const StorageShape* GetInputShape(size_t index) const { return InputStorageShape(index); }
  const Tensor* GetInputTensor(size_t index) const { return InputTensor(index); }
  const StorageShape* GetOutputShape(size_t index) const { return OutputStorageShape(index); }

  // nullptr: the tensor has no holes, as all have here.
  const Stride* GetInputStride(size_t) const { return nullptr; }
  const Stride* GetOutputStride(size_t) const { return nullptr; }
  bool InputIsView(size_t) const { return false; }
  bool OutputIsView(size_t) const { return false; }

  const StorageShape* GetRequiredInputShape(size_t ir) const { return IrInputStorageShape(ir, 0); }
  const Tensor* GetRequiredInputTensor(size_t ir) const { return IrInputTensor(ir, 0); }
  const StorageShape* GetOptionalInputShape(size_t ir) const { return IrInputStorageShape(ir, 0); }
  const Tensor* GetOptionalInputTensor(size_t ir) const { return IrInputTensor(ir, 0); }
  const StorageShape* GetDynamicInputShape(size_t ir, size_t relative) const {
    return IrInputStorageShape(ir, relative);
  }
  const Tensor* GetDynamicInputTensor(size_t ir, size_t relative) const {
    return IrInputTensor(ir, relative);
  }
  const StorageShape* GetRequiredOutputShape(size_t ir) const {
    return IrOutputStorageShape(ir, 0);
  }
  const StorageShape* GetDynamicOutputShape(size_t ir, size_t relative) const {
    return IrOutputStorageShape(ir, relative);
  }

  // What TilingParse filled; nullptr for operators without one.
  const void* GetCompileInfo() const;
  template <typename T>
  const T* GetCompileInfo() const {
    return static_cast<const T*>(GetCompileInfo());
  }
  fe::PlatFormInfos* GetPlatformInfo() const;
  int32_t GetDeterministic() const;  // 1: bit-exact repeatable results are asked for
  int32_t GetDeterministicLevel() const {
    return GetDeterministic();
  }  // 2: the same ones for every batch size, never asked for here

  TilingData* GetRawTilingData();
  const TilingData* GetRawTilingData() const;
  // The buffer seen as a T, its size set to sizeof(T); nullptr if it does not fit.
  template <typename T>
  T* GetTilingData() {
    TilingData* raw = GetRawTilingData();
    if (raw == nullptr || raw->GetCapacity() < sizeof(T)) return nullptr;
    raw->SetDataSize(sizeof(T));
    return static_cast<T*>(raw->GetData());
  }

  ge::graphStatus SetTilingKey(uint64_t key);
  uint64_t GetTilingKey() const;
  ge::graphStatus SetBlockDim(uint32_t block_dim);
  uint32_t GetBlockDim() const;
  // The same, by the names of newer toolkits.
  ge::graphStatus SetSimdNumBlocks(uint32_t blocks) { return SetBlockDim(blocks); }
  uint32_t GetSimdNumBlocks() const { return GetBlockDim(); }
  ge::graphStatus SetAicpuBlockDim(uint32_t block_dim);
  uint32_t GetAicpuBlockDim() const;
  // 1: all cores of the launch start together (needed by kernels that wait for each other).
  ge::graphStatus SetScheduleMode(uint32_t mode);
  uint32_t GetScheduleMode() const;
  ge::graphStatus SetNeedAtomic(bool atomic);
  bool NeedAtomic() const;
  ge::graphStatus SetTilingCond(int32_t condition);
  int32_t GetTilingCond() const;
  ge::graphStatus SetLocalMemorySize(uint32_t bytes);
  uint32_t GetLocalMemorySize() const;
  // `count` sizes in bytes, at most 16, all zero at first; nullptr above 16.
  size_t* GetWorkspaceSizes(size_t count);
  size_t GetWorkspaceNum() const;
};
}  // namespace gert
#endif
