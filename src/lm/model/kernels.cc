#include "lm/model/kernels.h"

#include <cmath>
#include <cstring>

#include "lm/model/fast_exp.h"

namespace akgen::lm::kernels {

void RmsNorm(const float* x, const float* w, float epsilon, int64_t rows, int64_t width, float* y,
             float* rstd) {
  for (int64_t r = 0; r < rows; ++r, x += width, y += width) {
    float sum = 0;
    for (int64_t i = 0; i < width; ++i) sum += x[i] * x[i];
    float s = rstd[r] = 1.0f / std::sqrt(sum / float(width) + epsilon);
    for (int64_t i = 0; i < width; ++i) y[i] = x[i] * s * w[i];
  }
}

void RmsNormBackward(const float* dy, const float* x, const float* w, const float* rstd,
                     int64_t rows, int64_t width, float* dx, float* dw) {
  for (int64_t r = 0; r < rows; ++r, x += width, dy += width, dx += width) {
    float s = rstd[r], dot = 0;
    for (int64_t i = 0; i < width; ++i) dot += dy[i] * w[i] * x[i];
    float back = dot * s * s * s / float(width);
    for (int64_t i = 0; i < width; ++i) dx[i] = dy[i] * w[i] * s - x[i] * back;
    for (int64_t i = 0; dw && i < width; ++i) dw[i] += dy[i] * x[i] * s;
  }
}

void SwiGlu(const float* gu, int64_t rows, int64_t width, float* h) {
  for (int64_t r = 0; r < rows; ++r, gu += 2 * width, h += width) {
    const float *g = gu, *u = gu + width;
    for (int64_t i = 0; i < width; ++i) h[i] = g[i] / (1.0f + FastExp(-g[i])) * u[i];
  }
}

void SwiGluBackward(const float* dh, const float* gu, int64_t rows, int64_t width, float* dgu) {
  for (int64_t r = 0; r < rows; ++r, gu += 2 * width, dgu += 2 * width, dh += width) {
    const float *g = gu, *u = gu + width;
    float *dg = dgu, *du = dgu + width;
    for (int64_t i = 0; i < width; ++i) {
      float s = 1.0f / (1.0f + FastExp(-g[i])), silu = g[i] * s;
      du[i] = dh[i] * silu;
      dg[i] = dh[i] * u[i] * (s + silu * (1.0f - s));
    }
  }
}

std::vector<float> RopeTable(int64_t positions, int64_t head_dim, double theta) {
  int64_t half = head_dim / 2;
  std::vector<float> table(size_t(positions * head_dim));
  for (int64_t i = 0; i < half; ++i) {
    float frequency = float(
        1.0 / std::pow(theta, double(2 * i) / double(head_dim)));  // rounded as the reference does
    for (int64_t p = 0; p < positions; ++p) {
      float angle = float(p) * frequency;
      table[size_t(p * head_dim + i)] = float(std::cos(double(angle)));
      table[size_t(p * head_dim + half + i)] = float(std::sin(double(angle)));
    }
  }
  return table;
}

void NormRope(const AttentionShape& s, const float* qkv, const float* q_norm, const float* k_norm,
              const float* table, const int32_t* position, int64_t tokens, float* out,
              float* rstd) {
  int64_t d = s.head_dim, half = d / 2;
  for (int64_t t = 0; t < tokens; ++t, qkv += s.width(), out += s.width(), rstd += s.qk_heads()) {
    const float *cos = table + position[t] * d, *sin = cos + half;
    for (int64_t h = 0; h < s.qk_heads(); ++h) {
      const float *x = qkv + h * d, *w = h < s.heads ? q_norm : k_norm;
      float* y = out + h * d;
      if (!w) {
        for (int64_t i = 0; i < half; ++i) {
          y[i] = x[i] * cos[i] - x[i + half] * sin[i];
          y[i + half] = x[i + half] * cos[i] + x[i] * sin[i];
        }
        continue;
      }
      float sum = 0;
      for (int64_t i = 0; i < d; ++i) sum += x[i] * x[i];
      float r = rstd[h] = 1.0f / std::sqrt(sum / float(d) + s.epsilon);
      for (int64_t i = 0; i < half; ++i) {
        float a = x[i] * r * w[i], b = x[i + half] * r * w[i + half];
        y[i] = a * cos[i] - b * sin[i];
        y[i + half] = b * cos[i] + a * sin[i];
      }
    }
    std::memcpy(out + s.qk_heads() * d, qkv + s.qk_heads() * d,
                size_t(s.kv_heads * d) * sizeof(float));
  }
}

void NormRopeBackward(const AttentionShape& s, const float* d_out, const float* qkv,
                      const float* q_norm, const float* k_norm, const float* table,
                      const int32_t* position, const float* rstd, int64_t tokens, float* d_qkv,
                      float* dq_norm, float* dk_norm) {
  int64_t d = s.head_dim, half = d / 2;
  std::vector<float> turned(static_cast<size_t>(d));
  for (int64_t t = 0; t < tokens;
       ++t, qkv += s.width(), d_out += s.width(), d_qkv += s.width(), rstd += s.qk_heads()) {
    const float *cos = table + position[t] * d, *sin = cos + half;
    for (int64_t h = 0; h < s.qk_heads(); ++h) {
      const float *x = qkv + h * d, *w = h < s.heads ? q_norm : k_norm, *dy = d_out + h * d;
      float *dx = d_qkv + h * d, *dw = h < s.heads ? dq_norm : dk_norm, *g = turned.data();
      for (int64_t i = 0; i < half; ++i) {
        g[i] = dy[i] * cos[i] + dy[i + half] * sin[i];
        g[i + half] = dy[i + half] * cos[i] - dy[i] * sin[i];
      }
      if (!w) {
        std::memcpy(dx, g, size_t(d) * sizeof(float));
        continue;
      }
      float r = rstd[h], dot = 0;
      for (int64_t i = 0; i < d; ++i) dot += g[i] * w[i] * x[i];
      float back = dot * r * r * r / float(d);
      for (int64_t i = 0; i < d; ++i) {
        dw[i] += g[i] * x[i] * r;
        dx[i] = g[i] * w[i] * r - x[i] * back;
      }
    }
    if (d_qkv != d_out)
      std::memcpy(d_qkv + s.qk_heads() * d, d_out + s.qk_heads() * d,
                  size_t(s.kv_heads * d) * sizeof(float));
  }
}

void LogProbs(float* logits, const int64_t* target, int64_t rows, int64_t width, float* log_p,
              float* lse) {
  for (int64_t r = 0; r < rows; ++r, logits += width) {
    float most = logits[0], sum = 0;
    for (int64_t i = 1; i < width; ++i) most = logits[i] > most ? logits[i] : most;
    for (int64_t i = 0; i < width; ++i) sum += FastExp(logits[i] - most);
    lse[r] = most + std::log(sum);
    log_p[r] = logits[target[r]] - lse[r];
  }
}

void LogProbsBackward(float* logits, const int64_t* target, const float* lse, const float* grad,
                      int64_t rows, int64_t width) {
  for (int64_t r = 0; r < rows; ++r, logits += width) {
    float g = grad[r], l = lse[r];
    for (int64_t i = 0; i < width; ++i) logits[i] = -g * FastExp(logits[i] - l);
    logits[target[r]] += g;
  }
}

void AdamWStep(const AdamW& a, bool decay, float scale, int64_t n, float* w, const float* g,
               float* m, float* v) {
  float step = a.lr / a.correction1, root = 1.0f / std::sqrt(a.correction2),
        keep = 1.0f - (decay ? a.lr * a.weight_decay : 0.0f);
  for (int64_t i = 0; i < n; ++i) {
    float x = g[i] * scale;
    m[i] = a.beta1 * m[i] + (1.0f - a.beta1) * x;
    v[i] = a.beta2 * v[i] + (1.0f - a.beta2) * x * x;
    w[i] = w[i] * keep - step * m[i] / (std::sqrt(v[i]) * root + a.epsilon);
  }
}

double SumOfSquares(const float* g, int64_t n) {
  double all = 0;
  for (int64_t i = 0; i < n; i += 4096) {  // short sums in float, long ones in double
    float sum = 0;
    for (int64_t k = i, end = i + 4096 < n ? i + 4096 : n; k < end; ++k) sum += g[k] * g[k];
    all += double(sum);
  }
  return all;
}

void Add(const float* from, int64_t n, float* to) {
  for (int64_t i = 0; i < n; ++i) to[i] += from[i];
}

}  // namespace akgen::lm::kernels
