// Where the chip's memories lie on the machine that simulates: tensors of Global Memory gigabytes
// from each other, so that no offset or stride that an instruction takes (32 bits) leads from one
// into another, memories of cores further apart than a stray address is still told from an
// arbitrary one; and at the same addresses in every run, so that what is said of a stray address is
// the same too. What lies between them faults.
#pragma once
#include <cstddef>
#include <cstdint>

namespace akgen::sim {

// Of the machine that simulates: 4 KiB, on some processors 16 or 64.
size_t PageBytes();
// Zeroed memory; nullptr where there is none.
uint8_t* MapGm(size_t bytes);
// What bytes that nobody wrote hold: NaN in every float format, -1 in integers.
inline constexpr uint8_t kUnwritten = 0xff;
// Memory full of kUnwritten; nullptr where there is none. It costs time only where it is touched: a
// launch lays out some 70 MB, and a small kernel uses a hundredth of it.
uint8_t* MapOnChip(size_t bytes);
// Descriptor of the sealed file that is mapped there, -1: there is none. A child that keeps it need
// not fill its memories.
int UnwrittenFile();
// `bytes` of an open file from `offset`, shared with whoever has it open. `whole`: all of it will
// be touched.
uint8_t* MapGmOfFile(int fd, size_t offset, size_t bytes, bool writable, bool whole = true);
// `bytes` whose content is the file's `period` bytes from `offset`, again and again; both multiples
// of a page. Writable: what is written stays with the caller. nullptr: no memory, or a period that
// is none.
uint8_t* MapGmRepeated(int fd, size_t offset, size_t period, size_t bytes, bool writable);
void Unmap(uint8_t* base, size_t bytes);

}  // namespace akgen::sim
