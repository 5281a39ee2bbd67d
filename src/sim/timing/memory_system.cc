#include "sim/timing/memory_system.h"

#include <algorithm>
#include <bit>
#include <cmath>
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

// One sector more in L2: the one whose time is over goes, to HBM if it was written.
void L2::BringIn(Transfer& t, bool write) {
  ++clock_;
  while (!dirty_.empty() && clock_ - dirty_.front().first >= lifetime_) {
    auto& [first, n] = dirty_.front();
    t.moved += kSector, (write ? t.behind : t.hbm) += kSector * p_.write_share;
    ++first;
    if (--n == 0) dirty_.pop_front();
  }
}

void L2::Write(Page& page, uint32_t sector, bool bypass, Transfer& t) {
  if (bypass) {
    t.bypass += kSector, t.moved += kSector, t.hbm += kSector * p_.write_share;
    return;
  }
  t.l2 += kSector;
  if (!Holds(page.used[sector])) BringIn(t, true);
  page.used[sector] = clock_ + 1;
  if (Holds(page.written[sector])) return;
  page.written[sector] = clock_ + 1;
  if (!dirty_.empty() && dirty_.back().first + dirty_.back().second == clock_)
    ++dirty_.back().second;
  else
    dirty_.emplace_back(clock_, 1);
}

void L2::Read(Page& page, uint32_t sector, bool bypass, bool ragged, Transfer& t) {
  if (Holds(page.used[sector])) {
    t.l2 += kSector;
    if (!bypass) page.used[sector] = clock_ + 1;
    return;
  }
  t.hbm += kSector, t.moved += kSector, t.missed += kSector;
  // What a ragged burst leaves of a sector at its ends is fetched again by whoever needs the rest
  // of it.
  if (bypass || ragged) return;
  BringIn(t, false);
  page.used[sector] = clock_ + 1;
}

void L2::Burst(uint64_t address, uint32_t bytes, bool write, bool bypass, Reader who, Transfer& t) {
  constexpr double kTogether =
      96 << 10;  // bytes of copying by which two cores that meet in a line are apart at most
  const uint64_t end = address + bytes;
  const bool ragged = address % kSector != 0 && bytes >= kLine;
  const double before = t.hbm;
  Page* current = nullptr;
  int sharers = 0;  // Cube cores that use the same parts of lines
  for (uint64_t at = address / kSector * kSector; at < end; at += kSector) {
    if (!current || at % kPage == 0) current = &PageAt(at / kPage);
    Page& page = *current;
    const uint32_t sector = uint32_t(at % kPage / kSector), line = uint32_t(at % kPage / kLine);
    const bool whole = at / kLine * kLine >= address && (at / kLine + 1) * kLine <= end;
    if (who.cube) {
      page.cubes[sector] |= uint32_t{1} << who.core % 32;
      if (!whole && page.used[sector]) {
        int& most = last_chunk_->sharers;
        most = std::max(most, std::popcount(page.cubes[sector]));
        sharers = std::max(sharers, most);
      }
    }
    // Among cores of a kind: what the cores of a block hand to each other is theirs alone.
    const uint16_t me = uint16_t(who.core + 1) | (who.cube ? kCube : 0), last = page.core[line];
    if (!who.cube && last && last != me && !(last & kCube) && page.used[sector]) {
      const double together =
          std::max(0.0, 1 - std::fabs(who.progress - double(page.progress[line])) / kTogether);
      t.cycles += p_.shared_line + together * (p_.same_line - p_.shared_line);
    }
    page.core[line] = me;
    page.progress[line] = float(who.progress);
    if (write)
      Write(page, sector, bypass, t);
    else
      Read(page, sector, bypass, ragged && (at < address || at + kSector > end), t);
  }
  // Cube cores get whole lines at once, parts of one after each other: half of those that share
  // them come before.
  if (sharers) t.cycles += p_.l1_line * (1 + sharers) / 2;
  if (write || !ragged || t.hbm == before) return;
  // The ends are fetched as whole lines.
  const uint64_t lines = (end - 1) / kLine - address / kLine + 1,
                 sectors = (end - 1) / kSector - address / kSector + 1;
  const double more = double(lines * kLine - sectors * kSector);
  t.hbm += more, t.moved += more, t.missed += more;
}

// Cycles of a copy on a Cube core's MTE2, MTE3 or Fixpipe. `t.cycles`: how long L2 takes to serve
// its bursts, which goes on beside moving them.
double L2::CubeCopyCycles(const TraceEvent& e, const Transfer& t) const {
  if (e.pipe == AKGEN_PIPE_FIX)
    return double(e.n) * e.bursts * 8 / e.bits / p_.fix_gm_rate + p_.fix_head;
  if (e.kind == TraceKind::kCopyOut)
    return std::max((t.l2 + t.bypass) / p_.mte3_rate, p_.mte2_floor);
  const double rows = e.op == 1 ? e.bursts : e.bursts - 1.0;
  const double moved = t.missed / p_.mte2_rate + t.l2 / p_.l2_core_rate;
  return std::max({t.cycles, moved + rows * p_.l1_row, p_.mte2_floor});
}

Transfer L2::Serve(const TraceEvent& e, uint64_t address, Reader who) {
  Transfer t;
  const bool write = e.kind == TraceKind::kCopyOut;
  for (uint32_t b = 0; b < e.bursts; ++b, address += uint64_t(e.stride))
    if (e.n) Burst(address, e.n, write, e.bypass, who, t);
  if (who.cube) {
    t.cycles = CubeCopyCycles(e, t);
    if (!write) t.l2 *= p_.l1_share;
    return t;
  }
  const double own =
      write ? (t.l2 + t.bypass) / p_.mte3_rate : t.missed / p_.mte2_rate + t.l2 / p_.l2_core_rate;
  t.cycles += std::max(own, p_.mte2_floor);
  t.tail = p_.mte2_burst * std::max(0, e.bursts - 1);
  return t;
}

}  // namespace akgen::sim
