// What programs that hold a candidate's code, or read it, may reach on this machine: the system's
// folders, the vendor's toolkit and the devices; to write, a folder of their own and that of the
// vendor's logs. No TCP, no other process's memory. Landlock keeps them to it (sandbox/sandbox.h);
// system calls are not filtered, since nobody here knows which ones the vendor's runtime makes.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace akgen::device {

struct Confinement {
  std::filesystem::path folder;  // to write
  std::vector<std::filesystem::path>
      readable;           // beyond the system and what the environment says of the toolkit
  bool programs = false;  // it may start others
};
// This process, for good, which has one thread yet. AK0020.
base::Status Enter(const Confinement& confinement);
bool CanConfine();
// Names the folder in the environment of akgen-device, which enters before it runs a job of its
// channel.
inline constexpr const char* kConfineTo = "AKGEN_DEVICE_FOLDER";

// The command that enters it and becomes `command`, which ends with akgen (device_main.cc).
std::vector<std::string> Confined(const Confinement& confinement,
                                  const std::vector<std::string>& command);
// The command line of such a process from its second argument on; the command is left in `command`.
base::Result<Confinement> ConfinementFrom(const std::vector<std::string>& arguments,
                                          std::vector<std::string>* command);

// The environment of each: no operators of anybody else, and files in `folder` where the user names
// no place.
std::vector<std::string> Settings(const std::filesystem::path& folder);

}  // namespace akgen::device
