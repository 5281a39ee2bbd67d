#include "judge/session/tried_cases.h"

#include "base/dtype.h"

namespace akgen::judge {
namespace {
constexpr int kListed = 3;  // tensors of a list

std::string TextOf(const ParamDefinition& p, const std::string& shape) {
  const std::string one =
      std::string(base::NameOf(base::Dtype(p.dtypes.front()))) + "[" + shape + "]";
  if (p.presence != Presence::kDynamic) return one;
  std::string all = one;
  for (int i = 1; i < kListed; ++i) all += ";" + one;
  return all;
}
}  // namespace

std::vector<ProjectCase> TriedCases(const OperatorDefinition& op) {
  std::vector<ProjectCase> out;
  for (const auto& [id, shape] :
       {std::pair{"ordinary", "64,256"}, {"ragged", "37,123"}, {"one_row", "1,1000"}}) {
    ProjectCase c;
    c.id = id;
    for (const ParamDefinition& p : op.inputs)
      if (p.presence != Presence::kOptional && !p.dtypes.empty())
        c.inputs.emplace_back(p.name, TextOf(p, shape));
    for (const AttrDefinition& a : op.attrs)
      if (!a.default_value.is_null()) c.attrs[a.name] = a.default_value;
    out.push_back(std::move(c));
  }
  return out;
}

bool Refused(const CaseResult& result) {
  using record::Verdict;
  if (result.verdict != Verdict::kRuntimeError && result.verdict != Verdict::kBuildError)
    return false;
  return result.reason.find("the tiling function returned") != std::string::npos ||
         result.reason.find("no combination of ASCENDC_TPL_SEL") != std::string::npos;
}

}  // namespace akgen::judge
