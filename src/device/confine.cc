#include "device/confine.h"

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "device/toolkit.h"
#include "sandbox/sandbox.h"

namespace akgen::device {
namespace fs = std::filesystem;
namespace {
constexpr const char* kConfined = "--confined";
constexpr const char* kLogs = "ASCEND_PROCESS_LOG_PATH";
constexpr uint64_t kMaxFile = 16ull << 30, kMaxOpenFiles = 4096;

// An installed version is a folder of links into its neighbours: those that they lead to.
void AddInstallation(const fs::path& home, std::vector<std::string>& out) {
  std::error_code ec;
  const fs::path real = fs::canonical(home, ec), parent = real.parent_path();
  if (ec) return;
  out.push_back(real.string());
  for (const auto& entry : fs::directory_iterator(real, ec)) {
    std::error_code lost;
    const fs::path leads = fs::canonical(entry.path(), lost),
                   beside = leads.lexically_relative(parent);
    if (lost) continue;
    out.push_back(beside.empty() || *beside.begin() == ".." ? leads.string()
                                                            : (parent / *beside.begin()).string());
  }
}

std::vector<std::string> ReadableFolders() {
  std::vector<std::string> out{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt",
                               "/etc", "/dev", "/proc", "/sys", "/var"};
  for (const char* name : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_DRIVER_PATH"})
    if (const std::string home = Environment(name); !home.empty()) AddInstallation(home, out);
  std::istringstream libraries(Environment("LD_LIBRARY_PATH"));
  for (std::string folder; std::getline(libraries, folder, ':');)
    if (fs::path(folder).has_relative_path()) out.push_back(folder);
  out.push_back(base::ExecutableDir().string());
  return out;
}
}  // namespace

base::Status Enter(const Confinement& c) {
  sandbox::Profile profile;
  profile.readable = ReadableFolders();
  for (const fs::path& path : c.readable) {
    std::error_code ec;
    profile.readable.push_back(path.string());
    if (const fs::path real = fs::canonical(path, ec); !ec && !fs::is_directory(real, ec))
      profile.readable.push_back(real.parent_path().string());
  }
  profile.writable = {c.folder.string(), "/dev/shm"};
  if (const std::string logs = Environment(kLogs); !logs.empty()) profile.writable.push_back(logs);
  profile.devices = {"/dev"};
  profile.file_bytes = kMaxFile, profile.open_files = kMaxOpenFiles;
  profile.allow_exec = c.programs, profile.allow_processes = true;  // a thread counts as a process
  profile.syscalls = sandbox::Syscalls::kAny;
  return sandbox::Confine(profile);
}

bool CanConfine() {
  const auto missing = sandbox::MissingLayers();
  return std::find(missing.begin(), missing.end(), "landlock") == missing.end();
}

std::vector<std::string> Confined(const Confinement& c, const std::vector<std::string>& command) {
  std::vector<std::string> out{(base::ExecutableDir() / "akgen-device").string(), kConfined,
                               c.folder.string()};
  for (const fs::path& path : c.readable) out.push_back(path.string());
  out.push_back("--");
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

base::Result<Confinement> ConfinementFrom(const std::vector<std::string>& arguments,
                                          std::vector<std::string>* command) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  if (arguments.size() < 2 || arguments[0] != kConfined || end == arguments.end())
    return base::Error{"AK0014", "no such job", arguments.empty() ? "" : arguments[0], ""};
  Confinement out;
  out.folder = arguments[1], out.programs = true;
  out.readable.assign(arguments.begin() + 2, end);
  command->assign(end + 1, arguments.end());
  return out;
}

std::vector<std::string> Settings(const fs::path& folder) {
  std::vector<std::string> out{"ASCEND_CUSTOM_OPP_PATH=", "TMPDIR=" + folder.string()};
  if (Environment(kLogs).empty()) out.push_back(std::string(kLogs) + "=" + folder.string());
  return out;
}

}  // namespace akgen::device
