// Writes op_host/<name>.cpp: the tiling function and the operator's definition.
#pragma once
#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include "craft/emit/emit.h"

namespace akgen::craft {
using ir::HostStmt;
using ir::HostTensor;
using ir::S;
using ir::SKind;
using ir::Ty;

std::string CppScalar(Ty t) {
  return t == Ty::kFloat    ? "double"
         : t == Ty::kBool   ? "bool"
         : t == Ty::kString ? "std::string"
                            : "int64_t";
}

class HostWriter {
 public:
  explicit HostWriter(const std::vector<LoweredProgram>& columns)
      : columns_(columns), p_(columns[0]), program_(columns[0].program) {}

  std::string Run();

 private:
  std::string Helpers(const std::string& callers) const;  // those that `callers` calls
  std::string CubeHelper() const;
  void CubeLimits(const HostStmt& s, const std::string& in, std::string& out);
  std::string FitsOf(const HostStmt& let, const HostStmt& launch);
  std::string UsefulCores(const HostStmt& s);
  void SequenceCores(const HostStmt& s, const std::string& in, std::string& out);
  S Given(const HostStmt& launch, const S& over_params) const;

  size_t InputIndex(const std::string& name) const;
  size_t OutputIndex(const std::string& name) const;
  size_t AttrIndex(const std::string& name) const;

  std::string Shape(const std::string& tensor);

  std::string ShapeCall(const S& s, const std::string& fn);

  std::string List(const std::string& name) const;  // of integers

  std::string Call(const S& s);

  std::string Scalar(const S& s, int least = 0);

  // Parameters of the kernel that its UB bytes depend on.
  std::vector<size_t> UbParams(size_t k) const;

  std::string UbBytesFunction(size_t k);

  bool ColumnMatters(size_t k) const;
  // What a column's kernel costs, as statements.
  std::string CyclesBody(const LoweredKernel& k, const std::string& in);
  bool CyclesDiffer(size_t k);

  // What the cycles of a kernel depend on besides the number of cores: its parameters, and its
  // lists' sizes.
  std::set<std::string> CyclesVariables(size_t k) const;
  std::string CyclesFunction(size_t k);
  std::string CyclesCall(const HostStmt& launch);

  static bool AsksBestCores(const S& s);
  static bool AsksBestCores(const ir::HostBlock& b);

  // Few cores are started sooner, many work faster; short tiles overlap more, long ones are fewer.
  std::string Search(const std::string& camel) const;

  static std::string Refused(const std::string& in, const std::string& when,
                             const std::string& why);
  std::string UbBytesCall(const HostStmt& launch);

  std::string Desc(const std::string& tensor) const;

  // The column of dtypes of this call.
  std::string ColumnCode();

  // `launch`: the first one that takes it.
  std::string LetValue(const HostStmt& s, const HostStmt* launch);

  void Assigned(const ir::HostBlock& b, std::set<std::string>& once,
                std::vector<const HostStmt*>& all);

  void Body(const ir::HostBlock& b, int depth, std::string& out);

  void Launch(const HostStmt& s, const std::string& in, std::string& out);
  static size_t GmTensorIndex(const LoweredKernel&, size_t g) { return g; }

  void Items(const HostStmt& s, const std::string& in, std::string& out);
  void Sizes(const std::string& host_name, const std::string& list, const std::string& field,
             const std::string& in, std::string& out);

  std::string TilingBody();

  std::string Workspace();

  std::string Param(const char* kind, const std::string& name, bool list, bool optional,
                    const std::vector<base::Dtype>& dtypes);

  std::string Definition(const std::string& camel);

  const std::vector<LoweredProgram>& columns_;
  const LoweredProgram& p_;
  const ir::Program& program_;
  const std::vector<ir::LaunchSite> sites_ = ir::LaunchSites(program_);
  bool needs_column_ = false;
  bool needs_math_ = false;        // <cmath>
  std::map<size_t, bool> differ_;  // by kernel, once it was asked
  bool with_row_ = false;
  std::string fits_;       // what else decides about sizes of blocks, as an argument
  int operand_bytes_ = 2;  // of the products of the launch that takes block()
  bool searches_ = !program_.HasCube() && AsksBestCores(program_.body);
};

}  // namespace akgen::craft
