#include "host/matmul/cut.h"

#include <algorithm>

namespace akgen::host {
using namespace matmul_tiling;
namespace {
int64_t Ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t Up(int64_t a, int64_t b) { return Ceil(a, b) * b; }
int32_t Or(int32_t given, int32_t other) { return given > 0 ? given : other; }
int64_t Room(int64_t given, int64_t all) { return given < 0 ? all : given; }

bool InL1(const AkgenOperand& o) { return o.position == TPosition::TSCM; }
int64_t BiasBytes(const AkgenProduct& p) { return p.has_bias ? 4 : 0; }  // as BiasTable holds it

// A product as it is cut: what was given, and what follows from it.
struct Work {
  const AkgenProduct& p;
  CutUnits unit;
  int32_t m, n, k;  // of all cores
  int64_t bits;     // of an element of A and B
  MatmulCut t;      // the answer so far
  int64_t Bytes(int64_t elements) const { return elements * bits / 8; }
};

bool TypesFit(const AkgenProduct& p) {
  using D = DataType;
  const D a = p.a.type, c = p.c.type;
  if (BitsOf(a) != BitsOf(p.b.type) || (a != p.b.type && BitsOf(a) > 8)) return false;
  auto one_of = [&](std::initializer_list<D> of) {
    return std::find(of.begin(), of.end(), c) != of.end();
  };
  switch (a) {
    case D::DT_FLOAT16:
    case D::DT_BF16:
    case D::DT_BFLOAT16:
      return one_of({D::DT_FLOAT, D::DT_FLOAT16, D::DT_BF16, D::DT_BFLOAT16, D::DT_INT8});
    case D::DT_FLOAT: return one_of({D::DT_FLOAT, D::DT_FLOAT16, D::DT_BF16, D::DT_BFLOAT16});
    case D::DT_INT8: return one_of({D::DT_INT32, D::DT_FLOAT16, D::DT_INT8, D::DT_UINT8});
    case D::DT_INT4: return one_of({D::DT_INT32, D::DT_FLOAT16});
    default: return false;
  }
}
bool PlacesFit(const AkgenProduct& p) {
  auto input = [](const AkgenOperand& o) {
    const bool place = o.position == TPosition::GM || o.position == TPosition::VECOUT ||
                       o.position == TPosition::TSCM;
    return place && (o.format == CubeFormat::ND || o.format == CubeFormat::NZ ||
                     o.format == CubeFormat::VECTOR || o.format == CubeFormat::SCALAR);
  };
  const bool out = p.c.position == TPosition::GM || p.c.position == TPosition::VECIN ||
                   p.c.position == TPosition::CO1;
  const bool rows = p.c.format == CubeFormat::ND || p.c.format == CubeFormat::NZ ||
                    p.c.format == CubeFormat::ND_ALIGN;
  return input(p.a) && input(p.b) && out && rows;
}

// Rows and columns that a core brings for its share: each once, or, where the base block is given,
// those of A for every block and those of B once.
int64_t Loads(const AkgenProduct& p, int64_t sm, int64_t sn) {
  if (p.base.m <= 0 || p.base.n <= 0) return sm + sn;
  const int64_t m = Ceil(sm, p.base.m), n = Ceil(sn, p.base.n);
  return m * n * p.base.m + n * p.base.n;
}

// Of shares that were given there may be more than cores: each then takes several.
bool SharesGiven(const AkgenProduct& p) { return p.single.m > 0 && p.single.n > 0; }

// Over how many cores M, N and K are spread, and what each gets. The largest share is smallest;
// then what it loads.
bool Spread(Work& w) {
  const AkgenProduct& p = w.p;
  const int64_t um = std::max(w.unit.m, p.align.m), un = std::max(w.unit.n, p.align.n),
                uk = std::max(w.unit.k, p.align.k);
  int64_t best = -1, best_loads = 0;
  const int32_t cores = InL1(p.a) || InL1(p.b) ? 1 : std::max(1, p.cores);
  auto try_shares = [&](int64_t sm, int64_t sn, int64_t sk) {
    const int64_t used = Ceil(w.m, sm) * Ceil(w.n, sn) * Ceil(w.k, sk);
    if (used > p.cores && !SharesGiven(p)) return;
    auto within = [](int64_t s, int32_t most, int32_t least) {
      return (most <= 0 || s <= most) && (least <= 0 || s >= least);
    };
    if (!within(sm, p.most.m, p.least.m) || !within(sn, p.most.n, p.least.n) ||
        !within(sk, p.most.k, p.least.k))
      return;
    // Shares that are not all alike count half as much again for each side: kernels without code
    // for the rest exist.
    const int64_t uneven = (w.m % sm != 0) + (w.n % sn != 0) + (w.k % sk != 0);
    const int64_t work = Up(sm, um) * Up(sn, un) * sk * (2 + uneven), loads = Loads(p, sm, sn) * sk;
    if (best >= 0 && (work > best || (work == best && loads > best_loads)))
      return;  // of equals the one with more along M
    best = work, best_loads = loads;
    w.t.singleCoreM = int32_t(sm), w.t.singleCoreN = int32_t(sn), w.t.singleCoreK = int32_t(sk);
    w.t.usedCoreNum = int32_t(std::min<int64_t>(used, p.cores));
  };
  auto share = [](int64_t all, int64_t ways, int64_t unit) {
    return ways == 1 ? all : std::min(all, Up(Ceil(all, ways), unit));
  };
  for (int32_t over_m = 1; over_m <= cores; ++over_m)
    for (int32_t over_n = 1; over_m * over_n <= cores; ++over_n)
      for (int32_t over_k = 1; over_m * over_n * over_k <= (p.split_k ? cores : 1) || over_k == 1;
           ++over_k)
        try_shares(p.single.m > 0 ? p.single.m : share(w.m, over_m, um),
                   p.single.n > 0 ? p.single.n : share(w.n, over_n, un),
                   p.single.k > 0 ? p.single.k : share(w.k, over_k, uk));
  return best >= 0;
}

// The base block: as few bytes loaded as possible.
bool ChooseBase(Work& w) {
  const AkgenProduct& p = w.p;
  const int64_t l0c = Room(p.l0c, p.all_l0c), bt = Room(p.bt, p.all_bt);
  const int64_t sm = Up(w.t.singleCoreM, w.unit.m), sn = Up(w.t.singleCoreN, w.unit.n);
  const bool to_ub = p.c.position == TPosition::VECIN;
  const int64_t most_out =
      to_ub ? Room(p.ub, p.all_ub) * 3 / 8 : INT64_MAX;  // it is there twice, and other things are
  const int64_t least_k = w.unit.k;
  int64_t best = -1;
  auto consider = [&](int64_t m, int64_t n) {
    if (m * n * 4 > l0c || m * n * BitsOf(p.c.type) / 8 > most_out || n * BiasBytes(p) > bt) return;
    if (w.Bytes(m * least_k) > p.l0a || w.Bytes(n * least_k) > p.l0b) return;
    const int64_t loads = Ceil(sm, m) * Ceil(sn, n) * (m + n);
    if (best >= 0 && loads >= best) return;
    best = loads, w.t.baseM = int32_t(m), w.t.baseN = int32_t(n);
  };
  const bool fix_m = p.base.m > 0, fix_n = p.base.n > 0;
  constexpr int64_t kLimit = 512;
  for (int64_t n = fix_n ? p.base.n : std::min(sn, kLimit); n > 0; n -= fix_n ? n : w.unit.n)
    for (int64_t m = fix_m ? p.base.m : std::min(sm, kLimit); m > 0; m -= fix_m ? m : w.unit.m)
      consider(m, n);
  return best >= 0;
}

// How deep a base block is: as deep as L0 holds it twice, else once.
bool ChooseDepth(Work& w) {
  const AkgenProduct& p = w.p;
  MatmulCut& t = w.t;
  const int64_t wide = std::max<int64_t>(t.baseM, t.baseN), sk = Up(t.singleCoreK, w.unit.k);
  auto deepest = [&](int64_t times) {
    return std::min(p.l0a, p.l0b) * 8 / w.bits / times / wide / w.unit.k * w.unit.k;
  };
  constexpr int64_t kMaxOfMmad = 4095;
  t.dbL0A = t.dbL0B = 2;
  int64_t k =
      p.base.k > 0 ? p.base.k : std::min({deepest(2), sk, kMaxOfMmad / w.unit.k * w.unit.k});
  if (k <= 0 || k > deepest(2)) {
    t.dbL0A = t.dbL0B = 1;
    if (k <= 0) k = std::min(deepest(1), sk);
    if (k > std::min(p.l0a / t.baseM, p.l0b / t.baseN) * 8 / w.bits) return false;
  }
  t.baseK = int32_t(k);
  t.dbL0C = int64_t(t.baseM) * t.baseN * 8 <= Room(p.l0c, p.all_l0c) ? 2 : 1;
  return k > 0 && int64_t(t.baseM) * t.baseN * 4 * t.dbL0C <= Room(p.l0c, p.all_l0c);
}

// How many base blocks along K are in L1 at a time: all of them if there is room, else as many as
// lie there twice.
bool ChooseSteps(Work& w) {
  const AkgenProduct& p = w.p;
  MatmulCut& t = w.t;
  const int64_t l1 = Room(p.l1, p.all_l1), bias = t.baseN * BiasBytes(p);
  const int64_t block = (InL1(p.a) ? 0 : w.Bytes(int64_t(t.baseM) * t.baseK)) +
                        (InL1(p.b) ? 0 : w.Bytes(int64_t(t.baseN) * t.baseK));
  int64_t held = 0;  // in L1 already
  if (InL1(p.a)) held += w.Bytes(Up(w.m, 16) * Up(w.k, w.unit.k));
  if (InL1(p.b)) held += w.Bytes(Up(w.n, 16) * Up(w.k, w.unit.k));
  const int64_t left = l1 - bias - held, blocks = Ceil(t.singleCoreK, t.baseK);
  if (left < block || left < 0) return false;
  const int64_t twice = block ? left / (2 * block) : blocks;
  t.stepM = t.stepN = 1;
  t.stepKa = t.stepKb = int32_t(std::clamp<int64_t>(twice, 1, blocks));
  const int32_t times = twice >= 1 && (t.stepKa < blocks || int64_t(t.singleCoreM) > t.baseM ||
                                       t.singleCoreN > t.baseN)
                            ? 2
                            : 1;
  t.depthA1 = t.depthB1 = t.stepKa * times;
  t.shareMode = 0;
  t.shareL1Size = int32_t(block * t.stepKa * times + bias);
  t.shareL0CSize = t.baseM * t.baseN * 4;
  t.shareUbSize = 0;
  return true;
}

void Describe(Work& w) {
  const AkgenProduct& p = w.p;
  MatmulCut& t = w.t;
  t.M = Or(p.org_m, w.m), t.N = Or(p.org_n, w.n), t.Ka = Or(p.org_ka, w.k),
  t.Kb = Or(p.org_kb, w.k);
  t.isBias = p.has_bias;
  t.iterateOrder = p.traverse == MatrixTraverse::FIRSTN ? 1 : 0;
  t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
  t.ALayoutInfoB = p.a_layout.b, t.ALayoutInfoS = p.a_layout.s, t.ALayoutInfoN = p.a_layout.n;
  t.ALayoutInfoG = p.a_layout.g, t.ALayoutInfoD = p.a_layout.d;
  t.BLayoutInfoB = p.b_layout.b, t.BLayoutInfoS = p.b_layout.s, t.BLayoutInfoN = p.b_layout.n;
  t.BLayoutInfoG = p.b_layout.g, t.BLayoutInfoD = p.b_layout.d;
  t.CLayoutInfoB = p.c_layout.b, t.CLayoutInfoS1 = p.c_layout.s, t.CLayoutInfoN = p.c_layout.n;
  t.CLayoutInfoG = p.c_layout.g, t.CLayoutInfoS2 = p.c_layout.d;
  t.BatchNum = p.batch;
}
}  // namespace

int32_t BitsOf(DataType type) {
  switch (type) {
    case DataType::DT_INT4: return 4;
    case DataType::DT_INT8:
    case DataType::DT_UINT8:
    case DataType::DT_BOOL: return 8;
    case DataType::DT_FLOAT16:
    case DataType::DT_BF16:
    case DataType::DT_BFLOAT16:
    case DataType::DT_INT16:
    case DataType::DT_UINT16: return 16;
    case DataType::DT_FLOAT:
    case DataType::DT_INT32:
    case DataType::DT_UINT32: return 32;
    default: return 64;
  }
}

// Loads that transpose take squares: 64 elements of 4 bits, 32 of 8, 16 of more.
CutUnits UnitsOf(const AkgenProduct& p) {
  const int32_t bits = BitsOf(p.a.type), row = 256 / bits, square = std::max(16, row);
  CutUnits u;
  u.k = row;
  if (p.a.trans) u.m = square, u.k = square;
  if (!p.b.trans) u.n = square, u.k = square;
  if (p.sparse) u.k = 2 * row;  // half of which B stores
  if (bits < 16 && p.c.format == CubeFormat::NZ && BitsOf(p.c.type) == 8) u.n = std::max(u.n, 32);
  return u;
}

std::optional<MatmulCut> CutMatmul(const AkgenProduct& p) {
  Work w{p,
         UnitsOf(p),
         Or(p.shape.m, p.org_m),
         Or(p.shape.n, p.org_n),
         Or(p.shape.k, p.org_ka),
         BitsOf(p.a.type),
         {}};
  if (w.m <= 0 || w.n <= 0 || w.k <= 0 || !TypesFit(p) || !PlacesFit(p)) return std::nullopt;
  if (p.a.type == DataType::DT_INT4 && p.a.trans) return std::nullopt;
  if (!Spread(w) || !ChooseBase(w) || !ChooseDepth(w) || !ChooseSteps(w)) return std::nullopt;
  Describe(w);
  return w.t;
}

const char* Legal(const AkgenProduct& p, const MatmulCut& t) {
  const CutUnits u = UnitsOf(p);
  const int64_t bits = BitsOf(p.a.type);
  auto bytes = [&](int64_t elements) { return elements * bits / 8; };
  const bool fixed = p.base.m > 0 || p.base.n > 0 || p.base.k > 0;
  if (t.baseM <= 0 || t.baseN <= 0 || t.baseK <= 0 || t.singleCoreM <= 0 || t.singleCoreN <= 0 ||
      t.singleCoreK <= 0)
    return "every size is positive";
  if (!fixed && (t.baseM % 16 || t.baseN % 16 || t.baseK % u.k))
    return "base blocks are whole fractals";
  if (bytes(int64_t(t.baseM) * t.baseK) * t.dbL0A > p.l0a) return "A's base block fits L0A";
  if (bytes(int64_t(t.baseN) * t.baseK) * t.dbL0B > p.l0b) return "B's base block fits L0B";
  if (int64_t(t.baseM) * t.baseN * 4 * t.dbL0C > Room(p.l0c, p.all_l0c))
    return "C's base block fits L0C";
  if (p.has_bias && t.baseN * 4 > Room(p.bt, p.all_bt)) return "the bias fits the BiasTable";
  auto whole = [](int32_t depth, int32_t steps) {
    return steps > 0 && (depth == steps || depth == 2 * steps);
  };
  if (!whole(t.depthA1, t.stepM * t.stepKa) || !whole(t.depthB1, t.stepN * t.stepKb))
    return "L1 holds whole steps, once or twice";
  const int64_t a = InL1(p.a) ? 0 : int64_t(t.baseM) * t.depthA1,
                b = InL1(p.b) ? 0 : int64_t(t.baseN) * t.depthB1;
  if (bytes((a + b) * t.baseK) + (p.has_bias ? 4 * t.baseN : 0) > Room(p.l1, p.all_l1))
    return "A, B and bias fit L1";
  const int64_t ka = Ceil(t.singleCoreK, int64_t(t.baseK) * t.stepKa),
                kb = Ceil(t.singleCoreK, int64_t(t.baseK) * t.stepKb);
  if (ka % kb && kb % ka) return "steps along K are multiples of each other";
  const int32_t m = Or(p.shape.m, p.org_m), n = Or(p.shape.n, p.org_n), k = Or(p.shape.k, p.org_ka);
  const int64_t used = Ceil(m, t.singleCoreM) * Ceil(n, t.singleCoreN) * Ceil(k, t.singleCoreK);
  if ((SharesGiven(p) ? std::min<int64_t>(used, p.cores) : used) != t.usedCoreNum ||
      t.usedCoreNum > p.cores)
    return "the cores cover the product, and are not more than there are";
  if (!p.split_k && p.single.k <= 0 && t.singleCoreK != k) return "K is split only when asked for";
  if (t.baseM > Up(t.singleCoreM, std::max(16, u.m)) && p.base.m <= 0)
    return "a base block is no larger than a core's share";
  if (t.baseN > Up(t.singleCoreN, std::max(16, u.n)) && p.base.n <= 0)
    return "a base block is no larger than a core's share";
  return "";
}

}  // namespace akgen::host
