// gert::ComputeNodeInfo: how the inputs and outputs of the definition (IR) map to those of one call
// (instances).
#ifndef AKGEN_EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H
#define AKGEN_EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/storage_format.h"

namespace gert {
// An IR input: 1 instance if required, 0 or 1 if optional, any number if dynamic.
class AnchorInstanceInfo {
 public:
  AnchorInstanceInfo() = default;
  AnchorInstanceInfo(uint32_t start, uint32_t num) : start_(start), num_(num) {}
  size_t GetInstanceNum() const { return num_; }
  size_t GetInstanceStart() const { return start_; }

 private:
  uint32_t start_ = 0;
  uint32_t num_ = 0;
};

class CompileTimeTensorDesc {
 public:
  CompileTimeTensorDesc() = default;
  CompileTimeTensorDesc(ge::DataType type, const StorageFormat& format)
      : type_(type), format_(format) {}
  ge::DataType GetDataType() const { return type_; }
  void SetDataType(ge::DataType type) { type_ = type; }
  const StorageFormat& GetFormat() const { return format_; }
  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }

 private:
  ge::DataType type_ = ge::DT_UNDEFINED;
  StorageFormat format_;
};

class ComputeNodeInfo {
 public:
  explicit ComputeNodeInfo(akgen::HostNode* node) : node_(node) {}
  const char* GetNodeName() const;
  const char* GetNodeType() const;
  size_t GetIrInputsNum() const;
  size_t GetIrOutputsNum() const;
  size_t GetInputsNum() const;   // instances
  size_t GetOutputsNum() const;  // instances
  // nullptr for an index out of range.
  const AnchorInstanceInfo* GetInputInstanceInfo(size_t ir_index) const;
  const AnchorInstanceInfo* GetOutputInstanceInfo(size_t ir_index) const;
  const CompileTimeTensorDesc* GetInputTdInfo(size_t index) const;
  const CompileTimeTensorDesc* GetOutputTdInfo(size_t index) const;
  const RuntimeAttrs* GetAttrs() const;

 private:
  akgen::HostNode* node_;
};
}  // namespace gert
#endif
