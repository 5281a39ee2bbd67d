// What host code has registered, as JSON.
#include <algorithm>
#include <exception>
#include <set>

#include "host/host_entry.h"
#include "host/registry.h"
#include "record/tile_request.h"

namespace akgen::host {
namespace {
using base::Json;
using optiling::FieldInfo;
using optiling::TilingDef;

const char* OptionName(ops::Option option) {
  return option == ops::OPTIONAL ? "optional" : option == ops::DYNAMIC ? "dynamic" : "required";
}

Json DescribeParam(const OpDefData& op, const OpParamData& common, bool input,
                   const std::string& soc) {
  const OpParamData& p = ParamOn(op, &common, input, soc);
  Json dtypes = p.dtypes;
  if (p.dtypes.empty() && !p.follow.empty()) {
    for (const OpParams* list : {&op.inputs, &op.outputs}) {
      for (const OpParamData& other : *list) {
        if (other.name == p.follow) dtypes = ParamOn(op, &other, list == &op.inputs, soc).dtypes;
      }
    }
  }
  Json out = {{"name", p.name},
              {"param_type", OptionName(p.type)},
              {"dtypes", dtypes},
              {"formats", p.formats},
              {"dtype_list", p.dtype_list},
              {"dtype_both", p.dtype_both},
              {"value_depend", p.value_depend},
              {"scalar", p.scalar},
              {"auto_contiguous", p.auto_contiguous},
              {"shape_depends_on_compute", p.shape_depends_on_compute}};
  if (p.init_value) out["init_value"] = *p.init_value;
  return out;
}

Json DescribeOp(const OpDefData& op, const HostRegistry& registry, const std::string& soc) {
  Json out = {{"name", op.type},          {"inputs", Json::array()},
              {"outputs", Json::array()}, {"attrs", Json::array()},
              {"configs", Json::array()}, {"kernel_names", Json::array()}};
  HostFunctions functions = registry.FunctionsOf(op);
  size_t index = 0;
  for (const auto& p : op.inputs) {
    Json param = DescribeParam(op, p, true, soc);
    const auto& values = functions.value_inputs;
    if (std::find(values.begin(), values.end(), static_cast<int32_t>(index)) != values.end()) {
      param["value_depend"] = true;
    }
    out["inputs"].push_back(std::move(param));
    ++index;
  }
  for (const auto& p : op.outputs) out["outputs"].push_back(DescribeParam(op, p, false, soc));
  for (const auto& a : op.attrs) {
    out["attrs"].push_back(
        {{"name", a.name}, {"type", a.kind}, {"required", a.required}, {"default", a.value}});
  }
  for (const auto& config : op.configs) {
    out["configs"].push_back(config.first);
    if (!soc.empty() && config.first != soc) continue;
    for (const char* key : {"opFile.value", "opInterface.value"})
      if (auto at = config.second->flags.find(key); at != config.second->flags.end())
        out["kernel_names"].push_back(at->second);
  }
  out["has_tiling"] = functions.tiling != nullptr;
  out["has_infer_shape"] = functions.infer_shape != nullptr;
  return out;
}

Json DescribeFields(const TilingDef& def) {
  Json fields = Json::array();
  for (const FieldInfo& f : def.GetFieldInfo()) {
    fields.push_back({{"name", f.name_},
                      {"type", f.dtype_},
                      {"count", f.arrSize_},
                      {"offset", f.offset_},
                      {"kind", f.classType_[0] == '2'   ? "struct"
                               : f.classType_[0] == '1' ? "array"
                                                        : "value"}});
  }
  return fields;
}

// The struct and those that lie in it, innermost first.
void AppendStruct(const TilingDef& def, std::set<std::string>& done, Json& structs) {
  const std::string name = def.GetTilingClassName();
  if (!done.insert(name).second) return;
  for (const TilingDef* nested : def.GetNested()) AppendStruct(*nested, done, structs);
  structs.push_back({{"name", name}, {"size", def.GetDataSize()}, {"fields", DescribeFields(def)}});
}

// "Name_27" registers the struct of tiling key 27 of operator Name.
void SplitKey(const std::string& registered, const std::string& op, Json& entry) {
  if (registered.rfind(op + "_", 0) != 0) return;
  std::string digits = registered.substr(op.size() + 1);
  if (digits.empty() || digits.size() > 19) return;
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return;
  entry["of"] = op;
  entry["tiling_key"] = std::stoull(digits);
}

void DescribeTiling(const HostRegistry& registry, Json& out) {
  std::string fallback;
  std::set<std::string> done;
  Json tiling = Json::array(), structs = Json::array();
  for (const TilingClass& entry : registry.tiling) {
    auto def = entry.create();
    AppendStruct(*def, done, structs);
    if (tiling.empty()) fallback = def->GetTilingClassName();
    Json row = {{"op", entry.op},
                {"class", def->GetTilingClassName()},
                {"fields", DescribeFields(*def)},
                {"size", def->GetDataSize()}};
    for (const auto& creator : registry.creators) {
      SplitKey(entry.op, creator.first, row);
      if (creator.first == entry.op) fallback = def->GetTilingClassName();
    }
    tiling.push_back(std::move(row));
  }
  out["tiling"] = std::move(tiling), out["structs"] = std::move(structs);
  out["default_tiling_class"] = fallback;
}

std::string Failure(const char* code, const std::string& message) {
  return base::Dump(Json(record::HostStatus{"failed", code, message, ""}));
}

}  // namespace

std::string Describe(const std::string& request) {
  const auto asked = base::Checked("a request to describe", [&] {
    return base::Result(base::MessageFromJson<record::DescribeRequest>(base::Parse(request)));
  });
  const std::string soc = asked.ok() ? asked->soc : "";
  HostRegistry& registry = HostRegistry::Get();
  if (registry.creators.empty()) {
    return Failure("AK3001", "the host sources register no operator (OP_ADD is missing)");
  }
  Json out = {{"status", "ok"}, {"ops", Json::array()}};
  std::string current;
  try {
    for (const auto& creator : registry.creators) {
      current = creator.first;
      out["ops"].push_back(DescribeOp(*registry.Definition(current), registry, soc));
    }
    DescribeTiling(registry, out);
    return base::Dump(out);
  } catch (const std::exception& e) {
    return Failure("AK3002", "describing operator " + current + " threw: " + e.what());
  } catch (...) {
    return Failure("AK3002", "describing operator " + current +
                                 " threw something that is not a std::exception");
  }
}

}  // namespace akgen::host
