// gert::KernelContext and ExtendedKernelContext: the base of every context handed to a host
// function.
#ifndef AKGEN_EXE_GRAPH_RUNTIME_KERNEL_CONTEXT_H
#define AKGEN_EXE_GRAPH_RUNTIME_KERNEL_CONTEXT_H
#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {
class KernelContext {
 public:
  explicit KernelContext(akgen::HostNode* node) : node_(node) {}

 protected:
  akgen::HostNode* node_;
};

class ExtendedKernelContext : public KernelContext {
 public:
  using KernelContext::KernelContext;
  const char* GetNodeName() const;
  const char* GetNodeType() const;
  const ComputeNodeInfo* GetComputeNodeInfo() const;
  size_t GetComputeNodeInputNum() const;   // instances
  size_t GetComputeNodeOutputNum() const;  // instances
  const AnchorInstanceInfo* GetIrInputInstanceInfo(size_t ir_index) const;
  const AnchorInstanceInfo* GetIrOutputInstanceInfo(size_t ir_index) const;
  const CompileTimeTensorDesc* GetInputDesc(size_t index) const;
  const CompileTimeTensorDesc* GetOutputDesc(size_t index) const;
  const CompileTimeTensorDesc* GetRequiredInputDesc(size_t ir) const { return IrInputDesc(ir, 0); }
  const CompileTimeTensorDesc* GetOptionalInputDesc(size_t ir) const { return IrInputDesc(ir, 0); }
  const CompileTimeTensorDesc* GetDynamicInputDesc(size_t ir, size_t relative) const {
    return IrInputDesc(ir, relative);
  }
  const CompileTimeTensorDesc* GetRequiredOutputDesc(size_t ir) const {
    return IrOutputDesc(ir, 0);
  }
  const CompileTimeTensorDesc* GetDynamicOutputDesc(size_t ir, size_t relative) const {
    return IrOutputDesc(ir, relative);
  }
  const RuntimeAttrs* GetAttrs() const;

 protected:
  // All answer nullptr for an index out of range, an absent optional input or a relative index too
  // large.
  const Tensor* InputTensor(size_t index) const;
  const Tensor* IrInputTensor(size_t ir_index, size_t relative) const;
  const StorageShape* InputStorageShape(size_t index) const;
  const StorageShape* IrInputStorageShape(size_t ir_index, size_t relative) const;
  const CompileTimeTensorDesc* IrInputDesc(size_t ir_index, size_t relative) const;
  const CompileTimeTensorDesc* IrOutputDesc(size_t ir_index, size_t relative) const;
  StorageShape* OutputStorageShape(size_t index) const;
  StorageShape* IrOutputStorageShape(size_t ir_index, size_t relative) const;
};
}  // namespace gert
#endif
