#include "host/registry.h"

#include "host/host_entry.h"

namespace akgen {

HostRegistry& HostRegistry::Get() {
  static HostRegistry registry;
  return registry;
}

std::shared_ptr<OpDefData> HostRegistry::Definition(const std::string& op) {
  auto known = defs.find(op);
  if (known != defs.end()) return known->second;
  for (const auto& [name, creator] : creators) {
    if (name == op) return defs[op] = creator(op.c_str()).AkgenData();
  }
  return nullptr;
}

HostFunctions HostRegistry::FunctionsOf(const OpDefData& op) const {
  HostFunctions found;
  auto it = functions.find(op.type);
  if (it != functions.end()) found = it->second;
  if (found.tiling == nullptr) found.tiling = op.tiling;
  if (found.parse == nullptr) found.parse = op.tiling_parse;
  if (found.infer_shape == nullptr) found.infer_shape = op.infer_shape;
  if (found.infer_dtype == nullptr) found.infer_dtype = op.infer_dtype;
  return found;
}

const OpParamData& ParamOn(const OpDefData& op, const OpParamData* common, bool input,
                           const std::string& soc) {
  for (const auto& [name, config] : op.configs) {
    if (name != soc) continue;
    for (const OpParamData& own : input ? config->inputs : config->outputs) {
      if (own.name == common->name) return own;
    }
  }
  return *common;
}

namespace host {
void ClearRegistry() { HostRegistry::Get() = HostRegistry(); }
}  // namespace host

}  // namespace akgen

namespace ops {
bool AkgenRegisterOp(const char* type, AkgenOpCreator creator) {
  auto& creators = akgen::HostRegistry::Get().creators;
  for (auto& known : creators) {
    if (known.first == type) return true;
  }
  creators.emplace_back(type, creator);
  return true;
}
}  // namespace ops

namespace optiling {
bool AkgenRegisterTilingData(const char* op_type, const char* class_name,
                             TilingDataConstructor constructor) {
  auto& classes = akgen::HostRegistry::Get().tiling;
  for (auto& known : classes) {
    if (known.op == op_type)
      return true;  // a header included by several sources registers each time
  }
  classes.push_back({op_type, class_name, constructor});
  return true;
}
}  // namespace optiling

namespace gert {
using akgen::HostRegistry;

OpImplRegisterV2& OpImplRegisterV2::InferShape(
    OpImplKernelRegistry::InferShapeKernelFunc function) {
  HostRegistry::Get().functions[op_type_].infer_shape = function;
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::InferShapeRange(
    OpImplKernelRegistry::InferShapeRangeKernelFunc) {
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::InferDataType(
    OpImplKernelRegistry::InferDataTypeKernelFunc function) {
  HostRegistry::Get().functions[op_type_].infer_dtype = function;
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::Tiling(OpImplKernelRegistry::TilingKernelFunc function,
                                           size_t) {
  HostRegistry::Get().functions[op_type_].tiling = function;
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::Parse(void* function,
                                          OpImplKernelRegistry::CompileInfoCreatorFunc create,
                                          OpImplKernelRegistry::CompileInfoDeleterFunc destroy) {
  auto& functions = HostRegistry::Get().functions[op_type_];
  functions.parse = reinterpret_cast<OpImplKernelRegistry::TilingParseFunc>(function);
  functions.create = create;
  functions.destroy = destroy;
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
  HostRegistry::Get().functions[op_type_].dtype_of_first = true;
  return *this;
}
namespace {
void AddPrivate(const std::string& op, const char* name, const char* kind,
                akgen::base::Json value) {
  HostRegistry::Get().functions[op].private_attrs.push_back({name, kind, std::move(value)});
}
}  // namespace
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name) {
  AddPrivate(op_type_, name, "int", nullptr);
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, int64_t value) {
  AddPrivate(op_type_, name, "int", value);
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, float value) {
  AddPrivate(op_type_, name, "float", value);
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, bool value) {
  AddPrivate(op_type_, name, "bool", value);
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, const char* value) {
  AddPrivate(op_type_, name, "string", value);
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name,
                                                const std::vector<int64_t>& value) {
  AddPrivate(op_type_, name, "list_int", value);
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, const std::vector<float>& value) {
  AddPrivate(op_type_, name, "list_float", value);
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t> inputs) {
  auto& list = HostRegistry::Get().functions[op_type_].value_inputs;
  list.insert(list.end(), inputs.begin(), inputs.end());
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(
    std::initializer_list<int32_t> inputs) {
  return InputsDataDependency(inputs);
}
}  // namespace gert
