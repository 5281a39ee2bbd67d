// Which of the planted faults is on: AKGEN_FAULT, a number from 1, read at start. Only the copy of
// the sources that lab/self_mutation builds includes this.
//
// AKGEN_FAULT_REACHED names a file of kFaults bytes in which each process sets the bytes of the
// faults that it comes by. It is mapped before anything is confined, so a sandboxed fork records as
// well.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace akgen::self_mutation {

inline constexpr int kFaults = 4096;

struct Switch {
  int fault;
  unsigned char* reached;  // null until it is read
};
inline unsigned char unrecorded[kFaults];

inline Switch Read() {
  Switch read{0, unrecorded};
  if (const char* fault = std::getenv("AKGEN_FAULT")) read.fault = std::atoi(fault);
  if (const char* path = std::getenv("AKGEN_FAULT_REACHED")) {
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    void* map = file < 0 ? MAP_FAILED
                         : ::mmap(nullptr, kFaults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) read.reached = static_cast<unsigned char*>(map);
    if (file >= 0) ::close(file);
  }
  return read;
}

inline Switch state;  // all zero before any constructor runs

[[gnu::always_inline]] inline bool On(int fault) {
  if (__builtin_expect(!state.reached, 0)) state = Read();
  if (!state.reached[fault]) state.reached[fault] = 1;
  return state.fault == fault;
}

inline const bool kRead = (On(0), true);

}  // namespace akgen::self_mutation
