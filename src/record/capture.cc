#include "record/capture.h"

#include <map>

#include "record/take.h"

namespace akgen::record {
using base::Json;
namespace {
// By what capture.py calls a reason.
std::string CodeOf(const std::string& kind) {
  static const std::map<std::string, std::string> kCodes = {
      {"operator", "AK1541"}, {"data", "AK1542"},    {"random", "AK1543"},
      {"loop", "AK1544"},     {"example", "AK1545"}, {"unfaithful", "AK1546"}};
  const auto it = kCodes.find(kind);
  return it == kCodes.end() ? "AK1545" : it->second;
}

Json ToJson(const Guard& g) {
  return {{"kind", g.kind},
          {"argument", g.argument},
          {"text", g.text},
          {"require", g.require.empty() ? Json() : Json(g.require)},
          {"variant", g.variant}};
}
}  // namespace

Capture CaptureFromJson(const Json& j) {
  Capture c;
  Take(j, "captured", c.captured);
  Take(j, "function", c.function);
  Take(j, "task", c.task);
  Take(j, "torch", c.torch);
  Take(j, "line", c.line);
  Take(j, "inputs", c.inputs);
  Take(j, "attributes", c.attributes);
  Take(j, "outputs", c.outputs);
  Take(j, "requires", c.require);
  Take(j, "notes", c.notes);
  Take(j, "changed", c.changed);
  Take(j, "seconds", c.seconds);
  for (const Json& one : j.value("guards", Json::array())) {
    Guard g;
    Take(one, "kind", g.kind);
    Take(one, "argument", g.argument);
    Take(one, "text", g.text);
    Take(one, "require", g.require);
    Take(one, "variant", g.variant);
    c.guards.push_back(std::move(g));
  }
  for (const Json& one : j.value("operations", Json::array())) {
    CapturedOperation o;
    Take(one, "op", o.op);
    Take(one, "line", o.line);
    c.operations.push_back(std::move(o));
  }
  if (const auto at = j.find("refusal"); at != j.end() && at->is_object()) {
    std::string kind;
    Take(*at, "kind", kind);
    c.refusal.code = CodeOf(kind);
    Take(*at, "reason", c.refusal.reason);
    Take(*at, "file", c.refusal.file);
    Take(*at, "line", c.refusal.line);
    Take(*at, "text", c.refusal.text);
  }
  return c;
}

Json ToJson(const KernelRecord& r) {
  Json guards = Json::array();
  for (const Guard& g : r.guards) guards.push_back(ToJson(g));
  Json out{{"schema", 1},
           {"file", r.file},
           {"function", r.function},
           {"verdict", r.verdict},
           {"reason", r.reason},
           {"captured", r.captured},
           {"planned", r.planned},
           {"verified", r.verified},
           {"guards", guards},
           {"inputs", r.inputs},
           {"attributes", r.attributes},
           {"outputs", r.outputs},
           {"notes", r.notes},
           {"changed", r.changed},
           {"task", r.task},
           {"project", r.project},
           {"torch", r.torch},
           {"cases", r.cases},
           {"hidden", r.hidden},
           {"range", r.range},
           {"capture_s", r.capture_s},
           {"seconds", r.seconds}};
  if (r.verdict == "refused")
    out["refusal"] = {{"code", r.refusal.code},
                      {"reason", r.refusal.reason},
                      {"file", r.refusal.file},
                      {"line", r.refusal.line ? Json(r.refusal.line) : Json()},
                      {"text", r.refusal.text}};
  return out;
}

}  // namespace akgen::record
