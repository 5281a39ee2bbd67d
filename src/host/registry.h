// What a loaded operator library has registered: definitions, host functions, tiling classes.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "register/op_def.h"
#include "register/tilingdata_base.h"

namespace akgen {

struct OpParamData {
  explicit OpParamData(std::string n) : name(std::move(n)), handle(this) {}
  OpParamData(const OpParamData&) = delete;
  std::string name;
  ops::Option type = ops::REQUIRED;
  std::vector<ge::DataType> dtypes;
  std::vector<ge::Format> formats;
  bool dtype_list = false;  // DataTypeList: not a column of the common combinations
  bool dtype_both = false;  // DataType and DataTypeList were both called
  bool value_depend = false;
  bool auto_contiguous = false;
  bool shape_depends_on_compute = false;
  std::string scalar = "none";
  std::string follow;
  ops::FollowType follow_type = ops::FollowType::ALL;
  std::optional<double> init_value;
  ops::OpParamDef handle;
};

struct OpAttrData {
  explicit OpAttrData(std::string n) : name(std::move(n)), handle(this) {}
  OpAttrData(const OpAttrData&) = delete;
  std::string name;
  std::string kind;
  bool required = true;
  base::Json value;  // default; null if none was given
  ops::OpAttrDef handle;
};

using OpParams = std::deque<OpParamData>;

struct OpConfigData {
  OpParams inputs, outputs;
  std::map<std::string, std::string> flags;
};

struct OpDefData {
  explicit OpDefData(std::string t) : type(std::move(t)), core(this) {}
  OpDefData(const OpDefData&) = delete;
  std::string type;
  OpParams inputs, outputs;
  std::deque<OpAttrData> attrs;
  std::vector<std::pair<std::string, std::shared_ptr<OpConfigData>>> configs;
  gert::OpImplKernelRegistry::TilingKernelFunc tiling = nullptr;
  gert::OpImplKernelRegistry::TilingParseFunc tiling_parse = nullptr;
  gert::OpImplKernelRegistry::InferShapeKernelFunc infer_shape = nullptr;
  gert::OpImplKernelRegistry::InferDataTypeKernelFunc infer_dtype = nullptr;
  ops::OpAICoreDef core;
};

// The parameter as it is on `soc`: the one of its AddConfig, else the common one.
const OpParamData& ParamOn(const OpDefData& op, const OpParamData* common, bool input,
                           const std::string& soc);

struct PrivateAttr {
  std::string name, kind;
  base::Json value;  // null: zero, empty
};

struct HostFunctions {
  gert::OpImplKernelRegistry::TilingKernelFunc tiling = nullptr;
  gert::OpImplKernelRegistry::TilingParseFunc parse = nullptr;
  gert::OpImplKernelRegistry::CompileInfoCreatorFunc create = nullptr;
  gert::OpImplKernelRegistry::CompileInfoDeleterFunc destroy = nullptr;
  gert::OpImplKernelRegistry::InferShapeKernelFunc infer_shape = nullptr;
  gert::OpImplKernelRegistry::InferDataTypeKernelFunc infer_dtype = nullptr;
  std::vector<int32_t> value_inputs;
  std::vector<PrivateAttr> private_attrs;
  bool dtype_of_first = false;  // outputs have the first input's dtype
};

struct TilingClass {
  std::string op;
  std::string name;
  optiling::TilingDataConstructor create = nullptr;
};

struct HostRegistry {
  std::vector<std::pair<std::string, ops::AkgenOpCreator>> creators;  // in order of registration
  std::map<std::string, std::shared_ptr<OpDefData>> defs;             // built on first use
  std::map<std::string, HostFunctions> functions;
  std::vector<TilingClass> tiling;

  static HostRegistry& Get();
  // Runs the constructor once. nullptr for an unknown name. The constructor's exceptions pass
  // through.
  std::shared_ptr<OpDefData> Definition(const std::string& op);
  // IMPL_OP functions first, then those of the definition.
  HostFunctions FunctionsOf(const OpDefData& op) const;
};

}  // namespace akgen
