// One kernel as a class: members, Init, Process, one method per stage.
#pragma once
#include <set>
#include <string>

#include "craft/emit/emit.h"

namespace akgen::craft {

// A function of the kernel file, written when something uses its name.
struct Helper {
  const char* name;
  const char* text;
};
const std::vector<Helper>& LaneHelpers();  // after all others

class KernelClass {
 public:
  // `main` is printed as T where it is f16 or bf16, so that columns that differ in nothing else share a template.
  KernelClass(const LoweredProgram& p, size_t index, base::Dtype main)
      : p_(p), k_(p.kernels[index]), index_(index), main_(main) {}
  // The class's body, from "public:" on; `uses` collects the helpers it calls.
  std::string Body(std::set<std::string>& uses);
  bool IsTemplate() const { return uses_t_; }

 private:
  std::string Type(base::Dtype d);
  std::string Scalar(const ir::S& s, int least = 0);
  std::string FloatScalar(const ir::S& s);
  std::string Item(const ir::S& s);
  std::string BufferName(int b) const { return SafeName(k_.kernel.buffers[b].name) + "_"; }
  std::string QueueName(int b) const { return SafeName(k_.kernel.buffers[k_.queue[b]].name) + "Queue_"; }
  std::string BufferType(int b) { return Type(k_.kernel.buffers[b].dtype); }
  std::string GmTensor(const ir::GmRef& g);
  std::string Pitch(const ir::S& rows, const ir::S& cols);
  void Process(const ir::Block& b, int depth, std::string& out);
  void RunHooks(const std::vector<Hook>& hooks, const std::string& in, std::string& out);
  std::string StageMethod(const ir::Stmt& s, const std::string& name, const std::set<std::string>& locals);
  void CopyLine(const ir::Stmt& s, const ir::Copy& c, std::string& out);
  void Instrs(const StageCode& code, std::string& out);
  std::string InstrText(const Instr& in, bool in_loop);
  std::string TempName(int temp);
  std::string TileText(const Tile& t, bool in_row_loop);
  std::string Init();
  std::string Members();
  void StageVariables(const ir::Stmt& s, std::set<std::string>& out) const;

  const LoweredProgram& p_;
  const LoweredKernel& k_;
  size_t index_;
  base::Dtype main_;
  bool uses_t_ = false;
  std::set<std::string> uses_;
  std::set<std::string> params_;
  std::map<std::string, ir::Ty> locals_;
  std::string methods_;
  int stages_ = 0;
};

}  // namespace akgen::craft
