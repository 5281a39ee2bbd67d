// A product becomes a loop over K that brings tiles to L1, and in it one that brings parts of these
// to L0A and L0B.
#include <fmt/format.h>

#include <algorithm>

#include "craft/passes/lowered.h"

namespace akgen::craft {
namespace {
using ir::Int;
using ir::S;
using ir::Ty;

int64_t Bytes(base::Dtype d) { return static_cast<int64_t>(base::SizeOf(d)); }
// Extents of tiles are rounded up to whole fractals, either way round: 16 rows of 32 bytes.
int64_t Granule(base::Dtype d) { return std::max<int64_t>(16, 32 / Bytes(d)); }
S Rounded(const S& a, int64_t to) { return ir::Mul(ir::CeilDiv(a, Int(to)), Int(to)); }
S Quotient(const S& a, const S& b) { return ir::Call("quotient", {a, b}, Ty::kInt); }
S Larger(const S& a, const S& b) { return ir::Same(a, b) ? a : ir::Call("max", {a, b}, Ty::kInt); }

template <typename F>
void Each(CubeBlock& block, const F& f) {
  for (size_t i = 0; i < block.size(); ++i) {
    Each(block[i].body, f);
    Each(block[i].other, f);
    f(block, i);
  }
}

int NewTensor(CubeKernel& k, std::string name, base::Dtype dtype, CubePosition position, S bytes) {
  CubeTensor t;
  t.name = std::move(name);
  t.dtype = dtype;
  t.position = position;
  t.bytes = std::move(bytes);
  k.tensors.push_back(std::move(t));
  return static_cast<int>(k.tensors.size()) - 1;
}

CubeInstr NewInstr(CubeOp op, std::vector<int> tensors, std::vector<S> numbers, Place place) {
  CubeInstr n;
  n.op = op;
  n.tensors = std::move(tensors);
  n.numbers = std::move(numbers);
  n.place = place;
  return n;
}

CubeInstr TileLoop(const std::string& var, const std::string& count, S last, S step, Place place) {
  CubeInstr n = NewInstr(CubeOp::loop, {}, {}, place);
  n.var = var, n.count = count;
  n.first = Int(0), n.last = std::move(last), n.step = std::move(step);
  return n;
}

// Part [at, at + depth) of K of an operand, as a window: rows of the tensor or columns, as it is
// transposed or not.
ir::GmRef PartOf(const ir::Matrix& m, bool left, const S& at, const S& depth) {
  ir::GmRef w = m.gm;
  const bool along_rows = left == m.transposed;
  w.offset = ir::Add(w.offset, along_rows ? ir::Mul(at, w.row_stride) : at);
  (along_rows ? w.rows : w.cols) = depth;
  return w;
}
base::Dtype DtypeOf(const CubeKernel& k, const ir::Matrix& m) {
  return m.buffer >= 0 ? k.kernel.buffers[static_cast<size_t>(m.buffer)].dtype
                       : k.kernel.gms[static_cast<size_t>(m.gm.gm)].dtype;
}

class Streamer {
 public:
  explicit Streamer(LoweredKernel& k) : lowered_(k), target_(k.target), k_(*k.cube) {}

  void Run() {
    Each(k_.body, [&](CubeBlock& block, size_t i) {
      if (block[i].op != CubeOp::product) return;
      CubeBlock made = Stream(block[i]);
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
      block.insert(block.begin() + static_cast<std::ptrdiff_t>(i), made.begin(), made.end());
    });
  }

 private:
  // What products with tiles of one size use in turn.
  struct Tiles {
    std::string deep, part;  // names of their depths
    int left = -1, right = -1;
  };
  std::string KindOf(const ir::Product& p) const {
    const ir::Buffer& acc = k_.kernel.buffers[static_cast<size_t>(p.acc)];
    return fmt::format("{} by {} of {}", ir::Key(acc.rows), ir::Key(acc.cols),
                       base::NameOf(DtypeOf(k_, p.a)));
  }

  // The depth of tiles: so that two of each side fit in L1 and in L0; four of L0's make one of
  // L1's, if they may.
  void Sizes(const ir::Product& p, Tiles& tiles) {
    const ir::Buffer& acc = k_.kernel.buffers[static_cast<size_t>(p.acc)];
    const base::Dtype d = DtypeOf(k_, p.a);
    const int64_t granule = Granule(d), bytes = Bytes(d);
    S tm = Rounded(acc.rows, granule), tn = Rounded(acc.cols, granule);
    tiles.part = FreshName(lowered_, "part"), tiles.deep = FreshName(lowered_, "deep");
    const int64_t half = std::min(target_.l0a_bytes, target_.l0b_bytes) / 2;
    const int64_t share = target_.l1_bytes / 2 / static_cast<int64_t>(Kinds()) - 4096;
    S most = Quotient(Int(half), ir::Mul(Larger(tm, tn), Int(bytes)));
    if (share < 2 * half)  // of two sides that L0 would hold
      most = ir::Min(most, Quotient(Int(share), ir::Mul(ir::Add(tm, tn), Int(bytes))));
    S k0 = ir::Call("min", {ir::Mul(Quotient(most, Int(granule)), Int(granule)), Int(kMaxPart)},
                    Ty::kInt);
    k_.sizes.push_back({tiles.part, k0});
    S k0_var = ir::Var(tiles.part, Ty::kInt);
    S times = Quotient(Int(share), ir::Mul(ir::Mul(ir::Add(tm, tn), Int(bytes)), k0_var));
    k_.sizes.push_back({tiles.deep, ir::Mul(ir::Call("min", {times, Int(4)}, Ty::kInt), k0_var)});
  }
  // How many sizes of tiles share L1.
  size_t Kinds() {
    if (kinds_.empty())
      Each(k_.body, [&](CubeBlock& b, size_t i) {
        if (b[i].op == CubeOp::product) kinds_.insert({KindOf(*b[i].product), {}});
      });
    return kinds_.size();
  }
  Tiles& TilesOf(const ir::Product& p) {
    Kinds();
    Tiles& tiles = kinds_[KindOf(p)];
    if (!tiles.deep.empty()) return tiles;
    Sizes(p, tiles);
    const ir::Buffer& acc = k_.kernel.buffers[static_cast<size_t>(p.acc)];
    const base::Dtype d = DtypeOf(k_, p.a);
    for (const ir::Matrix* m : {&p.a, &p.b}) {
      const bool left = m == &p.a;
      S bytes = ir::Mul(
          ir::Mul(Rounded(left ? acc.rows : acc.cols, Granule(d)), ir::Var(tiles.deep, Ty::kInt)),
          Int(Bytes(d)));
      const std::string& of = k_.kernel.gms[static_cast<size_t>(m->gm.gm)].name;
      (left ? tiles.left : tiles.right) =
          NewTensor(k_, FreshName(lowered_, of + "_l1"), d,
                    left ? CubePosition::kA1 : CubePosition::kB1, bytes);
    }
    return tiles;
  }

  // The row that sums begin with, in L1 and from there in BiasTable.
  int Row(const ir::Product& p, CubeBlock& out) {
    const ir::Buffer& acc = k_.kernel.buffers[static_cast<size_t>(p.acc)];
    const ir::Gm& gm = k_.kernel.gms[static_cast<size_t>(p.row->gm)];
    S bytes = ir::Mul(Rounded(acc.cols, 32), Int(4));  // BiasTable is written 128 at a time
    const int in_l1 =
        NewTensor(k_, FreshName(lowered_, gm.name + "_l1"), gm.dtype, CubePosition::kRow1, bytes);
    const int table = NewTensor(k_, FreshName(lowered_, gm.name + "_table"), acc.dtype,
                                CubePosition::kRow2, bytes);
    k_.tensors[static_cast<size_t>(table)].depth = 1;
    k_.limits.push_back({bytes, kBiasTable});
    CubeInstr copy = NewInstr(CubeOp::copy_row, {in_l1}, {p.row->cols}, p.place);
    copy.gm = p.row;
    out.push_back(std::move(copy));
    out.push_back(NewInstr(CubeOp::load_row, {table, in_l1}, {p.n}, p.place));
    return table;
  }

  CubeBlock Stream(const CubeInstr& product) {
    CubeBlock out;
    const ir::Product& p = *product.product;
    const Tiles& tiles = TilesOf(p);
    // A number of its own, as an extent is: what is computed from them may be 0 for some shapes.
    const bool known = p.k->kind == ir::SKind::kVar &&
                       std::any_of(k_.kernel.params.begin(), k_.kernel.params.end(),
                                   [&](const auto& q) { return q.name == p.k->text; });
    if (known) k_.depths.push_back(p.k);
    CubeInstr loop = TileLoop(FreshName(lowered_, "at"), FreshName(lowered_, "depth"), p.k,
                              ir::Var(tiles.deep, Ty::kInt), p.place);
    S at = ir::Var(loop.var, Ty::kInt), depth = ir::Var(loop.count, Ty::kInt);
    CubeInstr inner =
        NewInstr(CubeOp::product_in_l1, product.tensors, {p.m, p.n, p.k, at, depth}, p.place);
    inner.product = product.product;
    inner.form = product.form;
    inner.var = tiles.part;
    for (const ir::Matrix* m : {&p.a, &p.b}) {
      const bool left = m == &p.a;
      const int tile = left ? tiles.left : tiles.right;
      ir::GmRef w = PartOf(*m, left, at, depth);
      CubeInstr copy = NewInstr(CubeOp::nd_to_nz, {tile}, {w.rows, w.cols, w.row_stride}, p.place);
      copy.gm = w;
      loop.body.push_back(std::move(copy));
      inner.tensors.push_back(tile);
    }
    if (p.row) inner.row = Row(p, out);
    CubeInstr zero = NewInstr(CubeOp::zero_product, product.tensors, {p.m, p.n, p.k}, p.place);
    zero.product = product.product, zero.form = product.form, zero.row = inner.row;
    loop.body.push_back(std::move(inner));
    out.push_back(std::move(loop));
    if (!known && !p.accumulate) out.push_back(std::move(zero));
    return out;
  }

  static constexpr int64_t kMaxPart = 1024;    // of K in one Mmad
  static constexpr int64_t kBiasTable = 1024;  // bytes
  LoweredKernel& lowered_;
  const Target& target_;
  CubeKernel& k_;
  std::map<std::string, Tiles> kinds_;
};
}  // namespace

base::Status StreamK(LoweredKernel& k) {
  if (k.cube) Streamer(k).Run();
  return {};
}

namespace {
class L0Tiler {
 public:
  explicit L0Tiler(LoweredKernel& k) : lowered_(k), k_(*k.cube) {}

  base::Status Run() {
    Each(k_.body, [&](CubeBlock& block, size_t i) {
      if (block[i].op == CubeOp::product_in_l1)
        block[i] = Parts(block[i]);
      else if (block[i].op == CubeOp::zero_product)
        block[i] = Zeros(block[i]);
    });
    return status_;
  }

 private:
  // L0A and L0B, twice half of them.
  void Tensors(base::Dtype d, const ir::Product& p) {
    if (left_ >= 0 && dtype_ != d && status_.ok())
      status_ =
          base::Error{"AK1520", "products of different dtypes in one kernel",
                      fmt::format("line {}", p.place.line), "one kernel has products of one dtype"};
    if (left_ >= 0) return;
    dtype_ = d;
    left_ = NewTensor(k_, FreshName(lowered_, "left"), d, CubePosition::kA2,
                      Int(lowered_.target.l0a_bytes / 2));
    right_ = NewTensor(k_, FreshName(lowered_, "right"), d, CubePosition::kB2,
                       Int(lowered_.target.l0b_bytes / 2));
  }

  CubeInstr Mmad(const CubeInstr& product, std::vector<S> numbers) {
    const ir::Product& p = *product.product;
    std::vector<int> tensors = {product.tensors[0], left_, right_};
    if (product.row >= 0) tensors.push_back(product.row);
    CubeInstr mmad = NewInstr(product.row >= 0 ? CubeOp::mmad_row : CubeOp::mmad, tensors,
                              std::move(numbers), p.place);
    mmad.form = product.form;
    mmad.form.pairs_of_k = p.a.transposed && dtype_ == base::Dtype::kFloat32;
    return mmad;
  }

  CubeInstr Parts(const CubeInstr& product) {
    const ir::Product& p = *product.product;
    Tensors(DtypeOf(k_, p.a), p);
    const S &m = product.numbers[0], &n = product.numbers[1], &all = product.numbers[2],
            &at = product.numbers[3], &depth = product.numbers[4];
    CubeInstr loop = TileLoop(FreshName(lowered_, "from"), FreshName(lowered_, "length"), depth,
                              ir::Var(product.var, Ty::kInt), p.place);
    S from = ir::Var(loop.var, Ty::kInt), length = ir::Var(loop.count, Ty::kInt);
    CubeInstr load_a =
        NewInstr(CubeOp::load_a, {left_, product.tensors[1]}, {m, from, length, depth}, p.place);
    load_a.form.transposed = p.a.transposed;
    CubeInstr load_b =
        NewInstr(CubeOp::load_b, {right_, product.tensors[2]}, {n, from, length, depth}, p.place);
    load_b.form.transposed = p.b.transposed;
    S begin = ir::Add(at, from);
    S first = p.accumulate ? ir::Bool(false) : ir::Binary("==", begin, Int(0), Ty::kBool);
    S last = ir::Binary("==", ir::Add(begin, length), all, Ty::kBool);
    loop.body = {std::move(load_a), std::move(load_b), Mmad(product, {m, n, length, first, last})};
    return loop;
  }

  // Sums of nothing are zeros: a product of zeros.
  CubeInstr Zeros(const CubeInstr& product) {
    const ir::Product& p = *product.product;
    const S &m = product.numbers[0], &n = product.numbers[1];
    Tensors(DtypeOf(k_, p.a), p);
    CubeInstr empty = NewInstr(CubeOp::branch, {},
                               {ir::Binary("<", product.numbers[2], Int(1), Ty::kBool)}, p.place);
    S yes = ir::Bool(true);
    empty.body = {NewInstr(CubeOp::zero_a, {left_}, {m}, p.place),
                  NewInstr(CubeOp::zero_b, {right_}, {n}, p.place),
                  Mmad(product, {m, n, Int(32 / Bytes(dtype_)), yes, yes})};
    empty.body.back().form.pairs_of_k = false;  // of zeros there is one row of fractals
    return empty;
  }

  LoweredKernel& lowered_;
  CubeKernel& k_;
  base::Dtype dtype_ = base::Dtype::kFloat32;
  int left_ = -1, right_ = -1;
  base::Status status_;
};
}  // namespace

base::Status TileL0(LoweredKernel& k) { return k.cube ? L0Tiler(k).Run() : base::Status{}; }

namespace {
bool Uses(const CubeInstr& n, int tensor) {
  if (std::find(n.tensors.begin(), n.tensors.end(), tensor) != n.tensors.end()) return true;
  auto in = [&](const CubeBlock& b) {
    return std::any_of(b.begin(), b.end(), [&](const auto& m) { return Uses(m, tensor); });
  };
  return in(n.body) || in(n.other);
}

bool TakesTensor(CubeOp op) {
  return op != CubeOp::mmad && op != CubeOp::mmad_row && op != CubeOp::fixpipe;
}

// A tensor is taken before the instruction that writes it, handed over behind it, and given back
// behind the last one of the block that reads it.
CubeBlock WithQueues(const CubeKernel& k, const CubeBlock& block) {
  CubeBlock out;
  std::map<size_t, std::vector<int>> takes,
      gives;  // by instruction: tensors that it is the first, the last to read
  for (size_t i = 0; i < block.size(); ++i) {
    if (block[i].tensors.empty() || !TakesTensor(block[i].op)) continue;
    const int t = block[i].tensors[0];
    size_t first = block.size(), last = 0;
    for (size_t j = i + 1; j < block.size(); ++j)
      if (Uses(block[j], t)) first = std::min(first, j), last = j;
    if (first == block.size()) continue;
    takes[first].push_back(t);
    gives[last].push_back(t);
  }
  auto call = [&](CubeOp op, int t, Place place) { out.push_back(NewInstr(op, {t}, {}, place)); };
  for (size_t i = 0; i < block.size(); ++i) {
    const CubeInstr& n = block[i];
    for (int t : takes[i]) call(CubeOp::deque, t, n.place);
    const bool writes = !n.tensors.empty() && TakesTensor(n.op);
    if (writes) call(CubeOp::alloc, n.tensors[0], n.place);
    out.push_back(n);
    out.back().body = WithQueues(k, n.body);
    out.back().other = WithQueues(k, n.other);
    if (writes) call(CubeOp::enque, n.tensors[0], n.place);
    for (int t : gives[i]) call(CubeOp::release, t, n.place);
  }
  return out;
}

// Sums that a queue hands over: taken before the first product that writes them, given back behind
// their store.
class SumsInQueues {
 public:
  explicit SumsInQueues(CubeKernel& k) : k_(k) {}
  base::Status Run() {
    for (size_t b = 0; b < k_.acc.size(); ++b)
      if (k_.acc[b] >= 0 && k_.tensors[static_cast<size_t>(k_.acc[b])].depth > 0)
        Block(k_.body, k_.acc[b]);
    return status_;
  }

 private:
  static bool Has(const CubeInstr& n, int t, CubeOp op) {
    if (n.op == op && std::find(n.tensors.begin(), n.tensors.end(), t) != n.tensors.end())
      return true;
    auto in = [&](const CubeBlock& b) {
      return std::any_of(b.begin(), b.end(), [&](const auto& m) { return Has(m, t, op); });
    };
    return in(n.body) || in(n.other);
  }
  static bool Makes(const CubeInstr& n, int t) {
    return Has(n, t, CubeOp::mmad) || Has(n, t, CubeOp::mmad_row);
  }
  // The innermost block with both products and store: products first, then stores, then perhaps the
  // next ones.
  void Block(CubeBlock& block, int t) {
    for (CubeInstr& n : block)
      if (Makes(n, t) && Has(n, t, CubeOp::fixpipe)) {
        Block(n.body, t);
        Block(n.other, t);
        return;
      }
    CubeBlock out;
    bool open = false, stored = false;
    auto call = [&](CubeOp op, Place place) { out.push_back(NewInstr(op, {t}, {}, place)); };
    for (size_t i = 0; i < block.size(); ++i) {
      const bool writes = Makes(block[i], t), stores = Has(block[i], t, CubeOp::fixpipe);
      if (writes && stored) call(CubeOp::release, block[i].place), open = stored = false;
      if (writes && !open) call(CubeOp::alloc, block[i].place), open = true;
      if (stores && open && !stored) {
        call(CubeOp::enque, block[i].place);
        call(CubeOp::deque, block[i].place);
        stored = true;
      }
      if (stores && !open && status_.ok())
        status_ = base::Error{"AK1520",
                              k_.tensors[static_cast<size_t>(t)].name +
                                  " is stored in another block than its sums are made in",
                              fmt::format("line {}", block[i].place.line),
                              "store it where the last product is, or below"};
      out.push_back(block[i]);
    }
    if (open) call(CubeOp::release, block.empty() ? Place{} : block.back().place);
    block = std::move(out);
  }
  CubeKernel& k_;
  base::Status status_;
};
}  // namespace

base::Status CubeQueues(LoweredKernel& k) {
  if (!k.cube) return {};
  k.cube->body = WithQueues(*k.cube, k.cube->body);
  return SumsInQueues(*k.cube).Run();
}

base::Status PlanCube(LoweredKernel& k) {
  if (!k.cube) return {};
  CubeKernel& c = *k.cube;
  S l0c = Int(0);
  for (size_t b = 0; b < c.acc.size(); ++b) {
    if (c.acc[b] < 0) continue;
    const ir::Buffer& acc = c.kernel.buffers[b];
    CubeTensor& t = c.tensors[static_cast<size_t>(c.acc[b])];
    // Sums are of whole fractals of their operands: those of i32 have operands of i8.
    const int64_t granule = acc.dtype == base::Dtype::kInt32 ? 32 : 16;
    t.bytes = ir::Mul(ir::Mul(Rounded(acc.rows, granule), Rounded(acc.cols, granule)), Int(4));
    l0c = ir::Add(l0c, t.bytes);
  }
  std::set<std::string> known, used;
  for (const auto& p : c.kernel.params) known.insert(p.name);
  c.limits.insert(c.limits.begin(), {l0c, k.target.l0c_bytes});
  for (const auto& [bytes, most] : c.limits) ir::Variables(bytes, used);
  for (const std::string& v : used)
    if (!known.count(v))
      return base::Error{
          "AK1521",
          fmt::format("the size of a tile depends on '{}', which the host does not know", v),
          c.kernel.name, "make acc() from the kernel's parameters"};
  return {};
}

}  // namespace akgen::craft
