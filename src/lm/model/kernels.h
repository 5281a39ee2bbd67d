// The parts of a decoder between its matrix products, on one processor, in float32: plain loops
// over rows, forward and backward. One thread each; the trainer runs several. Gradients of
// parameters are added to what is there, others set.
//   N tokens, C channels, F width of the gated layer, H query heads on K key heads, D channels a
//   head
#pragma once
#include <cstdint>
#include <vector>

namespace akgen::lm::kernels {

// y = x / rms(x) * w for each of `rows` rows; `rstd[rows]` is kept for the way back.
void RmsNorm(const float* x, const float* w, float epsilon, int64_t rows, int64_t width, float* y,
             float* rstd);
// `dw` may be null.
void RmsNormBackward(const float* dy, const float* x, const float* w, const float* rstd,
                     int64_t rows, int64_t width, float* dx, float* dw);

// h[N,F] = silu(g) * u of gu[N,2F], g before u in each row.
void SwiGlu(const float* gu, int64_t rows, int64_t width, float* h);
void SwiGluBackward(const float* dh, const float* gu, int64_t rows, int64_t width, float* dgu);

// cos and sin of every position's angles: `table[positions][2][D/2]`.
std::vector<float> RopeTable(int64_t positions, int64_t head_dim, double theta);

struct AttentionShape {
  int64_t heads, kv_heads, head_dim;
  float epsilon;
  int64_t qk_heads() const { return heads + kv_heads; }
  int64_t width() const { return (heads + 2 * kv_heads) * head_dim; }
};

// Rows qkv[N,(H+2K)D]: normalises each query and key head, rotates it by its token's position,
// copies the values. `rstd[N][H+K]`. Without norms where `q_norm` is null.
void NormRope(const AttentionShape& s, const float* qkv, const float* q_norm, const float* k_norm,
              const float* table, const int32_t* position, int64_t tokens, float* out, float* rstd);
// d_out may be d_qkv: rows are read before they are written.
void NormRopeBackward(const AttentionShape& s, const float* d_out, const float* qkv,
                      const float* q_norm, const float* k_norm, const float* table,
                      const int32_t* position, const float* rstd, int64_t tokens, float* d_qkv,
                      float* dq_norm, float* dk_norm);

// Causal attention inside each segment [start[i], start[i+1]) of rows as NormRope leaves them:
// out[N,HD], lse[H][N] = log of the sum of exponentials of each query's scores.
void Attention(const AttentionShape& s, const float* rows, const std::vector<int64_t>& start,
               float* out, float* lse);
void AttentionBackward(const AttentionShape& s, const float* d_out, const float* rows,
                       const float* out, const float* lse, const std::vector<int64_t>& start,
                       float* d_rows);

// One new query row against `tokens` rows of keys and values [2KD], its own included.
void CachedAttention(const AttentionShape& s, const float* row, const float* cache, int64_t tokens,
                     float* out);

// logits[M,V] to log_p[M] of the targets; with `grad[M]` instead, logits become grad * (onehot -
// softmax) in place.
void LogProbs(float* logits, const int64_t* target, int64_t rows, int64_t width, float* log_p,
              float* lse);
void LogProbsBackward(float* logits, const int64_t* target, const float* lse, const float* grad,
                      int64_t rows, int64_t width);

struct AdamW {
  float lr, beta1, beta2, epsilon, weight_decay;
  float correction1, correction2;  // 1 - beta^step
};
// One step over n parameters; `decay` where weights decay (matrices), 0 or 1 for the span.
void AdamWStep(const AdamW& a, bool decay, float scale, int64_t n, float* w, const float* g,
               float* m, float* v);
double SumOfSquares(const float* g, int64_t n);
void Add(const float* from, int64_t n, float* to);

}  // namespace akgen::lm::kernels
