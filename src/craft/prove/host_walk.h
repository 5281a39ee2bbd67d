// The host function, path by path. For prove/ only.
#pragma once
#include "craft/prove/kernel_walk.h"
#include "craft/prove/shapes.h"

namespace akgen::craft::prove {

class HostWalk : public Evaluator {
 public:
  HostWalk(const ir::Program& program, const Ranks& ranks, Walked& to);
  void Run();

 private:
  // What is still to be executed behind the statement: blocks, innermost last, and where each goes
  // on.
  using Rest = std::vector<std::pair<const ir::HostBlock*, size_t>>;
  void Continue(Rest rest);
  void Param(const ir::HostParam& p);
  Value Special(const ir::Scalar& s) override;
  Value Dim(const ir::Scalar& s);
  Poly ProductOf(const ir::Shape& shape);
  Poly Stretch(const ir::ShapePart& part);
  Poly Along(const std::string& tensor, const Poly& at,
             int part);  // 0: before the dimension, 1: it, 2: behind it
  Poly Elements(const ir::HostTensor& t);
  Value Fit(const ir::Scalar& s);
  void Launch(const ir::HostStmt& s);
  TensorSymbol Tensor(const std::string& name);
  void Alike(const ir::Scalar& condition);
  std::string Like(const std::string& list) const;
  Poly Count(const std::string& list);

  const ir::Program& program_;
  std::map<std::string, TensorShape> shapes_;
  std::map<std::string, std::string> alike_;  // lists by one that they are required to be like
  int paths_ = 0;
};

}  // namespace akgen::craft::prove
