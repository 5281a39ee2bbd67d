#include "host/output_capture.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "host/host_entry.h"

namespace akgen::host {
namespace {
int Memory() {
  static const int memory = memfd_create("host-output", MFD_CLOEXEC);
  return memory;
}
}  // namespace

void PrepareToCapture() { (void)Memory(); }

OutputCapture::OutputCapture() {
  std::fflush(stdout);
  memory_ = Memory();
  if (memory_ < 0) return;
  saved_ = dup(STDOUT_FILENO);
  if (saved_ < 0 || ftruncate(memory_, 0) != 0 || lseek(memory_, 0, SEEK_SET) != 0 ||
      dup2(memory_, STDOUT_FILENO) < 0)
    memory_ = -1;
}

std::string OutputCapture::Take(size_t limit) {
  if (memory_ < 0) return {};
  std::cout.flush();
  std::fflush(stdout);
  std::string text(limit, '\0');
  ssize_t got = pread(memory_, text.data(), limit, 0);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

OutputCapture::~OutputCapture() {
  std::cout.flush();
  std::fflush(stdout);
  if (memory_ >= 0) dup2(saved_, STDOUT_FILENO);
  if (saved_ >= 0) close(saved_);
}

}  // namespace akgen::host
