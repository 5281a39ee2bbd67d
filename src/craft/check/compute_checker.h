// Statements of a compute stage. Buffers widen when read and round when written.
#pragma once
#include "craft/check/kernel_scope.h"
#include "craft/check/stage_values.h"
#include "craft/check/tile_contents.h"

namespace akgen::craft {

class ComputeChecker {
 public:
  ComputeChecker(KernelScope& scope, TileContents& contents, const ir::Kernel& k, ir::Stmt& stage)
      : scope_(scope), contents_(contents), k_(k), values_(scope, stage) {}

  void Statement(const ast::Stmt& s);

 private:
  TileOperand Eval(const ast::Expr& e);
  TileOperand Name(const ast::Expr& e);
  TileOperand Call(const ast::Expr& e);
  TileOperand Gather(const ast::Expr& e);
  TileOperand Windows(const ast::Expr& e);
  TileOperand Where(const ast::Expr& e);
  TileOperand Cast(const ast::Expr& e);
  TileOperand Full(const ast::Expr& e);
  TileOperand Iota(const ast::Expr& e);
  void WriteBuffer(int buffer, int value, Place place);

  KernelScope& scope_;
  TileContents& contents_;
  const ir::Kernel& k_;
  StageValues values_;
};

}  // namespace akgen::craft
