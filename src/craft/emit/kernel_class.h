// One kernel as a class: members, Init, Process, one method per stage.
#pragma once
#include <set>
#include <string>

#include "craft/emit/emit.h"
#include "craft/emit/expressions.h"
#include "craft/emit/merge_columns.h"

namespace akgen::craft {

// A function of the kernel file, written when something uses its name.
struct Helper {
  const char* name;
  const char* text;
};
const std::vector<Helper>& VectorHelpers();  // in the order in which they may call each other
const std::vector<Helper>& CubeHelpers();
const std::vector<Helper>& LaneHelpers();

// Numbers that instructions of a stage share, by their text: each has a name there.
class SharedNumbers {
 public:
  // Its name; empty before Declare, and where it needs none. `what`: what it is called.
  const std::string& Use(const std::string& text, ir::Ty type, const char* what);
  // Names those that were used more than once, unlike those taken, and appends their declarations.
  void Declare(const std::map<std::string, ir::Ty>& taken, std::string& out);

 private:
  struct Number {
    int uses = 0;
    const char* what = "";
    ir::Ty type = ir::Ty::kInt;
    std::string name;
  };
  std::map<std::string, Number> numbers_;
};

class KernelClass : private Expressions {
 public:
  KernelClass(const LoweredProgram& p, size_t index)
      : Expressions(p.kernels[index].kernel), p_(p), k_(p.kernels[index]), index_(index) {
    of_mixed_vector_ = k_.Mixed();
    of_sequence_ = p.program.sequence;
    of_mixed_operator_ = of_sequence_ && p.program.HasCube() && !k_.Mixed();
  }
  // The class's body for this column of dtypes, from "public:" on; `uses` collects the helpers it
  // calls.
  ClassText Text(std::set<std::string>& uses);

 private:
  std::string BufferName(int b) const { return SafeName(k_.kernel.buffers[b].name) + "_"; }
  std::string QueueName(int b) const {
    return SafeName(k_.kernel.buffers[k_.queue[b]].name) + "Queue_";
  }
  std::string BufferType(int b) { return CppType(k_.kernel.buffers[b].dtype); }
  std::string Pitch(const ir::S& rows, const ir::S& cols);
  void Process(const ir::Block& b, int depth, std::string& out);
  void RunHooks(const std::vector<Hook>& hooks, const std::string& in, std::string& out);
  void StageMethod(const ir::Stmt& s, const std::string& name, const std::set<std::string>& locals);
  void CopyLine(const ir::Stmt& s, const ir::Copy& c, std::string& out);
  std::string Code(const StageCode& code);
  void Instrs(const StageCode& code, std::string& out);
  std::string Named(const ir::S& s, int least, const char* what);
  std::string InstrText(const Instr& in, bool in_loop);
  std::string TileText(const Tile& t, bool in_row_loop);
  std::string Init();
  std::string InitSlots();
  std::string Members();

  const LoweredProgram& p_;
  const LoweredKernel& k_;
  size_t index_;
  SharedNumbers shared_;
  std::map<std::string, ir::Ty> locals_;
  ClassText methods_;
  int stages_ = 0;
};

}  // namespace akgen::craft
