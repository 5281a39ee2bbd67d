// Causal attention in blocks of queries: scores of a block against all keys before it fit the
// cache, and are computed again on the way back instead of being kept.
#include <algorithm>
#include <cmath>

#include "lm/model/blas.h"
#include "lm/model/fast_exp.h"
#include "lm/model/kernels.h"

namespace akgen::lm::kernels {
namespace {
constexpr int64_t kBlock = 128;  // queries of one block

// Rows of q and k lie `width` apart; head h of the queries uses head h / (H / K) of keys and
// values.
struct Head {
  const float *q, *k, *v;
  int64_t q_at, k_at, v_at;  // offsets inside a row
};
Head HeadOf(const AttentionShape& s, const float* rows, int64_t h) {
  int64_t kv = h / (s.heads / s.kv_heads), d = s.head_dim;
  Head x{};
  x.q_at = h * d, x.k_at = (s.heads + kv) * d, x.v_at = (s.heads + s.kv_heads + kv) * d;
  x.q = rows + x.q_at, x.k = rows + x.k_at, x.v = rows + x.v_at;
  return x;
}
}  // namespace

void Attention(const AttentionShape& s, const float* rows, const std::vector<int64_t>& start,
               float* out, float* lse) {
  int64_t d = s.head_dim, w = s.width(), ow = s.heads * d, all = start.back();
  float scale = 1.0f / std::sqrt(float(d));
  std::vector<float> scores;
  for (size_t g = 0; g + 1 < start.size(); ++g) {
    int64_t from = start[g], length = start[g + 1] - from;
    scores.resize(size_t(std::min(kBlock, length) * length));
    for (int64_t h = 0; h < s.heads; ++h) {
      Head x = HeadOf(s, rows + from * w, h);
      for (int64_t i = 0; i < length; i += kBlock) {
        int64_t n = std::min(kBlock, length - i), keys = i + n;
        Gemm(false, true, n, keys, d, scale, x.q + i * w, w, x.k, w, 0, scores.data(), keys);
        for (int64_t r = 0; r < n; ++r) {
          float *p = scores.data() + r * keys, most = p[0], sum = 0;
          int64_t seen = i + r + 1;
          for (int64_t c = 1; c < seen; ++c) most = p[c] > most ? p[c] : most;
          for (int64_t c = 0; c < seen; ++c) sum += p[c] = FastExp(p[c] - most);
          float inverse = 1.0f / sum;
          for (int64_t c = 0; c < seen; ++c) p[c] *= inverse;
          for (int64_t c = seen; c < keys; ++c) p[c] = 0;
          lse[h * all + from + i + r] = most + std::log(sum);
        }
        Gemm(false, false, n, d, keys, 1, scores.data(), keys, x.v, w, 0,
             out + (from + i) * ow + h * d, ow);
      }
    }
  }
}

void AttentionBackward(const AttentionShape& s, const float* d_out, const float* rows,
                       const float* out, const float* lse, const std::vector<int64_t>& start,
                       float* d_rows) {
  int64_t d = s.head_dim, w = s.width(), ow = s.heads * d, all = start.back();
  float scale = 1.0f / std::sqrt(float(d));
  std::vector<float> p, dp;
  std::fill(d_rows, d_rows + all * w, 0.0f);
  for (size_t g = 0; g + 1 < start.size(); ++g) {
    int64_t from = start[g], length = start[g + 1] - from;
    p.resize(size_t(std::min(kBlock, length) * length)), dp.resize(p.size());
    for (int64_t h = 0; h < s.heads; ++h) {
      Head x = HeadOf(s, rows + from * w, h);
      float* to = d_rows + from * w;
      for (int64_t i = 0; i < length; i += kBlock) {
        int64_t n = std::min(kBlock, length - i), keys = i + n;
        const float *go = d_out + (from + i) * ow + h * d, *o = out + (from + i) * ow + h * d;
        Gemm(false, true, n, keys, d, scale, x.q + i * w, w, x.k, w, 0, p.data(), keys);
        Gemm(false, true, n, keys, d, 1, go, ow, x.v, w, 0, dp.data(), keys);
        for (int64_t r = 0; r < n; ++r) {
          float *pr = p.data() + r * keys, *dr = dp.data() + r * keys,
                l = lse[h * all + from + i + r], dot = 0;
          int64_t seen = i + r + 1;
          for (int64_t c = 0; c < d; ++c) dot += go[r * ow + c] * o[r * ow + c];
          for (int64_t c = 0; c < seen; ++c) {
            pr[c] = FastExp(pr[c] - l);
            dr[c] = pr[c] * (dr[c] - dot) * scale;
          }
          for (int64_t c = seen; c < keys; ++c) pr[c] = dr[c] = 0;
        }
        Gemm(true, false, keys, d, n, 1, p.data(), keys, go, ow, 1, to + x.v_at, w);
        Gemm(false, false, n, d, keys, 1, dp.data(), keys, x.k, w, 0, to + i * w + x.q_at, w);
        Gemm(true, false, keys, d, n, 1, dp.data(), keys, x.q + i * w, w, 1, to + x.k_at, w);
      }
    }
  }
}

void CachedAttention(const AttentionShape& s, const float* row, const float* cache, int64_t tokens,
                     float* out) {
  int64_t d = s.head_dim, width = 2 * s.kv_heads * d, group = s.heads / s.kv_heads;
  float scale = 1.0f / std::sqrt(float(d));
  std::vector<float> p(static_cast<size_t>(tokens));
  for (int64_t h = 0; h < s.heads; ++h) {
    const float *q = row + h * d, *k = cache + (h / group) * d, *v = k + s.kv_heads * d;
    float most = -INFINITY, sum = 0, *o = out + h * d;
    for (int64_t t = 0; t < tokens; ++t) {
      float dot = 0;
      for (int64_t i = 0; i < d; ++i) dot += q[i] * k[t * width + i];
      p[size_t(t)] = dot * scale;
      most = p[size_t(t)] > most ? p[size_t(t)] : most;
    }
    for (int64_t t = 0; t < tokens; ++t) sum += p[size_t(t)] = FastExp(p[size_t(t)] - most);
    for (int64_t i = 0; i < d; ++i) o[i] = 0;
    for (int64_t t = 0; t < tokens; ++t) {
      float x = p[size_t(t)] / sum;
      for (int64_t i = 0; i < d; ++i) o[i] += x * v[t * width + i];
    }
  }
}

}  // namespace akgen::lm::kernels
