#include "sandbox/sandbox.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "sandbox/layers.h"

namespace akgen::sandbox {
namespace {
constexpr uid_t kNobody = 65534;

int Limit(int what, uint64_t soft, uint64_t hard) {
  rlimit now;
  if (::getrlimit(__rlimit_resource_t(what), &now) != 0) return errno;
  // Never above what the machine's owner allows.
  rlimit want{rlim_t(soft), rlim_t(hard)};
  if (now.rlim_max != RLIM_INFINITY) {
    want.rlim_max = std::min(want.rlim_max, now.rlim_max);
    want.rlim_cur = std::min(want.rlim_cur, want.rlim_max);
  }
  return ::setrlimit(__rlimit_resource_t(what), &want) == 0 ? 0 : errno;
}

base::Error Refused(const char* layer, int error) {
  return base::Error{
      "AK0020", std::string("the sandbox layer `") + layer + "` failed: " + std::strerror(error),
      "", "run `akgen doctor` and see which layers this machine has"};
}

// Runs a probe in a child, because a layer cannot be taken off again. Returns an errno.
template <typename F>
int ProbeInChild(F probe) {
  pid_t pid = ::fork();
  if (pid < 0) return errno;
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(probe() & 0xff);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : EFAULT;
}

int ProbeSeccomp() {
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (int e = ApplySeccomp(Syscalls::kKernel, false)) return e;
  return ::open("/", O_RDONLY) < 0 && errno == EPERM ? 0 : ENOSYS;
}

int ProbeLandlock() {
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (LandlockAbi() == 0) return ENOSYS;
  if (int e = ApplyLandlock(Profile{})) return e;
  return ::open("/", O_RDONLY | O_DIRECTORY) < 0 ? 0 : ENOSYS;
}

Layer Row(const char* layer, int error, const std::string& detail) {
  return {layer, error == 0, error == 0 ? detail : std::strerror(error)};
}

struct Working {
  bool landlock, seccomp;
};
const Working& Works() {
  static const Working w{ProbeInChild(ProbeLandlock) == 0, ProbeInChild(ProbeSeccomp) == 0};
  return w;
}
}  // namespace

int ApplyLimits(const Profile& p) {
  int e = Limit(RLIMIT_CORE, 0, 0);
  if (!e) e = Limit(RLIMIT_NOFILE, p.open_files, p.open_files);
  if (!e) e = Limit(RLIMIT_FSIZE, p.file_bytes, p.file_bytes);
  if (!e && p.cpu_seconds) e = Limit(RLIMIT_CPU, p.cpu_seconds, p.cpu_seconds + 1);
#ifndef AKGEN_SANITIZED  // the sanitizers reserve terabytes of address space
  if (!e && p.memory_bytes) e = Limit(RLIMIT_AS, p.memory_bytes, p.memory_bytes);
#endif
  // Counts the user's processes, so it holds for nobody and for a plain user; root is not bound by
  // it.
  if (!e && !p.allow_processes) e = Limit(RLIMIT_NPROC, 0, 0);
  return e;
}

// Of what root may do, nothing is left but to pass over the permissions of files.
static int KeepOverride() {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct had[2] = {}, kept[2] = {};
  if (::syscall(SYS_capget, &head, had) != 0) return errno;
  kept[0].permitted = kept[0].effective = had[0].permitted & (1u << CAP_DAC_OVERRIDE);
  return ::syscall(SYS_capset, &head, kept) == 0 ? 0 : errno;
}

int DropUser(const Profile& profile, bool confined) {
  if (::geteuid() != 0) return 0;
  struct stat folder;
  const bool works =
      !profile.own_folder.empty() && ::stat(profile.own_folder.c_str(), &folder) == 0;
  const uid_t user = works && folder.st_uid != 0 ? folder.st_uid : kNobody;
  const gid_t group = works && folder.st_uid != 0 && folder.st_gid != 0 ? folder.st_gid : kNobody;
  const bool override = works && folder.st_uid == 0 && confined;
  if (override && ::prctl(PR_SET_KEEPCAPS, 1) != 0) return errno;
  if (::setgroups(0, nullptr) != 0 || ::setresgid(group, group, group) != 0 ||
      ::setresuid(user, user, user) != 0)
    return errno;
  if (int e = override ? KeepOverride() : 0) return e;
  // A change of user clears both of these.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_DUMPABLE, 1);
  return 0;
}

base::Status Confine(const Profile& profile) {
  if (profile.drop_user)
    if (int e = DropUser(profile, Works().landlock); e && e != EPERM && e != EINVAL)
      return Refused("user", e);
  if (int e = ApplyLimits(profile)) return Refused("rlimits", e);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Refused("no_new_privs", errno);
  if (Works().landlock)
    if (int e = ApplyLandlock(profile)) return Refused("landlock", e);
  if (Works().seccomp)
    if (int e = ApplySeccomp(profile.syscalls, profile.allow_exec, profile.allow_processes))
      return Refused("seccomp", e);
  return {};
}

base::Status Narrow(Syscalls syscalls) {
  if (!Works().seccomp) return {};
  if (int e = ApplySeccomp(syscalls, false)) return Refused("seccomp", e);
  return {};
}

std::vector<std::string> MissingLayers() {
  std::vector<std::string> out;
  if (!Works().landlock) out.push_back("landlock");
  if (!Works().seccomp) out.push_back("seccomp");
  return out;
}

const std::vector<Layer>& Report() {
  static const std::vector<Layer> report = [] {
    std::vector<Layer> rows;
    rows.push_back(
        Row("no_new_privs",
            ProbeInChild([] { return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? errno : 0; }), ""));
    rows.push_back(Row("rlimits", ProbeInChild([] { return ApplyLimits(Profile{}); }),
                       "cpu, memory, files, processes"));
    int abi = LandlockAbi();
    std::string covers = "ABI " + std::to_string(abi) + ": files" + (abi >= 4 ? ", TCP" : "") +
                         (abi >= 6 ? ", signals" : "");
    rows.push_back(Row("landlock", Works().landlock ? 0 : ENOSYS, covers));
    rows.push_back(Row("seccomp", Works().seccomp ? 0 : ENOSYS, "allow-list for kernels"));
    rows.push_back(Row("user",
                       ::geteuid() == 0 ? ProbeInChild([] { return DropUser({}, false); }) : EPERM,
                       "kernels and programs run as nobody"));
    return rows;
  }();
  return report;
}

}  // namespace akgen::sandbox
