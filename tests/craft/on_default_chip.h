// Most tests of the language ask nothing of the chip: they are planned and lowered for the default
// one.
#pragma once
#include <functional>

#include "craft/craft.h"
#include "craft/plan/plan.h"

namespace akgen::craft {

inline const Target& DefaultTarget() {
  static const Target target = *LoadTarget();
  return target;
}
inline Compiled Compile(
    const std::string& source,
    const std::function<void(const Pass&, const LoweredKernel&)>& after_pass = {}) {
  return Compile(source, DefaultTarget(), after_pass);
}
inline base::Result<std::string> Plan(const PlanTask& task) {
  auto program = Plan(task, DefaultTarget());
  if (!program.ok()) return ToError(program.error());
  return *program;
}

}  // namespace akgen::craft
