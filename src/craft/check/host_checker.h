// A host function, checked and turned into statements of the IR.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "craft/check/check.h"
#include "craft/check/scope.h"
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

class HostChecker : public ScalarChecker {
 public:
  HostChecker(const Functions& f, size_t column, size_t columns, Diagnostics& d)
      : ScalarChecker(d), f_(f), column_(column), columns_(columns), seen_(column) {}

  ir::Program Run();

 private:
  std::vector<std::string> NamesInScope() const override;

  void Parameter(const ast::Param& p);
  void NameExtents(const Expr& e, const ir::HostParam& p);
  bool Extents(const ast::Function& kernel, const ast::Param& p, const Expr& tensor,
               std::vector<std::pair<std::string, S>>& known, HostBlock& out);
  S ExtentOf(const std::string& tensor, size_t i, size_t rank) const;
  void BlockSizes(const Stmt& s, HostBlock& out);

  // What `dtype` finds in this column; those of the others are kept for branches that only they
  // take.
  template <typename F>
  base::Dtype InAllColumns(const std::string& name, F dtype) {
    size_t own = column_;
    std::vector<base::Dtype>& all = dtypes_[name];
    bool ok = true;
    for (column_ = 0; column_ < columns_ && ok; ++column_)
      ok = dtype(all.emplace_back(base::Dtype::kFloat32));
    column_ = own;
    all.resize(columns_, base::Dtype::kFloat32);
    return all[own];
  }
  base::Dtype DtypeIn(const std::string& name, size_t column) const;

  base::Dtype DtypeOf(const Expr& annotation);

  // A list of extents: x.shape, x.shape[a:b], [a, b], and sums of them.
  bool ShapeOf(const Expr& e, ir::Shape& out);

  // Inputs, and outputs of the shape the caller wants.
  bool HasShape(const std::string& name) const;
  static bool AllExtents(const ir::Shape& shape);
  ir::Shape ByExtents(const ir::Shape& shape) const;
  bool SliceOf(const ir::Shape& whole, const Expr& slice, ir::Shape& out);
  S ExtentAt(const ir::Shape& shape, const S& index, Place place);

  bool IsShape(const Expr& e) const;

  S Dim(const std::string& tensor, const S& index);
  S Named(const char* call, const std::string& tensor, Ty type = Ty::kInt);

  S Special(const Expr& e, bool& handled) override;

  // x.dtype == f16
  S DtypeTest(const Expr& e);
  // The answer where dtypes alone decide it.
  std::optional<bool> Settled(const S& s, size_t column) const;
  // A branch that this column never takes is checked as one that does: its kernels are there in
  // every column.
  HostBlock Branch(const ast::Block& block, const S& condition, bool wanted, Place place);

  S HostCall(const Expr& e, bool& handled);

  S Alike(const Expr& a, const Expr& b);
  S Before(const Expr& e);
  const ir::HostParam* IntList(const Expr& e) const;
  void EqualLengths(const ir::Kernel& k, const HostStmt& launch, HostBlock& out);
  S Tune(const Expr& e);

  HostBlock Body(const ast::Block& block, bool top);
  void InOrderOfReturn();
  // The first launch of `b` that may follow another one, `before` or in `b`; sets `before` where
  // `b` may launch.
  const HostStmt* SecondLaunch(const HostBlock& b, bool& before) const;

  static bool IsFit(const S& s) { return s->kind == ir::SKind::kCall && s->text == "fit"; }
  static bool HasFit(const S& s);

  void Let(const std::string& name, const S& value, Place place, HostBlock& out);
  static bool Mentions(const S& s, const std::string& name);
  // With what fit() has found in place of the names that were made of it: it must see how the
  // launch depends on it.
  S Spelled(const S& s) const;

  void Statement(const Stmt& s, bool top, HostBlock& out);
  void OneStatement(const Stmt& s, bool top, HostBlock& out);
  static bool Assigned(const ast::Block& b, const std::string& name);

  void Assign(const Stmt& s, bool top, HostBlock& out);

  void MakeTensor(const Stmt& s, const std::string& call);
  bool WorkspaceSize(const Expr& e, HostTensor& t);
  bool DtypeArg(const Expr& e, base::Dtype& out);

  void CallStatement(const Expr& e, HostBlock& out);

  void Launch(const Expr& e, const ast::Function& kernel, const Expr& cores, HostBlock& out);

  const Functions& f_;
  size_t column_, columns_;
  size_t seen_;                            // the column whose dtypes the launches see
  std::vector<std::pair<S, bool>> taken_;  // conditions around the statement, and their answers
  std::map<std::string, std::vector<base::Dtype>> dtypes_;
  ir::Program p_;
  std::map<std::string, ir::Shape> shapes_;
  std::map<std::string, S>
      from_fit_;  // names that depend on fit(): what they are in terms of what it finds
  std::map<std::string, std::vector<S>> extents_;  // of inputs whose annotations name them
  HostBlock named_;  // what these names stand for, ahead of the function's body
  int tunes_ = 0;
};

}  // namespace akgen::craft
