#include "sim/timing/descend.h"

#include <cstdio>
#include <cstdlib>

namespace akgen::sim {
namespace {
double ToThreeDigits(double v) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.2e", v);
  return std::strtod(digits, nullptr);
}
}  // namespace

double& NumberAt(base::Json& parameters, const std::string& name) {
  return *parameters[name].get_ptr<double*>();
}

base::Json Descend(base::Json best, const std::vector<std::string>& names,
                   const std::vector<double>& steps,
                   const std::function<bool(const base::Json& trial, size_t name)>& better) {
  for (double step : steps)
    for (size_t i = 0; i < names.size(); ++i)
      for (double factor : {1 + step, 1 / (1 + step)})
        for (int tries = 0; tries < 6; ++tries) {
          base::Json trial = best;
          double& value = NumberAt(trial, names[i]);
          value = ToThreeDigits(value * factor);
          if (!better(trial, i)) break;
          best = std::move(trial);
        }
  return best;
}

}  // namespace akgen::sim
