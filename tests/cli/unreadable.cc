// Stands before libc in a test: notes the files that a process opens (AKGEN_OPENED: where), and
// lets those of one path fail (AKGEN_UNREADABLE: which).
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {
bool Fails(const char* path) {
  const char* which = getenv("AKGEN_UNREADABLE");
  if (path && which && strcmp(path, which) == 0) {
    errno = EIO;
    return true;
  }
  const char* notes = getenv("AKGEN_OPENED");
  if (!path || !notes) return false;
  const long fd = syscall(SYS_openat, AT_FDCWD, notes, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (fd < 0) return false;
  char line[4200];
  const int n = snprintf(line, sizeof line, "%s\n", path);
  if (n > 0 && write(int(fd), line, size_t(n)) < 0) errno = 0;
  close(int(fd));
  return false;
}
template <typename F>
F* Real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}
int ModeOf(int flags, va_list rest) {
  return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, int) : 0;
}
}  // namespace

extern "C" {
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = ModeOf(flags, rest);
  va_end(rest);
  return Fails(path) ? -1 : int(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = ModeOf(flags, rest);
  va_end(rest);
  return Fails(path) ? -1 : int(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
FILE* fopen(const char* path, const char* mode) {
  return Fails(path) ? nullptr : Real<FILE*(const char*, const char*)>("fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return Fails(path) ? nullptr : Real<FILE*(const char*, const char*)>("fopen64")(path, mode);
}
DIR* opendir(const char* path) {
  return Fails(path) ? nullptr : Real<DIR*(const char*)>("opendir")(path);
}
}
