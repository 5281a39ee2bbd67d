// How long a matrix product of 512 x 512 x 512 in half takes on one Cube core with all checks on:
// from Global Memory by tiles of 128 x 256 through L1 and L0 and out by Fixpipe, in ping-pong, in
// one thread of this machine. usage: cube_perf [ROUNDS]. Best of the rounds, in processor time, for
// each set of instructions that this processor has.
#include <fmt/core.h>

#include <cstring>
#include <ctime>
#include <random>
#include <vector>

#include "akgen/abi.h"
#include "sim/cube/gemm.h"
#include "sim/exec/core.h"
#include "sim/launch/launch.h"

namespace {
using namespace akgen::sim;
constexpr uint32_t kSize = 512, kM = 128, kN = 256, kK1 = 256,
                   kK0 = 64;  // of the product, a tile, L1 and L0
using Half = _Float16;

AkgenCube Make(uint8_t op, uint8_t from, const void* src, uint8_t to, void* dst) {
  AkgenCube c = {};
  c.op = op, c.src_type = c.dst_type = c.src1_type = AKGEN_F16;
  c.src_position = from, c.dst_position = to, c.src = src, c.dst = dst;
  return c;
}
void Copy(const Half* gm, uint32_t rows, uint32_t columns, void* l1, uint8_t position) {
  AkgenCube c = Make(AKGEN_CUBE_ND2NZ, AKGEN_POS_GM, gm, position, l1);
  const uint32_t n[] = {1, rows, columns, 0, kSize, rows, 1, 0};
  std::memcpy(c.n, n, sizeof n);
  akgen_cube(&c);
}
void Load(const uint8_t* l1, uint8_t from, void* l0, uint8_t to, uint32_t repeats, uint32_t stride,
          bool turn) {
  AkgenCube c = Make(AKGEN_CUBE_LOAD2D, from, l1, to, l0);
  c.n[1] = repeats, c.n[2] = stride, c.n[4] = turn;
  akgen_cube(&c);
}

// One part of K of a tile that lies in L1.
void Multiply(uint32_t k1, int buffer) {
  uint8_t *l1 = g_core->memory(MemoryId::L1).base() + buffer * 256 * 1024,
          *l0a = g_core->memory(MemoryId::L0A).base(), *l0b = g_core->memory(MemoryId::L0B).base();
  akgen_wait_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE1, buffer);
  for (uint32_t k = 0; k < kK1; k += kK0) {
    const int half = int(k / kK0 % 2);
    uint8_t *a = l0a + half * 32 * 1024, *b = l0b + half * 32 * 1024;
    akgen_wait_flag(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, half);
    for (uint32_t m = 0; m < kM / 16; ++m)
      Load(l1 + (k / 16 * (kM / 16) + m) * 512, AKGEN_POS_A1, a + m * (kK0 / 16) * 512,
           AKGEN_POS_A2, kK0 / 16, kM / 16, false);
    for (uint32_t e = 0; e < kK0 / 16; ++e)
      Load(l1 + kM * kK1 * 2 + (k / 16 + e) * 512, AKGEN_POS_B1, b + e * (kN / 16) * 512,
           AKGEN_POS_B2, kN / 16, kK1 / 16, true);
    akgen_set_flag(AKGEN_PIPE_MTE1, AKGEN_PIPE_M, half);
    akgen_wait_flag(AKGEN_PIPE_MTE1, AKGEN_PIPE_M, half);
    AkgenCube c =
        Make(AKGEN_CUBE_MMAD, AKGEN_POS_A2, a, AKGEN_POS_CO1, g_core->memory(MemoryId::L0C).base());
    c.dst_type = AKGEN_F32, c.src1 = b, c.src1_position = AKGEN_POS_B2;
    c.n[AKGEN_MMAD_M] = kM, c.n[AKGEN_MMAD_N] = kN, c.n[AKGEN_MMAD_K] = kK0;
    c.n[AKGEN_MMAD_START] = k1 + k ? 1 : 0;
    c.n[AKGEN_MMAD_UNIT_FLAG] = k1 + k + kK0 == kSize ? 3 : 2;
    akgen_cube(&c);
    akgen_set_flag(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, half);
  }
  akgen_set_flag(AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, buffer);
}

void Store(Half* z) {
  AkgenCube c = Make(AKGEN_CUBE_FIXPIPE, AKGEN_POS_CO1, g_core->memory(MemoryId::L0C).base(),
                     AKGEN_POS_GM, z);
  c.src_type = AKGEN_F32;
  c.n[AKGEN_FIX_N] = kN, c.n[AKGEN_FIX_M] = kM, c.n[AKGEN_FIX_SRC_STRIDE] = kM,
  c.n[AKGEN_FIX_DST_STRIDE] = kSize;
  c.n[AKGEN_FIX_QUANT] = 1, c.n[AKGEN_FIX_UNIT_FLAG] = 3, c.n[AKGEN_FIX_ND_NUM] = 1,
  c.n[AKGEN_FIX_ROWS] = 1;
  akgen_cube(&c);
}

void Product(const Half* x, const Half* y, Half* z) {
  uint8_t* l1 = g_core->memory(MemoryId::L1).base();
  for (int i = 0; i < 2; ++i) {
    akgen_set_flag(AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, i);
    akgen_set_flag(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, i);
  }
  int buffer = 0;
  for (uint32_t m = 0; m < kSize; m += kM)
    for (uint32_t n = 0; n < kSize; n += kN) {
      for (uint32_t k = 0; k < kSize; k += kK1, buffer ^= 1) {
        akgen_wait_flag(AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, buffer);
        Copy(x + m * kSize + k, kM, kK1, l1 + buffer * 256 * 1024, AKGEN_POS_A1);
        Copy(y + k * kSize + n, kK1, kN, l1 + buffer * 256 * 1024 + kM * kK1 * 2, AKGEN_POS_B1);
        akgen_set_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE1, buffer);
        Multiply(k, buffer);
      }
      Store(z + m * kSize + n);
    }
  for (int i = 0; i < 2; ++i) {
    akgen_wait_flag(AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, i);
    akgen_wait_flag(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, i);
  }
}

double CpuMs() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) * 1e3 + double(t.tv_nsec) / 1e6;
}

// Best of the rounds; < 0 after saying what was found.
double Measure(int rounds, const std::vector<Half>& x, const std::vector<Half>& y,
               std::vector<Half>* z) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    ClearGmRegions();
    AddGmRegion(
        {"x", reinterpret_cast<uint8_t*>(const_cast<Half*>(x.data())), x.size() * 2, Role::kInput});
    AddGmRegion(
        {"y", reinterpret_cast<uint8_t*>(const_cast<Half*>(y.data())), y.size() * 2, Role::kInput});
    AddGmRegion({"z", reinterpret_cast<uint8_t*>(z->data()), z->size() * 2, Role::kOutput});
    LaunchRequest r;
    double ms = 0;
    r.kernel = [&] {
      const double start = CpuMs();
      Product(x.data(), y.data(), z->data());
      ms = CpuMs() - start;
    };
    r.chip = ModelOf(*akgen::chip::LoadChip());
    r.cores = {1, 0};
    const LaunchResult done = Launch(r);
    for (const auto& f : done.findings) fmt::print("finding: {}\n", f.message);
    if (done.status != "ok" || !done.findings.empty()) return -1;
    best = std::min(best, ms);
  }
  return best;
}
}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  std::mt19937 random(1);
  std::vector<Half> x(kSize * kSize), y(kSize * kSize), first;
  for (auto* v : {&x, &y})
    for (Half& e : *v) e = Half(float(random() % 2001) / 1000 - 1);
  const cube::Isa best = cube::BestIsa();
  bool same = true;
  for (const auto& [isa, name] : {std::pair{cube::Isa::kAvx512, "AVX-512"},
                                  {cube::Isa::kAvx2, "AVX2"},
                                  {cube::Isa::kBaseline, "SSE2"}}) {
    if (isa > best) continue;
    cube::UseIsa(isa);
    std::vector<Half> z(x.size());
    const double ms = Measure(rounds, x, y, &z);
    if (ms < 0) return 1;
    if (first.empty()) first = z;
    same = same && std::memcmp(first.data(), z.data(), z.size() * 2) == 0;
    fmt::print("{:8} {:6.2f} ms\n", name, ms);
  }
  fmt::print("results are {}\n", same ? "equal" : "NOT equal");
  return same ? 0 : 1;
}
