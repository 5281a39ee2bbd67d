#include "judge/host/operator_definition.h"

namespace akgen::judge {

std::string_view NameOf(Presence presence) {
  switch (presence) {
    case Presence::kRequired: return "required";
    case Presence::kOptional: return "optional";
    case Presence::kDynamic: return "dynamic";
  }
  return "required";
}

base::Json ToJson(const ParamDefinition& p) {
  return {{"name", p.name},
          {"dtypes", p.dtypes},
          {"formats", p.formats},
          {"param_type", NameOf(p.presence)},
          {"dtype_list", p.dtype_list},
          {"dtype_both", p.dtype_both},
          {"value_depend", p.value_depend},
          {"scalar", p.scalar}};
}

base::Json ToJson(const AttrDefinition& a) {
  base::Json out{{"name", a.name}, {"type", a.type}};
  if (!a.default_value.is_null()) out["default"] = a.default_value;
  return out;
}

}  // namespace akgen::judge
