// What a kernel does on the Cube core, as a class: members, Init, Process, one method per stage.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "craft/emit/expressions.h"

namespace akgen::craft {

class CubeClass : private Expressions {
 public:
  CubeClass(const LoweredProgram& p, size_t index)
      : Expressions(p.kernels[index].cube->kernel),
        p_(p),
        k_(*p.kernels[index].cube),
        index_(index) {
    of_sequence_ = p.program.sequence;
  }
  // The class's body for this column of dtypes, from "public:" on; `uses` collects the helpers it
  // calls.
  std::string Body(std::set<std::string>& uses);

 private:
  // The method that is being written: its tensors that are declared, and the names that it is
  // given.
  struct Scope {
    std::set<int> declared;
    int stores = 0;
  };
  void Block(const CubeBlock& b, int depth, Scope& scope, std::string& out);
  void One(const CubeInstr& n, int depth, Scope& scope, std::string& out);
  void Loop(const CubeInstr& n, int depth, Scope& scope, std::string& out);
  void Branch(const CubeInstr& n, int depth, Scope& scope, std::string& out);
  void Method(const CubeInstr& n, const std::string& in, std::string& out);
  void QueueCall(const CubeInstr& n, const std::string& in, Scope& scope, std::string& out);
  std::string Call(const CubeInstr& n);
  std::string Mmad(const CubeInstr& n);
  std::string Fixpipe(const CubeInstr& n, const std::string& in, int number);
  std::string Tensor(int t) const;
  std::string Queue(int t) const;
  std::string Window(const ir::GmRef& g);
  std::string Init();
  std::string Members();

  const LoweredProgram& p_;
  const CubeKernel& k_;
  bool narrows_ = false;  // some sums leave as half or bfloat16
  size_t index_;
  std::map<std::string, ir::Ty> locals_;
  std::map<std::string, int> stages_;  // methods of each name
  std::string methods_;
};

}  // namespace akgen::craft
