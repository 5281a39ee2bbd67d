// The addresses that a guest sees. Its own memory lies below 2 GiB, where the compiler's code model
// (medlow) reaches everything with absolute addresses; whatever lies above kOutside belongs to the
// machine around it.
#pragma once
#include <cstdint>

namespace akgen::guest {

inline constexpr uint64_t kCodeBase = 0x0001'0000;
inline constexpr uint64_t kConstantsBase = 0x2000'0000;
inline constexpr uint64_t kVariablesBase = 0x3000'0000;  // the stack ends here and grows down
// An address per function that the guest takes from outside; going there is a call. The first one
// is where a guest that was called returns to.
inline constexpr uint64_t kCallsBase = 0x7000'0000;
inline constexpr uint64_t kCallStride = 16;
inline constexpr uint64_t kNoHeapBase = 0x5000'0000;  // nothing lies here
inline constexpr uint64_t kOutside = uint64_t{1} << 40;

// What an image may hold at most, in bytes, and how many functions it may take from outside.
inline constexpr uint64_t kMaxCode = 64 << 20, kMaxConstants = 64 << 20, kMaxVariables = 16 << 20;
inline constexpr uint64_t kMaxImports = 4096;
inline constexpr uint64_t kStackBytes = 1 << 20;

constexpr uint64_t CallAddress(uint64_t import) { return kCallsBase + (import + 1) * kCallStride; }

}  // namespace akgen::guest
