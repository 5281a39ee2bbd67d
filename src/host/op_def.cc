// The builder calls of ops::OpDef: each writes one fact into the data of registry.h.
#include "register/op_def.h"

#include "host/registry.h"

namespace ops {
namespace {

template <typename List>
auto& Named(List& list, const char* name) {
  for (auto& entry : list) {
    if (entry.name == name) return entry.handle;
  }
  list.emplace_back(name == nullptr ? "" : name);
  return list.back().handle;
}

}  // namespace

OpParamDef& OpParamDef::ParamType(Option type) {
  data_->type = type;
  return *this;
}
OpParamDef& OpParamDef::DataType(std::vector<ge::DataType> types) {
  data_->dtype_both |= data_->dtype_list;
  data_->dtypes = std::move(types);
  return *this;
}
OpParamDef& OpParamDef::DataTypeList(std::vector<ge::DataType> types) {
  data_->dtype_both |= !data_->dtypes.empty() && !data_->dtype_list;
  data_->dtypes = std::move(types);
  data_->dtype_list = true;
  return *this;
}
OpParamDef& OpParamDef::Format(std::vector<ge::Format> formats) {
  data_->formats = std::move(formats);
  return *this;
}
OpParamDef& OpParamDef::FormatList(std::vector<ge::Format> formats) {
  return Format(std::move(formats));
}
OpParamDef& OpParamDef::ValueDepend(Option depend) {
  data_->value_depend = depend != IGNORE;
  return *this;
}
OpParamDef& OpParamDef::ValueDepend(Option depend, DependScope) { return ValueDepend(depend); }
OpParamDef& OpParamDef::Scalar() {
  data_->scalar = "scalar";
  return *this;
}
OpParamDef& OpParamDef::ScalarList() {
  data_->scalar = "list";
  return *this;
}
OpParamDef& OpParamDef::To(ge::DataType type) {
  data_->dtypes.assign(data_->dtypes.empty() ? 1 : data_->dtypes.size(), type);
  return *this;
}
OpParamDef& OpParamDef::To(const char* name) { return Follow(name, FollowType::DTYPE); }
OpParamDef& OpParamDef::AutoContiguous() {
  data_->auto_contiguous = true;
  return *this;
}
OpParamDef& OpParamDef::IgnoreContiguous() {
  data_->auto_contiguous = false;
  return *this;
}
OpParamDef& OpParamDef::InitValue(uint64_t value) {
  data_->init_value = static_cast<double>(value);
  return *this;
}
OpParamDef& OpParamDef::InitValue(const ScalarVar& value) {
  data_->init_value = value.value;
  return *this;
}
OpParamDef& OpParamDef::InitValue(const std::vector<ScalarVar>& values) {
  if (!values.empty()) data_->init_value = values.front().value;
  return *this;
}
OpParamDef& OpParamDef::OutputShapeDependOnCompute() {
  data_->shape_depends_on_compute = true;
  return *this;
}
OpParamDef& OpParamDef::Follow(const char* name) { return Follow(name, FollowType::ALL); }
OpParamDef& OpParamDef::Follow(const char* name, FollowType type) {
  data_->follow = name == nullptr ? "" : name;
  data_->follow_type = type;
  return *this;
}

namespace {
void SetKind(akgen::OpAttrData* data, const char* kind, akgen::base::Json value = nullptr) {
  data->kind = kind;
  data->value = std::move(value);
}
}  // namespace

OpAttrDef& OpAttrDef::AttrType(Option type) {
  data_->required = type == REQUIRED;
  return *this;
}
OpAttrDef& OpAttrDef::Bool() { return SetKind(data_, "bool"), *this; }
OpAttrDef& OpAttrDef::Bool(bool value) { return SetKind(data_, "bool", value), *this; }
OpAttrDef& OpAttrDef::Float() { return SetKind(data_, "float"), *this; }
OpAttrDef& OpAttrDef::Float(float value) { return SetKind(data_, "float", value), *this; }
OpAttrDef& OpAttrDef::Int() { return SetKind(data_, "int"), *this; }
OpAttrDef& OpAttrDef::Int(int64_t value) { return SetKind(data_, "int", value), *this; }
OpAttrDef& OpAttrDef::String() { return SetKind(data_, "string"), *this; }
OpAttrDef& OpAttrDef::String(const char* value) {
  return SetKind(data_, "string", std::string(value == nullptr ? "" : value)), *this;
}
OpAttrDef& OpAttrDef::ListBool() { return SetKind(data_, "list_bool"), *this; }
// NOLINTBEGIN(performance-unnecessary-value-param): upstream's signatures
OpAttrDef& OpAttrDef::ListBool(std::vector<bool> value) {
  return SetKind(data_, "list_bool", std::move(value)), *this;
}
OpAttrDef& OpAttrDef::ListFloat() { return SetKind(data_, "list_float"), *this; }
OpAttrDef& OpAttrDef::ListFloat(std::vector<float> value) {
  return SetKind(data_, "list_float", std::move(value)), *this;
}
OpAttrDef& OpAttrDef::ListInt() { return SetKind(data_, "list_int"), *this; }
OpAttrDef& OpAttrDef::ListInt(std::vector<int64_t> value) {
  return SetKind(data_, "list_int", std::move(value)), *this;
}
OpAttrDef& OpAttrDef::ListListInt() { return SetKind(data_, "list_list_int"), *this; }
OpAttrDef& OpAttrDef::ListListInt(std::vector<std::vector<int64_t>> value) {
  return SetKind(data_, "list_list_int", std::move(value)), *this;
}
// NOLINTEND(performance-unnecessary-value-param)

OpAICoreConfig::OpAICoreConfig() : data_(std::make_shared<akgen::OpConfigData>()) {}
OpAICoreConfig::OpAICoreConfig(const char*) : OpAICoreConfig() {}
OpParamDef& OpAICoreConfig::Input(const char* name) { return Named(data_->inputs, name); }
OpParamDef& OpAICoreConfig::Output(const char* name) { return Named(data_->outputs, name); }
OpAICoreConfig& OpAICoreConfig::ExtendCfgInfo(const char* key, const char* value) {
  data_->flags[key] = value;
  return *this;
}
OpAICoreConfig& OpAICoreConfig::DynamicCompileStaticFlag(bool flag) {
  return ExtendCfgInfo("dynamicCompileStatic.flag", flag ? "true" : "false");
}
OpAICoreConfig& OpAICoreConfig::DynamicFormatFlag(bool flag) {
  return ExtendCfgInfo("dynamicFormat.flag", flag ? "true" : "false");
}
OpAICoreConfig& OpAICoreConfig::DynamicRankSupportFlag(bool flag) {
  return ExtendCfgInfo("dynamicRankSupport.flag", flag ? "true" : "false");
}
OpAICoreConfig& OpAICoreConfig::DynamicShapeSupportFlag(bool flag) {
  return ExtendCfgInfo("dynamicShapeSupport.flag", flag ? "true" : "false");
}
OpAICoreConfig& OpAICoreConfig::NeedCheckSupportFlag(bool flag) {
  return ExtendCfgInfo("needCheckSupport.flag", flag ? "true" : "false");
}
OpAICoreConfig& OpAICoreConfig::PrecisionReduceFlag(bool flag) {
  return ExtendCfgInfo("precision_reduce.flag", flag ? "true" : "false");
}

OpAICoreDef& OpAICoreDef::SetTiling(gert::OpImplKernelRegistry::TilingKernelFunc function) {
  data_->tiling = function;
  return *this;
}
OpAICoreDef& OpAICoreDef::SetTilingParse(gert::OpImplKernelRegistry::TilingParseFunc function) {
  data_->tiling_parse = function;
  return *this;
}
OpAICoreDef& OpAICoreDef::AddConfig(const char* soc) {
  data_->configs.emplace_back(soc, std::make_shared<akgen::OpConfigData>());
  return *this;
}
OpAICoreDef& OpAICoreDef::AddConfig(const char* soc, OpAICoreConfig& config) {
  data_->configs.emplace_back(soc, config.data_);
  return *this;
}

OpDef::OpDef(const char* type)
    : data_(std::make_shared<akgen::OpDefData>(type == nullptr ? "" : type)) {}
OpParamDef& OpDef::Input(const char* name) { return Named(data_->inputs, name); }
OpParamDef& OpDef::Output(const char* name) { return Named(data_->outputs, name); }
OpAttrDef& OpDef::Attr(const char* name) { return Named(data_->attrs, name); }
OpAICoreDef& OpDef::AICore() { return data_->core; }
OpDef& OpDef::SetInferShape(gert::OpImplKernelRegistry::InferShapeKernelFunc function) {
  data_->infer_shape = function;
  return *this;
}
OpDef& OpDef::SetInferShapeRange(gert::OpImplKernelRegistry::InferShapeRangeKernelFunc) {
  return *this;
}
OpDef& OpDef::SetInferDataType(gert::OpImplKernelRegistry::InferDataTypeKernelFunc function) {
  data_->infer_dtype = function;
  return *this;
}

}  // namespace ops
