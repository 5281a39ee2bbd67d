// Confinement of untrusted code: candidate sources in the compiler, kernels, direct-launch
// programs. Layers, each probed and each allowed to be missing: no_new_privs, rlimits, Landlock
// (files, TCP, signals), seccomp, another user id (only as root). What is missing is named in
// Report(), never silently skipped.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/status.h"

namespace akgen::sandbox {

enum class Syscalls : uint8_t {
  kAny,       // no filter
  kNoEscape,  // files stay open to Landlock; sockets, ptrace, mounts, keys, new processes are
              // refused (EPERM)
  kLoad,      // what dlopen and a running kernel need; everything else kills the process (SIGSYS)
  kKernel     // kLoad without opening files
};

struct Profile {
  std::vector<std::string>
      readable;                   // files or folders with all below them; missing ones are ignored
  std::vector<int> readable_fds;  // the same, by open descriptor
  std::vector<std::string> writable;  // folders: create, write, remove below them
  std::vector<std::string> devices;   // files or folders of devices: read, write, ioctl
  uint64_t memory_bytes = 0;          // address space, 0: no limit
  uint64_t cpu_seconds = 0;           // SIGXCPU at the limit, SIGKILL one second later; 0: no limit
  uint64_t file_bytes = 0;            // largest file that may be written
  uint64_t open_files = 256;
  bool allow_exec = false;       // execve of a readable file (the linker)
  bool allow_processes = false;  // fork and exec of more than one program (a compiler driver)
  bool drop_user =
      false;  // become nobody; only as root, and only where no file needs root to be read
  // With drop_user: become the owner of this folder, to work in it. Where that is root: nobody all
  // the same, who may pass over permissions as long as Landlock keeps it to the files above.
  std::string own_folder;
  Syscalls syscalls = Syscalls::kNoEscape;
};

// Confines the calling process for good. Call it in a fresh child with one thread.
// AK0020: a layer that the probe found working refused (internal error: verdict infra_error).
base::Status Confine(const Profile& profile);
// Second stage, after the untrusted object is loaded: only narrows the system calls.
base::Status Narrow(Syscalls syscalls);

struct Layer {
  std::string layer;
  bool active = false;
  std::string detail;  // what it covers, or why it does not work

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("layer", m.layer);
    io.Field("active", m.active);
    io.Field("detail", m.detail);
  }
};
// Which layers work on this machine. Probed once per process, in a child.
const std::vector<Layer>& Report();
// Of Landlock and seccomp, which keep a candidate from files, network and processes, those that do
// not work here.
std::vector<std::string> MissingLayers();

}  // namespace akgen::sandbox
