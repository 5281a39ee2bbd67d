// Lowered programs (one per column of dtypes) to an operator project: op_host/<name>.cpp,
// op_host/<name>_tiling.h and op_kernel/<name>.cpp, as a person would write them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "craft/passes/lowered.h"

namespace akgen::craft {

using Files = std::map<std::string, std::string>;  // path below the project -> content

Files EmitProject(const std::vector<LoweredProgram>& columns);

// Parts, for emit/ only.
std::string EmitKernelFile(const std::vector<LoweredProgram>& columns);
std::string EmitHostFile(const std::vector<LoweredProgram>& columns);
std::string EmitTilingHeader(const std::vector<LoweredProgram>& columns);

// Fields of the tiling struct: the scalar parameters of all kernels, one field for equal name and
// type, the numbers of elements of lists of tensors, and lists of integers.
struct TilingField {
  std::string name;
  ir::Ty type = ir::Ty::kInt;
  bool sizes = false;  // int64_t[kMaxTensors] beside a count
};
inline constexpr int kMaxTensors = ir::kMaxItems;
std::vector<TilingField> TilingFields(const LoweredProgram& p);
// The field of a kernel's parameter; kernel-specific when another kernel has it with another type.
std::string FieldOf(const LoweredProgram& p, size_t kernel, const ir::KernelParam& param);
std::string ListFieldOf(const LoweredProgram& p, size_t kernel, const std::string& list);
// Where a ring begins in the workspace.
std::string OffsetOf(const LoweredProgram& p, size_t kernel, const Ring& ring);
// Of a sequence: how many cores this kernel was launched on, and whether the host has chosen it at
// all.
std::string CoresField(size_t kernel);
std::string RunsField(size_t kernel);
// GM parameters that are lists and whose sizes the kernel asks for, by their name in the kernel.
std::vector<std::string> ListsOf(const ir::Kernel& k);

std::string CppType(base::Dtype d);
std::string GeType(base::Dtype d);  // ge::DT_FLOAT16
std::string CamelCase(const std::string& snake);
std::string SafeName(const std::string& name);  // not a word of C++ or of the vector API
std::string FloatText(double v);

}  // namespace akgen::craft
