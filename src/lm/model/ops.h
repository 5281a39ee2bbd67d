// The differentiable parts of a decoder. On a processor in float32 they run the fused loops of
// kernels.h; elsewhere, and when `UseFused(false)` was said (tests), the same mathematics in
// libtorch's own operations.
#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "lm/model/kernels.h"

namespace akgen::lm {

// Which rows belong together: sequence i is rows [start[i], start[i+1]), its positions count from
// 0. Must outlive the backward pass of what was computed with it.
struct Packing {
  kernels::AttentionShape shape{};
  std::vector<int64_t> start;
  std::vector<int32_t> position;
  std::shared_ptr<const std::vector<float>> rope;  // kernels::RopeTable
};

void UseFused(bool on);
// Matrix products of float32 tensors on a processor round their operands to bfloat16 from now on,
// twice as fast where it has instructions for that; sums are float32, results rounded once.
void UseShortProducts(bool on);

// x[N,C] w[F,C]^T
at::Tensor Linear(const at::Tensor& x, const at::Tensor& w);

// What an adapter adds to rows [row, row + rows) of a frozen matrix: scale * b a.
struct LowRank {
  at::Tensor a, b;  // [r,C], [rows,r]
  int64_t row = 0, rows = 0;
  double scale = 1;
};
// Linear and what adapters add to it; `w` has no gradient where there are some. `part`: w is this
// one of the matrices that the adapters' rows count over.
at::Tensor AdaptedLinear(const at::Tensor& x, const at::Tensor& w,
                         const std::vector<LowRank>& adapters, int64_t part = 0);

// x[N,C] / rms(x) * w[C]
at::Tensor RmsNorm(const at::Tensor& x, const at::Tensor& w, double epsilon);
// gu[N,2F] to silu(g) * u [N,F]
at::Tensor SwiGlu(const at::Tensor& gu);
// qkv[N,(H+2K)D] to the heads' outputs [N,HD]: norm of queries and keys (none where the weights are
// undefined), rotation, causal attention per sequence
at::Tensor Attend(const at::Tensor& qkv, const at::Tensor& q_norm, const at::Tensor& k_norm,
                  const Packing& packing);
// The first half of Attend alone, for decoding with a cache: rows [N,(H+2K)D], no gradients
at::Tensor NormRopeRows(const at::Tensor& qkv, const at::Tensor& q_norm, const at::Tensor& k_norm,
                        const Packing& packing);
// log p(target) of softmax(hidden[M,C] head[V,C]^T), float32 [M]; logits exist for a few hundred
// rows at a time
at::Tensor TokenLogProbs(const at::Tensor& hidden, const at::Tensor& head,
                         const at::Tensor& target);

}  // namespace akgen::lm
