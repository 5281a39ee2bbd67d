#include "toolchain/system.h"

#include <unistd.h>

#include <filesystem>

#include "base/files.h"

namespace akgen::toolchain {
namespace {
std::string FirstProgram(std::vector<std::string> paths, const char* beside) {
  paths.insert(paths.begin(), (base::ExecutableDir() / beside).string());
  for (const std::string& p : paths)
    if (::access(p.c_str(), X_OK) == 0) return p;
  return "";
}
}  // namespace

std::string BundledSystem() {
  const std::filesystem::path folder = base::HomeDir() / "system";
  std::error_code ec;
  return std::filesystem::exists(folder, ec) ? folder.lexically_normal().string() : "";
}

std::vector<std::string> SystemFlags() {
  const std::string system = BundledSystem();
  if (system.empty()) return {};
  return {"--sysroot=" + system, "-resource-dir", system + "/clang"};
}

std::string LinkerPath() {
  return FirstProgram({"/usr/bin/ld.bfd", "/usr/bin/ld", "/usr/bin/ld.lld", "/usr/bin/ld.lld-19",
                       "/usr/local/bin/ld"},
                      "ld.lld");
}

std::string ArchiverPath() {
  return FirstProgram({"/usr/bin/ar", "/usr/bin/llvm-ar-19", "/usr/local/bin/ar"}, "llvm-ar");
}

}  // namespace akgen::toolchain
