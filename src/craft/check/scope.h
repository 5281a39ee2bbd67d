// What the checker of host and kernel functions share: scalar expressions over names.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "craft/ir/ir.h"
#include "craft/syntax/ast.h"
#include "craft/syntax/diagnostic.h"

namespace akgen::craft {

class ScalarChecker {
 public:
  explicit ScalarChecker(Diagnostics& d) : diag_(d) {}
  virtual ~ScalarChecker() = default;

 protected:
  // Null after an error, which has then been said.
  ir::S Scalar(const ast::Expr& e);
  ir::S IntScalar(const ast::Expr& e, const char* what);
  // Names, attributes, subscripts and calls that only one side knows. Null and handled = false: not known here.
  virtual ir::S Special(const ast::Expr& e, bool& handled) = 0;
  virtual std::vector<std::string> NamesInScope() const = 0;

  ir::S Arithmetic(const std::string& op, const ir::S& a, const ir::S& b, Place place);
  ir::S CommonCall(const ast::Expr& e);
  void Error(const char* code, Place place, std::string message, std::string fix = {}) {
    diag_.Add(code, place, std::move(message), std::move(fix));
  }
  void NoFunction(const ast::Expr& call, const std::string& where, std::vector<std::string> names);
  void UnknownName(const ast::Expr& e, const std::string& what = "name");

  std::map<std::string, ir::S> scalars_;
  Diagnostics& diag_;
};

// The function that is called; of a module, as torch.exp or math.sqrt, what the language has under the same name for
// elements and numbers. Empty: nothing that has a name here.
std::string CalleeName(const ast::Expr& call);
// tensor(f16) of tensor(f16) and of tensor(f16)[m, k].
const ast::Expr& WithoutExtents(const ast::Expr& annotation);
const ast::Expr* KeywordArg(const ast::Expr& call, const std::string& name);

// A program's functions by name, for the checkers.
struct Functions {
  std::map<std::string, const ast::Function*> kernels;
  const ast::Function* host = nullptr;
};

// Dtypes of each tensor parameter in this column.
using Column = std::map<std::string, base::Dtype>;

// Checks `f` as launched with these tensors and scalar types.
struct LaunchTypes {
  struct Tensor {
    base::Dtype dtype;
    bool is_list = false;
  };
  std::map<std::string, Tensor> tensors;  // by kernel parameter
  std::map<std::string, ir::Ty> scalars;
  std::vector<std::string> extents;  // names in gm[…] that are no parameters: the launch passes them last
};
ir::Kernel CheckKernel(const ast::Function& f, const LaunchTypes& types, Diagnostics& diagnostics);

}  // namespace akgen::craft
