// The memory that host code of a candidate finds. It is ordinary code of this machine: what nobody
// has written, and where things lie, it gets from whatever ran before it. So heap and stack are
// akgen's own, at the same places and with the same content every time, and a call can be made a
// second time with other ones.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

namespace akgen::runner {

struct HostLayout {
  int place = 0;     // of heap and stack: 0 or 1
  uint8_t fill = 0;  // of what nobody has written
};
// Addresses that the layouts take in a process, before any memory is used.
inline constexpr size_t kHostLayoutBytes = (size_t{2} << 30) + (size_t{64} << 20);

// Takes the addresses, for a process that may map nothing later. False: they cannot be had, or this
// is a build with a sanitizer, which has a heap of its own.
bool PrepareHostLayouts();
// Does the work on a stack of the layout; what it allocates lies in its heap, for good. It throws
// nothing. Without layouts the work is simply done.
void WithHostLayout(HostLayout layout, const std::function<void()>& work);

// Starts this program again with addresses that are not drawn at random, if they are and the system
// allows it. For the beginning of main().
void FixAddresses(char** argv);

}  // namespace akgen::runner
