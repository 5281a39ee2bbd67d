// An operator as its host half defines it (OpDef), and the tiling data registered for it: what
// DescriptionFromJson (judge/host/messages.h) leaves of a candidate's answer.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::judge {

enum class Presence { kRequired, kOptional, kDynamic };  // kDynamic: a list of tensors
std::string_view NameOf(Presence presence);              // "required", "optional", "dynamic"

struct ParamDefinition {
  std::string name;
  std::vector<int> dtypes,
      formats;  // ge::DataType, ge::Format: entry i of all parameters is one combination
  Presence presence = Presence::kRequired;
  bool dtype_list = false;           // DataTypeList: combined with all of the others
  bool dtype_both = false;           // it has DataType too
  bool value_depend = false;         // tiling reads its values
  bool scalar = false;               // a plain number of the caller's
  std::optional<double> init_value;  // of an output, where tiling calls SetNeedAtomic
};
struct AttrDefinition {
  std::string name, type;    // "int", "list_float", …
  base::Json default_value;  // null: none is given
};
struct OperatorDefinition {
  std::string name;  // empty: there is none
  std::vector<ParamDefinition> inputs, outputs;
  std::vector<AttrDefinition> attrs;
  std::vector<std::string> configs;  // AddConfig: chips, as "ascend910b"
  std::vector<std::string>
      kernel_names;  // opFile.value and the like, besides the one that follows from the name
};

// REGISTER_TILING_DATA_CLASS.
struct TilingClass {
  std::string op, name;
};
struct TilingField {
  enum class Kind { kValue, kArray, kStruct };
  std::string name, type;
  Kind kind = Kind::kValue;
  uint64_t count = 1;
  uint64_t offset = 0;  // bytes
};
struct TilingStruct {
  std::string name;
  uint64_t size = 0;  // bytes
  std::vector<TilingField> fields;
};

base::Json ToJson(const ParamDefinition& param);
base::Json ToJson(const AttrDefinition& attr);

}  // namespace akgen::judge
