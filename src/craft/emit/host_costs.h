// What kernels take, bytes of UB and cycles: functions in the file of the tiling function and calls
// of them.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "craft/emit/host_expressions.h"

namespace akgen::craft {

class KernelCosts {
 public:
  KernelCosts(const std::vector<LoweredProgram>& columns, HostExpressions& text)
      : columns_(columns), p_(columns[0]), text_(text) {}

  std::string UbBytesFunction(size_t k) const;
  std::string UbBytesCall(const HostStmt& launch) const;
  bool UbBytesDiffer(size_t k) const;  // between columns of dtypes
  std::string CyclesFunction(size_t k);
  std::string CyclesCall(const HostStmt& launch);
  bool CyclesDiffer(size_t k);

 private:
  // Parameters of the kernel that its UB bytes depend on.
  std::vector<size_t> UbParams(size_t k) const;
  // What a column's kernel costs, as statements.
  std::string CyclesBody(const LoweredKernel& k, const std::string& in) const;
  // What the cycles of a kernel depend on besides the number of cores: its parameters, and its
  // lists' sizes.
  std::set<std::string> CyclesVariables(size_t k) const;

  const std::vector<LoweredProgram>& columns_;
  const LoweredProgram& p_;
  HostExpressions& text_;
  std::map<size_t, bool> differ_;  // by kernel, once it was asked
};

}  // namespace akgen::craft
