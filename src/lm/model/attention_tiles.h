// Causal attention with products of bfloat16 in the processor's matrix tiles (AMX), sums and
// exponentials in float32.
#pragma once
#include <cstdint>

#include "lm/model/kernels.h"

namespace akgen::lm::kernels {

// Whether the processor has tiles, the kernel lends them, and heads have a size they take (a
// multiple of 32).
bool TilesTake(const AttentionShape& s);

// As Attention and AttentionBackward (kernels.h), of `segments` segments; `start` has one number
// more.
void TileAttention(const AttentionShape& s, const float* rows, const int64_t* start,
                   int64_t segments, float* out, float* lse);
void TileAttentionBackward(const AttentionShape& s, const float* d_out, const float* rows,
                           const float* out, const float* lse, const int64_t* start,
                           int64_t segments, float* d_rows);

}  // namespace akgen::lm::kernels
