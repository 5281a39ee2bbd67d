// ops::OpDef: an operator definition, built by its constructor. The constructor runs when the
// definition is asked for, not while the library is loaded.
#ifndef AKGEN_REGISTER_OP_DEF_H
#define AKGEN_REGISTER_OP_DEF_H
#include "graph/operator.h"
#include "register/op_impl_registry.h"

namespace akgen {
struct OpDefData;
struct OpParamData;
struct OpAttrData;
struct OpConfigData;
}  // namespace akgen

namespace ops {
enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FormatCheckOption : uint32_t { DEFAULT = 0, STRICT = 1, MAX };
enum class DependScope : uint32_t { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FollowType : uint32_t { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class CommentSection : uint32_t {
  BRIEF = 0,
  CONSTRAINTS = 1,
  RESTRICTIONS = 2,
  THIRDPARTYFWKCOMPAT = 3,
  SEE = 4
};
enum class ScalarType : uint32_t {
  UINT64 = 0,
  INT64 = 1,
  UINT32 = 2,
  INT32 = 3,
  UINT16 = 4,
  INT16 = 5,
  UINT8 = 6,
  INT8 = 7,
  FLOAT32 = 8,
  FLOAT16 = 9,
  INVALID_DTYPE = 0xFFFFFFFFu,
};
struct ScalarVar {
  ScalarVar() = default;
  template <typename T>
  ScalarVar(ge::DataType type, T v) : scalar_type(type), value(static_cast<double>(v)) {}
  template <typename T>
  ScalarVar(ScalarType type, T v) : scalar_type(AkgenTypeOf(type)), value(static_cast<double>(v)) {}
  ge::DataType scalar_type = ge::DT_UNDEFINED;
  double value = 0;

 private:
  static ge::DataType AkgenTypeOf(ScalarType type) {
    constexpr ge::DataType kTypes[] = {ge::DT_UINT64, ge::DT_INT64,  ge::DT_UINT32, ge::DT_INT32,
                                       ge::DT_UINT16, ge::DT_INT16,  ge::DT_UINT8,  ge::DT_INT8,
                                       ge::DT_FLOAT,  ge::DT_FLOAT16};
    const auto at = static_cast<uint32_t>(type);
    return at < 10 ? kTypes[at] : ge::DT_UNDEFINED;
  }
};

// An input or output. Types, formats and unknown-shape formats are parallel lists: column i is one
// combination.
class OpParamDef {
 public:
  explicit OpParamDef(akgen::OpParamData* data) : data_(data) {}
  OpParamDef& ParamType(Option type);
  OpParamDef& DataType(std::vector<ge::DataType> types);
  OpParamDef& DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
  OpParamDef& DataTypeList(
      std::vector<ge::DataType> types);  // one parameter's types, combined with all others
  OpParamDef& Format(std::vector<ge::Format> formats);
  OpParamDef& FormatForBinQuery(std::vector<ge::Format>) { return *this; }
  OpParamDef& FormatList(std::vector<ge::Format> formats);
  OpParamDef& UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
  OpParamDef& ValueDepend(Option depend);
  OpParamDef& ValueDepend(Option depend, DependScope scope);
  OpParamDef& Scalar();
  OpParamDef& ScalarList();
  OpParamDef& To(ge::DataType type);
  OpParamDef& To(const char* name);
  OpParamDef& AutoContiguous();
  OpParamDef& IgnoreContiguous();
  OpParamDef& InitValue(uint64_t value);
  OpParamDef& InitValue(const ScalarVar& value);
  OpParamDef& InitValue(const std::vector<ScalarVar>& values);
  OpParamDef& OutputShapeDependOnCompute();
  OpParamDef& Follow(const char* name);
  OpParamDef& Follow(const char* name, FollowType type);
  OpParamDef& Version(uint32_t) { return *this; }
  OpParamDef& Comment(const char*) { return *this; }

 private:
  akgen::OpParamData* data_;
};

// An attribute. The value given here is its default.
class OpAttrDef {
 public:
  explicit OpAttrDef(akgen::OpAttrData* data) : data_(data) {}
  OpAttrDef& AttrType(Option type);
  OpAttrDef& Bool();
  OpAttrDef& Bool(bool value);
  OpAttrDef& Float();
  OpAttrDef& Float(float value);
  OpAttrDef& Int();
  OpAttrDef& Int(int64_t value);
  OpAttrDef& String();
  OpAttrDef& String(const char* value);
  OpAttrDef& ListBool();
  OpAttrDef& ListBool(std::vector<bool> value);
  OpAttrDef& ListFloat();
  OpAttrDef& ListFloat(std::vector<float> value);
  OpAttrDef& ListInt();
  OpAttrDef& ListInt(std::vector<int64_t> value);
  OpAttrDef& ListListInt();
  OpAttrDef& ListListInt(std::vector<std::vector<int64_t>> value);
  OpAttrDef& Version(uint32_t) { return *this; }
  OpAttrDef& Comment(const char*) { return *this; }

 private:
  akgen::OpAttrData* data_;
};

// What differs on one SoC. Inputs and outputs given here replace those of the same name.
class OpAICoreConfig {
 public:
  OpAICoreConfig();
  explicit OpAICoreConfig(const char* soc);
  OpParamDef& Input(const char* name);
  OpParamDef& Output(const char* name);
  OpAICoreConfig& DynamicCompileStaticFlag(bool flag);
  OpAICoreConfig& DynamicFormatFlag(bool flag);
  OpAICoreConfig& DynamicRankSupportFlag(bool flag);
  OpAICoreConfig& DynamicShapeSupportFlag(bool flag);
  OpAICoreConfig& NeedCheckSupportFlag(bool flag);
  OpAICoreConfig& PrecisionReduceFlag(bool flag);
  OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value);

 private:
  friend class OpAICoreDef;
  std::shared_ptr<akgen::OpConfigData> data_;
};

class OpAICoreDef {
 public:
  using CheckFunc = ge::graphStatus (*)(const ge::Operator&, ge::AscendString&);
  explicit OpAICoreDef(akgen::OpDefData* data) : data_(data) {}
  OpAICoreDef& SetTiling(gert::OpImplKernelRegistry::TilingKernelFunc function);
  OpAICoreDef& SetTilingParse(gert::OpImplKernelRegistry::TilingParseFunc function);
  OpAICoreDef& SetCheckSupport(CheckFunc) { return *this; }
  CheckFunc GetCheckSupport() const { return nullptr; }
  OpAICoreDef& SetOpSelectFormat(CheckFunc) { return *this; }
  OpAICoreDef& SetOpSupportInfo(CheckFunc) { return *this; }
  OpAICoreDef& SetOpSpecInfo(CheckFunc) { return *this; }
  OpAICoreDef& SetParamGeneralize(CheckFunc) { return *this; }
  OpAICoreDef& AddConfig(const char* soc);
  OpAICoreDef& AddConfig(const char* soc, OpAICoreConfig& config);

 private:
  akgen::OpDefData* data_;
};

class OpDef {
 public:
  explicit OpDef(const char* type);
  OpParamDef& Input(const char* name);
  OpParamDef& Output(const char* name);
  OpAttrDef& Attr(const char* name);
  OpAICoreDef& AICore();
  OpDef& SetInferShape(gert::OpImplKernelRegistry::InferShapeKernelFunc function);
  OpDef& SetInferShapeRange(gert::OpImplKernelRegistry::InferShapeRangeKernelFunc function);
  OpDef& SetInferDataType(gert::OpImplKernelRegistry::InferDataTypeKernelFunc function);
  OpDef& Comment(CommentSection, const char*) { return *this; }
  OpDef& FormatMatchMode(FormatCheckOption) { return *this; }
  OpDef& EnableFallBack() { return *this; }
  std::shared_ptr<akgen::OpDefData> AkgenData() const { return data_; }

 private:
  std::shared_ptr<akgen::OpDefData> data_;
};

using AkgenOpCreator = OpDef (*)(const char* type);
// Called while a host library is loaded. Returns true.
bool AkgenRegisterOp(const char* type, AkgenOpCreator creator);
}  // namespace ops

// What the graph engine may ask of an operator by hand; nobody asks here.
#ifndef FUNC_CHECK_SUPPORTED
#define FUNC_CHECK_SUPPORTED "check_supported"
#endif
namespace optiling {
class OpCheckFuncHelper {
 public:
  template <typename Function>
  OpCheckFuncHelper(const char* check_type, const char* op_type, Function) {}
};
}  // namespace optiling
#endif
