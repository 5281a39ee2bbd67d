// How parameters are fitted: coordinate descent.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::sim {

// Makes one number of `start` after the other larger and then smaller by the first step (0.2: by a
// fifth), as long as `better` takes what it is given and at most six times each; then by the next
// step. Values keep three digits, as the file can hold them. Deterministic.
base::Json Descend(base::Json start, const std::vector<std::string>& names,
                   const std::vector<double>& steps,
                   const std::function<bool(const base::Json& trial, size_t name)>& better);

// A member that is a floating-point number.
double& NumberAt(base::Json& parameters, const std::string& name);

}  // namespace akgen::sim
