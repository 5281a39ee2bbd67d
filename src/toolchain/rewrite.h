// Changes made to the builder's private copy of a kernel source, where it uses syntax of the
// vendor's own compiler that no C++ compiler takes. Lines keep their numbers.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "toolchain/build.h"

namespace akgen::toolchain {

// Blanks `[aicore]` and `[host, aicore]`.
std::string WithoutCoreAttributes(const std::string& file, const std::string& text,
                                  std::vector<Rewrite>* log);
// The same, and blanks kernel launches `name<<<…>>>(…);` and the word in `if constexpr
// (TILING_KEY_IS(…))`. Comments and strings are left alone.
std::string RewriteKernelSource(const std::string& file, const std::string& text,
                                std::vector<Rewrite>* log);

// The __global__ functions of a source, in order. Comments and strings do not count.
std::vector<Entry> FindEntries(const std::string& file, const std::string& text);

// What a __global__ function takes, as its source says.
struct EntryDeclaration {
  std::string name;
  bool c_linkage = false;
  std::vector<std::string> types;  // of its parameters
  std::string list;                // of them, comments left out
};
// Templates are left out.
std::vector<EntryDeclaration> DeclaredEntries(const std::string& text);

// Ascend C's templates of tiling keys: behind an entry that is a template, an entry is added that
// calls it with the arguments which the tiling key stands for
// (include/ascendc/akgen/tiling_template.h).
//
// Renames the definitions and declarations of entries. Names from `wanted` win; an entry that has
// the name of a C library function (`sqrt`) becomes `akgen_entry_<name>`, because it cannot coexist
// with <cmath>.
std::string RenameEntries(const std::string& file, const std::string& text,
                          const std::map<std::string, std::string>& wanted,
                          std::vector<Entry>* entries, std::vector<Rewrite>* log);

// Same length and line breaks, with comments and string contents replaced by spaces.
std::string BlankCommentsAndStrings(const std::string& text);

}  // namespace akgen::toolchain
