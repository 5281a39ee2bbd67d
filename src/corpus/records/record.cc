#include "corpus/records/record.h"

#include <fmt/format.h>

#include "base/files.h"
#include "craft/emit/emit.h"
#include "craft/plan/operations_text.h"

namespace akgen::corpus {
using base::Json;

namespace {
std::string ShapeText(const SymbolicShape& s) {
  std::string out;
  for (char c : s)
    out += (out.empty() ? "" : ", ") +
           (c == 'K'   ? std::string("R*C")
            : c == 'L' ? std::string("B*A*R")
            : c == 'D' ? std::string("2*C")
            : c >= 'a' ? "2*" + std::string(1, static_cast<char>(c - 'a' + 'A'))
                       : std::string(1, c));
  return "[" + out + "]";
}

std::string ShapesText(const CompositionInput& i) {
  std::string out;
  for (const SymbolicShape& s : i.shapes) out += (out.empty() ? "" : " or ") + ShapeText(s);
  return i.shapes.empty() ? ShapeText(i.shape) : out;
}

std::string Dtypes(const std::vector<base::Dtype>& dtypes) {
  std::string out;
  for (base::Dtype d : dtypes) out += (out.empty() ? "" : " or ") + std::string(base::NameOf(d));
  return out;
}

// What a model is asked for.
std::string TaskTextOf(const Candidate& c) {
  const Composition& k = c.composition;
  const char* kind = k.lists ? "list of tensors" : "tensor";
  std::string out = "# Operator " + c.name + "\n\nInputs:\n";
  for (const auto& i : k.inputs)
    out += fmt::format("- `{}`: {}{}, dtype {}, shape {}\n", i.id, i.single ? "tensor" : kind,
                       i.without >= 0 || i.optional ? " or none" : "",
                       Dtypes(i.dtypes.empty() ? k.dtypes : i.dtypes), ShapesText(i));
  if (!k.attrs.empty()) out += "Attributes:\n";
  for (const auto& a : k.attrs)
    out += fmt::format("- `{}`: {}, for example {}\n", a.id, a.type, base::Dump(a.values[0]));
  out += "Outputs:\n";
  for (size_t i = 0; i < k.outputs.size(); ++i)
    out += fmt::format("- `y{}`: {}, dtype {}, shape {}{}\n", i, kind,
                       k.fixed[i]            ? std::string(base::NameOf(*k.fixed[i]))
                       : k.dtypes.size() > 1 ? "of the inputs"
                                             : Dtypes(k.dtypes),
                       ShapeText(ShapeOfValue(k, k.outputs[i])),
                       k.inplace[i].empty() ? ""
                                            : ", in the memory of `" + k.inplace[i] + "`" +
                                                  (k.over ? ", no parameter of its own" : ""));
  out += "\nThe reference, computed in float64 and rounded to the outputs' dtype:\n```python\n" +
         ReferenceText(k) + "```\n\nShapes it is tried on:";
  for (const Extents& e : k.cases)
    out += fmt::format(" B={}, A={}, R={}, C={};", e.b, e.a, e.r, e.c);
  out.back() = '.';
  return out + " It must be right for every shape.\n";
}
}  // namespace

std::string FamilyOf(const Composition& c) {
  std::string out;
  for (const std::string& f : c.families) out += (out.empty() ? "" : "+") + f;
  return out + (c.dtypes[0] == base::Dtype::kInt32 ? "+integer" : "") + (c.lists ? "+list" : "") +
         (c.outputs.size() > 1 ? "+two" : "");
}

std::string SplitOf(const std::string& family) {
  unsigned first =
      static_cast<unsigned>(std::stoul(base::ContentHash(family).substr(0, 4), nullptr, 16)) % 16;
  return first == 0 ? "test" : first == 1 ? "validation" : "train";
}

Json RecordOf(const Candidate& c, const std::string& canonical, const craft::Limits& limits,
              const Json& provenance) {
  const Composition& k = c.composition;
  const std::string family = FamilyOf(k);
  Json files = Json::object();
  for (const auto& [path, text] : craft::EmitProject(c.compiled.lowered)) files[path] = text;
  Json out{{"schema", 1},
           {"kind", "synthetic"},
           {"name", c.name},
           {"seed", k.seed},
           {"index", k.index},
           {"graph", canonical},
           {"family", family},
           {"split", SplitOf(family)},
           {"depth", k.depth},
           {"operators", OperationsOf(k)},
           {"dtype", DtypeText(k)},
           {"task", TaskTextOf(c)},
           {"operations", craft::OperationsText(PlanOf(k))},
           {"reference", ReferenceText(k)},
           {"program", c.program},
           {"files", files},
           {"reasoning",
            {{"plan", PlanReasoning(c, limits)}, {"lowering", LoweringReasoning(c, limits)}}},
           {"license", kLicense},
           {"source", "composed by akgen"},
           {"others_kernel", false}};
  out["verification"] = {{"verdict", "pass"},
                         {"checks", "all"},
                         {"findings", 0},
                         {"cases", c.cases},
                         {"provenance", provenance}};
  out["id"] = base::ContentHash(c.program + base::Dump(files));
  return out;
}

}  // namespace akgen::corpus
