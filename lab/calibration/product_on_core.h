// The loop of a product on one Cube core.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "cube_issuer.h"

namespace akgen::calibration {

struct Tile {
  uint64_t batch, row, column;
  uint32_t m, n;
};

// A core's blocks, along M, then N.
inline std::vector<Tile> TilesOf(const MatrixProduct& p, uint32_t core) {
  const uint64_t single_m = (p.m + p.grid_m - 1) / p.grid_m,
                 single_n = p.single_n ? p.single_n : (p.n + p.grid_n - 1) / p.grid_n,
                 part = (single_m + p.rounds - 1) / p.rounds;
  const uint64_t row0 = core / p.grid_n * single_m, column0 = core % p.grid_n * single_n;
  const uint64_t row1 = std::min(p.m, row0 + single_m), column1 = std::min(p.n, column0 + single_n);
  std::vector<Tile> out;
  for (uint32_t b = 0; b < p.batch; ++b)
    for (uint64_t from = row0; from < row1; from += part)
      for (uint64_t c = column0; c < column1; c += p.base_n)
        for (uint64_t end = std::min(row1, from + part), r = from; r < end; r += p.base_m)
          out.push_back({b, r, c, uint32_t(std::min<uint64_t>(p.base_m, end - r)),
                         uint32_t(std::min<uint64_t>(p.base_n, column1 - c))});
  return out;
}

// Where the n-th tile of a core waits for the Vector cores.
inline uint64_t SlotOf(uint32_t core, uint64_t n) {
  return kWorkspace + (uint64_t(core) * 2 + n % 2) * (256 << 10);
}

// One operand's buffers in L1.
struct Staged {
  Staged(uint32_t step, uint32_t buffers, uint32_t first)
      : step(step), buffers(buffers), first(first) {}
  uint32_t step, buffers, first;  // first: event id of the first buffer
  uint64_t copies = 0;
  uint32_t Id(uint64_t copy) const { return first + uint32_t(copy % buffers); }
};

class ProductOnCore {
 public:
  ProductOnCore(const MatrixProduct& p, sim::Trace& trace, uint32_t core, bool handed_over = false)
      : p_(p),
        io_(trace, core),
        handed_over_(handed_over),
        core_(core),
        a_(p.step_ka, p.buffers_a, 0),
        b_(p.step_kb, p.buffers_b, 4) {}
  void Block(const Tile& t) {
    const auto [batch, row, column, m, n] = t;
    const uint64_t steps = (p_.k + p_.base_k - 1) / p_.base_k;
    for (uint64_t s = 0; s < steps; ++s) {
      const uint32_t k = uint32_t(std::min<uint64_t>(p_.base_k, p_.k - s * p_.base_k));
      if (s % a_.step == 0) Fetch(a_, true, batch, row, m, s);
      if (s % b_.step == 0) Fetch(b_, false, batch, column, n, s);
      if (s % a_.step == 0) io_.Wait(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE1, a_.Id(a_.copies - 1));
      if (s % b_.step == 0) io_.Wait(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE1, b_.Id(b_.copies - 1));
      const uint32_t l0 = products_ % 2;
      if (products_ >= 2) io_.Wait(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, l0);
      io_.Load(true, Bytes(m, k), p_.image);
      io_.Load(false, Bytes(n, k), p_.image);
      const bool last = s + 1 == steps;
      if (last || (s + 1) % a_.step == 0)
        io_.Set(AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, a_.Id(a_.copies - 1));
      if (last || (s + 1) % b_.step == 0)
        io_.Set(AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, b_.Id(b_.copies - 1));
      io_.Set(AKGEN_PIPE_MTE1, AKGEN_PIPE_M, l0);
      io_.Wait(AKGEN_PIPE_MTE1, AKGEN_PIPE_M, l0);
      if (s == 0 && stored_ && !p_.unit_flag) io_.Wait(AKGEN_PIPE_FIX, AKGEN_PIPE_M);
      io_.Mmad(p_.type, m, n, k, p_.unit_flag ? (last ? 3 : 2) : 0);
      io_.Set(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, l0);
      ++products_;
    }
    if (!p_.unit_flag)
      io_.Set(AKGEN_PIPE_M, AKGEN_PIPE_FIX), io_.Wait(AKGEN_PIPE_M, AKGEN_PIPE_FIX);
    if (handed_over_) return HandOver(m, n);
    const uint64_t to = kC + ((batch * p_.m + row) * p_.n + column) * p_.out_bits / 8;
    io_.Fixpipe(to, p_.out_bits, m, n, p_.n, p_.unit_flag ? 3 : 0);
    if (!p_.unit_flag) io_.Set(AKGEN_PIPE_FIX, AKGEN_PIPE_M);
    stored_ = true;
  }

 private:
  uint64_t Bytes(uint64_t rows, uint64_t k) const {
    const uint32_t k0 = uint32_t(256 / BitsOf(p_.type));
    return uint64_t(double(Up(rows, 16)) * Up(k, k0) * BitsOf(p_.type) / 8);
  }
  // Into one of two slots, when the Vector cores have emptied it.
  void HandOver(uint32_t m, uint32_t n) {
    if (tiles_ >= 2) io_.WaitAcross(1);
    io_.Fixpipe(SlotOf(core_, tiles_++), 32, m, n, n, p_.unit_flag ? 3 : 0);
    if (!p_.unit_flag) io_.Set(AKGEN_PIPE_FIX, AKGEN_PIPE_M);
    stored_ = true;
    io_.SetAcross(AKGEN_PIPE_FIX, 0);
  }
  void Fetch(Staged& s, bool a, uint64_t batch, uint64_t first, uint32_t rows, uint64_t step) {
    if (s.copies >= s.buffers) io_.Wait(AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, s.Id(s.copies));
    const uint64_t k = step * p_.base_k;
    const uint32_t wide = uint32_t(std::min<uint64_t>(uint64_t(s.step) * p_.base_k, p_.k - k));
    const double bytes = BitsOf(p_.type) / 8;
    if (a || p_.b_by_columns) {
      const uint64_t of_batch = batch * (a ? p_.m : p_.n) * p_.k;
      io_.Nd2Nz((a ? kA : kB) + uint64_t(double(of_batch + first * p_.k + k) * bytes), p_.type,
                rows, wide, p_.k);
    } else {
      io_.Nd2Nz(kB + uint64_t(double(batch * p_.n * p_.k + k * p_.n + first) * bytes), p_.type,
                wide, rows, p_.n);
    }
    io_.Set(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE1, s.Id(s.copies));
    ++s.copies;
  }
  const MatrixProduct& p_;
  Issuer io_;
  bool handed_over_;
  uint32_t core_;
  uint64_t tiles_ = 0;
  Staged a_, b_;
  uint64_t products_ = 0;
  bool stored_ = false;
};

}  // namespace akgen::calibration
