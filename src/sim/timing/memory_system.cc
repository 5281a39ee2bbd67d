#include "sim/timing/memory_system.h"

#include <algorithm>
#include <limits>

namespace akgen::sim {

void SharedServer::Advance(double now) {
  if (!ends_.empty() && now > last_) share_ += (now - last_) * rate_ / double(ends_.size());
  last_ = std::max(last_, now);
}

void SharedServer::Start(double now, double bytes, uint32_t who) {
  Advance(now);
  ends_.push({share_ + bytes, who});
}

double SharedServer::NextEnd() const {
  if (ends_.empty()) return std::numeric_limits<double>::max();
  return last_ + std::max(0.0, ends_.top().first - share_) * double(ends_.size()) / rate_;
}

uint32_t SharedServer::PopEnd() {
  Advance(NextEnd());
  uint32_t who = ends_.top().second;
  share_ = std::max(share_, ends_.top().first);
  ends_.pop();
  return who;
}

L2::Page& L2::PageAt(uint64_t index) {
  if (index / kChunkPages != last_index_) {
    last_index_ = index / kChunkPages;
    std::unique_ptr<Chunk>& chunk = chunks_[last_index_];
    if (!chunk) chunk = std::make_unique<Chunk>();
    last_chunk_ = chunk.get();
  }
  return last_chunk_->pages[index % kChunkPages];
}

void L2::Burst(uint64_t address, uint32_t bytes, bool write, bool bypass, uint32_t core, double now, Transfer& t) {
  constexpr float kTogether = 3000;  // cycles within which two cores' uses of a line meet
  uint64_t end = address + bytes;
  // Ends of a burst that do not lie on a sector are fetched as whole lines.
  bool ragged = address % kSector != 0;
  Page* current = nullptr;
  for (uint64_t at = address / kSector * kSector; at < end; at += kSector) {
    if (!current || at % kPage == 0) current = &PageAt(at / kPage);
    Page& page = *current;
    uint32_t sector = uint32_t(at % kPage / kSector), line = uint32_t(at % kPage / kLine);
    if (page.core[line] && page.core[line] != core + 1 && page.used[sector])
      t.cycles += float(now) - page.when[line] < kTogether ? p_.same_line : p_.shared_line;
    page.core[line] = uint16_t(core + 1);
    page.when[line] = float(now);
    bool hit = !write && page.used[sector] && clock_ + 1 - page.used[sector] < lifetime_;
    if (!bypass) page.used[sector] = ++clock_;
    if (!write) (hit ? t.l2 : t.hbm) += kSector;
  }
  if (!write && ragged && bytes >= kLine) {
    uint64_t lines = (end - 1) / kLine - address / kLine + 1;
    t.hbm += double(lines * kLine) - double((end - address / kSector * kSector + kSector - 1) / kSector * kSector);
  }
  if (write) (bypass ? t.bypass : t.hbm) += bypass ? bytes : bytes * p_.write_share;
}

Transfer L2::Serve(const TraceEvent& e, uint64_t address, uint32_t core, double now) {
  Transfer t;
  bool write = e.kind == TraceKind::kCopyOut;
  for (uint32_t b = 0; b < e.bursts; ++b, address += uint64_t(e.stride))
    if (e.n) Burst(address, e.n, write, e.bypass, core, now, t);
  double bytes = double(e.n) * e.bursts;
  if (write) {
    t.cycles += bytes / p_.mte3_rate;
    return t;
  }
  t.cycles += std::max(t.hbm / p_.mte2_rate + t.l2 / p_.l2_core_rate, p_.mte2_floor);
  t.tail = p_.mte2_burst * std::max(0, e.bursts - 1);
  return t;
}

}  // namespace akgen::sim
