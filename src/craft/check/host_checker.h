// A host function, checked and turned into statements of the IR.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "craft/check/check.h"
#include "craft/check/fit_names.h"
#include "craft/check/host_dtypes.h"
#include "craft/check/host_scope.h"
#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;
using ir::HostBlock;
using ir::HostStmt;
using ir::HostTensor;
using ir::S;
using ir::Ty;

class HostChecker {
 public:
  HostChecker(const Functions& f, size_t column, size_t columns, Diagnostics& d)
      : f_(f), diag_(d), dtypes_(column, columns), scope_(f, p_, d) {}

  ir::Program Run();

 private:
  void Parameter(const ast::Param& p);
  void NameExtents(const Expr& e, const ir::HostParam& p);
  bool Extents(const ast::Function& kernel, const ast::Param& p, const Expr& tensor,
               std::vector<std::pair<std::string, S>>& known, HostBlock& out);
  void BlockSizes(const Stmt& s, HostBlock& out);
  base::Dtype DtypeOf(const Expr& annotation);

  HostBlock Branch(const ast::Block& block, const S& condition, bool wanted, Place place);
  HostBlock Body(const ast::Block& block, bool top);
  // The first launch of `b` that may follow another one, `before` or in `b`; sets `before` where
  // `b` may launch.
  const HostStmt* SecondLaunch(const HostBlock& b, bool& before) const;

  void Let(const std::string& name, const S& value, Place place, HostBlock& out);
  void Statement(const Stmt& s, bool top, HostBlock& out);
  void OneStatement(const Stmt& s, bool top, HostBlock& out);
  void Assign(const Stmt& s, bool top, HostBlock& out);

  void MakeTensor(const Stmt& s, const std::string& call);
  bool WorkspaceSize(const Expr& e, HostTensor& t);
  bool DtypeArg(const Expr& e, base::Dtype& out);

  void CallStatement(const Expr& e, HostBlock& out);
  void Launch(const Expr& e, const ast::Function& kernel, const Expr& cores, HostBlock& out);

  const Functions& f_;
  Diagnostics& diag_;
  ir::Program p_;
  DtypeColumns dtypes_;
  HostScope scope_;
  FitNames fits_;
  HostBlock named_;  // what names of extents stand for, ahead of the function's body
};

}  // namespace akgen::craft
