// What each set of system calls does with each call, one by one: a row a call.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <set>
#include <string>

#include "sandbox/layers.h"

namespace akgen::sandbox {
namespace {
// 'a' taken, 'r' refused with EPERM, 'n' with ENOSYS, 'k' the process is killed. Arguments that no
// call takes, so that a call that is let through does nothing.
char Tried(long call, Syscalls set, bool exec, bool processes) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGSYS, SIG_DFL);
    if (ApplyLimits({}) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ApplySeccomp(set, exec, processes) != 0)
      ::_exit(99);
    const long answer = ::syscall(call, -1L, -1L, -1L, -1L, -1L, -1L);
    if (answer == 0 && call == SYS_clone) ::_exit(0);
    ::_exit(answer != -1 ? 0 : errno == EPERM ? 1 : errno == ENOSYS ? 2 : 0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return '?';
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGSYS ? 'k' : '!';
  return WEXITSTATUS(status) == 0   ? 'a'
         : WEXITSTATUS(status) == 1 ? 'r'
         : WEXITSTATUS(status) == 2 ? 'n'
                                    : '?';
}

// By kNoEscape, kLoad, kKernel.
struct Calls {
  const char* expected;
  std::vector<long> calls;
};

const Calls kCalls[] = {
    {"aaa", {SYS_read,          SYS_write,           SYS_readv,
             SYS_writev,        SYS_close,           SYS_mmap,
             SYS_munmap,        SYS_mprotect,        SYS_madvise,
             SYS_mincore,       SYS_mremap,          SYS_brk,
             SYS_rt_sigaction,  SYS_rt_sigprocmask,  SYS_sigaltstack,

             SYS_clock_gettime, SYS_clock_nanosleep, SYS_nanosleep,
             SYS_gettimeofday,  SYS_getpid,          SYS_gettid,
             SYS_getuid,        SYS_geteuid,         SYS_getgid,
             SYS_getegid,       SYS_sched_yield,     SYS_sched_getaffinity,
             SYS_getrandom,     SYS_fstat,           SYS_newfstatat,
             SYS_lseek,         SYS_getrusage,       SYS_times,
             SYS_uname,         SYS_set_robust_list, SYS_getcwd,
             SYS_sysinfo,       SYS_getppid,         SYS_ftruncate,
             SYS_fcntl,         SYS_pread64,         SYS_dup,
             SYS_dup3}},
    {"nnn", {SYS_futex}},  // has no such operation: it is let through
    {"aar", {SYS_openat, SYS_faccessat, SYS_readlinkat}},  // of a loader
    {"aar", {SYS_prctl}},                                  // installs the second stage
    {"ark", {SYS_getdents64}},
    {"arr", {SYS_ioctl, SYS_prlimit64, SYS_statfs, SYS_pipe2, SYS_sched_setaffinity}},
    {"rrr", {SYS_socket, SYS_connect, SYS_bind, SYS_memfd_create}},
    {"rkk",
     {SYS_socketpair,
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
      SYS_shmget,
      SYS_semget,
      SYS_msgget,
      SYS_mq_open,
      SYS_io_uring_setup,
      SYS_pidfd_getfd}},
    {"rrr", {SYS_tgkill}},  // of another process
    {"akk",
     {SYS_mkdirat, SYS_unlinkat, SYS_renameat, SYS_fchmod, SYS_fchown, SYS_truncate, SYS_pwrite64,
      SYS_sendfile, SYS_epoll_create1, SYS_eventfd2, SYS_inotify_init1, SYS_splice, SYS_shmat,
      SYS_flock, SYS_fsync, SYS_wait4}},
#ifdef __x86_64__
    {"aaa", {SYS_time, SYS_dup2}},
    {"aar", {SYS_open, SYS_access, SYS_readlink, SYS_stat, SYS_lstat}},
    {"arr", {SYS_pipe, SYS_getrlimit}},
    {"akk", {SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_chmod, SYS_poll}},
#endif
};

TEST(Syscalls, EachCallInEachSet) {
  std::set<long> seen;
  for (const Calls& row : kCalls)
    for (long call : row.calls) {
      EXPECT_TRUE(seen.insert(call).second) << call << " stands twice";
      std::string is;
      for (Syscalls set : {Syscalls::kNoEscape, Syscalls::kLoad, Syscalls::kKernel})
        is += Tried(call, set, true, true);
      EXPECT_EQ(is, row.expected) << "system call " << call;
    }
}

TEST(Syscalls, NewProcessesAndProgramsAreAsked) {
  const auto no_escape = [](long call) {
    std::string is;
    for (bool exec : {false, true})
      for (bool processes : {false, true}) is += Tried(call, Syscalls::kNoEscape, exec, processes);
    return is;
  };
  EXPECT_EQ(no_escape(SYS_execve), "rraa");
  EXPECT_EQ(no_escape(SYS_execveat), "rraa");
  EXPECT_EQ(no_escape(SYS_clone), "rara");
  EXPECT_EQ(no_escape(SYS_clone3), "nana");
  for (long call : {SYS_execve, SYS_execveat, SYS_clone, SYS_clone3})
    for (Syscalls set : {Syscalls::kLoad, Syscalls::kKernel})
      EXPECT_EQ(Tried(call, set, true, true), 'r') << call;
#ifdef __x86_64__
  EXPECT_EQ(Tried(0x40000000L | SYS_getpid, Syscalls::kNoEscape, true, true), 'k') << "x32";
#endif
}

TEST(Syscalls, AnyIsNoFilter) {
  for (long call : {SYS_socket, SYS_flock, SYS_memfd_create, SYS_execve})
    EXPECT_EQ(Tried(call, Syscalls::kAny, false, false), 'a') << call;
}

TEST(Syscalls, ASignalToItselfArrives) {
  for (Syscalls set : {Syscalls::kNoEscape, Syscalls::kLoad, Syscalls::kKernel}) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      if (ApplySeccomp(set, false) != 0) ::_exit(99);
      ::syscall(SYS_tgkill, ::getpid(), ::gettid(), SIGUSR1);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
  }
}
}  // namespace
}  // namespace akgen::sandbox
