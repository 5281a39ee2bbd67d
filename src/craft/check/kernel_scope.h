// Expressions of a kernel: numbers, tensors, windows of them, buffers.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "craft/check/kernel_names.h"
#include "craft/check/scope.h"

namespace akgen::craft {

class KernelScope : public ScalarChecker {
 public:
  // Parameters and buffers go to `k`.
  KernelScope(ir::Kernel& k, Diagnostics& d)
      : ScalarChecker(d), k_(k), numbers_(k), lists_(*this, names_, k) {}

  UniqueNames& Names() { return names_; }
  KernelNumbers& Numbers() { return numbers_; }
  KernelLists& Lists() { return lists_; }
  // Names of values of the stage that is being checked.
  std::map<std::string, int>& Values() { return values_; }

  void AddNumber(const std::string& name, ir::Ty type);
  void AddTensor(ir::Gm tensor);
  void AddBuffer(ir::Buffer buffer);
  void View(const ast::Stmt& s);
  // The name of a loop's variable: unique in the kernel.
  std::string LoopName(const std::string& name, Place place);
  bool Taken(const std::string& name) const;
  bool IsTensor(const std::string& name) const { return tensors_.count(name) > 0; }
  int FindBuffer(const std::string& name) const;  // -1: there is none

  int BufferOf(const ast::Expr& e);
  int TensorOf(const ast::Expr& e, ir::S& list_index);
  bool Window(const ast::Expr& e, ir::GmRef& out);

  // Runs `check`: names of numbers and views that it makes end with it.
  template <typename F>
  void Within(F check) {
    const auto scalars = scalars_;
    const auto views = views_;
    check();
    scalars_ = scalars;
    views_ = views;
  }

 private:
  // A slice of a tensor as one of more dimensions.
  struct ViewOf {
    ir::GmRef slice;
    std::vector<ir::S> dims;
  };

  std::vector<std::string> NamesInScope() const override;
  ir::S Special(const ast::Expr& e, bool& handled) override;
  bool WindowDim(const ast::Expr* index, const ir::S& dim, ir::S& start, ir::S& extent, ir::S& step,
                 bool& is_slice);

  ir::Kernel& k_;
  UniqueNames names_;
  KernelNumbers numbers_;
  KernelLists lists_;
  std::map<std::string, int> tensors_, buffers_, values_;
  std::map<std::string, ViewOf> views_;
};

}  // namespace akgen::craft
