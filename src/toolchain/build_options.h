// What a project's build files say of how its kernel is compiled.
#pragma once
#include <string>
#include <vector>

#include "toolchain/project.h"

namespace akgen::toolchain {

struct BuildOptions {
  std::vector<std::string>
      defines;  // of the kernel: NAME or NAME=VALUE, plain ones that are not the compiler's
  bool auto_sync = true;          // --cce-auto-sync
  std::vector<std::string> said;  // the options above as records name them, defaults left out
};

// Options that CMakeLists.txt of the project, of op_host/ and of op_kernel/ give to the operator's
// kernel by add_ops_compile_options, npu_op_kernel_options, ascendc_compile_options and
// ascendc_compile_definitions; of target_compile_options those of the device's compiler. `op`: the
// operator's name, whose options others do not get; `unit`: the chip as AddConfig spells it
// ("ascend910b"). Conditions and variables of CMake are not evaluated.
BuildOptions OptionsOf(const Project& project, const std::string& op, const std::string& unit);

// The same of one file's text; added to `options`.
void ReadBuildOptions(const std::string& text, const std::string& op, const std::string& unit,
                      BuildOptions* options);

}  // namespace akgen::toolchain
