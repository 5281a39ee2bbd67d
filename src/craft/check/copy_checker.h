// Statements of copyin and copyout stages.
#pragma once
#include "craft/check/kernel_scope.h"
#include "craft/check/tile_contents.h"

namespace akgen::craft {

class CopyChecker {
 public:
  CopyChecker(KernelScope& scope, TileContents& contents, const ir::Kernel& k, ir::Stmt& stage)
      : scope_(scope), contents_(contents), k_(k), stage_(stage) {}

  void Statement(const ast::Stmt& s);

 private:
  const ast::Expr* SumsOf(const ast::Expr& e, bool& relu, ir::S& scale);
  void StoreSums(const ast::Expr& e, const ast::Expr& sums, bool relu, const ir::S& scale);

  KernelScope& scope_;
  TileContents& contents_;
  const ir::Kernel& k_;
  ir::Stmt& stage_;
};

}  // namespace akgen::craft
