// Writes op_host/<name>.cpp: the tiling function and the operator's definition.
#pragma once
#include <string>
#include <vector>

#include "craft/emit/host_costs.h"
#include "craft/emit/host_expressions.h"
#include "craft/emit/host_launch.h"

namespace akgen::craft {

// The operator's inputs, outputs and attributes.
std::string HostDefinition(const std::vector<LoweredProgram>& columns, const std::string& camel);

class HostWriter {
 public:
  explicit HostWriter(const std::vector<LoweredProgram>& columns);

  std::string Run();

 private:
  std::string FitsOf(const HostStmt& let, const HostStmt& launch) const;

  // Few cores are started sooner, many work faster; short tiles overlap more, long ones are fewer.
  std::string Search(const std::string& camel) const;

  // The column of dtypes of this call.
  std::string ColumnCode();

  // `launch`: the first one that takes it.
  std::string LetValue(const HostStmt& s, const HostStmt* launch);

  void Body(const ir::HostBlock& b, int depth, std::string& out);

  std::string TilingBody();

  std::string Workspace();

  const std::vector<LoweredProgram>& columns_;
  const LoweredProgram& p_;
  const ir::Program& program_;
  const std::vector<ir::LaunchSite> sites_ = ir::LaunchSites(program_);
  const bool searches_;
  HostExpressions text_;
  KernelCosts costs_;
  LaunchWriter launches_;
};

}  // namespace akgen::craft
