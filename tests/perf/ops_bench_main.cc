// Nanoseconds per element of the element-wise bodies, 8192 elements in cache, best of 15 rounds.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "base/dtype.h"
#include "sim/ops/ops.h"

namespace {
using namespace akgen;
using namespace akgen::sim;

constexpr uint32_t kElements = 8192;

struct Row {
  const char* label;
  uint32_t op;
  uint8_t dst, src;
  uint8_t round_mode = 0;
};
const Row kRows[] = {
    {"Add half", AKGEN_OP_Add, AKGEN_F16, AKGEN_F16},
    {"Add float", AKGEN_OP_Add, AKGEN_F32, AKGEN_F32},
    {"Max half", AKGEN_OP_Max, AKGEN_F16, AKGEN_F16},
    {"Div half", AKGEN_OP_Div, AKGEN_F16, AKGEN_F16},
    {"Sqrt float", AKGEN_OP_Sqrt, AKGEN_F32, AKGEN_F32},
    {"Exp half", AKGEN_OP_Exp, AKGEN_F16, AKGEN_F16},
    {"Exp float", AKGEN_OP_Exp, AKGEN_F32, AKGEN_F32},
    {"Ln float", AKGEN_OP_Ln, AKGEN_F32, AKGEN_F32},
    {"MulAddDst half", AKGEN_OP_MulAddDst, AKGEN_F16, AKGEN_F16},
    {"Cast half to float", AKGEN_OP_Cast, AKGEN_F32, AKGEN_F16},
    {"Cast float to half", AKGEN_OP_Cast, AKGEN_F16, AKGEN_F32},
    {"Cast float to half, floor", AKGEN_OP_Cast, AKGEN_F16, AKGEN_F32, 2},
    {"Cast float to bf16, rint", AKGEN_OP_Cast, AKGEN_BF16, AKGEN_F32, 1},
    {"Cast half to int8", AKGEN_OP_Cast, AKGEN_I8, AKGEN_F16},
    {"Cast float to int32, round", AKGEN_OP_Cast, AKGEN_I32, AKGEN_F32, 4},
    {"Tanh float", AKGEN_OP_Tanh, AKGEN_F32, AKGEN_F32},
    {"Erf float", AKGEN_OP_Erf, AKGEN_F32, AKGEN_F32},
    {"Gelu half", AKGEN_OP_Gelu, AKGEN_F16, AKGEN_F16},
};

void Fill(std::vector<uint8_t>& bytes, uint8_t type, std::mt19937& rng) {
  for (uint32_t i = 0; i < kElements; ++i) {
    float f = float(rng() % 1000) / 100 + 0.1f;
    uint16_t h = base::FloatToHalf(f);
    if (type == AKGEN_F32)
      std::memcpy(&bytes[4 * i], &f, 4);
    else
      std::memcpy(&bytes[2 * i], &h, 2);
  }
}
}  // namespace

int main() {
  std::mt19937 rng(1);
  std::vector<uint8_t> a(8 * kElements), b(8 * kElements), d(8 * kElements);
  for (const Row& row : kRows) {
    AkgenVec v = {};
    v.op = uint16_t(row.op);
    v.dst_type = row.dst;
    v.src_type = v.src1_type = row.src;
    v.round_mode = row.round_mode;
    RunFn run = FindRun(v);
    if (!run) return 1;
    Fill(a, row.src, rng);
    Fill(b, row.src, rng);
    double best = 1e9;
    for (int round = 0; round < 15; ++round) {
      auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 20; ++i) run(d.data(), a.data(), b.data(), kElements, RunArgs{});
      std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
      best = std::min(best, took.count() / 20 / kElements);
    }
    std::printf("%-28s %7.3f ns\n", row.label, best);
  }
}
