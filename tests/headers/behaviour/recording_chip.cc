// Implements as much of akgen/abi.h as the pieces in kernel_side.cc reach, by writing down what it
// is told.
#include <string>
#include "kernel_side.h"

namespace {
alignas(32) uint8_t ub[192 * 1024];
Told told;
uint32_t buffers = 0;
void Note(const std::string& text) { told.calls.push_back(text); }
std::string N(uint64_t value) { return std::to_string(value); }
std::string At(const void* address) {
  const auto* byte = static_cast<const uint8_t*>(address);
  return byte >= ub && byte < ub + sizeof(ub) ? "ub+" + N(static_cast<uint64_t>(byte - ub)) : "gm";
}
}  // namespace

Told& Chip() { return told; }
uint8_t* FakeUb() { return ub; }
void ResetChip() {
  told = Told();
  buffers = 0;
}

extern "C" {
void akgen_copy(const AkgenCopy* c) { told.copies.push_back(*c); }
void akgen_vec(const AkgenVec* v) { told.vectors.push_back(*v); }
void akgen_scalar_read(const void* a, uint32_t bytes, uint32_t base) {
  Note("read " + N(bytes) + " " + N(static_cast<uint64_t>(base)));
}
void akgen_scalar_write(void* a, uint32_t bytes, uint32_t base) {
  Note("write " + N(bytes) + " " + N(static_cast<uint64_t>(base)));
}
void akgen_tpipe_init(void*) { Note("tpipe"); }
void akgen_tpipe_destroy(void*) { Note("~tpipe"); }
uint32_t akgen_que_init(uint32_t s, uint32_t d, int32_t depth, uint32_t num, uint32_t len) {
  Note("que " + N(s) + ">" + N(d) + " depth " + N(static_cast<uint64_t>(depth)) + " " + N(num) +
       "x" + N(len));
  return ++buffers;
}
void* akgen_que_alloc(uint32_t q, uint32_t* len) {
  Note("alloc " + N(q));
  *len = 128;
  return ub + 64;
}
void akgen_que_enque(uint32_t q, void* b) { Note("enque " + N(q) + " " + At(b)); }
void* akgen_que_deque(uint32_t q, uint32_t* len) {
  Note("deque " + N(q));
  *len = 128;
  return ub + 64;
}
void akgen_que_free(uint32_t q, void* b) { Note("free " + N(q) + " " + At(b)); }
uint32_t akgen_slice(const void*, uint64_t, uint32_t from) { return from; }
void akgen_slice_used(const void*) {}
void* akgen_buf_init(uint32_t position, uint32_t* len) {
  Note("buf " + N(position) + " " + N(*len));
  return ub + 4096;
}
void* akgen_stack_buffer(uint32_t* len) {
  *len = 100 * 1024;
  return ub + sizeof(ub) - *len;
}
int32_t akgen_fetch_event(uint32_t, uint32_t) { return 5; }
void akgen_set_flag(uint32_t s, uint32_t d, int32_t id) {
  Note("set " + N(s) + ">" + N(d) + " " + N(static_cast<uint64_t>(id)));
}
void akgen_wait_flag(uint32_t s, uint32_t d, int32_t id) {
  Note("wait " + N(s) + ">" + N(d) + " " + N(static_cast<uint64_t>(id)));
}
void akgen_set_mask(uint64_t high, uint64_t low) { Note("mask " + N(high) + " " + N(low)); }
void akgen_set_atomic(uint32_t op, uint32_t dtype) { Note("atomic " + N(op) + " " + N(dtype)); }
void akgen_print(const char* text, uint32_t len) { Note(std::string(text, len)); }
void akgen_assert_fail(const char* expr, const char*, int32_t, const char* message) {
  Note(std::string("assert ") + expr + ": " + message);
}
void akgen_broken_rule(const char* rule) { Note(std::string("broken rule ") + rule); }
void akgen_unsupported(const char* api) { Note(std::string("unsupported ") + api); }
uint64_t akgen_tiling_key() { return 7; }
}
