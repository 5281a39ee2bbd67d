// A launch in the tiling function: what it refuses, and what it writes into the plan.
#pragma once
#include <string>
#include <vector>

#include "craft/emit/host_costs.h"
#include "craft/emit/host_expressions.h"

namespace akgen::craft {

// A check, and what the log says where it refuses the inputs.
std::string RefusedLine(const std::string& in, const std::string& when, const std::string& why);

class LaunchWriter {
 public:
  // `searches`: the tiling function compares plans by their cycles.
  LaunchWriter(const LoweredProgram& p, bool searches, HostExpressions& text, KernelCosts& costs)
      : p_(p), program_(p.program), searches_(searches), text_(text), costs_(costs) {}

  void Write(const HostStmt& s, const std::string& in, std::string& out);

 private:
  void CubeLimits(const HostStmt& s, const std::string& in, std::string& out);
  void Items(const HostStmt& s, const std::string& in, std::string& out);
  void Sizes(const std::string& host_name, const std::string& list, const std::string& field,
             const std::string& in, std::string& out);
  std::string UsefulCores(const HostStmt& s);
  void SequenceCores(const HostStmt& s, const std::string& in, std::string& out);
  S Given(const HostStmt& launch, const S& over_params) const;

  const LoweredProgram& p_;
  const ir::Program& program_;
  const bool searches_;
  HostExpressions& text_;
  KernelCosts& costs_;
  const std::vector<ir::LaunchSite> sites_ = ir::LaunchSites(program_);
};

}  // namespace akgen::craft
