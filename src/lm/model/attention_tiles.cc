// Compiled for processors with AMX and AVX-512 (CMakeLists.txt): nothing here may be called before
// TilesTake, and nothing that other files instantiate, too, may be used here.
//
// A tile has 16 rows of 64 bytes: 16 floats, or 32 numbers of bfloat16. A product takes its left
// operand as rows along the dimension that is summed over, and its right one as pairs: row r of a
// tile holds, for each of 16 columns, the numbers 2r and 2r+1 of that dimension.
#include "lm/model/attention_tiles.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace akgen::lm::kernels {
namespace {
using Short = uint16_t;

struct TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
struct Tiles {  // lent while it lives
  Tiles() {
    TileConfig c;
    _tile_loadconfig(&c);
  }
  ~Tiles() { _tile_release(); }
};

// Aligned memory, given out in pieces.
class Scratch {
 public:
  explicit Scratch(size_t bytes)
      : all_(static_cast<char*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64))), next_(all_) {}
  ~Scratch() { std::free(all_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  template <class T>
  T* Take(int64_t count) {
    T* out = reinterpret_cast<T*>(next_);
    next_ += (static_cast<size_t>(count) * sizeof(T) + 63) / 64 * 64;
    return out;
  }

 private:
  char *all_, *next_;
};

inline __m512 Exp(__m512 x) {  // as FastExp
  x = _mm512_min_ps(_mm512_max_ps(x, _mm512_set1_ps(-87.0f)), _mm512_set1_ps(88.0f));
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 0);
  const __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4f),
                                    _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375f), x));
  __m512 p = _mm512_set1_ps(1.3981999507e-3f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(8.3334519073e-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(4.1665795894e-2f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.6666665459e-1f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.0000001201e-1f));
  p = _mm512_add_ps(_mm512_fmadd_ps(_mm512_mul_ps(p, r), r, r), _mm512_set1_ps(1.0f));
  return _mm512_scalef_ps(p, n);
}
inline __m512i Both(__m512 low, __m512 high) { return (__m512i)_mm512_cvtne2ps_pbh(high, low); }

// `length` rows of d floats, `width` apart, as rows of bfloat16; zeros up to `all` rows.
void Rows(const float* x, int64_t width, int64_t length, int64_t all, int64_t d, Short* out) {
  for (int64_t r = 0; r < length; ++r)
    for (int64_t i = 0; i < d; i += 32)
      _mm512_storeu_si512(out + r * d + i, Both(_mm512_loadu_ps(x + r * width + i),
                                                _mm512_loadu_ps(x + r * width + i + 16)));
  std::memset(out + length * d, 0, static_cast<size_t>((all - length) * d) * sizeof(Short));
}
// Rows as the right operand of a sum along d: tile [all / 16][d / 32], each 16 pairs by 16 rows.
void Turned(const Short* rows, int64_t all, int64_t d, Short* out) {
  const auto* from = reinterpret_cast<const uint32_t*>(rows);
  auto* to = reinterpret_cast<uint32_t*>(out);
  for (int64_t t = 0; t < all; t += 16)
    for (int64_t c = 0; c < d / 32; ++c, to += 256)
      for (int64_t r = 0; r < 16; ++r)
        for (int64_t pair = 0; pair < 16; ++pair)
          to[pair * 16 + r] = from[(t + r) * (d / 2) + c * 16 + pair];
}
// Rows as the right operand of a sum along rows: [all / 2][d] pairs.
void Pairs(const Short* rows, int64_t all, int64_t d, Short* out) {
  auto* to = reinterpret_cast<uint32_t*>(out);
  for (int64_t r = 0; r < all; r += 2)
    for (int64_t i = 0; i < d; ++i)
      *to++ = uint32_t(rows[r * d + i]) | uint32_t(rows[(r + 1) * d + i]) << 16;
}
// [d][all]
void Transposed(const Short* rows, int64_t all, int64_t d, Short* out) {
  for (int64_t r = 0; r < all; ++r)
    for (int64_t i = 0; i < d; ++i) out[i * all + r] = rows[r * d + i];
}

// The compiler knows that tiles are stored to memory, not that they are loaded from it.
inline void Written() { __asm__ volatile("" ::: "memory"); }

// c[16][16] = left rows times turned tiles; a row of c is `stride` floats.
inline void AlongHead(const Short* left, const Short* turned, int64_t d, float* c, int64_t stride) {
  Written();
  _tile_zero(0);
  for (int64_t k = 0; k < d; k += 32) {
    _tile_loadd(1, left + k, d * 2);
    _tile_loadd(2, turned + k * 16, 64);
    _tile_dpbf16ps(0, 1, 2);
  }
  _tile_stored(0, c, stride * 4);
}
// c[16][16] += left[16][32] right[32][16]; strides in bytes.
inline void AddTo(float* c, int64_t c_stride, const Short* left, int64_t left_stride,
                  const Short* right, int64_t right_stride) {
  Written();
  _tile_loadd(3, c, c_stride);
  _tile_loadd(4, left, left_stride);
  _tile_loadd(5, right, right_stride);
  _tile_dpbf16ps(3, 4, 5);
  _tile_stored(3, c, c_stride);
}

int64_t Whole(int64_t length) { return (length + 31) / 32 * 32; }

bool Lent() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  const bool tiles = (d >> 22 & 1) && (d >> 24 & 1),
             wide = (b >> 16 & 1) && (b >> 30 & 1) && (b >> 31 & 1);
  if (!tiles || !wide || !__get_cpuid_count(7, 1, &a, &b, &c, &d) || !(a >> 5 & 1)) return false;
  constexpr long kAskPermission = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kAskPermission, kTileData) == 0;
}

// exp(scale * (s - largest)) of one row's first `seen` scores as bfloat16, zeros after them;
// returns the sum.
float Softmax(const float* s, int64_t seen, int64_t all, float scale, Short* p, float& largest) {
  __m512 most = _mm512_set1_ps(-INFINITY), sum = _mm512_setzero_ps();
  auto mask = [&](int64_t i) {
    return seen - i >= 16 ? __mmask16(0xffff)
           : seen <= i    ? __mmask16(0)
                          : __mmask16((1u << (seen - i)) - 1);
  };
  for (int64_t i = 0; i < seen; i += 16)
    most = _mm512_max_ps(most, _mm512_mask_loadu_ps(most, mask(i), s + i));
  largest = _mm512_reduce_max_ps(most);
  const __m512 top = _mm512_set1_ps(largest), by = _mm512_set1_ps(scale);
  for (int64_t i = 0; i < all; i += 32) {
    __m512 e[2];
    for (int64_t half = 0; half < 2; ++half) {
      const __mmask16 m = mask(i + 16 * half);
      e[half] = _mm512_maskz_mov_ps(
          m,
          Exp(_mm512_mul_ps(_mm512_sub_ps(_mm512_maskz_loadu_ps(m, s + i + 16 * half), top), by)));
      sum = _mm512_add_ps(sum, e[half]);
    }
    _mm512_storeu_si512(p + i, Both(e[0], e[1]));
  }
  return _mm512_reduce_add_ps(sum);
}

// One segment of `length` rows; `stride` tokens lie between lse's heads.
void Forward(const AttentionShape& s, const float* rows, int64_t length, float* out, float* lse,
             int64_t stride) {
  const int64_t d = s.head_dim, w = s.width(), ow = s.heads * d, all = Whole(length),
                group = s.heads / s.kv_heads;
  const float scale = 1.0f / std::sqrt(float(d));
  Scratch scratch(static_cast<size_t>(all * d) * 2 * 4 + static_cast<size_t>(16 * all) * 6 +
                  static_cast<size_t>(16 * d) * 4 + 64 * 8);
  Short *k = scratch.Take<Short>(all * d), *k_turned = scratch.Take<Short>(all * d),
        *v_pairs = scratch.Take<Short>(all * d), *q = scratch.Take<Short>(all * d),
        *p = scratch.Take<Short>(16 * all);
  float *scores = scratch.Take<float>(16 * all), *sums = scratch.Take<float>(16 * d);
  Tiles tiles;
  for (int64_t h = 0; h < s.heads; ++h) {
    if (h % group == 0) {
      const float* keys = rows + (s.heads + h / group) * d;
      Rows(keys + s.kv_heads * d, w, length, all, d, k);
      Pairs(k, all, d, v_pairs);
      Rows(keys, w, length, all, d, k);
      Turned(k, all, d, k_turned);
    }
    Rows(rows + h * d, w, length, all, d, q);
    for (int64_t i = 0; i < length; i += 16) {
      const int64_t n = length - i < 16 ? length - i : 16, reach = Whole(i + 16);
      for (int64_t j = 0; j < i + 16; j += 16)
        AlongHead(q + i * d, k_turned + j * d, d, scores + j, all);
      float inverse[16];
      for (int64_t r = 0; r < n; ++r) {
        float largest = 0,
              sum = Softmax(scores + r * all, i + r + 1, reach, scale, p + r * all, largest);
        inverse[r] = 1.0f / sum;
        lse[h * stride + i + r] = largest * scale + std::log(sum);
      }
      for (int64_t r = n; r < 16; ++r)
        std::memset(p + r * all, 0, static_cast<size_t>(reach) * sizeof(Short));
      Written();
      for (int64_t c = 0; c < d; c += 32) {
        _tile_zero(0);
        _tile_zero(1);
        for (int64_t j = 0; j < reach; j += 32) {
          _tile_loadd(2, p + j, all * 2);
          _tile_loadd(3, v_pairs + j * d + c * 2, d * 4);
          _tile_loadd(4, v_pairs + j * d + c * 2 + 32, d * 4);
          _tile_dpbf16ps(0, 2, 3);
          _tile_dpbf16ps(1, 2, 4);
        }
        _tile_stored(0, sums + c, d * 4);
        _tile_stored(1, sums + c + 16, d * 4);
      }
      for (int64_t r = 0; r < n; ++r)
        for (int64_t c = 0; c < d; c += 16)
          _mm512_storeu_ps(
              out + (i + r) * ow + h * d + c,
              _mm512_mul_ps(_mm512_loadu_ps(sums + r * d + c), _mm512_set1_ps(inverse[r])));
    }
  }
}

// 32 rows of 32 queries each: two rows of keys into pairs.
void KeyPairs(const Short* rows, Short* pairs) {
  alignas(64) Short low[32], high[32];
  for (int i = 0; i < 16; ++i)
    low[2 * i] = Short(i), low[2 * i + 1] = Short(32 + i), high[2 * i] = Short(16 + i),
            high[2 * i + 1] = Short(48 + i);
  const __m512i low_pairs = _mm512_load_si512(low), high_pairs = _mm512_load_si512(high);
  for (int64_t r = 0; r < 32; r += 2) {
    const __m512i one = _mm512_load_si512(rows + r * 32),
                  two = _mm512_load_si512(rows + r * 32 + 32);
    _mm512_store_si512(pairs + r * 32, _mm512_permutex2var_epi16(one, low_pairs, two));
    _mm512_store_si512(pairs + r * 32 + 32, _mm512_permutex2var_epi16(one, high_pairs, two));
  }
}

// dot[i] = d_out[i] . out[i] of one head, 0 behind `length`.
void Dots(const float* d_out, const float* out, int64_t length, int64_t all, int64_t d,
          int64_t width, float* dot) {
  for (int64_t i = 0; i < all; ++i) {
    __m512 sum = _mm512_setzero_ps();
    for (int64_t c = 0; i < length && c < d; c += 16)
      sum = _mm512_fmadd_ps(_mm512_loadu_ps(d_out + i * width + c),
                            _mm512_loadu_ps(out + i * width + c), sum);
    dot[i] = _mm512_reduce_add_ps(sum);
  }
}

void Backward(const AttentionShape& s, const float* d_out, const float* rows, const float* out,
              const float* lse, int64_t length, int64_t stride, float* d_rows) {
  const int64_t d = s.head_dim, w = s.width(), ow = s.heads * d, all = Whole(length),
                group = s.heads / s.kv_heads;
  const float scale = 1.0f / std::sqrt(float(d));
  Scratch scratch(static_cast<size_t>(all * d) * (2 * 9 + 4 * 2) + static_cast<size_t>(all) * 8 +
                  static_cast<size_t>(32 * d) * 4 + 32 * 32 * (4 * 2 + 2 * 3) + 64 * 20);
  auto take = [&] { return scratch.Take<Short>(all * d); };
  Short *k = take(), *k_across = take(), *v = take(), *q = take(), *q_turned = take(),
        *q_pairs = take(), *go = take(), *go_turned = take(), *go_pairs = take();
  float *dk = scratch.Take<float>(all * d), *dv = scratch.Take<float>(all * d),
        *dq = scratch.Take<float>(32 * d), *log_sum = scratch.Take<float>(all),
        *dot = scratch.Take<float>(all);
  float *st = scratch.Take<float>(32 * 32), *dpt = scratch.Take<float>(32 * 32);
  Short *pt = scratch.Take<Short>(32 * 32), *dst = scratch.Take<Short>(32 * 32),
        *ds_pairs = scratch.Take<Short>(32 * 32);
  const __m512 by = _mm512_set1_ps(scale);
  Tiles tiles;
  for (int64_t h = 0; h < s.heads; ++h) {
    const int64_t q_at = h * d, k_at = (s.heads + h / group) * d, v_at = k_at + s.kv_heads * d;
    if (h % group == 0) {
      Rows(rows + k_at, w, length, all, d, k);
      Transposed(k, all, d, k_across);
      Rows(rows + v_at, w, length, all, d, v);
      std::memset(dk, 0, static_cast<size_t>(all * d) * 4);
      std::memset(dv, 0, static_cast<size_t>(all * d) * 4);
    }
    Rows(rows + q_at, w, length, all, d, q);
    Turned(q, all, d, q_turned);
    Pairs(q, all, d, q_pairs);
    Rows(d_out + h * d, ow, length, all, d, go);
    Turned(go, all, d, go_turned);
    Pairs(go, all, d, go_pairs);
    for (int64_t i = 0; i < all; ++i) log_sum[i] = i < length ? lse[h * stride + i] : 1e30f;
    Dots(d_out + h * d, out + h * d, length, all, d, ow, dot);
    for (int64_t i = 0; i < all; i += 32) {  // queries
      std::memset(dq, 0, static_cast<size_t>(32 * d) * 4);
      for (int64_t j = 0; j <= i; j += 32) {  // keys
        for (int64_t a = 0; a < 32; a += 16)
          for (int64_t b = 0; b < 32; b += 16) {
            AlongHead(k + (j + a) * d, q_turned + (i + b) * d, d, st + a * 32 + b, 32);
            AlongHead(v + (j + a) * d, go_turned + (i + b) * d, d, dpt + a * 32 + b, 32);
          }
        for (int64_t r = 0; r < 32; ++r) {
          __m512 p[2], ds[2];
          for (int64_t b = 0; b < 2; ++b) {
            const int64_t first = j + r - i - 16 * b;  // the first query that sees this key
            const __mmask16 m = first <= 0   ? __mmask16(0xffff)
                                : first > 15 ? __mmask16(0)
                                             : __mmask16(0xffffu << first);
            p[b] =
                _mm512_maskz_mov_ps(m, Exp(_mm512_fmsub_ps(_mm512_load_ps(st + r * 32 + 16 * b), by,
                                                           _mm512_load_ps(log_sum + i + 16 * b))));
            ds[b] = _mm512_mul_ps(_mm512_mul_ps(p[b], by),
                                  _mm512_sub_ps(_mm512_load_ps(dpt + r * 32 + 16 * b),
                                                _mm512_load_ps(dot + i + 16 * b)));
          }
          _mm512_store_si512(pt + r * 32, Both(p[0], p[1]));
          _mm512_store_si512(dst + r * 32, Both(ds[0], ds[1]));
        }
        KeyPairs(dst, ds_pairs);
        for (int64_t c = 0; c < d; c += 16) {
          for (int64_t a = 0; a < 32; a += 16) {
            AddTo(dv + (j + a) * d + c, d * 4, pt + a * 32, 64, go_pairs + i * d + c * 2, d * 4);
            AddTo(dk + (j + a) * d + c, d * 4, dst + a * 32, 64, q_pairs + i * d + c * 2, d * 4);
          }
          for (int64_t b = 0; b < 32; b += 16)
            AddTo(dq + c * 32 + b, 32 * 4, k_across + c * all + j, all * 2, ds_pairs + b * 2, 128);
        }
      }
      for (int64_t r = 0; r < 32 && i + r < length; ++r)
        for (int64_t c = 0; c < d; ++c) d_rows[(i + r) * w + q_at + c] = dq[c * 32 + r];
    }
    if ((h + 1) % group) continue;
    for (int64_t i = 0; i < length; ++i) {
      std::memcpy(d_rows + i * w + k_at, dk + i * d, static_cast<size_t>(d) * 4);
      std::memcpy(d_rows + i * w + v_at, dv + i * d, static_cast<size_t>(d) * 4);
    }
  }
}

}  // namespace

bool TilesTake(const AttentionShape& s) {
  static const bool lent = Lent();
  return lent && s.head_dim % 32 == 0;
}

void TileAttention(const AttentionShape& s, const float* rows, const int64_t* start,
                   int64_t segments, float* out, float* lse) {
  const int64_t ow = s.heads * s.head_dim;
  for (int64_t g = 0; g < segments; ++g)
    Forward(s, rows + start[g] * s.width(), start[g + 1] - start[g], out + start[g] * ow,
            lse + start[g], start[segments]);
}

void TileAttentionBackward(const AttentionShape& s, const float* d_out, const float* rows,
                           const float* out, const float* lse, const int64_t* start,
                           int64_t segments, float* d_rows) {
  const int64_t w = s.width(), ow = s.heads * s.head_dim;
  for (int64_t g = 0; g < segments; ++g)
    Backward(s, d_out + start[g] * ow, rows + start[g] * w, out + start[g] * ow, lse + start[g],
             start[g + 1] - start[g], start[segments], d_rows + start[g] * w);
}

}  // namespace akgen::lm::kernels

#else
namespace akgen::lm::kernels {
bool TilesTake(const AttentionShape&) { return false; }
void TileAttention(const AttentionShape&, const float*, const int64_t*, int64_t, float*, float*) {}
void TileAttentionBackward(const AttentionShape&, const float*, const float*, const float*,
                           const float*, const int64_t*, int64_t, float*) {}
}  // namespace akgen::lm::kernels
#endif
