// Statements of cube and handover stages: products, and sums on their way to a Vector core.
#pragma once
#include "craft/check/kernel_scope.h"
#include "craft/check/tile_contents.h"

namespace akgen::craft {

class CubeChecker {
 public:
  CubeChecker(KernelScope& scope, TileContents& contents, ir::Kernel& k, ir::Stmt& stage)
      : scope_(scope), contents_(contents), k_(k), stage_(stage) {}

  void Product(const ast::Stmt& s);
  void Handover(const ast::Stmt& s);

 private:
  bool MatrixOf(const ast::Expr& e, ir::Matrix& out, base::Dtype& dtype);
  bool RowOf(const ast::Expr& e, ir::Product& p, base::Dtype operands);

  KernelScope& scope_;
  TileContents& contents_;
  ir::Kernel& k_;
  ir::Stmt& stage_;
};

}  // namespace akgen::craft
