// The contexts that tiling and inference functions are called with.
#include <algorithm>
#include <cstring>
#include <new>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "host/node.h"

namespace akgen {

HostNode::HostNode(const chip::Chip& chip)
    : platform(&chip),
      tiling_storage(static_cast<uint8_t*>(std::calloc(kTilingCapacity + kGuard, 1))) {
  if (!tiling_storage) throw std::bad_alloc();
  std::memset(tiling_storage.get() + kTilingCapacity, 0xA5, kGuard);
  tiling = gert::TilingData(tiling_storage.get(), kTilingCapacity);
  workspaces.resize(kMaxWorkspaces, 0);
}

bool HostNode::TilingOverrun() const {
  const uint8_t* guard = tiling_storage.get() + kTilingCapacity;
  return std::any_of(guard, guard + kGuard, [](uint8_t byte) { return byte != 0xA5; });
}

namespace {
// Position of an instance of an IR parameter; SIZE_MAX when it is not there.
size_t InstanceOf(const std::vector<gert::AnchorInstanceInfo>& ir, size_t index, size_t relative) {
  if (index >= ir.size() || relative >= ir[index].GetInstanceNum()) return SIZE_MAX;
  return ir[index].GetInstanceStart() + relative;
}
}  // namespace

}  // namespace akgen

namespace gert {
using akgen::InstanceOf;

int64_t Shape::GetShapeSize() const {
  int64_t size = 1;
  for (size_t i = 0; i < dim_num_; ++i) {
    if (dims_[i] < 0 || __builtin_mul_overflow(size, dims_[i], &size)) return -1;
  }
  return size;
}

const void* RuntimeAttrs::Find(size_t index) const {
  return index < node_->attr_storage.size() ? node_->attr_storage[index].data() : nullptr;
}
size_t RuntimeAttrs::GetAttrNum() const { return node_->attr_storage.size(); }

const char* ComputeNodeInfo::GetNodeName() const { return node_->name.c_str(); }
const char* ComputeNodeInfo::GetNodeType() const { return node_->type.c_str(); }
size_t ComputeNodeInfo::GetIrInputsNum() const { return node_->ir_inputs.size(); }
size_t ComputeNodeInfo::GetIrOutputsNum() const { return node_->ir_outputs.size(); }
size_t ComputeNodeInfo::GetInputsNum() const { return node_->inputs.size(); }
size_t ComputeNodeInfo::GetOutputsNum() const { return node_->outputs.size(); }
const AnchorInstanceInfo* ComputeNodeInfo::GetInputInstanceInfo(size_t ir) const {
  return ir < node_->ir_inputs.size() ? &node_->ir_inputs[ir] : nullptr;
}
const AnchorInstanceInfo* ComputeNodeInfo::GetOutputInstanceInfo(size_t ir) const {
  return ir < node_->ir_outputs.size() ? &node_->ir_outputs[ir] : nullptr;
}
const CompileTimeTensorDesc* ComputeNodeInfo::GetInputTdInfo(size_t index) const {
  return index < node_->inputs.size() ? &node_->inputs[index].desc : nullptr;
}
const CompileTimeTensorDesc* ComputeNodeInfo::GetOutputTdInfo(size_t index) const {
  return index < node_->outputs.size() ? &node_->outputs[index].desc : nullptr;
}
const RuntimeAttrs* ComputeNodeInfo::GetAttrs() const { return &node_->attrs; }

const char* ExtendedKernelContext::GetNodeName() const { return node_->name.c_str(); }
const char* ExtendedKernelContext::GetNodeType() const { return node_->type.c_str(); }
const ComputeNodeInfo* ExtendedKernelContext::GetComputeNodeInfo() const { return &node_->info; }
size_t ExtendedKernelContext::GetComputeNodeInputNum() const { return node_->inputs.size(); }
size_t ExtendedKernelContext::GetComputeNodeOutputNum() const { return node_->outputs.size(); }
const AnchorInstanceInfo* ExtendedKernelContext::GetIrInputInstanceInfo(size_t ir) const {
  return node_->info.GetInputInstanceInfo(ir);
}
const AnchorInstanceInfo* ExtendedKernelContext::GetIrOutputInstanceInfo(size_t ir) const {
  return node_->info.GetOutputInstanceInfo(ir);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetInputDesc(size_t index) const {
  return node_->info.GetInputTdInfo(index);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOutputDesc(size_t index) const {
  return node_->info.GetOutputTdInfo(index);
}
const RuntimeAttrs* ExtendedKernelContext::GetAttrs() const { return &node_->attrs; }

const Tensor* ExtendedKernelContext::InputTensor(size_t index) const {
  return index < node_->inputs.size() ? &node_->inputs[index].tensor : nullptr;
}
const Tensor* ExtendedKernelContext::IrInputTensor(size_t ir, size_t relative) const {
  return InputTensor(InstanceOf(node_->ir_inputs, ir, relative));
}
const StorageShape* ExtendedKernelContext::InputStorageShape(size_t index) const {
  const Tensor* tensor = InputTensor(index);
  return tensor == nullptr ? nullptr : &tensor->GetShape();
}
const StorageShape* ExtendedKernelContext::IrInputStorageShape(size_t ir, size_t relative) const {
  return InputStorageShape(InstanceOf(node_->ir_inputs, ir, relative));
}
const CompileTimeTensorDesc* ExtendedKernelContext::IrInputDesc(size_t ir, size_t relative) const {
  return GetInputDesc(InstanceOf(node_->ir_inputs, ir, relative));
}
const CompileTimeTensorDesc* ExtendedKernelContext::IrOutputDesc(size_t ir, size_t relative) const {
  return GetOutputDesc(InstanceOf(node_->ir_outputs, ir, relative));
}
StorageShape* ExtendedKernelContext::OutputStorageShape(size_t index) const {
  return index < node_->outputs.size() ? &node_->outputs[index].tensor.GetShape() : nullptr;
}
StorageShape* ExtendedKernelContext::IrOutputStorageShape(size_t ir, size_t relative) const {
  return OutputStorageShape(InstanceOf(node_->ir_outputs, ir, relative));
}

ge::graphStatus InferDataTypeContext::SetOutputDataType(size_t index, ge::DataType type) {
  if (index >= node_->outputs.size()) return ge::GRAPH_FAILED;
  node_->outputs[index].desc.SetDataType(type);
  node_->outputs[index].tensor.SetDataType(type);
  return ge::GRAPH_SUCCESS;
}

void* TilingParseContext::CompiledInfo() { return node_->compile_info; }
const char* TilingParseContext::GetCompiledJson() const { return "{}"; }
fe::PlatFormInfos* TilingParseContext::GetPlatformInfo() const { return &node_->platform; }

const void* TilingContext::GetCompileInfo() const { return node_->compile_info; }
fe::PlatFormInfos* TilingContext::GetPlatformInfo() const { return &node_->platform; }
int32_t TilingContext::GetDeterministic() const { return node_->deterministic; }
TilingData* TilingContext::GetRawTilingData() { return &node_->tiling; }
const TilingData* TilingContext::GetRawTilingData() const { return &node_->tiling; }

ge::graphStatus TilingContext::SetTilingKey(uint64_t key) {
  node_->tiling_key = key;
  return ge::GRAPH_SUCCESS;
}
uint64_t TilingContext::GetTilingKey() const { return node_->tiling_key; }
ge::graphStatus TilingContext::SetBlockDim(uint32_t block_dim) {
  node_->block_dim = block_dim;
  return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetBlockDim() const { return node_->block_dim; }
ge::graphStatus TilingContext::SetAicpuBlockDim(uint32_t block_dim) {
  node_->aicpu_block_dim = block_dim;
  return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetAicpuBlockDim() const { return node_->aicpu_block_dim; }
ge::graphStatus TilingContext::SetScheduleMode(uint32_t mode) {
  node_->schedule_mode = mode;
  return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetScheduleMode() const { return node_->schedule_mode; }
ge::graphStatus TilingContext::SetNeedAtomic(bool atomic) {
  node_->atomic = atomic;
  return ge::GRAPH_SUCCESS;
}
bool TilingContext::NeedAtomic() const { return node_->atomic; }
ge::graphStatus TilingContext::SetTilingCond(int32_t condition) {
  node_->tiling_condition = condition;
  return ge::GRAPH_SUCCESS;
}
int32_t TilingContext::GetTilingCond() const { return node_->tiling_condition; }
ge::graphStatus TilingContext::SetLocalMemorySize(uint32_t bytes) {
  node_->local_memory = bytes;
  return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetLocalMemorySize() const { return node_->local_memory; }
size_t* TilingContext::GetWorkspaceSizes(size_t count) {
  if (count > akgen::HostNode::kMaxWorkspaces) return nullptr;
  node_->workspace_count = std::max(node_->workspace_count, count);
  return node_->workspaces.data();
}
size_t TilingContext::GetWorkspaceNum() const { return node_->workspace_count; }

}  // namespace gert
