// One kernel, as one launch calls it: statements, stages, copies; values of `compute` are in
// check_value.cc.
#pragma once
#include <set>

#include "craft/check/scope.h"

namespace akgen::craft {

class KernelChecker : public ScalarChecker {
 public:
  KernelChecker(const ast::Function& f, const LaunchTypes& types, Diagnostics& d)
      : ScalarChecker(d), f_(f), types_(types) {}
  ir::Kernel Run();

 private:
  struct Extent {
    ir::S rows, cols;
  };
  // A scalar, or a value of the stage being checked, or nothing after an error.
  struct Operand {
    ir::S scalar;
    int value = -1;
    bool ok() const { return scalar || value >= 0; }
  };

  // check_kernel.cc
  void Parameters();
  ir::Block Body(const ast::Block& b);
  void Statement(const ast::Stmt& s, ir::Block& out);
  void OneStatement(const ast::Stmt& s, ir::Block& out);
  void Assign(const ast::Stmt& s, ir::Block& out);
  void For(const ast::Stmt& s, ir::Block& out);
  void If(const ast::Stmt& s, ir::Block& out);
  void MakeBuffers(const ast::Stmt& s);
  void MakeBuffer(const ast::Stmt& s, const std::string& name, const ast::Expr& v);
  void LetScalar(const std::string& name, const ir::S& value, Place place, ir::Block& out);
  ir::S Spelled(const ir::S& s) const;  // without names of numbers
  // Whether a number is made from an element of a tensor of i64, which i32 may be too small for.
  bool IsLong(const ir::S& s) const;
  void Stage(const ast::Stmt& s, ir::Block& out);
  void CopyStatement(const ast::Stmt& s, ir::Stmt& stage);
  bool Window(const ast::Expr& e, ir::GmRef& out);
  void View(const ast::Stmt& s);
  bool WindowDim(const ast::Expr* index, const ir::S& dim, ir::S& start, ir::S& extent, ir::S& step,
                 bool& is_slice);
  void End(int buffer, const std::string& why);
  void EndExtents();
  void NothingIn(int buffer, Place place, const std::string& what, const std::string& fix);
  int BufferOf(const ast::Expr& e);
  int GmOf(const ast::Expr& e, ir::S& list_index);
  ir::S Special(const ast::Expr& e, bool& handled) override;
  std::vector<std::string> NamesInScope() const override;
  ir::S Bound(const ir::S& s) const;  // an upper bound without loop variables

  // check_lists.cc
  void ListParameters();
  bool IsList(const ast::Expr& e) const;
  ir::S ElementOf(const std::string& list, const ir::S& index) const;
  ir::S OfLists(const ast::Expr& e, bool& handled);
  std::string StartsOf(const std::string& name, const std::vector<std::string>& lists,
                       const ir::S& size);

  // check_cube.cc
  std::string LoopName(const std::string& name, Place place);
  void BlocksLoop(const ast::Stmt& s, ir::Block& out);
  bool MatrixOf(const ast::Expr& e, ir::Matrix& out, base::Dtype& dtype);
  void CubeStatement(const ast::Stmt& s);
  void HandoverStatement(const ast::Stmt& s);
  bool RowOf(const ast::Expr& e, ir::Product& p, base::Dtype operands);
  const ast::Expr* SumsOf(const ast::Expr& e, bool& relu, ir::S& scale);
  void StoreSums(const ast::Expr& e, const ast::Expr& sums, bool relu, const ir::S& scale,
                 ir::Stmt& stage);

  // check_value.cc
  void ComputeStatement(const ast::Stmt& s);
  Operand Eval(const ast::Expr& e);
  Operand EvalCall(const ast::Expr& e);
  Operand Gather(const ast::Expr& e);
  Operand Windows(const ast::Expr& e);
  Operand Where(const ast::Expr& e);
  Operand Cast(const ast::Expr& e);
  Operand Full(const ast::Expr& e);
  Operand Iota(const ast::Expr& e);
  Operand UnaryOp(ir::Op op, const Operand& a, Place place);
  Operand BinaryOp(ir::Op op, Operand a, Operand b, Place place);
  int Push(ir::Value v);
  int Splat(const ir::S& s, base::Dtype dtype, Place place);
  int ToValue(const Operand& o, base::Dtype dtype, Place place);
  int CastTo(int value, base::Dtype dtype, Place place);
  int Promote(int value, Place place);  // to the dtype the unit computes in
  bool Broadcast(const ir::Value& a, const ir::Value& b, ir::Value& out, Place place);
  void WriteBuffer(int buffer, int value, Place place);
  const ir::Value& At(int v) const { return stage_->values[v]; }

  const ast::Function& f_;
  const LaunchTypes& types_;
  ir::Kernel k_;
  std::map<std::string, int> gm_, buffer_, value_;
  std::set<std::string> lists_;  // of integers
  // A slice of a tensor as one of more dimensions.
  struct ViewOf {
    ir::GmRef slice;
    std::vector<ir::S> dims;
  };
  std::map<std::string, ViewOf> views_;
  std::map<int, Extent> extent_;      // of each buffer: what was last loaded or written
  std::map<int, std::string> ended_;  // buffers that held something, and why they do not any more
  std::set<int> loaded_;              // buffers loaded in the block that is being checked
  std::map<std::string, ir::S> bounds_;  // of loop counts
  std::map<std::string, ir::S> values_;  // of names of numbers, over loop variables and parameters
  std::map<int, std::string> defined_in_;
  std::set<std::string> names_;       // all names ever used, so that each is unique
  std::set<std::string> long_names_;  // of numbers made from elements of i64
  bool lost_load_ = false;            // a mistake in a load leaves open what was to be loaded
  ir::Stmt* stage_ = nullptr;
  int loop_depth_ = 0;
  int nested_ = -1;  // blocks around the statement; 0 at the kernel's top level
};

}  // namespace akgen::craft
