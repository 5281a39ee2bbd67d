// What the checker of host and kernel functions share: scalar expressions over names.
#pragma once
#include <functional>
#include <map>
#include <set>
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

  // Null after an error, which has then been said.
  ir::S Scalar(const ast::Expr& e);
  ir::S IntScalar(const ast::Expr& e, const char* what);
  ir::S Arithmetic(const std::string& op, const ir::S& a, const ir::S& b, Place place);
  // Once for each statement.
  void Error(const char* code, Place place, std::string message, std::string fix = {}) {
    ++errors_;
    if (said_.insert(message).second) diag_.Add(code, place, std::move(message), std::move(fix));
  }
  void NoFunction(const ast::Expr& call, const std::string& where, std::vector<std::string> names);
  void UnknownName(const ast::Expr& e, const std::string& what = "name");
  // Runs `check` on one statement. After a mistake in it, what it would have given is broken, and
  // nothing is said of it.
  template <typename F>
  void Checked(const ast::Stmt& s, F check) {
    said_.clear();
    const size_t errors = errors_, statements = ++statements_;
    const bool follows = MentionsBroken(s);
    check();
    const bool compound = !s.body.empty();
    if (compound ? errors_ != errors && statements_ == statements : errors_ != errors || follows)
      Break(s);
    else if (!compound && !follows)
      Mend(s);
  }
  // Whether a mistake with this name has been said already; else it is one from now on.
  bool SaidOf(const std::string& name) {
    ++errors_;
    return !broken_.insert(name).second;
  }
  size_t Errors() const { return errors_; }
  bool Broken(const std::string& name) const { return broken_.count(name) > 0; }
  void SetBroken(const std::string& name) { broken_.insert(name); }
  // Names of numbers, and what they are.
  std::map<std::string, ir::S>& Scalars() { return scalars_; }

 protected:
  // Names, attributes, subscripts and calls that only one side knows. Null and handled = false: not
  // known here.
  virtual ir::S Special(const ast::Expr& e, bool& handled) = 0;
  virtual std::vector<std::string> NamesInScope() const = 0;

  std::map<std::string, ir::S> scalars_;

 private:
  ir::S CommonCall(const ast::Expr& e);
  bool MentionsBroken(const ast::Stmt& s) const;
  void Break(const ast::Stmt& s);
  void Mend(const ast::Stmt& s);

  Diagnostics& diag_;
  std::set<std::string> broken_;  // names with which a mistake was made, or that one was to give
  std::set<std::string> said_;    // of this statement
  size_t errors_ = 0, statements_ = 0;
};

// The function that is called; of a module, as torch.exp or math.sqrt, what the language has under
// the same name for elements and numbers. Empty: nothing that has a name here.
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
  std::set<std::string> lists;  // of integers
  std::vector<std::string>
      extents;  // names in gm[…] that are no parameters: the launch passes them last
};
ir::Kernel CheckKernel(const ast::Function& f, const LaunchTypes& types, Diagnostics& diagnostics);

}  // namespace akgen::craft
