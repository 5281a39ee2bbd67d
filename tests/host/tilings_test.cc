// What every function of working space and every tiling function answers, for shapes on both sides
// of its limits: golden/tilings.txt. The rules themselves are in lib_tiling_test.cc; this is all of
// the rows.
#include <gtest/gtest.h>

#include <sstream>

#include "../golden.h"
#include "tiling/tiling_api.h"

namespace AscendC {
namespace {
using Dims = std::vector<int64_t>;

std::string Text(const Dims& dims) {
  std::string out;
  for (int64_t d : dims) out += (out.empty() ? "" : "x") + std::to_string(d);
  return out;
}

class Tilings : public ::testing::Test {
 protected:
  // A row: the name, what distinguishes it, and what the call set; 7 is what it leaves alone.
  template <typename Call>
  void Sizes(const std::string& row, Call call) {
    uint32_t max = 7, min = 7;
    if constexpr (std::is_same_v<decltype(call(max, min)), bool>)
      out_ << row << ": " << call(max, min) << " ";
    else
      call(max, min), out_ << row << ": ";
    out_ << max << " " << min << "\n";
  }
  template <typename Tiling, typename Call>
  void Fields(const std::string& row, Call call) {
    Tiling t;
    out_ << row << ":";
    if constexpr (std::is_same_v<decltype(call(t)), bool>)
      out_ << " " << (call(t) ? "yes" : "no");
    else
      call(t);
    std::vector<uint32_t> words(t.GetDataSize() / 4);
    t.SaveToBuffer(words.data(), t.GetDataSize());
    for (uint32_t w : words) out_ << " " << w;
    out_ << "\n";
  }
  void Shape(const Dims& dims);
  void Row(const Dims& dims, uint32_t size, bool reuse);
  void Cuts(const Dims& dims, uint32_t size, uint32_t bytes);
  void NormCuts(const Dims& dims, uint32_t size, uint32_t bytes);
  std::ostringstream out_;
  const platform_ascendc::PlatformAscendC platform_{nullptr};
};

// What takes any shape.
void Tilings::Row(const Dims& dims, uint32_t size, bool reuse) {
  const ge::Shape shape(dims);
  const std::string of =
      " " + Text(dims) + " size " + std::to_string(size) + (reuse ? " reuse" : "");
#define AKGEN_ROW(name, ...)                                \
  Sizes(#name + of, [&](uint32_t& max, uint32_t& min) {     \
    return Get##name##MaxMinTmpSize(__VA_ARGS__, max, min); \
  })
  AKGEN_ROW(Exp, shape, size, reuse);
  AKGEN_ROW(Lgamma, shape, size, reuse);
  AKGEN_ROW(Clamp, shape, size, reuse);
  AKGEN_ROW(Gelu, shape, size);
  AKGEN_ROW(AscendQuant, shape, size);
  AKGEN_ROW(AscendDequant, shape, size);
  AKGEN_ROW(Round, platform_, shape, size, reuse);
  AKGEN_ROW(Pad, shape, size);
  AKGEN_ROW(DropOut, shape, size, reuse);
  AKGEN_ROW(LayerNorm, shape, size, reuse);
  AKGEN_ROW(LayerNorm, shape, size, reuse, true, false);
  AKGEN_ROW(Normalize, shape, size, 4, reuse, true, false);
  AKGEN_ROW(LayerNormGrad, shape, size, reuse);
  AKGEN_ROW(LayerNormGradBeta, shape, size, reuse);
  AKGEN_ROW(WelfordUpdate, shape, size, 4, reuse, false);
  AKGEN_ROW(WelfordFinalize, shape, size, reuse);
  AKGEN_ROW(DeepNorm, shape, size, reuse, false);
  AKGEN_ROW(DeepNorm, shape, size, reuse, true);
  for (uint32_t groups : {0u, 2u, 3u}) AKGEN_ROW(GroupNorm, shape, size, reuse, groups);
  for (uint32_t type : {0u, 1u, 6u, 7u, 8u}) AKGEN_ROW(Transpose, shape, size, type);
  if (dims.size() == 2)
    for (bool last : {true, false}) AKGEN_ROW(CumSum, shape, size, last, reuse);
  for (const Dims& other : {Dims{1}, Dims{2, 1}, dims})
    for (bool whole : {true, false}) {
      AKGEN_ROW(Power, shape, ge::Shape(other), whole, size, reuse);
      AKGEN_ROW(Power, ge::Shape(other), shape, whole, size, reuse);
      AKGEN_ROW(Select, shape, ge::Shape(other), size, ge::Shape({1, 64}), 1, whole);
      AKGEN_ROW(Select, ge::Shape(other), shape, size, shape, 2, whole);
    }
  for (ge::DataType to : {ge::DT_FLOAT16, ge::DT_BF16})
    for (bool transposed : {true, false})
      for (const Dims& scale : {Dims{1}, Dims{1, dims.back()}})
        AKGEN_ROW(AscendAntiQuant, shape, ge::Shape(scale), transposed, ge::DT_INT8, to);
#undef AKGEN_ROW
  Sizes("RmsNorm" + of, [&](auto& max, auto& min) {
    return GetRmsNormMaxMinTmpSize(shape, size, max, min, reuse);
  });
  Sizes("BatchNorm" + of, [&](auto& max, auto& min) {
    return GetBatchNormMaxMinTmpSize(shape, shape, size, false, max, min, reuse);
  });
  Sizes("SwiGLU" + of,
        [&](auto& max, auto& min) { GetSwiGLUMaxMinTmpSize(shape, size, max, min, reuse); });
  out_ << "rows" << of << ": " << GetSoftMaxMaxTmpSize(shape, size, reuse) << " "
       << GetSoftMaxMinTmpSize(shape, size, reuse) << " "
       << GetSoftMaxGradMaxTmpSize(shape, size, reuse, false) << " "
       << GetSoftMaxGradMinTmpSize(shape, size, reuse, false) << " "
       << GetSoftMaxFlashMaxTmpSize(shape, size, reuse, false) << " "
       << GetSoftMaxFlashMinTmpSize(shape, size, reuse, false) << " "
       << GetLogSoftMaxMaxTmpSize(shape, size, reuse) << " "
       << GetLogSoftMaxMinTmpSize(shape, size, reuse);
  for (bool basic : {true, false})
    for (uint32_t other : {2u, 4u})
      out_ << " " << GetSoftMaxFlashV2MaxTmpSize(shape, other, size, true, basic, reuse) << " "
           << GetSoftMaxFlashV2MinTmpSize(shape, other, size, true, basic, reuse);
  out_ << "\n";
  Sizes("FlashV3" + of, [&](auto& max, auto& min) {
    GetSoftMaxFlashV3MaxMinTmpSize(shape, 2, size, max, min, true, false);
  });
}

void Tilings::Shape(const Dims& dims) {
  const ge::Shape shape(dims);
  for (const Dims& from : {Dims{1}, Dims{1, dims.back()}, Dims{dims[0], 1}})
    for (uint32_t size : {0u, 1u, 2u, 4u})
      Sizes("BroadCast " + Text(from) + " to " + Text(dims) + " size " + std::to_string(size),
            [&](auto& max, auto& min) {
              GetBroadCastMaxMinTmpSize(platform_, ge::Shape(from), shape, size, false, max, min);
            });
  for (ReducePattern pattern : {ReducePattern::AR, ReducePattern::RA, ReducePattern::R})
    for (ge::DataType type : {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_UINT8})
      for (bool reuse : {true, false}) {
        const std::string of = " " + Text(dims) + " pattern " + std::to_string(int(pattern)) +
                               " type " + std::to_string(int(type)) + (reuse ? " reuse" : "");
#define AKGEN_ROW(name)                                                    \
  Sizes(#name + of, [&](auto& max, auto& min) {                            \
    Get##name##MaxMinTmpSize(shape, type, pattern, true, reuse, max, min); \
  })
        AKGEN_ROW(ReduceSum), AKGEN_ROW(ReduceMean), AKGEN_ROW(ReduceMax), AKGEN_ROW(ReduceProd),
            AKGEN_ROW(ReduceAny);
#undef AKGEN_ROW
      }
}

void Tilings::Cuts(const Dims& dims, uint32_t size, uint32_t bytes) {
  const ge::Shape shape(dims);
  const std::string of =
      " " + Text(dims) + " size " + std::to_string(size) + " in " + std::to_string(bytes);
  using optiling::SoftMaxTiling;
  Fields<SoftMaxTiling>("SoftMax" + of, [&](auto& t) { SoftMaxTilingFunc(shape, size, bytes, t); });
  for (bool flag : {true, false}) {
    const std::string with = of + (flag ? " 1" : " 0");
    Fields<SoftMaxTiling>("Grad" + with,
                          [&](auto& t) { SoftMaxGradTilingFunc(shape, size, bytes, t, flag); });
    Fields<SoftMaxTiling>("Flash" + with,
                          [&](auto& t) { SoftMaxFlashTilingFunc(shape, size, bytes, t, flag); });
    for (bool brc : {true, false})
      Fields<SoftMaxTiling>("FlashV2" + with + (brc ? " 1" : " 0"), [&](auto& t) {
        SoftMaxFlashV2TilingFunc(shape, size, size, bytes, t, true, flag, brc);
      });
  }
  Fields<SoftMaxTiling>("FlashV3" + of, [&](auto& t) {
    SoftMaxFlashV3TilingFunc(shape, 2, size, bytes, t, true, false);
  });
  Fields<optiling::LogSoftMaxTiling>("LogSoftMax" + of,
                                     [&](auto& t) { LogSoftMaxTilingFunc(shape, size, bytes, t); });
  Fields<optiling::PadTiling>(
      "Pad" + of, [&](auto& t) { PadTilingFunc(shape, ge::Shape({5, 13}), bytes, size, t); });
  Fields<optiling::UnPadTiling>("UnPad" + of,
                                [&](auto& t) { UnPadTilingFunc(shape, bytes, size, t); });
  for (uint32_t type : {0u, 1u, 7u})
    Fields<optiling::ConfusionTransposeTiling>(
        "Transpose " + std::to_string(type) + of,
        [&](auto& t) { GetTransposeTilingInfo(shape, bytes, size, type, t); });
}

void Tilings::NormCuts(const Dims& dims, uint32_t size, uint32_t bytes) {
  const ge::Shape shape(dims);
  const std::string of =
      " " + Text(dims) + " size " + std::to_string(size) + " in " + std::to_string(bytes);
  for (bool flag : {true, false}) {
    const std::string with = of + (flag ? " 1" : " 0");
    Fields<optiling::LayerNormTiling>("LayerNorm" + with, [&](auto& t) {
      GetLayerNormNDTilingInfo(shape, bytes, size, flag, t);
    });
    Fields<optiling::LayerNormGradTiling>("LayerNormGrad" + with, [&](auto& t) {
      GetLayerNormGradNDTilingInfo(shape, bytes, size, flag, t);
    });
    Fields<optiling::RmsNormTiling>("RmsNorm" + with, [&](auto& t) {
      return GetRmsNormTilingInfo(shape, shape, bytes, size, t, flag);
    });
    Fields<optiling::DeepNormTiling>("DeepNorm" + with, [&](auto& t) {
      return GetDeepNormTilingInfo(shape, shape, bytes, size, false, flag, t);
    });
    Fields<optiling::BatchNormTiling>("BatchNorm" + with, [&](auto& t) {
      return GetBatchNormNDTilingInfo(shape, shape, bytes, size, false, t, flag);
    });
  }
  Fields<optiling::LayerNormSeparateTiling>("LayerNormSeparate" + of, [&](auto& t) {
    GetLayerNormNDTilingInfo(shape, bytes, size, false, true, t);
  });
  Fields<optiling::LayerNormGradBetaTiling>("LayerNormGradBeta" + of, [&](auto& t) {
    GetLayerNormGradBetaNDTilingInfo(shape, bytes, size, false, t);
  });
  for (uint32_t groups : {0u, 2u})
    Fields<optiling::GroupNormTiling>(
        "GroupNorm" + of + " groups " + std::to_string(groups),
        [&](auto& t) { GetGroupNormNDTilingInfo(shape, bytes, size, false, groups, t); });
}

TEST_F(Tilings, AreThoseOfTheTable) {
  for (const Dims& dims :
       {Dims{0}, Dims{8}, Dims{12}, Dims{40}, Dims{10, 12}, Dims{16, 64}, Dims{8, 1024},
        Dims{2, 8, 64}, Dims{2, 3, 2048}, Dims{2, 16, 3, 5}, Dims{0, 8}})
    for (uint32_t size : {2u, 4u})
      for (bool reuse : {true, false}) Row(dims, size, reuse);
  for (const Dims& dims : {Dims{10, 12}, Dims{16, 64}, Dims{9, 16}, Dims{1, 300}}) Shape(dims);
  for (const Dims& dims :
       {Dims{10, 12}, Dims{64, 128}, Dims{64, 1024}, Dims{2, 12, 64}, Dims{0, 8}})
    for (uint32_t size : {2u, 4u})
      for (uint32_t bytes : {1000u, 9000u, 30000u, 190000u}) Cuts(dims, size, bytes);
  for (const Dims& dims :
       {Dims{4, 60}, Dims{2, 8, 64}, Dims{2, 3, 24}, Dims{2, 16, 3, 5}, Dims{2, 8, 32, 32}})
    for (uint32_t size : {2u, 4u})
      for (uint32_t bytes : {1000u, 4000u, 20000u, 190000u}) NormCuts(dims, size, bytes);
  for (int inner : {0, 31, 32, 64})
    for (bool with_index : {true, false})
      for (bool largest : {true, false})
        for (TopKMode mode : {TopKMode::TOPK_NSMALL, TopKMode::TOPK_NORMAL})
          for (uint32_t size : {2u, 4u}) {
            const std::string of = " " + std::to_string(inner) + (with_index ? " index" : "") +
                                   (largest ? " largest" : "") + " mode " +
                                   std::to_string(int(mode)) + " size " + std::to_string(size);
            Sizes("TopK" + of, [&](auto& max, auto& min) {
              return GetTopKMaxMinTmpSize(platform_, inner, 4, false, with_index, mode, largest,
                                          size, max, min);
            });
            for (int k : {0, 1, 17, 32, 33})
              Fields<optiling::TopkTiling>("TopK k " + std::to_string(k) + of, [&](auto& t) {
                return TopKTilingFunc(platform_, inner, 4, k, size, with_index, mode, largest, t);
              });
          }
  for (uint32_t n : {0u, 1u, 1000u})
    for (uint32_t size : {0u, 1u, 2u, 4u}) {
      const std::string of = " " + std::to_string(n) + " size " + std::to_string(size);
      Sizes("Sum" + of,
            [&](auto& max, auto& min) { GetSumMaxMinTmpSize(n, size, false, max, min); });
      for (uint32_t as : {2u, 4u})
        Sizes("Mean" + of + " as " + std::to_string(as),
              [&](auto& max, auto& min) { GetMeanMaxMinTmpSize(n, size, as, false, max, min); });
    }
  for (uint32_t size : {2u, 4u}) {
    Sizes("factor SwiGLU",
          [&](auto& nodes, auto& extra) { GetSwiGLUTmpBufferFactorSize(size, nodes, extra); });
    Sizes("factor Exp",
          [&](auto& nodes, auto& extra) { GetExpTmpBufferFactorSize(size, nodes, extra); });
    Sizes("factor Lgamma",
          [&](auto& nodes, auto& extra) { GetLgammaTmpBufferFactorSize(size, nodes, extra); });
  }
  for (const Dims& dims : {Dims{16}, Dims{4, 8}, Dims{2, 4, 8}})
    Sizes("factor AscendDequant " + Text(dims), [&](auto& nodes, auto& extra) {
      GetAscendDequantTmpBufferFactorSize(ge::Shape(dims), nodes, extra);
    });
  Sizes("factor AscendQuant",
        [&](auto& nodes, auto& extra) { GetAscendQuantTmpBufferFactorSize(nodes, extra); });
  Sizes("UnPad", [&](auto& max, auto& min) {
    GetUnPadMaxMinTmpSize(platform_, ge::Shape({4, 8}), 2, max, min);
  });
  Sizes("Silu", [&](auto& max, auto& min) { GetSiluTmpSize(ge::Shape({8}), 2, false, max, min); });
  Sizes("Swish",
        [&](auto& max, auto& min) { GetSwishTmpSize(ge::Shape({8}), 2, false, max, min); });
  Sizes("Arange", [&](auto& max, auto& min) { GetArangeMaxMinTmpSize(max, min); });
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "tilings.txt", out_.str());
}
}  // namespace
}  // namespace AscendC
