#include "sim/exec/slices.h"

#include <algorithm>

#include "sim/exec/launch_state.h"

namespace akgen::sim {

uint32_t Slices::Of(const Core& core, const void* address, uint64_t offset, uint32_t from) {
  constexpr size_t kLimit = 4096;
  const Memory* m = core.memories.Holding(address);
  if (!m || offset >= m->bytes() - m->OffsetOf(address))
    return AKGEN_SLICE_BEYOND;  // bounds are another check's
  const uint64_t at = m->OffsetOf(address) + offset;
  NamedBuffer buffer;
  if (from == AKGEN_SLICE_FOREIGN) {
    const auto known = origin_.find(address);
    if (known == origin_.end()) return AKGEN_SLICE_BEYOND;
    buffer = known->second;
  } else {
    const NamedBuffer* named = m->buffers.Named(m->buffers.OwnerOf(m->OffsetOf(address)));
    if (!named || named->shared) return AKGEN_SLICE_BEYOND;
    buffer = *named;
  }
  if (at >= buffer.offset && at < buffer.offset + buffer.bytes) return AKGEN_SLICE_BEYOND;
  if (buffer.placed && m->buffers.OwnerOf(uint32_t(at)) == LiveBuffers::kNobody)
    return AKGEN_SLICE_BEYOND;
  if (origin_.size() >= kLimit) return AKGEN_SLICE_BEYOND;
  origin_[m->base() + at] = buffer;
  return AKGEN_SLICE_FOREIGN;
}

void Slices::OnInstruction(Core& core, uint32_t pipe, const char* what,
                           std::initializer_list<const void*> operands, bool idle) {
  const std::vector<const void*> used = std::exchange(used_, {});
  if (idle || !core.watch.mem.on()) return;
  for (const void* operand : operands) {
    const auto origin = origin_.find(operand);
    const Memory* m = core.memories.Holding(operand);
    if (!m || origin == origin_.end() || std::find(used.begin(), used.end(), operand) == used.end())
      continue;
    const NamedBuffer& buffer = origin->second;
    core.AtScalar();
    core.now.pipe = pipe;
    core.findings.Report(
        FindingKind::kOutsideBuffer,
        std::string(what) + " is given a slice at offset " + std::to_string(m->OffsetOf(operand)) +
            " of " + m->name() + " of a tensor whose buffer has bytes " +
            std::to_string(buffer.offset) + " to " +
            std::to_string(buffer.offset + buffer.bytes - 1) + ": it leaves that buffer",
        false, *m, m->OffsetOf(operand), 1);
  }
}

}  // namespace akgen::sim

using namespace akgen::sim;

extern "C" {
uint32_t akgen_slice(const void* address, uint64_t offset, uint32_t from) {
  return g_core->slices.Of(*g_core, address, offset, from);
}
void akgen_slice_used(const void* address) { g_core->slices.Use(address); }
}
