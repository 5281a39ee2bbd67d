#include "base/process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>

#include "base/files.h"

extern char** environ;

namespace akgen::base {

Result<ProgramResult> RunProgram(const std::vector<std::string>& argv) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{"AK0015", std::string("no pipe: ") + std::strerror(errno), argv.at(0), ""};
  Fd ours(ends[0]), theirs(ends[1]);
  std::vector<std::string> copy = argv;
  std::vector<char*> raw;
  for (auto& a : copy) raw.push_back(a.data());
  raw.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), 2);
  pid_t pid = -1;
  int rc = ::posix_spawnp(&pid, raw[0], &actions, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (rc != 0) return Error{"AK0015", std::string("cannot start: ") + std::strerror(rc), argv[0], "install it, or check PATH"};
  theirs = Fd();
  ProgramResult result;
  char buffer[4096];
  ssize_t n;
  while ((n = ::read(ours.get(), buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
    if (n > 0) result.output.append(buffer, size_t(n));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace akgen::base
