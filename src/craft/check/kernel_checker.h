// One kernel, as one launch calls it: its parameters and statements. What stands in stages is
// checked by classes of their own.
#pragma once
#include "craft/check/kernel_scope.h"
#include "craft/check/tile_contents.h"

namespace akgen::craft {

class KernelChecker {
 public:
  KernelChecker(const ast::Function& f, const LaunchTypes& types, Diagnostics& d)
      : f_(f), types_(types), scope_(k_, d), contents_(scope_, k_) {}
  ir::Kernel Run();

 private:
  void Parameters();
  ir::Block Body(const ast::Block& b);
  void Statement(const ast::Stmt& s, ir::Block& out);
  void OneStatement(const ast::Stmt& s, ir::Block& out);
  void Assign(const ast::Stmt& s, ir::Block& out);
  void For(const ast::Stmt& s, ir::Block& out);
  void Blocks(const ast::Stmt& s, ir::Block& out);
  // The body of a loop, whose variables `scalars` does not have.
  ir::Block LoopBody(const ast::Block& b, const std::map<std::string, ir::S>& scalars);
  void If(const ast::Stmt& s, ir::Block& out);
  void MakeBuffers(const ast::Stmt& s);
  void MakeBuffer(const ast::Stmt& s, const std::string& name, const ast::Expr& v);
  void LetScalar(const std::string& name, const ir::S& value, Place place, ir::Block& out);
  void Stage(const ast::Stmt& s, ir::Block& out);

  const ast::Function& f_;
  const LaunchTypes& types_;
  ir::Kernel k_;
  KernelScope scope_;
  TileContents contents_;
  int loop_depth_ = 0;
  int nested_ = -1;  // blocks around the statement; 0 at the kernel's top level
};

}  // namespace akgen::craft
