#include "record/reference_messages.h"

#include "base/error_json.h"

namespace akgen::record {
using base::Json;

namespace {
constexpr const char* kRun = "run";
constexpr const char* kGraph = "graph";
constexpr const char* kVariants = "variants";
constexpr const char* kScript = "script";

std::vector<ReferenceParameter> ParametersFromJson(const Json& parameters) {
  std::vector<ReferenceParameter> out;
  for (const Json& p : parameters) {
    ReferenceParameter& one = out.emplace_back();
    p.at("name").get_to(one.name), p.at("kind").get_to(one.kind);
    for (const Json& t : p.at("tensors")) {
      const auto dtype = base::DtypeFromName(t.at("dtype").get<std::string>());
      one.tensors.push_back({dtype.value_or(base::Dtype::kFloat32),
                             t.at("shape").get<std::vector<int64_t>>(),
                             t.at("offset").get<size_t>()});
    }
  }
  return out;
}

Json ToJson(const ReferenceVariant& v) {
  return {{"name", v.name},
          {"low", v.low},
          {"high", v.high},
          {"on_interval", v.on_interval},
          {"place", v.place}};
}
ReferenceVariant VariantFromJson(const Json& j) {
  return {j.at("name"), j.at("low"), j.at("high"), j.at("on_interval"), j.at("place")};
}
}  // namespace

Json ToJson(const std::vector<ReferenceParameter>& parameters) {
  Json out = Json::array();
  for (const ReferenceParameter& p : parameters) {
    Json tensors = Json::array();
    for (const ReferenceTensor& t : p.tensors)
      tensors.push_back(
          {{"dtype", base::NameOf(t.dtype)}, {"shape", t.shape}, {"offset", t.offset}});
    out.push_back({{"name", p.name}, {"kind", p.kind}, {"tensors", std::move(tensors)}});
  }
  return out;
}

Json ToJson(const std::vector<ReferenceAttribute>& attributes) {
  Json out = Json::array();
  for (const ReferenceAttribute& a : attributes)
    out.push_back({{"name", a.name}, {"type", a.type}, {"value", a.value}});
  return out;
}

Json ToJson(const ReferenceRequest& r) {
  return {{"op", r.graph      ? kGraph
                 : r.variants ? kVariants
                 : r.as_nodes ? kScript
                              : kRun},
          {"watch", r.watch},
          {"variant", r.variant ? ToJson(*r.variant) : Json()},
          {"script", r.script},
          {"name", r.name},
          {"native", r.native},
          {"round", r.round ? Json(*r.round) : Json()},
          {"exact", r.exact},
          {"nudge", r.nudge},
          {"pattern", r.pattern},
          {"noisy", r.noisy},
          {"single", r.single},
          {"unrounded", r.unrounded},
          {"before_rounding", r.before_rounding},
          {"other_undefined", r.other_undefined},
          {"undecided", static_cast<int>(r.undecided)},
          {"inputs", ToJson(r.inputs)},
          {"outputs", ToJson(r.outputs)},
          {"attrs", ToJson(r.attributes)},
          {"input_bytes", r.input_bytes},
          {"output_bytes", r.output_bytes}};
}

ReferenceRequest ReferenceRequestFromJson(const Json& j) {
  ReferenceRequest r;
  r.graph = j.at("op") == kGraph, r.variants = j.at("op") == kVariants;
  r.as_nodes = j.at("op") == kScript;
  j.at("watch").get_to(r.watch);
  if (const Json& variant = j.at("variant"); !variant.is_null())
    r.variant = VariantFromJson(variant);
  j.at("script").get_to(r.script), j.at("name").get_to(r.name), j.at("native").get_to(r.native);
  if (const Json& round = j.at("round"); round.is_string()) r.round = round.get<std::string>();
  j.at("exact").get_to(r.exact), j.at("nudge").get_to(r.nudge), j.at("pattern").get_to(r.pattern);
  r.noisy = j.value("noisy", false);
  r.single = j.value("single", false), r.unrounded = j.value("unrounded", false);
  r.before_rounding = j.value("before_rounding", 0.0);
  r.other_undefined = j.value("other_undefined", false);
  r.undecided = static_cast<UndecidedSum>(j.value("undecided", 0));
  r.inputs = ParametersFromJson(j.at("inputs")), r.outputs = ParametersFromJson(j.at("outputs"));
  for (const Json& a : j.at("attrs"))
    r.attributes.push_back({a.at("name"), a.at("type"), a.at("value")});
  j.at("input_bytes").get_to(r.input_bytes), j.at("output_bytes").get_to(r.output_bytes);
  return r;
}

Json ToJson(const ReferenceReply& r) {
  Json out = r.error ? base::ToJson(*r.error) : Json{{"ms", r.ms}};
  out["ok"] = !r.error;
  if (r.graph) out["graph"] = ToJson(*r.graph);
  if (r.script) out["script"] = ToJson(*r.script);
  for (const ReferenceVariant& v : r.variants) out["variants"].push_back(ToJson(v));
  for (const auto& [name, seen] : r.seen) out["seen"][name] = seen;
  return out;
}

ReferenceReply ReferenceReplyFromJson(const Json& j) {
  ReferenceReply r;
  if (!j.value("ok", false)) {
    r.error = base::ErrorFromJson(j, "AK0113");
    return r;
  }
  j.at("ms").get_to(r.ms);
  if (j.contains("graph")) r.graph = GraphFromJson(j.at("graph"));
  if (j.contains("script")) r.script = ScriptFromJson(j.at("script"));
  for (const Json& v : j.value("variants", Json::array())) r.variants.push_back(VariantFromJson(v));
  if (j.contains("seen")) j.at("seen").get_to(r.seen);
  return r;
}

}  // namespace akgen::record
