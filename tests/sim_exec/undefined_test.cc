// Undefined data is followed through every vector instruction and every operand of it, whatever the
// operand is to it: with all operands loaded nothing is found, with one left out (or half of it)
// what comes of it is found out.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "../sim_ops/library_cases.h"
#include "akgen/abi.h"
#include "base/dtype.h"
#include "sim/launch/launch.h"
#include "sim/ops/ops.h"
#include "sim/ops/table.h"

namespace akgen::sim {
namespace {

using Bytes = std::vector<uint8_t>;

struct Loaded {
  std::string role;
  uint32_t at;  // in UB
  Bytes data;
};

// An instruction as a kernel issues it. Built twice: to know the sizes, and on the chip, where UB's
// address is known.
struct Instruction {
  AkgenVec v{};
  std::vector<Loaded> operands;
  struct Piece {
    uint32_t at, bytes;
  };
  std::vector<Piece> results;
  int32_t reads_register = -1;  // akgen_get_spr afterwards
  uint64_t lists[2][16] = {};
};
constexpr uint32_t kApart = 12288;
constexpr uint32_t Slot(uint32_t i) { return i * kApart; }

class Builder {
 public:
  Builder(uint64_t ub, uint16_t op, uint8_t type) : ub_(ub), random_(op) {
    s.v.op = op, s.v.form = AKGEN_FORM_COUNT, s.v.set_mask = 1;
    s.v.dst_type = s.v.src_type = type, s.v.src1_type = AKGEN_NO_DTYPE;
    s.v.dst_blk = s.v.src0_blk = s.v.src1_blk = 1, s.v.dst_rep = s.v.src0_rep = s.v.src1_rep = 8;
  }
  template <class T = void>
  T* At(uint32_t slot) const {
    return reinterpret_cast<T*>(ub_ + Slot(slot));
  }
  // Numbers from -2 to 6 of a dtype, else bytes.
  Bytes Numbers(uint8_t type, size_t n) {
    Bytes out(n * BitsOf(type) / 8);
    for (size_t i = 0; i < n && BitsOf(type) >= 8; ++i) {
      const float x = float(random_() % 512) / 64 - 2;
      uint64_t bits = random_() % 100;
      if (type == AKGEN_F32) bits = std::bit_cast<uint32_t>(x);
      if (type == AKGEN_BF16) bits = std::bit_cast<uint32_t>(x) >> 16;
      if (type == AKGEN_F16) bits = base::DoubleToHalf(x);
      std::memcpy(&out[i * BitsOf(type) / 8], &bits, BitsOf(type) / 8);
    }
    return out;
  }
  Bytes Words(size_t n, const std::function<uint32_t(uint32_t)>& f) {
    Bytes out(n * 4);
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t word = f(i);
      std::memcpy(&out[i * 4], &word, 4);
    }
    return out;
  }
  Bytes Random(size_t n) {
    Bytes out(n);
    for (uint8_t& b : out) b = uint8_t(random_());
    return out;
  }
  void Load(const char* role, uint32_t slot, Bytes data) {
    s.operands.push_back({role, Slot(slot), std::move(data)});
  }
  void Source0(Bytes data) { s.v.src0 = At(1), Load("source 0", 1, std::move(data)); }
  void Source1(const char* role, uint8_t type, Bytes data) {
    s.v.src1 = At(2), s.v.src1_type = type, Load(role, 2, std::move(data));
  }
  void Result(uint32_t bytes) { s.v.dst = At(0), s.results.push_back({Slot(0), bytes}); }
  void Repeats(uint32_t n, uint32_t elements) {
    s.v.form = AKGEN_FORM_MASK, s.v.repeat = n, s.v.mask[0] = elements;
  }
  Instruction s;

 private:
  uint64_t ub_;
  std::mt19937 random_;
};

using test::kF;

// Rows that walk their operands themselves: what follows adds those of one kind.
class Own {
 public:
  Own(uint16_t op, uint64_t ub) : op_(op), ub_(ub) {
    Comparing();
    Reducing();
    Moving();
    Sorting();
    OfRows();
  }
  std::vector<Instruction> all;

 private:
  template <class Make>
  void With(uint8_t type, const Make& make) {
    Builder b(ub_, op_, type);
    make(b);
    all.push_back(std::move(b.s));
  }
  static void Rows(Builder& b, uint32_t n, uint32_t pitch) {
    b.s.v.aux[0] = n, b.s.v.aux[1] = b.s.v.aux[2] = pitch;
  }
  void Comparing() {
    switch (op_) {
      case AKGEN_OP_CastDeq:
        With(AKGEN_I8, [](Builder& b) {
          b.s.v.src_type = AKGEN_I16, b.s.v.count = 128, b.Source0(b.Numbers(AKGEN_I16, 128)),
          b.Result(0);
          b.s.results.clear();  // the first half of each DataBlock
          for (uint32_t i = 0; i < 8; ++i) b.s.results.push_back({i * 32, 16});
        });
        break;
      case AKGEN_OP_Compare:
        for (uint8_t mode : {0, 1, 2, 3, 4, 5})
          With(kF, [&](Builder& b) {
            b.s.v.count = 256, b.s.v.mode = mode, b.Source0(b.Numbers(kF, 256));
            b.Source1("source 1", kF, b.Numbers(kF, 256)), b.Result(32);
          });
        break;
      case AKGEN_OP_CompareScalar:
        With(kF, [](Builder& b) {
          b.s.v.count = 256, b.s.v.mode = 2, b.s.v.scalar = std::bit_cast<uint32_t>(1.5f);
          b.Source0(b.Numbers(kF, 256)), b.Result(32);
        });
        break;
      case AKGEN_OP_Select:
        for (uint8_t mode : {1, 2})
          With(kF, [&](Builder& b) {
            b.s.v.count = 256, b.s.v.mode = mode, b.Source0(b.Numbers(kF, 256));
            if (mode == 2) b.Source1("source 1", kF, b.Numbers(kF, 256));
            b.Load("mask", 3, b.Random(32)), b.s.v.aux[0] = uint64_t(b.At<uint8_t>(3)),
                                             b.Result(1024);
            b.s.v.scalar = std::bit_cast<uint32_t>(17.0f);
          });
        break;
      case AKGEN_OP_SelectWithBytesMask:
        With(kF, [](Builder& b) {
          b.Source0(b.Numbers(kF, 128)), b.Load("mask", 3, Bytes(128, 0)),
              b.s.v.aux[0] = uint64_t(b.At<uint8_t>(3));
          for (uint32_t i = 0; i < 128; i += 3) b.s.operands.back().data[i] = 1;
          b.s.v.src1_type = AKGEN_U8, b.s.v.aux[1] = 4 | 32ull << 32, b.s.v.aux[2] = 32,
          b.s.v.flag = 1;
          b.s.v.scalar = std::bit_cast<uint32_t>(17.0f), b.Result(512);
        });
        break;
      case AKGEN_OP_Quant:
        With(AKGEN_I8, [](Builder& b) {
          b.s.v.src_type = kF, b.s.v.count = 128, b.s.v.aux[2] = 32, b.Source0(b.Numbers(kF, 128));
          b.Source1("scales", kF, b.Numbers(kF, 32)), b.Load("offsets", 3, b.Numbers(kF, 32));
          b.s.v.aux[0] = uint64_t(b.At<uint8_t>(3)), b.Result(128);
        });
        break;
      case AKGEN_OP_Dequant:
        With(kF, [](Builder& b) {
          b.s.v.src_type = AKGEN_I32, b.s.v.aux[0] = 4 | 32ull << 32, b.s.v.aux[1] = 32;
          b.Source0(b.Numbers(AKGEN_I32, 128)), b.Source1("scales", kF, b.Numbers(kF, 32)),
              b.Result(512);
        });
        break;
    }
  }
  void Reducing() {
    switch (op_) {
      case AKGEN_OP_WholeReduceSum:
      case AKGEN_OP_WholeReduceMax:
      case AKGEN_OP_WholeReduceMin:
        for (int32_t reads : {-1, op_ == AKGEN_OP_WholeReduceSum ? 0 : 1})
          With(kF, [&](Builder& b) {
            b.Repeats(4, 64), b.s.v.dst_rep = 1, b.s.v.mode = 0, b.Source0(b.Numbers(kF, 256));
            b.Result(op_ == AKGEN_OP_WholeReduceSum ? 16 : 32), b.s.reads_register = reads;
          });
        break;
      case AKGEN_OP_BlockReduceSum:
      case AKGEN_OP_BlockReduceMax:
      case AKGEN_OP_BlockReduceMin:
        With(kF, [](Builder& b) {
          b.Repeats(4, 64), b.s.v.dst_rep = 1, b.Source0(b.Numbers(kF, 256)), b.Result(128);
        });
        break;
      case AKGEN_OP_PairReduceSum:
        With(kF, [](Builder& b) {
          b.Repeats(4, 64), b.s.v.dst_rep = 1, b.Source0(b.Numbers(kF, 256)), b.Result(512);
        });
        break;
      case AKGEN_OP_ReduceSum:
      case AKGEN_OP_ReduceMax:
      case AKGEN_OP_ReduceMin:
        for (int32_t reads : {-1, op_ == AKGEN_OP_ReduceSum ? 0 : 2})
          With(kF, [&](Builder& b) {
            b.s.v.count = 256, b.s.v.flag = op_ != AKGEN_OP_ReduceSum, b.s.v.tmp = b.At(5),
            b.s.v.tmp_bytes = 1024;
            b.Source0(b.Numbers(kF, 256)), b.Result(op_ == AKGEN_OP_ReduceSum ? 4 : 8),
                b.s.reads_register = reads;
          });
        break;
    }
  }
  void Moving() {
    switch (op_) {
      case AKGEN_OP_Brcb:
        With(kF,
             [](Builder& b) { b.s.v.repeat = 4, b.Source0(b.Numbers(kF, 32)), b.Result(1024); });
        break;
      case AKGEN_OP_Gather:
        With(kF, [](Builder& b) {
          b.s.v.count = 128, b.Source0(b.Numbers(kF, 128));
          b.Source1("offsets", AKGEN_U32,
                    b.Words(128, [](uint32_t i) { return i * 37 % 128 * 4; })),
              b.Result(512);
        });
        break;
      case AKGEN_OP_Gatherb:
        With(kF, [](Builder& b) {
          b.s.v.repeat = 2, b.Source0(b.Numbers(kF, 128));
          b.Source1("offsets", AKGEN_U32, b.Words(16, [](uint32_t i) { return i * 7 % 16 * 32; })),
              b.Result(512);
        });
        break;
      case AKGEN_OP_GatherMask:
        for (int32_t reads : {-1, 3})
          With(kF, [&](Builder& b) {
            b.s.v.repeat = 2, b.s.v.src1_rep = 1, b.Source0(b.Numbers(kF, 128));
            b.Source1("mask", AKGEN_U32, Bytes(64, 0x5a)), b.Result(256),
                b.s.reads_register = reads;
          });
        break;
      case AKGEN_OP_Transpose:
        With(AKGEN_F16, [](Builder& b) {
          b.s.v.repeat = 1, b.Source0(b.Numbers(AKGEN_F16, 256)), b.Result(512);
        });
        break;
      case AKGEN_OP_TransDataTo5HD:
        With(AKGEN_F16, [](Builder& b) {
          b.s.v.repeat = 1, b.s.v.dst_rep = b.s.v.src0_rep = 0,
          b.Load("sources", 1, b.Numbers(AKGEN_F16, 256));
          b.s.results.push_back({Slot(0), 512});
          for (uint32_t i = 0; i < 16; ++i) {
            b.s.lists[0][i] = uint64_t(b.At<uint8_t>(0)) + 32 * i;
            b.s.lists[1][i] = uint64_t(b.At<uint8_t>(1)) + 32 * i;
          }
        });
        break;
    }
  }
  void Sorting() {
    switch (op_) {
      case AKGEN_OP_Sort32:
        With(kF, [](Builder& b) {
          b.s.v.repeat = 2, b.Source0(b.Numbers(kF, 64));
          b.Source1("index", AKGEN_U32, b.Words(64, [](uint32_t i) { return i; })), b.Result(512);
        });
        break;
      case AKGEN_OP_MrgSort:
        for (int32_t reads : {-1, 4})
          With(kF, [&](Builder& b) {
            b.s.v.repeat = 1, b.s.v.mode = 3, b.s.v.flag = reads >= 0, b.s.v.dst = b.At(0);
            for (uint32_t i = 0; i < 2; ++i) {
              Bytes pairs =
                  b.Words(64, [&](uint32_t w) { return std::bit_cast<uint32_t>(float(64 - w)); });
              b.Load(i ? "list 1" : "list 0", 1 + i, pairs),
                  b.s.lists[0][i] = uint64_t(b.At<uint8_t>(1 + i));
            }
            b.s.v.aux[1] = 32 | 32 << 16, b.s.reads_register = reads;
            b.s.results.push_back({Slot(0), reads >= 0 ? 256u : 512u});
          });
        break;
      case AKGEN_OP_MrgSort4:
        With(kF, [](Builder& b) {  // two sorted lists of 16 records of eight numbers
          b.s.v.repeat = 1, b.s.v.mode = 3, b.s.v.dst = b.At(0);
          for (uint32_t i = 0; i < 2; ++i) {
            Bytes records =
                b.Words(128, [&](uint32_t w) { return std::bit_cast<uint32_t>(float(128 - w)); });
            b.Load(i ? "list 1" : "list 0", 1 + i, records),
                b.s.lists[0][i] = uint64_t(b.At<uint8_t>(1 + i));
          }
          b.s.v.aux[1] = 16 | 16 << 16, b.s.results.push_back({Slot(0), 1024});
        });
        break;
      case AKGEN_OP_RpSort16:
        With(kF,
             [](Builder& b) { b.s.v.repeat = 1, b.Source0(b.Numbers(kF, 128)), b.Result(512); });
        break;
      case AKGEN_OP_ProposalExtract:
        With(kF, [](Builder& b) {
          b.s.v.repeat = 2, b.s.v.mode = 4, b.Source0(b.Numbers(kF, 256)), b.Result(128);
        });
        break;
      case AKGEN_OP_ProposalConcat:
        With(kF, [](Builder& b) {
          b.s.v.repeat = 2, b.s.v.mode = 4, b.Source0(b.Numbers(kF, 32)), b.Result(1024);
          b.Load("the rest of the records", 0, b.Numbers(kF, 256));
        });
        break;
    }
  }
  void OfRows() {
    switch (op_) {
      case AKGEN_OP_SumRows:
      case AKGEN_OP_MeanRows:
        With(kF, [&](Builder& b) { Rows(b, 4, 32), b.Source0(b.Numbers(kF, 128)), b.Result(16); });
        break;
      case AKGEN_OP_BroadCast:
        With(kF, [](Builder& b) {
          b.s.v.aux[0] = 2, b.s.v.aux[1] = 1, b.s.v.aux[2] = 8 | 32ull << 32,
          b.s.v.aux[3] = 8 | 1ull << 32;
          b.Source0(b.Numbers(kF, 8)), b.Result(1024);
        });
        break;
      case AKGEN_OP_CumSum:
        With(kF, [&](Builder& b) {
          Rows(b, 4, 32), b.s.v.aux[2] = 1, b.Source0(b.Numbers(kF, 128)), b.Result(512);
        });
        break;
      case AKGEN_OP_SoftMaxRows:
        With(kF, [&](Builder& b) {
          Rows(b, 4, 32), b.Source0(b.Numbers(kF, 128)), b.Result(512);
          b.s.v.src1 = b.At(2), b.s.v.src1_type = kF, b.s.v.aux[3] = uint64_t(b.At<uint8_t>(3));
          b.s.results.push_back({Slot(2), 128}), b.s.results.push_back({Slot(3), 128});
        });
        break;
      case AKGEN_OP_SoftMaxGradRows:
        for (uint8_t front : {0, 1})
          With(kF, [&](Builder& b) {
            Rows(b, 4, 32), b.s.v.flag = front, b.Source0(b.Numbers(kF, 128));
            b.Source1("source 1", kF, b.Numbers(kF, 128)), b.Result(front ? 128 : 512);
          });
        break;
    }
  }
  uint16_t op_;
  uint64_t ub_;
};
std::vector<Instruction> OwnSetups(uint16_t op, uint64_t ub) { return Own(op, ub).all; }

// Library functions: operands in a list, results first.
std::vector<Instruction> LibrarySetups(uint16_t op, uint64_t ub) {
  for (const test::LibraryCase& c : test::kLibraryCases) {
    if (c.op != op) continue;
    Builder made(ub, op, c.type);
    AkgenVec& v = made.s.v;
    v.form = AKGEN_FORM_WHOLE, v.repeat = 1, v.round_mode = uint8_t(c.results.size()),
    v.dst = made.At(0);
    v.src1_type = c.type, v.tmp = made.At(9), v.tmp_bytes = 65536;
    v.aux[1] = c.sizes[0] | uint64_t(c.sizes[1]) << 32, v.aux[2] = c.sizes[2] | uint64_t(c.sizes[3])
                                                                                    << 32;
    uint32_t slot = 0;
    for (const test::LibraryOperand& r : c.results) {
      made.s.results.push_back({Slot(slot), r.elements * BitsOf(r.type) / 8});
      made.s.lists[0][slot] = uint64_t(made.At<uint8_t>(slot));
      ++slot;
    }
    for (const test::LibraryOperand& o : c.sources) {
      made.Load(o.role, slot, made.Numbers(o.type, o.elements));
      made.s.lists[0][slot] = uint64_t(made.At<uint8_t>(slot));
      ++slot;
    }
    if (c.more) c.more(v);
    return {made.s};
  }
  return {};
}

// Element-wise rows: every legal pair of dtypes, one form.
std::vector<Instruction> PlainSetups(uint16_t op, uint64_t ub) {
  std::vector<Instruction> all;
  const VecRow& row = RowOf(op);
  for (uint8_t dst = 0; dst < 32; ++dst)
    for (uint8_t src = 0; src < 32; ++src) {
      if (!BitsOf(dst) || !BitsOf(src) || !row.Takes(dst, src)) continue;
      Builder b(ub, op, dst);
      AkgenVec& v = b.s.v;
      v.src_type = v.src1_type = src, v.count = 128, v.scalar = 1, v.dst = b.At(0),
      v.src0 = b.At(1), v.src1 = b.At(2);
      while (!FindRun(v) && v.round_mode < 7) ++v.round_mode;
      if (!FindRun(v)) continue;
      const bool fills = row.family == Family::fill;
      const bool accumulates = row.family == Family::acc2 || row.family == Family::accs;
      if (!fills) b.Source0(src == AKGEN_I4 ? b.Random(64) : b.Numbers(src, 128));
      if (row.src1 == Use::source) b.Source1("source 1", src, b.Numbers(src, 128));
      if (accumulates) b.Load("accumulator", 0, b.Numbers(dst, 128));
      if (!fills) b.Result(128 * BitsOf(dst) / 8), all.push_back(std::move(b.s));
    }
  return all;
}

std::vector<Instruction> SetupsOf(uint16_t op, uint64_t ub) {
  const VecRow& row = RowOf(op);
  return row.library                 ? LibrarySetups(op, ub)
         : row.family == Family::own ? OwnSetups(op, ub)
                                     : PlainSetups(op, ub);
}

class Undefined : public ::testing::Test {
 protected:
  void TearDown() override { ClearGmRegions(); }

  // Loads all operands but what `left_out` names, of that one only from byte `from` on; runs;
  // stores the results.
  LaunchResult Run(uint16_t op, size_t which, int left_out, size_t from) {
    const Instruction plan = SetupsOf(op, 0)[which];
    ClearGmRegions();
    in_.clear(), out_.clear();
    for (const Loaded& o : plan.operands) in_.push_back(o.data);
    for (const Instruction::Piece& r : plan.results) out_.emplace_back(r.bytes);
    for (size_t i = 0; i < in_.size(); ++i)
      AddGmRegion({"x" + std::to_string(i), in_[i].data(), in_[i].size(), Role::kInput});
    for (size_t i = 0; i < out_.size(); ++i)
      AddGmRegion({"y" + std::to_string(i), out_[i].data(), out_[i].size(), Role::kOutput});
    LaunchRequest r;
    r.chip = ModelOf(*chip::LoadChip());
    r.blocks = 1;
    r.kernel = [&, op, which] {
      const uint64_t ub = uint64_t(akgen_ub_base());
      Instruction s = SetupsOf(op, ub)[which];
      for (size_t i = 0; i < s.operands.size(); ++i) {
        const size_t first = int(i) == left_out ? from : 0;
        if (first < in_[i].size())
          Copy(ub + s.operands[i].at + first, in_[i].data() + first, in_[i].size() - first, true);
      }
      akgen_set_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
      akgen_wait_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
      if (s.lists[0][0]) s.v.aux[0] = uint64_t(s.lists[0]);
      if (s.lists[1][0]) s.v.aux[1] = uint64_t(s.lists[1]);
      akgen_set_deq_scale(1.0f, 0, s.v.dst_type == AKGEN_I8);
      akgen_vec(&s.v);
      if (s.reads_register >= 0) akgen_get_spr(uint32_t(s.reads_register));
      akgen_set_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
      akgen_wait_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
      for (size_t i = 0; i < s.results.size(); ++i)
        Copy(ub + s.results[i].at, out_[i].data(), s.results[i].bytes, false);
    };
    return Launch(r);
  }
  static void Copy(uint64_t ub, const uint8_t* gm, size_t bytes, bool in) {
    AkgenCopy c{};
    c.kind = in ? AKGEN_GM_TO_UB : AKGEN_UB_TO_GM;
    c.is_pad_api = 1, c.block_count = 1, c.block_len = uint32_t(bytes), c.dtype = AKGEN_U8;
    c.dst = in ? reinterpret_cast<void*>(ub) : const_cast<uint8_t*>(gm);
    c.src = in ? gm : reinterpret_cast<const void*>(ub);
    akgen_copy(&c);
  }
  static bool Found(const LaunchResult& r) {
    return std::any_of(r.findings.begin(), r.findings.end(), [](const auto& f) {
      return f.kind == FindingKind::kUndefinedOutput || f.kind == FindingKind::kUndefinedScalar ||
             f.kind == FindingKind::kUndefinedOffset;
    });
  }
  std::vector<Bytes> in_, out_;
};

std::string Said(const LaunchResult& r) {
  std::string out = r.status;
  for (const auto& f : r.findings) out += "\n  " + f.message;
  return out;
}

TEST_F(Undefined, IsFollowedThroughEveryOperandOfEveryInstruction) {
  size_t instructions = 0, operands = 0;
  for (uint16_t op = 0; op < AKGEN_OP_COUNT_; ++op) {
    const VecRow& row = RowOf(op);
    const bool generates =
        op == AKGEN_OP_CreateVecIndex || op == AKGEN_OP_Arange || row.family == Family::fill;
    if (!(row.arch & kArch2201) || generates) continue;
    const std::vector<Instruction> setups = SetupsOf(op, 0);
    EXPECT_FALSE(setups.empty()) << row.name << " has no setup in this test";
    ++instructions;
    for (size_t i = 0; i < setups.size(); ++i) {
      const LaunchResult whole = Run(op, i, -1, 0);
      EXPECT_TRUE(whole.findings.empty() && whole.status == "ok")
          << row.name << " " << i << ": " << Said(whole);
      for (size_t o = 0; o < setups[i].operands.size(); ++o) {
        const size_t bytes = setups[i].operands[o].data.size();
        ++operands;
        for (size_t from : {bytes, bytes / 64 * 32}) {  // nothing of it; without its first half
          if (from == 0) continue;
          const LaunchResult r = Run(op, i, int(o), from);
          EXPECT_TRUE(Found(r)) << row.name << " " << i << ": " << setups[i].operands[o].role
                                << " undefined up to byte " << from << " of " << bytes
                                << " is silent: " << Said(r);
        }
      }
    }
  }
  RecordProperty("instructions", int(instructions));
  RecordProperty("operands", int(operands));
}

// Loads bytes of one input, runs the body (given UB's address), stores bytes of UB from `result`
// on.
class UndefinedBody : public Undefined {
 protected:
  LaunchResult Run(const std::vector<Instruction::Piece>& loads,
                   const std::function<void(uint64_t ub)>& body, Instruction::Piece result) {
    ClearGmRegions();
    in_.assign(1, Bytes(1024, 3)), out_.assign(1, Bytes(result.bytes));
    AddGmRegion({"x", in_[0].data(), in_[0].size(), Role::kInput});
    AddGmRegion({"y", out_[0].data(), out_[0].size(), Role::kOutput});
    LaunchRequest r;
    r.chip = ModelOf(*chip::LoadChip());
    r.blocks = 1;
    r.kernel = [&] {
      const uint64_t ub = uint64_t(akgen_ub_base());
      for (const Instruction::Piece& load : loads)
        Copy(ub + load.at, in_[0].data(), load.bytes, true);
      akgen_set_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
      akgen_wait_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
      body(ub);
      akgen_set_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
      akgen_wait_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
      Copy(ub + result.at, out_[0].data(), result.bytes, false);
    };
    return Launch(r);
  }
};

// What does not depend on undefined data is none: results of whole repeats, lanes whose bits are
// known.
TEST_F(UndefinedBody, StopsWhereNothingDependsOnIt) {
  // Three of four rows are loaded, and the sums of three are stored.
  auto sums = [](uint64_t ub) {
    Builder b(ub, AKGEN_OP_WholeReduceSum, kF);
    b.Repeats(4, 64), b.s.v.dst_rep = 1, b.s.v.src0 = b.At(0), b.s.v.dst = b.At(1);
    akgen_vec(&b.s.v);
  };
  EXPECT_FALSE(Found(Run({{0, 768}}, sums, {Slot(1), 12})));
  EXPECT_TRUE(Found(Run({{0, 768}}, sums, {Slot(1), 16})));
  // A row is compared in whole repeats, and selected from by the mask; its tail is not stored.
  auto select = [](uint64_t ub) {
    Builder b(ub, AKGEN_OP_CompareScalar, kF);
    b.s.v.count = 128, b.s.v.src0 = b.At(0), b.s.v.dst = b.At(1);
    akgen_vec(&b.s.v);
    akgen_pipe_barrier(AKGEN_PIPE_V);
    Builder c(ub, AKGEN_OP_Select, kF);
    c.s.v.count = 128, c.s.v.mode = 1, c.s.v.src0 = c.At(0), c.s.v.dst = c.At(2),
    c.s.v.aux[0] = ub + Slot(1);
    c.s.v.scalar = std::bit_cast<uint32_t>(1.0f);
    akgen_vec(&c.s.v);
  };
  EXPECT_FALSE(Found(Run({{0, 400}}, select, {Slot(2), 400})));
  EXPECT_TRUE(Found(Run({{0, 384}}, select, {Slot(2), 388})));
}

// The mask register carries it too.
TEST_F(UndefinedBody, GoesThroughTheCompareMaskRegister) {
  auto select = [](uint64_t ub) {
    Builder b(ub, AKGEN_OP_CompareScalar, kF);
    b.Repeats(1, 64), b.s.v.src0 = b.At(0), b.s.v.dst = nullptr;
    akgen_vec(&b.s.v);
    Builder c(ub, AKGEN_OP_Select, kF);
    c.Repeats(1, 64), c.s.v.mode = 1, c.s.v.src0 = c.At(1), c.s.v.dst = c.At(2);
    c.s.v.scalar = std::bit_cast<uint32_t>(1.0f);
    akgen_vec(&c.s.v);
  };
  const LaunchResult known = Run({{0, 256}, {Slot(1), 256}}, select, {Slot(2), 256});
  EXPECT_FALSE(Found(known)) << Said(known);
  EXPECT_TRUE(Found(Run({{0, 128}, {Slot(1), 256}}, select, {Slot(2), 256})));
}

}  // namespace
}  // namespace akgen::sim
