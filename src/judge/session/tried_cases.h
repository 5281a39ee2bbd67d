// Cases for an operator that nobody wrote any for: tensors of one shape, the defaults of its
// attributes. What its tiling refuses of them says nothing of it.
#pragma once
#include <vector>

#include "judge/session/project_run.h"

namespace akgen::judge {

std::vector<ProjectCase> TriedCases(const OperatorDefinition& op);
// Did the operator refuse the case, rather than fail it?
bool Refused(const CaseResult& result);

}  // namespace akgen::judge
