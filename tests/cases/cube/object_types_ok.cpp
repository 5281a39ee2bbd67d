// Objects of the Cube core make products of all types, lying either way, with ragged sizes, and some with a bias.
// program
// expect: clean
#include <cmath>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"
#include "tiling/tiling_api.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"
using namespace AscendC;
namespace mt = matmul_tiling;

template <typename T, typename C, bool kTransA, bool kTransB>
__global__ __cube__ void product(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, AscendC::tiling::TCubeTiling cut) {
  TPipe pipe;
  Matmul<MatmulType<TPosition::GM, CubeFormat::ND, T, kTransA>, MatmulType<TPosition::GM, CubeFormat::ND, T, kTransB>,
         MatmulType<TPosition::GM, CubeFormat::ND, C>, MatmulType<TPosition::GM, CubeFormat::ND, C>>
      object;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), object, &cut);
  GlobalTensor<T> aGm, bGm;
  GlobalTensor<C> biasGm, cGm;
  aGm.SetGlobalBuffer((__gm__ T *)a);
  bGm.SetGlobalBuffer((__gm__ T *)b);
  biasGm.SetGlobalBuffer((__gm__ C *)bias);
  cGm.SetGlobalBuffer((__gm__ C *)c);
  const int rows = (cut.M + cut.singleCoreM - 1) / cut.singleCoreM, core = GetBlockIdx();
  const int m = core % rows * cut.singleCoreM, n = core / rows * cut.singleCoreN;
  object.SetTail(min(cut.M - m, cut.singleCoreM), min(cut.N - n, cut.singleCoreN));
  object.SetTensorA(aGm[kTransA ? m : m * cut.Ka], kTransA);
  object.SetTensorB(bGm[kTransB ? n * cut.Kb : n], kTransB);
  if (cut.isBias) object.SetBias(biasGm[n]);
  object.IterateAll(cGm[m * cut.N + n]);
  object.End();
}

struct Device {
  explicit Device(size_t size) : bytes(size) { aclrtMalloc(&at, size, ACL_MEM_MALLOC_HUGE_FIRST); }
  ~Device() { aclrtFree(at); }
  size_t bytes;
  void *at = nullptr;
};

// Small whole numbers: every sum is exact.
int Value(int i, int salt) { return (i * 7 + i / 5 + salt) % 7 - 3; }

template <typename T, typename C, bool kTransA, bool kTransB>
bool Right(mt::DataType in, mt::DataType out, int m, int n, int k, bool with_bias) {
  mt::MultiCoreMatmulTiling cutter;
  cutter.SetDim(3);
  cutter.SetAType(mt::TPosition::GM, mt::CubeFormat::ND, in, kTransA);
  cutter.SetBType(mt::TPosition::GM, mt::CubeFormat::ND, in, kTransB);
  cutter.SetCType(mt::TPosition::GM, mt::CubeFormat::ND, out);
  cutter.SetBiasType(mt::TPosition::GM, mt::CubeFormat::ND, out);
  cutter.SetOrgShape(m, n, k);
  cutter.SetShape(m, n, k);
  cutter.SetFixSplit(32, 64, 64);  // several blocks each way
  cutter.EnableBias(with_bias);
  AscendC::tiling::TCubeTiling cut;
  if (cutter.GetTiling(cut) != 0) return false;
  std::vector<T> a(m * k), b(k * n);
  std::vector<C> bias(n), c(m * n);
  for (int i = 0; i < m; ++i)
    for (int l = 0; l < k; ++l) a[kTransA ? l * m + i : i * k + l] = static_cast<T>(Value(i * k + l, 1));
  for (int l = 0; l < k; ++l)
    for (int j = 0; j < n; ++j) b[kTransB ? j * k + l : l * n + j] = static_cast<T>(Value(l * n + j, 2));
  for (int j = 0; j < n; ++j) bias[j] = static_cast<C>(Value(j, 3));
  Device on_a(a.size() * sizeof(T)), on_b(b.size() * sizeof(T)), on_bias(n * sizeof(C)), on_c(c.size() * sizeof(C));
  aclrtMemcpy(on_a.at, on_a.bytes, a.data(), on_a.bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemcpy(on_b.at, on_b.bytes, b.data(), on_b.bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemcpy(on_bias.at, on_bias.bytes, bias.data(), on_bias.bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  product<T, C, kTransA, kTransB><<<cut.usedCoreNum, nullptr, nullptr>>>(
      (GM_ADDR)on_a.at, (GM_ADDR)on_b.at, (GM_ADDR)on_bias.at, (GM_ADDR)on_c.at, cut);
  aclrtSynchronizeStream(nullptr);
  aclrtMemcpy(c.data(), on_c.bytes, on_c.at, on_c.bytes, ACL_MEMCPY_DEVICE_TO_HOST);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = with_bias ? Value(j, 3) : 0;
      for (int l = 0; l < k; ++l) sum += Value(i * k + l, 1) * Value(l * n + j, 2);
      if (static_cast<int>(c[i * n + j]) == sum) continue;
      std::printf("%d x %d x %d, transposed %d %d: [%d][%d] is %d, not %d\n", m, n, k, kTransA, kTransB, i, j,
                  static_cast<int>(c[i * n + j]), sum);
      return false;
    }
  return true;
}

template <typename T, typename C>
bool AllWays(mt::DataType in, mt::DataType out) {
  bool right = true;
  for (const auto &[m, n, k] : {std::array{70, 150, 200}, std::array{1, 65, 40}, std::array{33, 16, 129}}) {
    right &= ::Right<T, C, false, false>(in, out, m, n, k, true);
    right &= ::Right<T, C, true, false>(in, out, m, n, k, false);
    right &= ::Right<T, C, false, true>(in, out, m, n, k, false);
    right &= ::Right<T, C, true, true>(in, out, m, n, k, true);
  }
  return right;
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  bool right = AllWays<half, float>(mt::DataType::DT_FLOAT16, mt::DataType::DT_FLOAT);
  right &= AllWays<bfloat16_t, float>(mt::DataType::DT_BF16, mt::DataType::DT_FLOAT);
  right &= AllWays<float, float>(mt::DataType::DT_FLOAT, mt::DataType::DT_FLOAT);
  right &= AllWays<int8_t, int32_t>(mt::DataType::DT_INT8, mt::DataType::DT_INT32);
  aclrtResetDevice(0);
  aclFinalize();
  if (!right) aclrtFree(&right);  // a finding, which is what cases are compared by
  return 0;
}
