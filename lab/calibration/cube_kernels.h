// Kernels of the Cube core of the published measurements, as their records: what they move and
// compute, in which order, and which pipe waits for which. No number is computed.
#pragma once
#include <cstdint>

#include "sim/trace/trace.h"

namespace akgen::calibration {

enum class Element : uint8_t { half, int8, int4, float32 };
double BitsOf(Element e);

// C = A B, cut into a grid of cores, each its part block by block along M, then N.
struct MatrixProduct {
  uint64_t m = 0, n = 0, k = 0;
  Element type = Element::half;
  bool b_by_columns = true;  // B is stored [N, K]
  uint32_t base_m = 128, base_n = 256, base_k = 64;
  uint32_t grid_m = 1, grid_n = 1;
  uint64_t single_n = 0;                  // columns of a core; 0: as many each
  uint32_t step_ka = 1, step_kb = 1;      // blocks of K that come to L1 with one copy
  uint32_t buffers_a = 1, buffers_b = 1;  // of L1
  bool unit_flag = false, image = false;  // image: LoadData (3D)
  uint32_t rounds = 1;  // the rows of each core in so many parts, one after the other
  uint32_t out_bits = 16;
  uint32_t batch = 1;
};
sim::Trace TraceOf(const MatrixProduct& p);

// Mmads of half one after the other, K cut in `times`, and nothing around them.
struct Mmads {
  uint32_t m = 0, n = 0, k = 0, times = 1;
};
sim::Trace TraceOf(const Mmads& m);

// One Fixpipe of half to GM.
struct Store {
  uint32_t m = 0, n = 0;
};
sim::Trace TraceOf(const Store& s);

// ReadTiles (kernels.h), into L1 by ND2NZ.
struct ReadNz {
  uint32_t rows = 0, columns = 0, pitch = 0, tile_rows = 0, tile_columns = 0;
  uint32_t passes = 1, column_parts = 1;
  bool whole_on_each_core = false, staggered = false;
};
sim::Trace TraceOf(const ReadNz& r);

// Products that framework operators are made of; blocks of a Cube core and two Vector cores where
// these take part.

// … of int8, brought to 16 bits by the Vector cores, tile by tile, through two slots of a
// workspace.
struct QuantProduct {
  MatrixProduct product;
  bool by_row = false;  // a factor per row as well
};
sim::Trace TraceOf(const QuantProduct& q);

// A of 16 bits times B of int8, which the Vector cores turn into 16 bits piece by piece.
struct WeightProduct {
  uint32_t m = 0, n = 0, k = 0;
};
sim::Trace TraceOf(const WeightProduct& w);

// softmax(Q Kt) V per batch and head, over blocks of query rows and chunks of keys.
struct Attention {
  uint32_t batch = 1, heads = 1, queries = 1, keys = 1, width = 128;
  bool causal = false;
};
sim::Trace TraceOf(const Attention& a);

// The products before a latent attention, one phase after the other, with norms of rows between
// them.
struct LatentProlog {
  uint32_t tokens = 1, hidden = 7168, latent = 1536, heads = 128;
};
sim::Trace TraceOf(const LatentProlog& l);

// A convolution of NC1HWC0, image to columns on the way into L0A.
struct Convolution {
  Element type = Element::half;
  uint32_t batch = 1, channels = 1, height = 1, width = 1, out_channels = 1, out_height = 1,
           out_width = 1, taps_h = 1, taps_w = 1, stride = 1;
};
sim::Trace TraceOf(const Convolution& c);

// A grid of 24 cores at most and blocks that fit into L0, for a product of this size.
MatrixProduct Planned(uint64_t m, uint64_t n, uint64_t k, Element type, uint32_t cores = 24);

}  // namespace akgen::calibration
