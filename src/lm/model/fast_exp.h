// exp(x) in float32 to two units in the last place, written so that a compiler makes vector code of
// a loop over it.
#pragma once
#include <cstdint>
#include <cstring>

namespace akgen::lm::kernels {

inline float FastExp(float x) {
  // A NaN must stay one: the comparisons below let it through.
  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  float n = __builtin_nearbyintf(x * 1.44269504f);
  float r = x - n * 0.693359375f + n * 2.12194440e-4f;  // ln 2 in two parts
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  int32_t bits = (int32_t(n == n ? n : 0.0f) + 127) << 23;
  float scale;
  std::memcpy(&scale, &bits, 4);
  return p * scale;
}

}  // namespace akgen::lm::kernels
