// Expressions of a host function: numbers, and shapes of tensors.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "craft/check/scope.h"

namespace akgen::craft {

ir::S DimOf(const std::string& tensor, const ir::S& index);
ir::S LengthOf(const std::string& list);  // of integers

class HostScope : public ScalarChecker {
 public:
  // `p`: its parameters and tensors so far.
  HostScope(const Functions& f, const ir::Program& p, Diagnostics& d)
      : ScalarChecker(d), f_(f), p_(p) {}

  bool IsShape(const ast::Expr& e) const;
  // A list of extents: x.shape, x.shape[a:b], [a, b], and sums of them.
  bool ShapeOf(const ast::Expr& e, ir::Shape& out);
  void NameShape(const std::string& name, ir::Shape shape) { shapes_[name] = std::move(shape); }
  ir::Shape ByExtents(const ir::Shape& shape) const;
  ir::S ExtentAt(const ir::Shape& shape, const ir::S& index, Place place);

  // The next extent of an input whose annotation names them.
  void AddExtent(const std::string& input, ir::S extent) {
    extents_[input].push_back(std::move(extent));
  }
  ir::S ExtentOf(const std::string& tensor, size_t i, size_t rank) const;

 private:
  std::vector<std::string> NamesInScope() const override;
  ir::S Special(const ast::Expr& e, bool& handled) override;

  bool HasShape(const std::string& name) const;
  bool SliceOf(const ir::Shape& whole, const ast::Expr& slice, ir::Shape& out);
  ir::S DtypeTest(const ast::Expr& e);  // x.dtype == f16
  ir::S HostCall(const ast::Expr& e, bool& handled);
  ir::S Alike(const ast::Expr& a, const ast::Expr& b);
  ir::S Before(const ast::Expr& e);
  ir::S Tune(const ast::Expr& e);
  const ir::HostParam* IntList(const ast::Expr& e) const;

  const Functions& f_;
  const ir::Program& p_;
  std::map<std::string, ir::Shape> shapes_;
  std::map<std::string, std::vector<ir::S>> extents_;
  int tunes_ = 0;
};

}  // namespace akgen::craft
