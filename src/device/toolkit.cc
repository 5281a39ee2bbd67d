#include "device/toolkit.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "base/files.h"
#include "base/regex.h"

namespace akgen::device {
namespace fs = std::filesystem;
namespace {
// The first whose compiler takes `-x asc` and launches kernels from a shared object.
constexpr int kLeastMajor = 8, kLeastMinor = 3;
constexpr const char* kInstall =
    "install the CANN toolkit 8.3 or newer, and `source set_env.sh` of it in this shell "
    "(docs/hardware.md)";

fs::path Home() {
  std::error_code ec;
  for (const char* name : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"})
    if (const std::string home = Environment(name); !home.empty())
      return fs::is_directory(home, ec) ? fs::path(home) : fs::path();
  for (const char* home : {"/usr/local/Ascend/cann", "/usr/local/Ascend/ascend-toolkit/latest"})
    if (fs::is_directory(home, ec)) return home;
  return {};
}

bool Executable(const fs::path& file) {
  std::error_code ec;
  return fs::is_regular_file(file, ec) && ::access(file.c_str(), X_OK) == 0;
}

// In the toolkit, else on PATH.
fs::path Program(const fs::path& home, const std::vector<const char*>& folders, const char* name) {
  if (!home.empty())
    for (const char* folder : folders)
      if (Executable(home / folder / name)) return home / folder / name;
  const std::string path = Environment("PATH");
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    if (end > at && Executable(fs::path(path.substr(at, end - at)) / name))
      return fs::path(path.substr(at, end - at)) / name;
    at = end + 1;
  }
  return {};
}

// The first match of group 1 in the first of the files that has one.
std::string VersionIn(const std::vector<fs::path>& files, const char* pattern) {
  const base::Regex regex(pattern);
  for (const fs::path& file : files)
    if (auto text = base::ReadFile(file); text.ok())
      if (const auto found = regex.Find(*text)) return (*found)[1].text;
  return "";
}

std::string ToolkitVersion(const fs::path& home) {
  if (home.empty()) return "";
  std::vector<fs::path> infos;
  for (const char* arch : {"x86_64-linux", "aarch64-linux"})
    infos.push_back(home / arch / "ascend_toolkit_install.info");
  if (std::string v = VersionIn(infos, R"((?m)^version=([0-9][\w.]*))"); !v.empty()) return v;
  // runtime_running_version=[7.6.0.1.220:8.3.RC1]
  return VersionIn({home / "version.cfg"}, R"(_running_version=\[[^\]:]*:([0-9][\w.]*)\])");
}

std::string DriverVersion() {
  const std::string folder = Environment("ASCEND_DRIVER_PATH");
  return VersionIn(
      {fs::path(folder.empty() ? "/usr/local/Ascend/driver" : folder) / "version.info"},
      R"((?mi)^version=\s*([0-9][\w.]*))");
}

bool NewEnough(const std::string& version) {
  const auto parts = base::Regex(R"((\d{1,4})\.(\d{1,4}))").AtStart(version);
  if (!parts) return false;
  const int major = std::atoi((*parts)[1].text.c_str()),
            minor = std::atoi((*parts)[2].text.c_str());
  return major > kLeastMajor || (major == kLeastMajor && minor >= kLeastMinor);
}

ToolkitPart Part(std::string what, std::string found, bool needed, std::string fix) {
  const bool good = !found.empty();
  return {std::move(what), std::move(found), needed, good, std::move(fix)};
}
}  // namespace

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<ToolkitPart> LookForToolkit(Toolkit* t) {
  t->home = Home();
  t->version = ToolkitVersion(t->home);
  t->driver = DriverVersion();
  t->compiler = Program(
      t->home, {"bin", "compiler/ccec_compiler/bin", "tools/bisheng_compiler/bin"}, "bisheng");
  std::error_code ec;
  for (const char* folder : {"lib64", "runtime/lib64", "acllib/lib64"})
    if (const fs::path file = t->home / folder / "libascendcl.so";
        !t->home.empty() && t->runtime.empty() && fs::exists(file, ec))
      t->runtime = file;
  const std::vector<const char*> tools = {"bin", "tools/msopt/bin", "tools/profiler/bin"};
  if (const fs::path p = Program(t->home, tools, "msopprof"); !p.empty())
    t->profiler = {p.string()};
  else if (const fs::path old = Program(t->home, tools, "msprof"); !old.empty())
    t->profiler = {old.string(), "op"};
  std::vector<ToolkitPart> out{
      Part("CANN toolkit", t->home.string(), true, kInstall),
      Part("toolkit version", t->version, false, "no file says it; 8.3 or newer is needed"),
      Part("compiler bisheng", t->compiler.string(), true, kInstall),
      Part("runtime libascendcl.so", t->runtime.string(), true, kInstall),
      Part("driver version", t->driver, false, "install the driver and firmware of the device"),
      Part("profiler msopprof", t->profiler.empty() ? "" : t->profiler[0], false,
           "times come from events then, and the device's frequency is not known")};
  if (ToolkitPart& version = out[1]; version.good && !NewEnough(t->version)) {
    version.good = false, version.needed = true;
    version.fix = "version " + t->version + " is too old: " + kInstall;
  }
  return out;
}

base::Result<Toolkit> FindToolkit() {
  Toolkit out;
  for (const ToolkitPart& part : LookForToolkit(&out))
    if (part.needed && !part.good)
      return base::Error{
          "AK0620",
          (part.found.empty() ? "no " + part.what + " was found" : part.what + " " + part.found) +
              (part.found.empty() ? "" : " cannot be used"),
          out.home.string(), part.fix};
  return out;
}

}  // namespace akgen::device
