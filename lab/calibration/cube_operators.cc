// Framework operators of the Cube core, as a careful author would write them.
#include <algorithm>
#include <cmath>

#include "product_on_core.h"

namespace akgen::calibration {
namespace {
using sim::Trace;
constexpr uint32_t kSlots = 4;          // of weights between Vector cores and Cube core
constexpr uint32_t kUbElements = 8192;  // of float, in flight on a Vector core

uint32_t Cube(uint32_t block) { return 3 * block; }
uint32_t Vector(uint32_t block, uint32_t which) { return 3 * block + 1 + which; }

// A Vector core that takes pieces in, works on them and puts them out, in two buffers.
class Stage {
 public:
  Stage(Trace& trace, uint32_t core) : io(trace, core) {}
  template <class In, class Work, class Out>
  void Piece(In&& in, Work&& work, Out&& out) {
    const uint32_t b = n_ % 2;
    if (n_ >= 2) io.Wait(AKGEN_PIPE_V, AKGEN_PIPE_MTE2, b);
    in();
    io.Set(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, b), io.Wait(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, b);
    if (n_ >= 2) io.Wait(AKGEN_PIPE_MTE3, AKGEN_PIPE_V, b);
    work();
    io.Set(AKGEN_PIPE_V, AKGEN_PIPE_MTE2, b);
    io.Set(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, b), io.Wait(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, b);
    out();
    io.Set(AKGEN_PIPE_MTE3, AKGEN_PIPE_V, b);
    ++n_;
  }
  Issuer io;

 private:
  uint64_t n_ = 0;
};

// Of `all` rows, those of Vector core `which` of two.
std::pair<uint32_t, uint32_t> Half(uint32_t all, uint32_t which) {
  const uint32_t first = (all + 1) / 2;
  return which ? std::pair{first, all - first} : std::pair{0u, first};
}

// int32 tiles of a slot to 16 bits in GM.
void Dequantise(const QuantProduct& q, Stage& s, uint32_t core, uint32_t which,
                const std::vector<Tile>& tiles) {
  for (uint64_t i = 0; i < tiles.size(); ++i) {
    const Tile& t = tiles[i];
    s.io.WaitAcross(0);
    const auto [from, rows] = Half(t.m, which);
    const uint32_t each = std::max(1u, kUbElements / Up(t.n, 8));
    for (uint32_t r = 0; r < rows; r += each) {
      const uint32_t n = std::min(each, rows - r);
      const uint64_t slot = SlotOf(core, i) + uint64_t(from + r) * t.n * 4;
      s.Piece([&] { s.io.Copy(true, slot, uint64_t(n) * t.n * 4); },
              [&] {
                s.io.Vector(AKGEN_OP_Cast, uint64_t(n) * t.n, 32);
                for (uint32_t k = 0; k < n; ++k) {
                  s.io.Vector(AKGEN_OP_Mul, t.n, 32);
                  if (q.by_row) s.io.Vector(AKGEN_OP_Muls, t.n, 32);
                }
                s.io.Vector(AKGEN_OP_Cast, uint64_t(n) * t.n, 32);
              },
              [&] {
                s.io.Copy(
                    false,
                    kC + ((t.batch * q.product.m + t.row + from + r) * q.product.n + t.column) * 2,
                    uint64_t(t.n) * 2, n, q.product.n * 2);
              });
    }
    s.io.SetAcross(AKGEN_PIPE_MTE2, 1);
  }
}

// Loads, Mmads and what orders them, of one operand pair that lies in L1: m x n, K in pieces.
class Multiplier {
 public:
  explicit Multiplier(Issuer& io) : io_(io) {}
  void Multiply(Element type, uint32_t m, uint32_t n, uint32_t k, uint32_t piece) {
    const uint32_t k0 = uint32_t(256 / BitsOf(type));
    for (uint32_t at = 0; at < k; at += piece) {
      const uint32_t width = std::min(piece, k - at), b = n_ % 2;
      if (n_ >= 2) io_.Wait(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, b);
      const double bytes = BitsOf(type) / 8 * Up(width, k0);
      io_.Load(true, uint64_t(Up(m, 16) * bytes), false);
      io_.Load(false, uint64_t(Up(n, 16) * bytes), false);
      io_.Set(AKGEN_PIPE_MTE1, AKGEN_PIPE_M, b), io_.Wait(AKGEN_PIPE_MTE1, AKGEN_PIPE_M, b);
      io_.Mmad(type, m, n, width, 0);
      io_.Set(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, b);
      ++n_;
    }
  }
  // An L0C buffer of two: before its first Mmad, and what leaves it.
  void Begin() {
    if (out_ >= 2) io_.Wait(AKGEN_PIPE_FIX, AKGEN_PIPE_M, uint32_t(out_ % 2));
  }
  void Store(uint64_t to, uint32_t bits, uint32_t m, uint32_t n, uint64_t pitch) {
    const uint32_t b = uint32_t(out_ % 2);
    io_.Set(AKGEN_PIPE_M, AKGEN_PIPE_FIX, b), io_.Wait(AKGEN_PIPE_M, AKGEN_PIPE_FIX, b);
    io_.Fixpipe(to, bits, m, n, pitch, 0);
    io_.Set(AKGEN_PIPE_FIX, AKGEN_PIPE_M, b);
    ++out_;
  }

 private:
  Issuer& io_;
  uint64_t n_ = 0, out_ = 0;
};

// Two buffers of L1, filled and emptied in turn.
class L1Buffers {
 public:
  explicit L1Buffers(Issuer& io) : io_(io) {}
  template <class In, class Use>
  void Turn(In&& in, Use&& use) {
    const uint32_t b = uint32_t(n_ % 2);
    if (n_ >= 2) io_.Wait(AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, b);
    in();
    io_.Set(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE1, b), io_.Wait(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE1, b);
    use();
    io_.Set(AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, b);
    ++n_;
  }

 private:
  Issuer& io_;
  uint64_t n_ = 0;
};

// A part of a product with weights: whole lines of these, and so much of K that all blocks have as
// much to do.
struct WeightPart {
  uint32_t column, width, k, depth;
};
std::vector<WeightPart> PartsOf(const WeightProduct& w, uint32_t block) {
  const uint32_t width = w.m <= 64 ? 512 : 256, across = (w.n + width - 1) / width;
  uint32_t parts = 1, least = UINT32_MAX;
  for (uint32_t p = 1; p <= 12; ++p)
    if (uint32_t time = (across * p + kCubeCores - 1) / kCubeCores * Up((w.k + p - 1) / p, 256);
        time < least)
      parts = p, least = time;
  const uint32_t depth = Up((w.k + parts - 1) / parts, 256);
  std::vector<WeightPart> out;
  for (uint32_t i = block; i < across * parts; i += kCubeCores) {
    const uint32_t c = i % across * width, k = i / across * depth;
    if (k < w.k) out.push_back({c, std::min(width, w.n - c), k, std::min(depth, w.k - k)});
  }
  return out;
}
}  // namespace

MatrixProduct Planned(uint64_t m, uint64_t n, uint64_t k, Element type, uint32_t cores) {
  MatrixProduct best;
  double least = 0;
  for (const auto& [base_m, base_n] :
       {std::pair{128u, 256u}, std::pair{256u, 128u}, std::pair{64u, 256u}})
    for (uint32_t gm = 1; gm <= cores; ++gm) {
      const uint32_t gn = cores / gm;
      const uint64_t single_m = (m + gm - 1) / gm, single_n = (n + gn - 1) / gn;
      const double products = double(Up(single_m, 16)) * Up(single_n, 16),
                   down = std::ceil(double(single_m) / base_m),
                   across = std::ceil(double(single_n) / base_n);
      // Arithmetic, and what comes to L1, in cycles per element of K of 16 bits.
      const double cost = std::max(products / 256 / 16,
                                   (down * double(single_n) + across * double(single_m)) * 2 / 84);
      if (least > 0 && cost >= least) continue;
      least = cost;
      best.base_m = uint32_t(std::min<uint64_t>(base_m, Up(single_m, 16)));
      best.base_n = uint32_t(std::min<uint64_t>(base_n, Up(single_n, 16)));
      best.grid_m = gm, best.grid_n = gn;
    }
  best.m = m, best.n = n, best.k = k, best.type = type;
  const uint32_t half_l0 = 32768, most = std::max(Up(best.base_m, 16), Up(best.base_n, 16));
  best.base_k = uint32_t(half_l0 / (double(most) * BitsOf(type) / 8)) / 64 * 64;
  best.base_k = std::clamp(best.base_k, 16u, 1024u);
  best.b_by_columns = false;
  // Half of L1 for each operand, two buffers.
  auto step = [&](uint32_t rows) {
    return std::clamp(uint32_t(131072 / (double(rows) * best.base_k * BitsOf(type) / 8)), 1u, 8u);
  };
  best.step_ka = step(best.base_m), best.step_kb = step(best.base_n);
  best.buffers_a = best.buffers_b = 2;
  best.unit_flag = type != Element::int8;
  return best;
}

Trace TraceOf(const QuantProduct& q) {
  const uint32_t blocks = q.product.grid_m * q.product.grid_n;
  Trace trace(3 * blocks, SIZE_MAX);
  trace.SetCores(1, 2);
  for (uint32_t block = 0; block < blocks; ++block) {
    const std::vector<Tile> tiles = TilesOf(q.product, block);
    ProductOnCore cube(q.product, trace, Cube(block), true);
    for (const Tile& t : tiles) cube.Block(t);
    for (uint32_t v : {0, 1}) {
      Stage stage(trace, Vector(block, v));
      Dequantise(q, stage, Cube(block), v, tiles);
    }
  }
  return trace;
}

Trace TraceOf(const WeightProduct& w) {
  Trace trace(3 * kCubeCores, SIZE_MAX);
  trace.SetCores(1, 2);
  for (uint32_t block = 0; block < kCubeCores; ++block) {
    Issuer io(trace, Cube(block));
    Multiplier mul(io);
    L1Buffers l1(io);
    Stage vectors[2] = {{trace, Vector(block, 0)}, {trace, Vector(block, 1)}};
    uint64_t chunks = 0;
    for (const auto& [column, width, first, depth] : PartsOf(w, block)) {
      const uint32_t deep = std::clamp(2 * kUbElements / width / 16 * 16, 16u, 256u);
      mul.Begin();
      for (uint32_t k = first; k < first + depth; k += deep, ++chunks) {
        const uint32_t rows = std::min(deep, first + depth - k);
        const uint64_t slot =
            kWorkspace + (uint64_t(block) * kSlots + chunks % kSlots) * (256 << 10);
        for (uint32_t v : {0, 1}) {
          Stage& s = vectors[v];
          if (chunks >= kSlots) s.io.WaitAcross(1);
          const auto [from, n] = Half(rows, v);
          const uint64_t elements = uint64_t(n) * width, row = k + from, start = column;
          s.Piece([&] { s.io.Copy(true, kB + row * w.n + start, width, n, w.n); },
                  [&] {
                    s.io.Vector(AKGEN_OP_Cast, elements, 16),
                        s.io.Vector(AKGEN_OP_Add, elements, 16);
                    s.io.Vector(AKGEN_OP_Mul, elements, 16);
                  },
                  [&] { s.io.Copy(false, slot + uint64_t(from) * width * 2, elements * 2); });
          s.io.SetAcross(AKGEN_PIPE_MTE3, 0);
        }
        io.WaitAcross(0);
        l1.Turn(
            [&] {
              if (k % 256 == 0)
                io.Nd2Nz(kA + uint64_t(k) * 2, Element::half, w.m, std::min(256u, w.k - k), w.k);
              io.Nd2Nz(slot, Element::half, rows, width, width);
              io.SetAcross(AKGEN_PIPE_MTE2, 1);
            },
            [&] {
              mul.Multiply(Element::half, w.m, width, rows, std::max(16u, 16384 / width / 16 * 16));
            });
      }
      mul.Store(kC + uint64_t(column) * 4, 32, w.m, width,
                w.n);  // added to what other blocks have of it
    }
  }
  return trace;
}

namespace {
// One (batch, head, rows of queries) after the other; the softmax of a chunk is computed while the
// Cube core multiplies the next one.
class AttentionOnBlock {
 public:
  AttentionOnBlock(const Attention& a, Trace& trace, uint32_t block)
      : a_(a),
        block_(block),
        io_(trace, Cube(block)),
        mul_(io_),
        l1_(io_),
        vectors_{{trace, Vector(block, 0)}, {trace, Vector(block, 1)}} {}
  struct Item {
    uint32_t batch, head, first, rows;
  };
  void Run(const std::vector<Item>& items) {
    for (const Item& i : items) {
      const uint32_t keys =
          a_.causal ? std::min(a_.keys, a_.keys - a_.queries + i.first + i.rows) : a_.keys;
      for (uint32_t k = 0; k < keys; k += kChunk) {
        const Chunk c{i, k, std::min(kChunk, keys - k), k + kChunk >= keys, done_};
        Scores(c);
        for (uint32_t v : {0, 1}) Softmax(c, v);
        if (done_) Apply(before_);
        before_ = c, ++done_;
      }
    }
    if (done_) Apply(before_);
  }

 private:
  static constexpr uint32_t kChunk = 512;
  struct Chunk {
    Item item;
    uint32_t key, keys;
    bool last;
    uint64_t number;
  };
  uint64_t At(uint64_t base, uint32_t batch, uint32_t row, uint32_t rows, uint32_t head) const {
    return base + ((uint64_t(batch) * rows + row) * a_.heads + head) * a_.width * 2;
  }
  uint64_t Slot(uint64_t kind, const Chunk& c) const {
    return kWorkspace + ((kind * kCubeCores + block_) * 2 + c.number % 2) * (512 << 10);
  }
  void Scores(const Chunk& c) {
    const uint64_t pitch = uint64_t(a_.heads) * a_.width;
    for (uint32_t n = 0; n < c.keys; n += 128) {
      const uint32_t columns = std::min(128u, c.keys - n);
      mul_.Begin();
      l1_.Turn(
          [&] {
            if (c.key == 0 && n == 0)
              io_.Nd2Nz(At(kA, c.item.batch, c.item.first, a_.queries, c.item.head), Element::half,
                        c.item.rows, a_.width, pitch);
            io_.Nd2Nz(At(kB, c.item.batch, c.key + n, a_.keys, c.item.head), Element::half, columns,
                      a_.width, pitch);
          },
          [&] { mul_.Multiply(Element::half, c.item.rows, columns, a_.width, 128); });
      mul_.Store(Slot(0, c) + n * 4, 32, c.item.rows, columns, kChunk);
    }
    io_.SetAcross(AKGEN_PIPE_FIX, 0);
  }
  void Softmax(const Chunk& c, uint32_t v) {
    Stage& s = vectors_[v];
    s.io.WaitAcross(0);
    const auto [from, rows] = Half(c.item.rows, v);
    const uint32_t each = std::max(1u, kUbElements / Up(c.keys, 8));
    for (uint32_t r = 0; r < rows; r += each) {
      const uint64_t n = std::min(each, rows - r), all = n * c.keys;
      const uint64_t row = from + r;
      s.Piece(
          [&] {
            s.io.Copy(true, Slot(0, c) + row * kChunk * 4, c.keys * 4, uint32_t(n), kChunk * 4);
          },
          [&] {
            s.io.Vector(AKGEN_OP_Muls, all, 32);
            if (a_.causal) s.io.Vector(AKGEN_OP_Add, all, 32);
            s.io.Vector(AKGEN_OP_Max, all, 32), s.io.Vector(AKGEN_OP_WholeReduceMax, n * 64, 32);
            s.io.Vector(AKGEN_OP_Brcb, n * 8, 32), s.io.Vector(AKGEN_OP_Sub, all, 32);
            s.io.Vector(AKGEN_OP_Exp, all, 32), s.io.Vector(AKGEN_OP_Add, all, 32);
            s.io.Vector(AKGEN_OP_WholeReduceSum, n * 64, 32), s.io.Vector(AKGEN_OP_Cast, all, 32);
            for (int small = 0; small < 4; ++small)
              s.io.Vector(AKGEN_OP_Mul, n * 8, 32);  // running max and sum
          },
          [&] {
            s.io.Copy(false, Slot(1, c) + row * kChunk * 2, c.keys * 2, uint32_t(n), kChunk * 2);
          });
    }
    s.io.SetAcross(AKGEN_PIPE_MTE3, 1);
  }
  void Apply(const Chunk& c) {
    const uint64_t pitch = uint64_t(a_.heads) * a_.width;
    io_.WaitAcross(1);
    mul_.Begin();
    for (uint32_t k = 0; k < c.keys; k += 128) {
      const uint32_t deep = std::min(128u, c.keys - k);
      l1_.Turn(
          [&] {
            io_.Nd2Nz(Slot(1, c) + k * 2, Element::half, c.item.rows, deep, kChunk);
            io_.Nd2Nz(At(kB + (kB >> 1), c.item.batch, c.key + k, a_.keys, c.item.head),
                      Element::half, deep, a_.width, pitch);
          },
          [&] { mul_.Multiply(Element::half, c.item.rows, a_.width, deep, 128); });
    }
    mul_.Store(Slot(2, c), 32, c.item.rows, a_.width, a_.width);
    io_.SetAcross(AKGEN_PIPE_FIX, 2);
    for (uint32_t v : {0, 1}) Rescale(c, v);
  }
  void Rescale(const Chunk& c, uint32_t v) {
    Stage& s = vectors_[v];
    s.io.WaitAcross(2);
    const auto [from, rows] = Half(c.item.rows, v);
    const uint32_t each = std::max(1u, kUbElements / a_.width);
    for (uint32_t r = 0; r < rows; r += each) {
      const uint64_t n = std::min(each, rows - r), all = n * a_.width, row = from + r;
      s.Piece([&] { s.io.Copy(true, Slot(2, c) + row * a_.width * 4, all * 4); },
              [&] {
                s.io.Vector(AKGEN_OP_Mul, all, 32), s.io.Vector(AKGEN_OP_Add, all, 32);
                if (c.last) s.io.Vector(AKGEN_OP_Div, all, 32), s.io.Vector(AKGEN_OP_Cast, all, 32);
              },
              [&] {
                if (c.last)
                  s.io.Copy(
                      false,
                      At(kC, c.item.batch, c.item.first + uint32_t(row), a_.queries, c.item.head),
                      a_.width * 2, uint32_t(n), uint64_t(a_.heads) * a_.width * 2);
              });
    }
  }
  const Attention& a_;
  uint32_t block_;
  Issuer io_;
  Multiplier mul_;
  L1Buffers l1_;
  Stage vectors_[2];
  Chunk before_{};
  uint64_t done_ = 0;
};
}  // namespace

Trace TraceOf(const Attention& a) {
  Trace trace(3 * kCubeCores, SIZE_MAX);
  trace.SetCores(1, 2);
  std::vector<AttentionOnBlock::Item> items;
  // The longest first, so that cores end together.
  for (uint32_t end = Up(a.queries, 128); end > 0; end -= 128)
    for (uint32_t b = 0; b < a.batch; ++b)
      for (uint32_t h = 0; h < a.heads; ++h)
        items.push_back({b, h, end - 128, std::min(128u, a.queries - (end - 128))});
  for (uint32_t block = 0; block < kCubeCores; ++block) {
    std::vector<AttentionOnBlock::Item> mine;
    for (size_t i = block; i < items.size(); i += kCubeCores) mine.push_back(items[i]);
    AttentionOnBlock(a, trace, block).Run(mine);
  }
  return trace;
}

Trace TraceOf(const LatentProlog& l) {
  Trace trace(3 * kCubeCores, SIZE_MAX);
  trace.SetCores(1, 2);
  constexpr uint32_t kAll = 3 * kCubeCores;
  MatrixProduct phases[] = {Planned(l.tokens, l.latent + 576, l.hidden, Element::half),
                            Planned(l.tokens, l.heads * 192, l.latent, Element::half),
                            Planned(l.tokens, 512, 128, Element::half, 1)};
  for (uint32_t block = 0; block < kCubeCores; ++block) {
    Issuer io(trace, Cube(block));
    for (uint32_t phase = 0; phase < 3; ++phase) {
      const MatrixProduct& p = phases[phase];
      ProductOnCore cube(p, trace, Cube(block));
      if (phase < 2 && block < p.grid_m * p.grid_n)
        for (const Tile& t : TilesOf(p, block)) cube.Block(t);
      for (uint32_t head = block; phase == 2 && head < l.heads; head += kCubeCores)
        for (Tile t : TilesOf(p, 0)) t.batch = head, cube.Block(t);
      if (phase == 0) io.SyncAll(0, kAll), io.SyncAll(1, kAll);
      if (phase == 1) io.SyncAll(2, kAll);
    }
    for (uint32_t v : {0, 1}) {
      Stage s(trace, Vector(block, v));
      s.io.SyncAll(0, kAll);
      for (uint32_t t = 2 * block + v; t < l.tokens; t += 2 * kCubeCores)
        s.Piece(
            [&] { s.io.Copy(true, kC + uint64_t(t) * (l.latent + 576) * 2, (l.latent + 576) * 2); },
            [&] {
              for (AkgenVecOp op : {AKGEN_OP_Cast, AKGEN_OP_Mul, AKGEN_OP_Add, AKGEN_OP_Mul,
                                    AKGEN_OP_Mul, AKGEN_OP_Cast})
                s.io.Vector(op, l.latent + 576, 32);
            },
            [&] { s.io.Copy(false, kA + uint64_t(t) * l.latent * 2, (l.latent + 576) * 2); });
      s.io.SyncAll(1, kAll), s.io.SyncAll(2, kAll);
      for (uint32_t t = 2 * block + v; t < l.tokens; t += 2 * kCubeCores)
        s.Piece([&] { s.io.Copy(true, kC + uint64_t(t) * l.heads * 384 + 256, 128, l.heads, 384); },
                [&] {
                  for (AkgenVecOp op :
                       {AKGEN_OP_Cast, AKGEN_OP_Mul, AKGEN_OP_Mul, AKGEN_OP_Add, AKGEN_OP_Cast})
                    s.io.Vector(op, uint64_t(l.heads) * 64, 32);
                },
                [&] {
                  s.io.Copy(false, kWorkspace + uint64_t(t) * l.heads * 128,
                            uint64_t(l.heads) * 128);
                });
    }
  }
  return trace;
}

Trace TraceOf(const Convolution& c) {
  const uint64_t places = uint64_t(c.out_height) * c.out_width, m = places * c.batch;
  const uint32_t c0 = uint32_t(256 / BitsOf(c.type)), n = Up(c.out_channels, 16),
                 taps = c.taps_h * c.taps_w;
  const uint32_t deep = std::min(Up(c.channels, c0), 4 * c0);  // channels that come to L1 together
  MatrixProduct grid = Planned(m, n, uint64_t(Up(c.channels, c0)) * taps, c.type);
  Trace trace(grid.grid_m * grid.grid_n, SIZE_MAX);
  trace.SetCores(1, 0);
  const double bytes = BitsOf(c.type) / 8;
  for (uint32_t core = 0; core < grid.grid_m * grid.grid_n; ++core) {
    Issuer io(trace, core);
    Multiplier mul(io);
    L1Buffers l1(io);
    for (const Tile& t : TilesOf(grid, core)) {
      mul.Begin();
      // Rows of the image that the tile's outputs are made of.
      const double rows = std::ceil(double(t.m) / c.out_width) * c.stride + c.taps_h - 1;
      const uint64_t pixels = uint64_t(std::min(rows, double(c.height)) * c.width);
      const uint64_t from = t.row % places * c.stride * c.stride;
      for (uint32_t at = 0; at < c.channels; at += deep) {
        const uint32_t wide = std::min(deep, Up(c.channels, c0) - at);
        l1.Turn(
            [&] {
              const uint64_t plane = uint64_t(c.height) * c.width * 32, image = t.row / places;
              io.Copy(true, kA + (image * Up(c.channels, c0) / c0 + at / c0) * plane + from * 32,
                      pixels * 32, wide / c0, plane);
              io.Copy(true, kB + uint64_t(double(at) * taps * n * bytes),
                      uint64_t(double(t.n) * c0 * bytes), taps * wide / c0,
                      uint64_t(double(n) * c0 * bytes));
            },
            [&] {
              for (uint32_t tap = 0; tap < taps; ++tap)
                mul.Multiply(c.type, t.m, t.n, wide, grid.base_k);
            });
      }
      mul.Store(kC + (t.row * n + t.column) * 2, BitsOf(c.type) > 16 ? 32 : 16, t.m, t.n, n);
    }
  }
  return trace;
}

}  // namespace akgen::calibration
