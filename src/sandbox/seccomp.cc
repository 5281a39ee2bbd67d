// The layer that restricts system calls.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "sandbox/layers.h"

namespace akgen::sandbox {
namespace {
#if defined(__x86_64__)
constexpr uint32_t kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArch = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArch = 0;
#endif
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif
constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

// What a process needs to compute, allocate, raise and end.
const int kCompute[] = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_close,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_madvise,
    SYS_mincore,
    SYS_mremap,
    SYS_brk,
    SYS_rt_sigreturn,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_sigaltstack,
    SYS_exit,
    SYS_exit_group,
    SYS_futex,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_getrandom,
    SYS_fstat,
    SYS_newfstatat,
    SYS_lseek,
    SYS_getrusage,
    SYS_times,
    SYS_uname,
    SYS_restart_syscall,
    SYS_set_robust_list,
    SYS_getcwd,
    SYS_sysinfo,
    SYS_getppid,
    SYS_ftruncate,
    SYS_fcntl,
    SYS_pread64,
    SYS_dup,
    SYS_dup3,  // capturing what host code prints
#ifdef SYS_time
    SYS_time,
    SYS_dup2,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_membarrier
    SYS_membarrier,
#endif
};
// What dlopen needs on top.
const int kLoading[] = {
    SYS_openat, SYS_faccessat, SYS_readlinkat,
#ifdef SYS_open
    SYS_open,   SYS_access,    SYS_readlink,   SYS_stat, SYS_lstat,
#endif
};
// What an innocent kernel may try (through a library) and must survive: refused, not killed.
const int kInnocent[] = {
    SYS_openat,     SYS_socket, SYS_connect,           SYS_bind,         SYS_clone,  SYS_execve,
    SYS_execveat,   SYS_ioctl,  SYS_prlimit64,         SYS_prctl,        SYS_statfs, SYS_faccessat,
    SYS_readlinkat, SYS_pipe2,  SYS_sched_setaffinity, SYS_memfd_create,
#ifdef SYS_clone3
    SYS_clone3,
#endif
#ifdef SYS_open
    SYS_open,       SYS_access, SYS_readlink,          SYS_stat,         SYS_lstat,  SYS_fork,
    SYS_vfork,      SYS_pipe,   SYS_getrlimit,
#endif
#ifdef SYS_statx
    SYS_statx,
#endif
};
// Refused to compilers and programs: the outside world, other processes, the machine, and what
// would outlive them.
const int kEscape[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_reboot,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_swapon,
    SYS_swapoff,
    SYS_sethostname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_userfaultfd,
    SYS_open_by_handle_at,
    SYS_setsid,
    SYS_setpgid,
    SYS_kill,
    SYS_tkill,
    SYS_acct,
    SYS_quotactl,
    SYS_memfd_create,
    SYS_shmget,
    SYS_semget,
    SYS_msgget,
    SYS_mq_open,
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
};
const int kNewProcess[] = {
    SYS_clone,
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
#endif
};
const int kExec[] = {SYS_execve, SYS_execveat};

// Which answer a call gets: the first one that is given for it.
class Filter {
 public:
  template <size_t N>
  void Answer(const int (&calls)[N], uint32_t answer) {
    for (int call : calls) Answer(call, answer);
  }
  void Answer(int call, uint32_t answer) { rules_.try_emplace(uint32_t(call), answer); }
  // tgkill of this very process is how abort() and raise() work.
  void AllowOwnSignals() { rules_.try_emplace(SYS_tgkill, kOwnAlone); }
  int Install(uint32_t otherwise) {
    std::vector<Range> ranges{{0, otherwise}};
    for (const auto& [call, answer] : rules_) {
      if (ranges.back().from == call) ranges.pop_back();
      ranges.push_back({call, answer});
      ranges.push_back({call + 1, otherwise});
    }
#if defined(__x86_64__)
    ranges.push_back({0x40000000u, SECCOMP_RET_KILL_PROCESS});  // the x32 calls
#endif
    Code code{Load(offsetof(seccomp_data, arch)), JumpIf(BPF_JEQ, kArch, 1, 0),
              Return(SECCOMP_RET_KILL_PROCESS), Load(offsetof(seccomp_data, nr))};
    Append(code, Choice(ranges));
    sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
  }

 private:
  using Code = std::vector<sock_filter>;
  struct Range {  // of numbers, up to the next one
    uint32_t from, answer;
  };
  static constexpr uint32_t kOwnAlone = SECCOMP_RET_TRACE;  // no answer of ours

  // The kernel tries a new filter on every call there is, so that halving pays.
  static Code Choice(std::span<const Range> ranges) {
    if (ranges.size() == 1) return Leaf(ranges[0].answer);
    const size_t half = ranges.size() / 2;
    const Code below = Choice(ranges.first(half));
    Code code{JumpIf(BPF_JGE, ranges[half].from, uint8_t(below.size()), 0)};
    Append(code, below);
    Append(code, Choice(ranges.subspan(half)));
    return code;
  }
  static Code Leaf(uint32_t answer) {
    if (answer != kOwnAlone) return {Return(answer)};
    return {Load(offsetof(seccomp_data, args[0])), JumpIf(BPF_JEQ, uint32_t(::getpid()), 0, 1),
            Return(SECCOMP_RET_ALLOW), Return(kRefuse)};
  }
  static void Append(Code& code, const Code& more) {
    code.insert(code.end(), more.begin(), more.end());
  }
  static sock_filter Load(size_t offset) {
    return {BPF_LD | BPF_W | BPF_ABS, {}, {}, uint32_t(offset)};
  }
  static sock_filter Return(uint32_t answer) { return {BPF_RET | BPF_K, {}, {}, answer}; }
  // So many instructions further where it holds, and where it does not.
  static sock_filter JumpIf(int condition, uint32_t k, uint8_t yes, uint8_t no) {
    return {static_cast<unsigned short>(BPF_JMP | condition | BPF_K), yes, no, k};
  }
  std::map<uint32_t, uint32_t> rules_;
};
}  // namespace

int ApplySeccomp(Syscalls syscalls, bool allow_exec, bool allow_processes) {
  if (syscalls == Syscalls::kAny || kArch == 0) return 0;
  Filter filter;
  if (syscalls == Syscalls::kNoEscape) {
    filter.AllowOwnSignals();
    filter.Answer(kEscape, kRefuse);
    if (!allow_processes) filter.Answer(kNewProcess, kRefuse);
#ifdef SYS_clone3
    if (!allow_processes)
      filter.Answer(SYS_clone3,
                    SECCOMP_RET_ERRNO | ENOSYS);  // glibc then falls back to clone, refused above
#endif
    if (!allow_exec) filter.Answer(kExec, kRefuse);
    return filter.Install(SECCOMP_RET_ALLOW);
  }
  filter.AllowOwnSignals();
  filter.Answer(kCompute, SECCOMP_RET_ALLOW);
  if (syscalls == Syscalls::kLoad) {
    filter.Answer(kLoading, SECCOMP_RET_ALLOW);
    filter.Answer(SYS_prctl, SECCOMP_RET_ALLOW);  // the second stage is installed through it
    filter.Answer(SYS_getdents64, kRefuse);
  }
  filter.Answer(kInnocent, kRefuse);
  return filter.Install(SECCOMP_RET_KILL_PROCESS);
}

}  // namespace akgen::sandbox
