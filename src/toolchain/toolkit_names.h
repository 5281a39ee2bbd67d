// What Ascend's toolkit offers and akgen lacks. A build that fails for lack of it is unsupported by
// akgen, not the source's fault; the names are in include/ascendc/akgen/toolkit_names.txt
// (tools/toolkit_names makes it).
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "toolchain/build.h"

namespace akgen::toolchain {

class ToolkitNames {
 public:
  // `headers`: akgen's own, include/ascendc. A word of theirs is not lacking.
  explicit ToolkitNames(const std::filesystem::path& headers);

  // Of a failed build: the header, macro or function whose absence is the error, or "". `line`: of
  // the source that the error points at, for macros, which its message does not name.
  std::string Wanting(const BuildDiagnostic& error, std::string_view line) const;

 private:
  bool LacksHeader(std::string name) const;
  bool Lacks(const std::string& name) const;
  bool LacksMember(const std::string& owner, const std::string& name) const;

  std::set<std::string> folders_, headers_, names_, members_, words_;
};

}  // namespace akgen::toolchain
