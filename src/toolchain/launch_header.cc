#include "toolchain/launch_header.h"

#include "toolchain/launch_rewrite.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace {

// Another source may not know what is pointed to. C linkage does not care.
std::string TypeInHeader(const std::string& type, bool c_linkage) {
  const bool pointer = type.find('*') != type.npos || type.find("GM_ADDR") != type.npos;
  if (!pointer) return type;
  if (c_linkage) return "void*";
  std::string out = type;
  for (const auto& [word, instead] : {std::pair{"GM_ADDR", "uint8_t*"}, std::pair{"__gm__", ""}})
    if (const size_t at = out.find(word); at != out.npos)
      out.replace(at, std::string(word).size(), instead);
  return out;
}

std::string HeaderOf(const EntryDeclaration& kernel, uint32_t cores) {
  std::string types;
  for (const std::string& t : kernel.types)
    types += (types.empty() ? "" : ", ") + TypeInHeader(t, kernel.c_linkage);
  // Some of its parameters depend on macros: the list as it is.
  if (kernel.list.find('#') != kernel.list.npos) types = "\n" + kernel.list + "\n";
  return std::string(
             "#pragma once\n#include \"acl/acl.h\"\n#ifndef GM_ADDR\n#define GM_ADDR "
             "uint8_t*\n#endif\n") +
         (kernel.c_linkage ? "extern \"C\" " : "") + "void " + kernel.name + "(" + types +
         ");\nconstexpr auto aclrtlaunch_" + kernel.name + " = ::akgen_separate_launch<" +
         std::to_string(cores) + "u, &" + kernel.name + ">(&" + kernel.name +
         ");\n#undef ACLRT_LAUNCH_KERNEL\n#define ACLRT_LAUNCH_KERNEL(name) aclrtlaunch_##name\n";
}
}  // namespace

std::map<std::string, std::string> LaunchHeaders(const std::vector<std::string>& sources,
                                                 const std::map<std::string, std::string>& files) {
  std::map<std::string, std::string> out;
  for (const std::string& path : sources) {
    const std::string& text = files.at(path);
    for (const EntryDeclaration& kernel : DeclaredEntries(text))
      out["aclrtlaunch_" + kernel.name + ".h"] = HeaderOf(kernel, CoresOf(text, kernel.name));
  }
  return out;
}

}  // namespace akgen::toolchain
