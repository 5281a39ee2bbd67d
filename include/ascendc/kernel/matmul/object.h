// The Matmul object. Its setters describe the next call; a call is carried out where the object is:
// on the Cube core itself (MatmulImpl, ASCENDC_CUBE_ONLY, or enableMixDualMaster), or, for an
// object on a Vector core, by the Cube core of its block.
#ifndef ASCENDC_KERNEL_MATMUL_OBJECT_H
#define ASCENDC_KERNEL_MATMUL_OBJECT_H
#include "kernel/matmul/client.h"
#include "kernel/matmul/engine.h"

namespace AscendC {
#if defined(ASCENDC_CUBE_ONLY)
inline constexpr bool kAkgenCubeOnly = true;
#else
inline constexpr bool kAkgenCubeOnly = false;
#endif

template <
    bool kOfCaller, class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE, const auto& MM_CFG,
    class MM_CB,
    template <const auto&, typename, typename, typename, typename, typename> class MATMUL_POLICY>
class AkgenMatmul {
  using A = typename A_TYPE::T;
  using B = typename B_TYPE::T;
  using C = typename C_TYPE::T;
  using Bias = typename BIAS_TYPE::T;
  using Sum = typename GetMmDstType<A>::Type;
  static constexpr const MatmulConfig& kConfig = ToMatmulConfig(MM_CFG);
  static constexpr AkgenPartOfC kBlocks =
      MATMUL_POLICY<MM_CFG, AkgenMatmul, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE>::kBlocks;
  using Engine = AkgenMatmulEngine<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, kBlocks>;
  // Does the Cube core run the kernel's own calls?
  static constexpr bool kLocal = kOfCaller || kAkgenCubeOnly || kConfig.enableMixDualMaster;

 public:
  __aicore__ inline AkgenMatmul() {}
  __aicore__ inline ~AkgenMatmul() {
    if (registered_) akgen_jobs_close();
  }
  AkgenMatmul(const AkgenMatmul&) = delete;
  AkgenMatmul& operator=(const AkgenMatmul&) = delete;

  __aicore__ inline void Init(const TCubeTiling* tiling, TPipe* pipe = nullptr) {
    AkgenInit(tiling);
    if (registered_) return;  // L1 is the Cube core's
    uint32_t bytes = AkgenL1Bytes();
    l1_ = akgen_buf_init(AKGEN_POS_A1, &bytes);
  }
  __aicore__ inline void SetSubBlockIdx(uint8_t subBlockIdx) {}
  __aicore__ inline uint8_t GetSubBlockIdx() { return static_cast<uint8_t>(akgen_sub_block_idx()); }

  __aicore__ inline void SetOrgShape(int orgM, int orgN, int orgK) {
    SetOrgShape(orgM, orgN, orgK, orgK);
  }
  __aicore__ inline void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
    job_.org_m = orgM, job_.org_n = orgN, job_.org_ka = orgKa, job_.org_kb = orgKb,
    job_.org_kc = orgKc;
  }
  __aicore__ inline void SetSingleShape(int singleM, int singleN, int singleK) {
    SetTail(singleM, singleN, singleK);
  }
  __aicore__ inline void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
    if (tailM >= 0) job_.m = tailM;
    if (tailN >= 0) job_.n = tailN;
    if (tailK >= 0) job_.k = tailK;
  }

  __aicore__ inline void SetTensorA(const GlobalTensor<A>& gm, bool isTransposeA = false) {
    SetMatrix<A_TYPE>(job_.a, isTransposeA,
                      "SetTensorA: isTransposeA needs an A_TYPE whose isTrans is true");
    job_.a.at = reinterpret_cast<uint64_t>(gm.GetPhyAddr());
    from_ub_[0] = {};
  }
  __aicore__ inline void SetTensorA(const LocalTensor<A>& leftMatrix, bool isTransposeA = false) {
    SetMatrix<A_TYPE>(job_.a, isTransposeA,
                      "SetTensorA: isTransposeA needs an A_TYPE whose isTrans is true");
    SetLocal<A_TYPE>(job_.a, from_ub_[0], leftMatrix);
  }
  __aicore__ inline void SetTensorA(A aScalar) { akgen_unsupported("SetTensorA of a scalar"); }
  __aicore__ inline void SetTensorB(const GlobalTensor<B>& gm, bool isTransposeB = false) {
    SetMatrix<B_TYPE>(job_.b, isTransposeB,
                      "SetTensorB: isTransposeB needs a B_TYPE whose isTrans is true");
    job_.b.at = reinterpret_cast<uint64_t>(gm.GetPhyAddr());
    from_ub_[1] = {};
  }
  __aicore__ inline void SetTensorB(const LocalTensor<B>& rightMatrix, bool isTransposeB = false) {
    SetMatrix<B_TYPE>(job_.b, isTransposeB,
                      "SetTensorB: isTransposeB needs a B_TYPE whose isTrans is true");
    SetLocal<B_TYPE>(job_.b, from_ub_[1], rightMatrix);
  }
  __aicore__ inline void SetTensorB(B bScalar) { akgen_unsupported("SetTensorB of a scalar"); }
  __aicore__ inline void SetBias(const GlobalTensor<Bias>& biasGlobal) {
    SetBiasAt(reinterpret_cast<uint64_t>(biasGlobal.GetPhyAddr()));
    from_ub_[2] = {};
  }
  __aicore__ inline void SetBias(const LocalTensor<Bias>& inputBias) {
    SetBiasAt(0);
    SetLocal<BIAS_TYPE>(job_.bias, from_ub_[2], inputBias);
  }
  __aicore__ inline void DisableBias() { job_.bias.set = false; }
  __aicore__ inline void ClearBias() { DisableBias(); }
  __aicore__ inline void SetQuantScalar(const uint64_t quantScalar) {
    job_.quant_word = quantScalar;
    job_.quant.set = false;
  }
  __aicore__ inline void SetQuantVector(const GlobalTensor<uint64_t>& quantTensor) {
    job_.quant.at = reinterpret_cast<uint64_t>(quantTensor.GetPhyAddr());
    job_.quant.set = true;
  }
  __aicore__ inline void SetSparseIndex(const GlobalTensor<uint8_t>& indexGlobal) {
    job_.index.at = reinterpret_cast<uint64_t>(indexGlobal.GetPhyAddr());
    job_.index.set = true;
  }
  __aicore__ inline void SetHF32(bool enableHF32 = false, int32_t transMode = 0) {
    job_.hf32 = enableHF32;
    job_.hf32_truncates = transMode != 0;
  }
  __aicore__ inline void SetUserDefInfo(const uint64_t tilingPtr) { job_.user_info = tilingPtr; }
  template <typename T>
  __aicore__ inline void SetSelfDefineData(T dataPtr) {
    job_.user_data = static_cast<uint64_t>(dataPtr);
  }
  __aicore__ inline void SetLocalWorkspace(const LocalTensor<uint8_t>& tmpBuffer) {}
  template <typename T>
  __aicore__ inline void SetWorkspace(const GlobalTensor<T>& addr) {
    workspace_ = reinterpret_cast<uint64_t>(addr.GetPhyAddr());
  }
  template <typename T>
  __aicore__ inline void SetWorkspace(__gm__ const T* addr, int size) {
    workspace_ = reinterpret_cast<uint64_t>(addr);
  }
  __aicore__ inline void SetBatchNum(int32_t batchA, int32_t batchB) {
    job_.batch_a = batchA, job_.batch_b = batchB;
  }

  // All of C.
  template <bool sync = true>
  __aicore__ inline void IterateAll(const GlobalTensor<C>& gm, uint8_t enAtomic = 0,
                                    bool enSequentialWrite = false, bool waitIterateAll = false,
                                    bool fakeMsg = false) {
    AkgenMatmulJob job = Described(AkgenMatmulCall::kAll, enAtomic, enSequentialWrite);
    job.c.at = reinterpret_cast<uint64_t>(gm.GetPhyAddr());
    Submit(job, sync);
  }
  template <bool sync = true>
  __aicore__ inline void IterateAll(const LocalTensor<C>& ubCmatrix, uint8_t enAtomic = 0) {
    AkgenMatmulJob job = Described(AkgenMatmulCall::kAll, enAtomic, false);
    ToUb(job, ubCmatrix, job.m, job.n, false);
  }
  __aicore__ inline void WaitIterateAll() { Await(); }

  // The next block of C; false: there was none.
  template <bool sync = true>
  __aicore__ inline bool Iterate(bool enPartialSum = false) {
    if (!sync && workspace_) return IterateAhead();
    return Next(enPartialSum, LocalTensor<Sum>(TPosition::CO1, 0, 32 * 1024));
  }
  template <bool sync = true, typename T>
  __aicore__ inline bool Iterate(bool enPartialSum, const LocalTensor<T>& localCmatrix) {
    return Next(enPartialSum, localCmatrix);
  }
  template <bool sync = true>
  __aicore__ inline void GetTensorC(const GlobalTensor<C>& gm, uint8_t enAtomic = 0,
                                    bool enSequentialWrite = false) {
    AkgenMatmulJob job = OfBlock(enAtomic, enSequentialWrite);
    job.c.at = reinterpret_cast<uint64_t>(gm.GetPhyAddr());
    Get(job, sync);
  }
  template <bool sync = true>
  __aicore__ inline void GetTensorC(const LocalTensor<C>& co2Local, uint8_t enAtomic = 0,
                                    bool enSequentialWrite = false, uint32_t height = 0,
                                    uint32_t width = 0, uint32_t srcGap = 0, uint32_t dstGap = 0) {
    if (!sync && workspace_) return GetAhead(co2Local);
    AkgenMatmulJob job = OfBlock(enAtomic, enSequentialWrite);
    const TCubeTiling& t = job_.tiling;
    ToUb(job, co2Local, AkgenLeast(t.baseM, job.m - job.block_m * t.baseM),
         enSequentialWrite ? t.baseN : AkgenLeast(t.baseN, job.n - job.block_n * t.baseN),
         enSequentialWrite);
  }
  template <bool sync = true>
  __aicore__ inline void GetTensorC(const GlobalTensor<C>& gm, const LocalTensor<C>& co2Local,
                                    uint8_t enAtomic = 0, bool enSequentialWrite = false) {
    GetTensorC<sync>(gm, enAtomic, enSequentialWrite);
    GetTensorC<sync>(co2Local, enAtomic, enSequentialWrite);
  }
  // The block where Iterate<false> has put it.
  template <bool sync = true>
  __aicore__ inline GlobalTensor<C> GetTensorC(uint8_t enAtomic = 0,
                                               bool enSequentialWrite = false) {
    Await();
    return Ahead(got_++);
  }

  // Products of pairs of matrices that lie as their types' layouts say.
  template <bool sync = true, bool waitIterateBatch = false, bool kHere = kLocal,
            std::enable_if_t<!kHere, int> = 0>
  __aicore__ inline void IterateBatch(const GlobalTensor<C>& gm, uint32_t batchA, uint32_t batchB,
                                      bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                                      const uint32_t matrixStrideB = 0,
                                      const uint32_t matrixStrideC = 0,
                                      const bool enPartialSum = false, const uint8_t enAtomic = 0) {
    Batch(reinterpret_cast<uint64_t>(gm.GetPhyAddr()), 1, batchA, batchB, matrixStrideA,
          matrixStrideB, matrixStrideC, sync);
  }
  template <bool kHere = kLocal, std::enable_if_t<kHere, int> = 0>
  __aicore__ inline void IterateBatch(const GlobalTensor<C>& gm, bool enPartialSum,
                                      uint8_t enAtomic, bool enSequentialWrite,
                                      const uint32_t matrixStrideA = 0,
                                      const uint32_t matrixStrideB = 0,
                                      const uint32_t matrixStrideC = 0) {
    Batch(reinterpret_cast<uint64_t>(gm.GetPhyAddr()), 1, static_cast<uint32_t>(job_.batch_a),
          static_cast<uint32_t>(job_.batch_b), matrixStrideA, matrixStrideB, matrixStrideC, true);
  }
  template <bool sync = true, bool waitIterateBatch = false>
  __aicore__ inline void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB,
                                       bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                                       const uint32_t matrixStrideB = 0,
                                       const uint32_t matrixStrideC = 0) {
    Batch(workspace_, batchLoop, batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, sync);
  }
  template <bool sync = true>
  __aicore__ inline GlobalTensor<C> GetBatchTensorC(uint32_t batchA, uint32_t batchB,
                                                    bool enSequentialWrite = false) {
    Await();
    GlobalTensor<C> c;
    c.SetGlobalBuffer(reinterpret_cast<__gm__ C*>(workspace_) +
                      static_cast<uint64_t>(got_++) * AkgenMost(batchA, batchB) * job_.m * job_.n);
    return c;
  }
  template <bool sync = true>
  __aicore__ inline GlobalTensor<C> GetBatchC(uint32_t batchA, uint32_t batchB,
                                              bool enSequentialWrite = false) {
    return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite);
  }
  __aicore__ inline void WaitIterateBatch() { Await(); }
  __aicore__ inline void WaitGetTensorC() { Await(); }

  __aicore__ inline void End() {
    Await();
    next_ = 0;
  }

  // For REGIST_MATMUL_OBJ.
  static constexpr bool kAkgenLocal = kLocal;
  void AkgenInit(const TCubeTiling* tiling) {
    if (tiling) {
      akgen_raw_read(tiling, sizeof(TCubeTiling));  // in Global Memory, or a variable of the kernel
      __builtin_memcpy(&job_.tiling, tiling, sizeof(TCubeTiling));
    }
    if constexpr (!std::is_same_v<std::remove_cv_t<std::remove_reference_t<decltype(MM_CFG)>>,
                                  MatmulConfig>)
      AkgenTakeStatic(MM_CFG, job_.tiling);
    const TCubeTiling& t = job_.tiling;
    AkgenNeedTiling(t);
    job_.m = t.singleCoreM, job_.n = t.singleCoreN, job_.k = t.singleCoreK;
    job_.org_m = t.M, job_.org_n = t.N, job_.org_ka = t.Ka, job_.org_kb = t.Kb;
  }
  static void AkgenNeedTiling(const TCubeTiling& t) {
    if (t.baseM > 0 && t.baseN > 0 && t.baseK > 0) return;
    akgen_broken_rule(
        "Init of a Matmul object: the tiling has no base block, GetTiling has failed or was not "
        "called");
    akgen_trap();
  }
  uint32_t AkgenL1Bytes() const { return Engine::PlanOf(job_.tiling).All(); }
  void AkgenUseL1(void* at) { l1_ = at; }
  void AkgenRegister(uint32_t object) {
    job_.object = object;
    registered_ = true;
  }
  void AkgenCarryOut(const AkgenMatmulJob& job) {
    if constexpr (A_TYPE::ibShare &&
                  B_TYPE::ibShare) {  // of the two Vector cores' equal calls one is carried out
      if (job.number <= served_) return;
      served_ = job.number;
    }
    if (!l1_) {
      AkgenNeedTiling(job.tiling);
      uint32_t bytes = Engine::PlanOf(job.tiling).All();
      l1_ = akgen_buf_init(AKGEN_POS_A1, &bytes);
    }
    Engine engine(job, l1_);
    const LocalTensor<Sum> sums(TPosition::CO1, 0, 32 * 1024);
    if (job.call == AkgenMatmulCall::kAll) engine.RunAll();
    if (job.call == AkgenMatmulCall::kBatch) engine.RunBatch();
    if (job.call == AkgenMatmulCall::kBlock)
      engine.StoreBlock(sums, engine.RunBlock(sums, false), 0);
    engine.Close();
  }

 private:
  template <class TYPE>
  void SetMatrix(AkgenPlace& place, bool trans, const char* rule) {
    if (trans && !TYPE::isTrans) akgen_broken_rule(rule);
    place.trans = trans;
    place.set = true;
    place.in_l1 = false;
    next_ = 0;
  }
  template <class TYPE, typename T>
  void SetLocal(AkgenPlace& place, AkgenOfUb& of, const LocalTensor<T>& tensor) {
    place.in_l1 = kAkgenInL1<TYPE>;
    if (place.in_l1)
      place.at = akgen_position_offset(AKGEN_POS_TSCM, tensor.AkgenPtr()), of = {};
    else
      of = {tensor.AkgenPtr(), tensor.GetLength()};
  }
  void SetBiasAt(uint64_t at) {
    if (!job_.tiling.isBias)
      akgen_broken_rule("SetBias: the tiling was made without a bias (EnableBias)");
    job_.bias.at = at;
    job_.bias.set = true;
  }

  AkgenMatmulJob Described(AkgenMatmulCall call, uint8_t atomic, bool sequential) {
    AkgenMatmulJob job = job_;
    job.call = call;
    job.atomic = atomic;
    job.sequential = sequential;
    job.number = ++calls_;
    if (!job.a.set || !job.b.set)
      akgen_broken_rule("a Matmul object computes before SetTensorA and SetTensorB");
    return job;
  }
  void Submit(AkgenMatmulJob& job, bool sync) {
    const AkgenLibraryCall here;
    if ASCEND_IS_AIC {
      if constexpr (kLocal) AkgenCarryOut(job);
    } else {
      if constexpr (!kLocal) {
        AkgenFromUb(job, from_ub_, posted_);
        posted_ = akgen_job_post(&job, sizeof job);
        if (sync) Await();
      }
    }
  }
  void Await() {
    if (posted_) akgen_job_wait(posted_);
    posted_ = 0;
  }
  // C goes to UB by way of Global Memory: `rows` of `columns` elements, one behind the other or
  // each at its place in C.
  void ToUb(AkgenMatmulJob& job, const LocalTensor<C>& ub, int32_t rows, int32_t columns,
            bool sequential) {
    constexpr int32_t kLine = 32 / static_cast<int32_t>(sizeof(C));
    job.row_stride = AkgenUp(sequential ? columns : job.n, kLine);
    GlobalTensor<C> shadow;
    shadow.SetGlobalBuffer(reinterpret_cast<__gm__ C*>(AkgenShadow(ub.AkgenPtr())));
    job.c.at = reinterpret_cast<uint64_t>(shadow.GetPhyAddr());
    Submit(job, true);
    const int64_t first =
        sequential || job.call == AkgenMatmulCall::kAll
            ? 0
            : static_cast<int64_t>(job.block_m) * job.tiling.baseM * job.row_stride +
                  static_cast<int64_t>(job.block_n) * job.tiling.baseN;
    AkgenToUb(ub, shadow, first, rows, columns, job.row_stride);
  }

  // Blocks are numbered in the order of tiling.iterateOrder; with isPartialOutput each has one for
  // every base block along K.
  int32_t PartsOfK() const {
    return kConfig.isPartialOutput ? AkgenCeil(job_.k, job_.tiling.baseK) : 1;
  }
  int32_t BlocksOfC() const {
    return AkgenCeil(job_.m, job_.tiling.baseM) * AkgenCeil(job_.n, job_.tiling.baseN) * PartsOfK();
  }
  AkgenMatmulJob OfBlock(uint8_t atomic, bool sequential) {
    AkgenMatmulJob job = Described(AkgenMatmulCall::kBlock, atomic, sequential);
    const int32_t parts = PartsOfK(), b = (next_ - 1) / parts;
    const int32_t m = AkgenCeil(job_.m, job_.tiling.baseM),
                  n = AkgenCeil(job_.n, job_.tiling.baseN);
    job.block_k = kConfig.isPartialOutput ? (next_ - 1) % parts : -1;
    job.block_m = job_.tiling.iterateOrder == 1 ? b / n : b % m;
    job.block_n = job_.tiling.iterateOrder == 1 ? b % n : b / m;
    return job;
  }
  bool Next(bool add, const LocalTensor<Sum>& sums) {
    const AkgenLibraryCall here;
    if (next_ >= BlocksOfC()) {
      next_ = 0;
      return false;
    }
    ++next_;
    if constexpr (kLocal) {
      if ASCEND_IS_AIC {
        Engine engine(OfBlock(0, false), l1_);
        high_ = engine.RunBlock(sums, add);
        engine.Close();
      }
    } else {
      if (add) akgen_unsupported("Iterate with enPartialSum on a Vector core");
    }
    return true;
  }
  void Get(AkgenMatmulJob& job, bool sync) {
    if constexpr (kLocal) {
      if ASCEND_IS_AIC {
        const AkgenLibraryCall here;
        Engine engine(job, l1_);
        engine.StoreBlock(LocalTensor<Sum>(TPosition::CO1, 0, 32 * 1024), high_, 0);
        engine.Close();
      }
    } else {
      Submit(job, sync);
    }
  }

  // Iterate<false>: all blocks, one behind the other, go to the workspace while the Vector core
  // goes on.
  bool IterateAhead() {
    AkgenMatmulJob job = Described(AkgenMatmulCall::kAll, 0, true);
    job.c.at = workspace_;
    got_ = 0;
    Submit(job, false);
    return true;
  }
  GlobalTensor<C> Ahead(int32_t block) const {
    GlobalTensor<C> c;
    c.SetGlobalBuffer(reinterpret_cast<__gm__ C*>(workspace_) +
                      static_cast<uint64_t>(block) * job_.tiling.baseM * job_.tiling.baseN);
    return c;
  }
  void GetAhead(const LocalTensor<C>& ub) {
    Await();
    const TCubeTiling& t = job_.tiling;
    const int32_t m = AkgenCeil(job_.m, t.baseM), n = AkgenCeil(job_.n, t.baseN);
    const int32_t i = t.iterateOrder == 1 ? got_ / n : got_ % m;
    AkgenToUb(ub, Ahead(got_), 0, AkgenLeast(t.baseM, job_.m - i * t.baseM), t.baseN, t.baseN);
    ++got_;
  }
  void Batch(uint64_t c, uint32_t loops, uint32_t batch_a, uint32_t batch_b, uint32_t stride_a,
             uint32_t stride_b, uint32_t stride_c, bool sync) {
    AkgenMatmulJob job = Described(AkgenMatmulCall::kBatch, 0, false);
    job.c.at = c;
    job.loops = static_cast<int32_t>(loops);
    job.batch_a = static_cast<int32_t>(batch_a), job.batch_b = static_cast<int32_t>(batch_b);
    job.stride_a = stride_a, job.stride_b = stride_b, job.stride_c = stride_c;
    got_ = 0;
    Submit(job, sync);
  }

  AkgenMatmulJob job_;
  AkgenOfUb from_ub_[3];
  void* l1_ = nullptr;
  uint64_t workspace_ = 0, posted_ = 0;
  int32_t next_ = 0, got_ = 0, high_ = 0;
  uint32_t calls_ = 0, served_ = 0;
  bool registered_ = false;
};
template <
    class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
    const auto& MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
    template <const auto&, typename, typename, typename, typename, typename> class MATMUL_POLICY =
        Impl::Detail::MatmulPolicy>
using Matmul = AkgenMatmul<false, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
// Of the core that calls: the Cube core's own part of a kernel for both.
template <
    class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
    const auto& MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
    template <const auto&, typename, typename, typename, typename, typename> class MATMUL_POLICY =
        Impl::Detail::MatmulPolicy>
using MatmulImpl =
    AkgenMatmul<true, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
}  // namespace AscendC

namespace matmul {
using namespace AscendC;
}
#endif  // ASCENDC_KERNEL_MATMUL_OBJECT_H
