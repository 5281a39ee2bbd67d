// Blocks of C on their way out of L0C: where in C they lie, as what they are stored, and the
// matrices of a batch.
#ifndef ASCENDC_KERNEL_MATMUL_STORE_H
#define ASCENDC_KERNEL_MATMUL_STORE_H
#include "kernel/matmul/job.h"

namespace AscendC {
// From sums to elements of C. `words`: with one quantisation word for each column.
template <typename To, typename Sum>
constexpr QuantMode_t AkgenQuantOf(bool words) {
  if constexpr (std::is_same_v<Sum, float>) {
    if (std::is_same_v<To, half>) return F322F16;
    if (std::is_same_v<To, bfloat16_t>) return F322BF16;
    if (SupportType<To, int8_t, uint8_t>()) return words ? VQF322B8_PRE : QF322B8_PRE;
  } else {
    if (std::is_same_v<To, half>) return words ? VDEQF16 : DEQF16;
    if (SupportType<To, int8_t, uint8_t>()) return words ? VREQ8 : REQ8;
  }
  return NoQuant;
}

template <class C_TYPE, typename Sum, const auto& MM_CFG, class MM_CB>
class AkgenMatmulStore {
  using To = typename C_TYPE::T;
  static constexpr const MatmulConfig& kConfig = ToMatmulConfig(MM_CFG);
  static constexpr bool kNz = C_TYPE::format == CubeFormat::NZ;
  static constexpr const FixpipeConfig& kHow = kNz ? CFG_NZ : CFG_ROW_MAJOR;

 public:
  // Does C take quantisation words?
  static constexpr bool kWords = AkgenQuantOf<To, Sum>(true) != AkgenQuantOf<To, Sum>(false);

  explicit AkgenMatmulStore(const AkgenMatmulJob& job) : job_(job) {}
  void Open() {
    if (!job_.quant.set) return;
    full_ = akgen_alloc_event(PIPE_MTE2, PIPE_FIX);
    free_ = akgen_alloc_event(PIPE_FIX, PIPE_MTE2);
  }
  void Close() {
    if (!job_.quant.set) return;
    akgen_release_event(PIPE_MTE2, PIPE_FIX, full_);
    akgen_release_event(PIPE_FIX, PIPE_MTE2, free_);
  }

  // Block (i, j), the `number`th that is made. `high`: rows that it has in L0C; `units`: its unit
  // flags say when.
  void Block(const LocalTensor<Sum>& sums, int32_t high, int32_t i, int32_t j, int32_t number,
             bool units = false) {
    const TCubeTiling& t = job_.tiling;
    const int32_t m = AkgenLeast(t.baseM, job_.m - i * t.baseM),
                  n = AkgenLeast(t.baseN, job_.n - j * t.baseN);
    GlobalTensor<To> c;
    c.SetGlobalBuffer(reinterpret_cast<__gm__ To*>(job_.c.at));
    FixpipeParamsV220 p;
    p.mSize = static_cast<uint16_t>(m);
    p.nSize = static_cast<uint16_t>(kNz ? AkgenUp(n, Column() < 16 ? Column() : 16) : n);
    p.srcStride = static_cast<uint16_t>(high);
    p.quantPre = AkgenQuantOf<To, Sum>(job_.quant.set);
    p.deqScalar = job_.quant_word;
    p.unitFlag = units ? 3 : 0;
    p.isChannelSplit = kConfig.isEnableChannelSplit;
    p.reluEn = kConfig.enableRelu;
    uint64_t at = Place(i, j, number, m, n, &p.dstStride);
    if constexpr (MM_CB::DataCopyOutPtr != nullptr) return Hand(c, sums, p, at);
    if (job_.quant.set) BringWords(j, n);
    if (job_.atomic == 1) SetAtomicAdd<To>();
    if (job_.atomic == 2) SetAtomicMax<To>();
    if (job_.atomic == 3) SetAtomicMin<To>();
    if (job_.quant.set) {
      Fixpipe<To, Sum, kHow>(c[at], sums, words.template ReinterpretCast<uint64_t>(), p);
      SetFlag<HardEvent::FIX_MTE2>(free_);
      WaitFlag<HardEvent::FIX_MTE2>(free_);
    } else {
      Fixpipe<To, Sum, kHow>(c[at], sums, p);
    }
    if (job_.atomic) SetAtomicNone();
  }

  LocalTensor<uint32_t> words;  // in L1, of one block's columns

 private:
  // Elements of a row of a column of fractals, in NZ.
  static constexpr int32_t Column() {
    return kConfig.isEnableChannelSplit ? 8 : sizeof(To) == 1 ? 32 : 16;
  }

  // Where the block of m x n begins, in elements; *stride as Fixpipe has it. One that is written in
  // sequence has no gaps: its rows are as long as it has columns, also where it is the last one.
  uint64_t Place(int32_t i, int32_t j, int32_t number, int32_t m, int32_t n,
                 uint32_t* stride) const {
    const TCubeTiling& t = job_.tiling;
    const uint64_t before = static_cast<uint64_t>(number) * t.baseM * t.baseN;
    if constexpr (kNz) {
      const int32_t rows = AkgenUp(job_.sequential ? m : job_.org_m, 16);
      *stride = static_cast<uint32_t>(rows * Column() * static_cast<int32_t>(sizeof(To)) / 32);
      if (job_.sequential) return before;
      return static_cast<uint64_t>(j * t.baseN / Column()) * rows * Column() +
             static_cast<uint64_t>(i) * t.baseM * Column();
    }
    int32_t width = job_.row_stride ? job_.row_stride : job_.org_kc ? job_.org_kc : job_.org_n;
    if (C_TYPE::format == CubeFormat::ND_ALIGN)
      width = AkgenUp(width, 32 / static_cast<int32_t>(sizeof(To)));
    *stride = static_cast<uint32_t>(job_.sequential && !job_.row_stride ? n : width);
    return job_.sequential
               ? before
               : static_cast<uint64_t>(i) * t.baseM * width + static_cast<uint64_t>(j) * t.baseN;
  }
  void BringWords(int32_t j, int32_t n) {
    GlobalTensor<uint32_t> from;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t*>(job_.quant.at));
    Nd2NzParams p(1, 1, static_cast<uint16_t>(2 * n), 0, 1, 1, 1, 0);
    DataCopy(words, from[static_cast<uint64_t>(j) * job_.tiling.baseN * 2], p);
    SetFlag<HardEvent::MTE2_FIX>(full_);
    WaitFlag<HardEvent::MTE2_FIX>(full_);
  }
  void Hand(const GlobalTensor<To>& c, const LocalTensor<Sum>& sums, const FixpipeParamsV220& p,
            uint64_t at) const {
    DataCopyOutParams out;
    out.cBurstNum = static_cast<uint16_t>(AkgenCeil(p.nSize, 16));
    out.burstLen = static_cast<uint16_t>(p.mSize * 2);
    out.srcStride = p.srcStride;
    out.dstStride = p.dstStride;
    out.oriNSize = kNz ? 0 : p.nSize;
    out.quantScalar = p.deqScalar;
    MM_CB::DataCopyOutPtr(c.GetPhyAddr(at), sums.template ReinterpretCast<int8_t>(), &out,
                          job_.user_info, job_.user_data);
  }

  const AkgenMatmulJob& job_;
  int32_t full_ = 0, free_ = 0;
};

// The matrices of one side of a batch. rows x columns: as the product has them.
template <class TYPE>
class AkgenBatch {
 public:
  AkgenBatch(const AkgenMatmulJob& job, int32_t n, int32_t g, int32_t b, uint32_t stride,
             int32_t rows, int32_t columns)
      : n_(n * g), all_(n * g * b), stride_(stride), rows_(rows), columns_(columns) {}
  // `to` becomes matrix `i` of those from `first` on. *width, *width_trans: the width of its rows,
  // as it lies or transposed.
  template <typename T>
  void Select(AkgenPlace& to, const AkgenPlace& first, int32_t i, int32_t* width,
              int32_t* width_trans) const {
    const int32_t across = to.trans ? rows_ : columns_;  // of the stored matrix
    uint64_t step = static_cast<uint64_t>(rows_) * columns_;
    int32_t row = across;
    if constexpr (TYPE::layout == LayoutMode::BSNGD) row = n_ * across, step = across;
    if constexpr (TYPE::layout == LayoutMode::SBNGD) row = all_ * across, step = across;
    if (stride_) step = stride_;
    *(to.trans ? width_trans : width) = row;
    to.at = first.at + AkgenBytes<T>(step * i);
  }

 private:
  int32_t n_, all_;
  uint32_t stride_;
  int32_t rows_, columns_;
};
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_MATMUL_STORE_H
