// The vendor's toolkit on this machine, found as its own set-up script leaves it. Nothing of it is
// part of akgen.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace akgen::device {

std::string Environment(const char* name);  // "" where it is not set

struct Toolkit {
  std::filesystem::path
      home;  // $ASCEND_HOME_PATH, $ASCEND_TOOLKIT_HOME, or where it is installed by default
  std::string version, driver;        // "8.3.RC1"; "" where no file says it
  std::filesystem::path compiler;     // bisheng
  std::filesystem::path runtime;      // libascendcl.so
  std::vector<std::string> profiler;  // the beginning of its command line; empty: there is none
};

// A part as `akgen doctor` shows it.
struct ToolkitPart {
  std::string what, found;  // found: path or version, "" where it is missing
  bool needed = true, good = false;
  std::string fix;
};
// What is there, part by part; those that are missing are empty in `toolkit`.
std::vector<ToolkitPart> LookForToolkit(Toolkit* toolkit);

// AK0620: a part that is needed is missing, or of a version that cannot be used.
base::Result<Toolkit> FindToolkit();

}  // namespace akgen::device
