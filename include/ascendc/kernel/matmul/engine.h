// Carries out calls of a Matmul object on a Cube core, with the instructions that a kernel could
// issue itself: all checks see them. For each block of C: parts of A and B to L1, base blocks of
// them to L0, products, and the block out of L0C.
#ifndef ASCENDC_KERNEL_MATMUL_ENGINE_H
#define ASCENDC_KERNEL_MATMUL_ENGINE_H
#include "kernel/matmul/store.h"
#include "kernel/matmul/tile.h"

namespace AscendC {
// One buffer that a pipe fills and another one empties.
template <HardEvent kFull, HardEvent kFree>
class AkgenHandOver {
 public:
  void Open() {
    full_ = akgen_alloc_event(AkgenSrcPipe(kFull), AkgenDstPipe(kFull));
    free_ = akgen_alloc_event(AkgenSrcPipe(kFree), AkgenDstPipe(kFree));
  }
  void AwaitFree() {
    if (used_) WaitFlag<kFree>(free_);
    used_ = false;
  }
  void Filled() {
    SetFlag<kFull>(full_);
    WaitFlag<kFull>(full_);
  }
  void Used() {
    AwaitFree();
    SetFlag<kFree>(free_);
    used_ = true;
  }
  void Close() {
    AwaitFree();
    akgen_release_event(AkgenSrcPipe(kFull), AkgenDstPipe(kFull), full_);
    akgen_release_event(AkgenSrcPipe(kFree), AkgenDstPipe(kFree), free_);
  }

 private:
  int32_t full_ = 0, free_ = 0;
  bool used_ = false;
};

// How a tiling uses L1: of each side so many elements along K at a time, in one buffer or two, that
// come with one copy or (`by_blocks`) a base block with each.
struct AkgenL1Plan {
  int32_t chunk_a = 0, chunk_b = 0, slots_a = 1, slots_b = 1;
  bool by_blocks = false;
  uint32_t bytes_a = 0, bytes_b = 0, bytes_bias = 0, bytes_words = 0;  // of a buffer
  uint32_t All() const { return slots_a * bytes_a + slots_b * bytes_b + bytes_bias + bytes_words; }
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE, const auto& MM_CFG,
          class MM_CB, AkgenPartOfC kBlocks>
class AkgenMatmulEngine {
  using T = typename A_TYPE::T;
  using Bias = typename BIAS_TYPE::T;
  using Sum = typename GetMmDstType<T>::Type;
  using Store = AkgenMatmulStore<C_TYPE, Sum, MM_CFG, MM_CB>;
  static constexpr const MatmulConfig& kConfig = ToMatmulConfig(MM_CFG);
  static constexpr bool kSparse = AkgenIsSparse<B_TYPE>::value;
  static constexpr bool kCallbacks = MM_CB::CopyA1Ptr != nullptr || MM_CB::CopyB1Ptr != nullptr;
  static constexpr int32_t kSide = kAkgenSquare<T>;
  // Blocks of C leave L0C piece by piece while the last product is made and the next one begins.
  static constexpr bool kUnits = kConfig.enUnitFlag && MM_CB::DataCopyOutPtr == nullptr &&
                                 !kConfig.isEnableChannelSplit && std::is_same_v<Sum, float>;

 public:
  static AkgenL1Plan PlanOf(const TCubeTiling& t) {
    AkgenL1Plan p;
    p.by_blocks = !kConfig.doMultiDataLoad && !kConfig.doSpecialMDL;
    const bool single = kCallbacks && !kConfig.doMultiDataLoad;
    const int32_t steps_a = single ? 1 : AkgenMost(1, t.stepKa),
                  steps_b = single ? 1 : AkgenMost(1, t.stepKb);
    p.chunk_a = t.baseK * steps_a;
    p.chunk_b = t.baseK * steps_b;
    p.slots_a = t.depthA1 >= 2 * AkgenMost(1, t.stepM) * steps_a ? 2 : 1;
    p.slots_b = t.depthB1 >= 2 * AkgenMost(1, t.stepN) * steps_b ? 2 : 1;
    auto bytes = [&](int32_t lines, int32_t chunk, bool squares) {
      return static_cast<uint32_t>(AkgenBytes<T>(
          static_cast<uint64_t>(AkgenUp(lines, squares ? kSide : 16)) * AkgenUp(chunk, kSide)));
    };
    if (!kAkgenInL1<A_TYPE>) p.bytes_a = bytes(t.baseM, p.chunk_a, A_TYPE::isTrans);
    if (!kAkgenInL1<B_TYPE>) p.bytes_b = bytes(t.baseN, p.chunk_b, !kSparse);
    if (kSparse) p.bytes_b = p.bytes_b / 2 * 5 / 4;  // with the index
    if (t.isBias) p.bytes_bias = static_cast<uint32_t>(AkgenUp(t.baseN, 16)) * 4;
    if (Store::kWords) p.bytes_words = static_cast<uint32_t>(AkgenUp(t.baseN, 16)) * 8;
    return p;
  }

  AkgenMatmulEngine(const AkgenMatmulJob& job, void* l1)
      : job_(job), t_(job_.tiling), plan_(PlanOf(job.tiling)), store_(job_) {
    uint32_t at = 0;
    auto take = [&](uint32_t bytes) {
      const LocalTensor<uint8_t> part(static_cast<uint8_t*>(l1) + at, bytes, TPosition::A1);
      at += bytes;
      return part;
    };
    for (int32_t i = 0; i < plan_.slots_a; ++i)
      a1_[i].data = take(plan_.bytes_a).template ReinterpretCast<T>();
    for (int32_t i = 0; i < plan_.slots_b; ++i)
      b1_[i].data = take(plan_.bytes_b).template ReinterpretCast<T>();
    bias1_ = take(plan_.bytes_bias).template ReinterpretCast<Bias>();
    store_.words = take(plan_.bytes_words).template ReinterpretCast<uint32_t>();
    for (int32_t i = 0; i < plan_.slots_a; ++i) a1_[i].hand.Open();
    for (int32_t i = 0; i < plan_.slots_b; ++i) b1_[i].hand.Open();
    for (auto& l0 : l0_) l0.Open();
    if (job_.bias.set) bias_hand_.Open();
    if (job_.hf32) SetHF32Mode(true), SetHF32TransMode(job_.hf32_truncates);
  }
  void Close() {
    for (int32_t i = 0; i < plan_.slots_a; ++i) a1_[i].hand.Close();
    for (int32_t i = 0; i < plan_.slots_b; ++i) b1_[i].hand.Close();
    for (auto& l0 : l0_) l0.Close();
    if (job_.bias.set) bias_hand_.Close();
    if (job_.hf32) SetHF32Mode(false), SetHF32TransMode(false);
  }

  int32_t BlocksOfM() const { return AkgenCeil(job_.m, t_.baseM); }
  int32_t BlocksOfN() const { return AkgenCeil(job_.n, t_.baseN); }

  // All of C, block by block.
  void RunAll() {
    AkgenHandOver<HardEvent::M_FIX, HardEvent::FIX_M> out[2];
    const int32_t slots = t_.dbL0C == 2 ? 2 : 1, m = BlocksOfM(), n = BlocksOfN();
    for (int32_t i = 0; i < slots; ++i) out[i].Open();
    store_.Open();
    int32_t done = 0;
    for (int32_t b = 0; b < m * n; ++b) {
      const int32_t i = t_.iterateOrder == 1 ? b / n : b % m,
                    j = t_.iterateOrder == 1 ? b % n : b / m;
      if (Skips(i, j)) continue;
      auto& hand = out[done % slots];
      const LocalTensor<Sum> sums = Sums(done % slots * 64 * 1024);
      if (!kUnits) hand.AwaitFree();
      const int32_t high = Multiply(i, j, sums, false, 0, job_.k, kUnits);
      if (!kUnits) hand.Filled();
      store_.Block(sums, high, i, j, b, kUnits);
      if (!kUnits) hand.Used();
      ++done;
    }
    store_.Close();
    for (int32_t i = 0; i < slots; ++i) out[i].Close();
  }
  // One block into L0C. Result: rows that it has there.
  int32_t RunBlock(const LocalTensor<Sum>& sums, bool add) {
    const int32_t first = job_.block_k < 0 ? 0 : job_.block_k * t_.baseK;
    const int32_t last = job_.block_k < 0 ? job_.k : AkgenLeast(first + t_.baseK, job_.k);
    return Multiply(job_.block_m, job_.block_n, sums, add, first, last);
  }
  void StoreBlock(const LocalTensor<Sum>& sums, int32_t high, int32_t number) {
    const int32_t event = akgen_alloc_event(PIPE_M, PIPE_FIX),
                  back = akgen_alloc_event(PIPE_FIX, PIPE_M);
    SetFlag<HardEvent::M_FIX>(event);
    WaitFlag<HardEvent::M_FIX>(event);
    store_.Open();
    store_.Block(sums, high, job_.block_m, job_.block_n, number);
    store_.Close();
    SetFlag<HardEvent::FIX_M>(back);
    WaitFlag<HardEvent::FIX_M>(back);
    akgen_release_event(PIPE_M, PIPE_FIX, event);
    akgen_release_event(PIPE_FIX, PIPE_M, back);
  }
  // Products of pairs of matrices; the side that has fewer of them gives each to several.
  void RunBatch() {
    const AkgenBatch<A_TYPE> a(job_, t_.ALayoutInfoN, t_.ALayoutInfoG, t_.ALayoutInfoB,
                               job_.stride_a, job_.m, job_.k);
    const AkgenBatch<B_TYPE> b(job_, t_.BLayoutInfoN, t_.BLayoutInfoG, t_.BLayoutInfoB,
                               job_.stride_b, job_.k, job_.n);
    const AkgenBatch<C_TYPE> c(job_, t_.CLayoutInfoN, t_.CLayoutInfoG, t_.CLayoutInfoB,
                               job_.stride_c, job_.m, job_.n);
    const int32_t most = AkgenMost(job_.batch_a, job_.batch_b);
    const AkgenMatmulJob whole = job_;
    for (int32_t i = 0; i < most * whole.loops; ++i) {
      a.template Select<T>(job_.a, whole.a, i / (most / whole.batch_a), &job_.org_ka, &job_.org_m);
      b.template Select<T>(job_.b, whole.b, i / (most / whole.batch_b), &job_.org_n, &job_.org_kb);
      c.template Select<typename C_TYPE::T>(job_.c, whole.c, i, &job_.org_kc, &job_.org_kc);
      if (kConfig.isBiasBatch)
        job_.bias.at = whole.bias.at + AkgenBytes<Bias>(static_cast<uint64_t>(i) * job_.n);
      Forget();
      RunAll();
    }
  }

 private:
  struct Slot {
    LocalTensor<T> data;
    AkgenHandOver<HardEvent::MTE2_MTE1, HardEvent::MTE1_MTE2> hand;
    int32_t block = -1, at = -1;  // which part is there
  };

  LocalTensor<Sum> Sums(uint32_t at) const {
    return LocalTensor<Sum>(TPosition::CO1, at, 128 * 1024 / 4 - at / 4);
  }
  // By their numbers: a triangle of base blocks.
  bool Skips(int32_t i, int32_t j) const {
    if (kBlocks == AkgenPartOfC::kUpper) return i > j;
    if (kBlocks == AkgenPartOfC::kLower) return i < j;
    return false;
  }
  void Forget() {
    for (Slot& s : a1_) s.block = -1;
    for (Slot& s : b1_) s.block = -1;
  }

  // Rows of C from block i, columns from block j, over [first, last) along K, into L0C.
  int32_t Multiply(int32_t i, int32_t j, const LocalTensor<Sum>& sums, bool add, int32_t first,
                   int32_t last, bool units = false) {
    const int32_t m = AkgenLeast(t_.baseM, job_.m - i * t_.baseM),
                  n = AkgenLeast(t_.baseN, job_.n - j * t_.baseN);
    // A row of one would be taken for a vector.
    MmadParams p;
    p.m = static_cast<uint16_t>(m == 1 ? 16 : m);
    const int32_t wide = AkgenWideOf<T>(n, job_.b.trans) * 16;
    p.n = static_cast<uint16_t>(wide == AkgenUp(n, 16) ? n : wide);
    p.kDirectionAlign = job_.a.trans && std::is_same_v<T, float>;
    bool start = !add;
    AkgenTile<T> a, b;
    Slot* a1 = nullptr;
    Slot* b1 = nullptr;
    int32_t a_at = first, b_at = first, a_end = first, b_end = first;  // what of K lies in L1
    for (int32_t k = first; k < last; k += t_.baseK) {
      if (k == a_end)
        a_at = k, a_end = AkgenLeast(k + plan_.chunk_a, last), a = Left(i, k, m, a_end - k, &a1);
      if (k == b_end)
        b_at = k, b_end = AkgenLeast(k + plan_.chunk_b, last), b = Right(j, k, n, b_end - k, &b1);
      const int32_t end = AkgenLeast(k + t_.baseK, last);
      p.k = static_cast<uint16_t>(end - k);
      if (units) p.unitFlag = end == last ? 3 : 2;
      Step(p, a, b, k - a_at, k - b_at, m, n, j, sums, start);
      start = false;
      if (a1 && end == a_end) a1->hand.Used(), a1 = nullptr;
      if (b1 && end == b_end) b1->hand.Used(), b1 = nullptr;
    }
    return AkgenUp(p.m, 16);
  }

  // at_a, at_b: along K, from where the parts in L1 begin.
  void Step(MmadParams& p, AkgenTile<T> a, AkgenTile<T> b, int32_t at_a, int32_t at_b, int32_t m,
            int32_t n, int32_t j, const LocalTensor<Sum>& sums, bool start) {
    const int32_t half = t_.dbL0A == 2 && t_.dbL0B == 2 ? step_++ & 1 : 0;
    auto& hand = l0_[half];
    const LocalTensor<T> a2(TPosition::A2, half * 32 * 1024,
                            64 * 1024 * 8 / SizeOfBits<T>::value / (1 + half));
    const LocalTensor<T> b2(TPosition::B2, half * 32 * 1024,
                            64 * 1024 * 8 / SizeOfBits<T>::value / (1 + half));
    (job_.a.trans ? a.row : a.column) += at_a;
    (job_.b.trans ? b.column : b.row) += kSparse ? at_b / 2 : at_b;
    hand.AwaitFree();
    bool biased = start && job_.bias.set;
    if constexpr (std::is_same_v<T, int4b_t>) {
      if (biased) StartWithBias(p, a2, b2, j, n, half, sums), biased = start = false;
    }
    AkgenToL0A(a2, a, m, p.k, job_.a.trans);
    if constexpr (kSparse)
      AkgenToL0BSparse(b2, b, IndexOf(b), p.k, n);
    else
      AkgenToL0B(b2, b, p.k, n, job_.b.trans);
    if (biased) BringBias(j, n, half);
    hand.Filled();
    p.cmatrixInitVal = start && !biased;
    p.cmatrixSource = biased;
    constexpr int32_t kFollows =
        10;  // fractals from which on Mmads into the same place need no barrier
    if (!start && (p.m / 16) * (p.n / 16) < kFollows) PipeBarrier<PIPE_M>();
    if constexpr (kSparse)
      MmadWithSparse(sums, a2, b2, p);
    else if (biased)
      Mmad(sums, a2, b2, Table(half), p);
    else
      Mmad(sums, a2, b2, p);
    hand.Used();
  }
  // Mmad takes no bias for elements of 4 bits: the sums start as a product of zeros of 8 bits with
  // it.
  void StartWithBias(MmadParams p, const LocalTensor<T>& a2, const LocalTensor<T>& b2, int32_t j,
                     int32_t n, int32_t half, const LocalTensor<Sum>& sums) {
    const auto zeros = [](const LocalTensor<T>& at, int32_t fractals) {
      InitConstValue(
          at.template ReinterpretCast<::half>(),
          InitConstValueParams<::half>(1, static_cast<uint16_t>(fractals), 0, ::half(0)));
    };
    zeros(a2, AkgenCeil(p.m, 16));
    zeros(b2, AkgenCeil(p.n, 16));
    BringBias(j, n, half);
    l0_[half].Filled();
    p.k = 32;
    p.cmatrixInitVal = false;
    p.cmatrixSource = true;
    Mmad(sums, a2.template ReinterpretCast<int8_t>(), b2.template ReinterpretCast<int8_t>(),
         Table(half), p);
    l0_[half].Used();
    l0_[half].AwaitFree();
  }

  // Of the two base blocks in L0 each has its half of the BiasTable, if that is enough.
  LocalTensor<Sum> Table(int32_t half) const {
    const bool fits = t_.baseN * 4 <= 512;
    return LocalTensor<Sum>(TPosition::C2, fits ? half * 512 : 0, fits ? 128 : 256);
  }
  void BringBias(int32_t j, int32_t n, int32_t half) {
    if (t_.baseN * 4 > 512) l0_[1 - half].AwaitFree();
    bias_hand_.AwaitFree();
    AkgenStored<Bias> from;
    from.data.SetGlobalBuffer(reinterpret_cast<__gm__ Bias*>(job_.bias.at));
    from.width = 1;
    Nd2NzParams p(1, 1, static_cast<uint16_t>(n), 0, 1, 1, 1, 0);
    DataCopy(bias1_, from.data[static_cast<uint64_t>(j) * t_.baseN], p);
    bias_hand_.Filled();
    const auto blocks =
        static_cast<uint16_t>(AkgenCeil(n * static_cast<int32_t>(sizeof(Bias)), 64));
    if constexpr (std::is_same_v<Bias, Sum> || std::is_same_v<Bias, ::half>)
      DataCopy(Table(half), bias1_, DataCopyParams(1, blocks, 0, 0));
    else
      akgen_unsupported("a bias of a Matmul object in a type that BiasTable does not take");
    bias_hand_.Used();
  }

  static constexpr bool Strips(bool transposes) { return transposes && kAkgenRow<T> == 8; }
  // A part of a matrix in L1: there already, or brought into the buffer that was filled longest
  // ago.
  template <class TYPE, auto kCallback>
  AkgenTile<T> Part(const AkgenPlace& place, Slot* slots, int32_t count, int32_t& next,
                    const AkgenStored<T>& from, int32_t block, int32_t index, int32_t row,
                    int32_t column, int32_t rows, int32_t columns, bool squares, Slot** slot) {
    AkgenTile<T> tile;
    if constexpr (kAkgenInL1<TYPE>) {
      tile.data = LocalTensor<T>(TPosition::A1, static_cast<uint32_t>(place.at), 1);
      tile.rows = AkgenUp(from.width, 16), tile.row = row, tile.column = column;
      return tile;
    }
    tile.rows = AkgenUp(rows, squares ? kSide : 16), tile.columns = AkgenUp(columns, kSide);
    if (Strips(squares)) tile.rows = 16;
    for (int32_t i = 0; i < count; ++i)
      if (slots[i].block == block && slots[i].at == index) *slot = &slots[i];
    if (!*slot) {
      *slot = &slots[next++ % count];
      (*slot)->block = block, (*slot)->at = index;
      tile.data = (*slot)->data;
      (*slot)->hand.AwaitFree();
      if constexpr (kCallback != nullptr)
        kCallback(tile.data.template ReinterpretCast<int8_t>(),
                  reinterpret_cast<const __gm__ void*>(place.at),
                  &slots[0] == a1_ ? block : index / plan_.chunk_b,
                  &slots[0] == a1_ ? index / plan_.chunk_a : block, rows, columns, job_.user_info,
                  job_.user_data);
      else if (plan_.by_blocks && !kSparse && t_.baseK % kSide == 0 && !Strips(squares))
        AkgenBringBlocks(tile, from, row, column, rows, columns, t_.baseK, squares);
      else
        AkgenBring(tile, from, row, column, rows, columns, Strips(squares));
      (*slot)->hand.Filled();
    }
    tile.data = (*slot)->data;
    return tile;
  }
  AkgenTile<T> Left(int32_t i, int32_t k, int32_t m, int32_t deep, Slot** slot) {
    const bool trans = job_.a.trans;
    AkgenStored<T> from =
        StoredAt<A_TYPE>(job_.a, trans ? job_.org_m : job_.org_ka, trans ? job_.org_ka : job_.org_m,
                         trans ? job_.k : job_.m);
    const int32_t at = i * t_.baseM;
    return Part<A_TYPE, MM_CB::CopyA1Ptr>(job_.a, a1_, plan_.slots_a, next_a_, from, i, k,
                                          trans ? k : at, trans ? at : k, trans ? deep : m,
                                          trans ? m : deep, trans, slot);
  }
  AkgenTile<T> Right(int32_t j, int32_t k, int32_t n, int32_t deep, Slot** slot) {
    const bool trans = job_.b.trans;
    AkgenStored<T> from =
        StoredAt<B_TYPE>(job_.b, trans ? job_.org_kb : job_.org_n, trans ? job_.org_n : job_.org_kb,
                         trans ? job_.n : job_.k);
    const int32_t at = j * t_.baseN;
    if constexpr (kSparse)
      return SparsePart(from, j, k, at, n, deep, slot);
    else
      return Part<B_TYPE, MM_CB::CopyB1Ptr>(job_.b, b1_, plan_.slots_b, next_b_, from, j, k,
                                            trans ? at : k, trans ? k : at, trans ? n : deep,
                                            trans ? deep : n, !trans, slot);
  }
  // Half of the columns, and the index behind them: for 16 rows and 64 columns of the whole matrix
  // 128 bytes, in columns.
  AkgenTile<T> SparsePart(AkgenStored<T> from, int32_t j, int32_t k, int32_t row, int32_t n,
                          int32_t deep, Slot** slot) {
    if (!from.nz) from.width /= 2;  // in blocks it is the number of rows
    const int32_t count = plan_.slots_b, seen = next_b_;
    const AkgenTile<T> tile = Part<B_TYPE, MM_CB::CopyB1Ptr>(
        job_.b, b1_, count, next_b_, from, j, k, row, k / 2, n, deep / 2, false, slot);
    if (next_b_ == seen) return tile;
    const int32_t all = AkgenUp(job_.org_n, 16), there = AkgenLeast(tile.rows, all - row);
    GlobalTensor<uint8_t> index;
    index.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(job_.index.at));
    (*slot)->hand.AwaitFree();
    DataCopy(
        IndexOf(tile),
        index[static_cast<uint64_t>(k / 64) * all * 8 + static_cast<uint64_t>(row) * 8],
        DataCopyParams(static_cast<uint16_t>(AkgenCeil(deep, 64)), static_cast<uint16_t>(there / 4),
                       static_cast<uint16_t>((all - there) / 4),
                       static_cast<uint16_t>((tile.rows - there) / 4)));
    (*slot)->hand.Filled();
    return tile;
  }
  LocalTensor<uint8_t> IndexOf(const AkgenTile<T>& tile) const {
    return tile.data.template ReinterpretCast<uint8_t>()[plan_.bytes_b / 5 * 4];
  }
  // Of the whole matrix; in L1 lies the part that is multiplied, of `there` rows.
  template <class TYPE>
  AkgenStored<T> StoredAt(const AkgenPlace& place, int32_t columns, int32_t rows,
                          int32_t there) const {
    AkgenStored<T> from;
    from.nz = TYPE::format == CubeFormat::NZ;
    from.width = kAkgenInL1<TYPE> ? AkgenUp(there, 16) : from.nz ? AkgenUp(rows, 16) : columns;
    from.data.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(place.at));
    return from;
  }

  AkgenMatmulJob job_;
  const TCubeTiling& t_;
  const AkgenL1Plan plan_;
  Store store_;
  Slot a1_[2], b1_[2];
  LocalTensor<Bias> bias1_;
  AkgenHandOver<HardEvent::MTE1_M, HardEvent::M_MTE1> l0_[2];
  AkgenHandOver<HardEvent::MTE2_MTE1, HardEvent::MTE1_MTE2> bias_hand_;
  int32_t step_ = 0, next_a_ = 0, next_b_ = 0;
};
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_MATMUL_ENGINE_H
