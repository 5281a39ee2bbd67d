// One core of a launch: it runs its block statement by statement. For interpret.cc.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "craft/interpret/interpret.h"
#include "craft/interpret/scalars.h"

namespace akgen::craft {
using base::Dtype;
using base::Error;
using ir::S;
using ir::SKind;
using ir::Ty;

// Memory of one GM tensor during a launch: who wrote and read each element since the last
// sync_all().
struct GmTensor {
  Tensor* tensor = nullptr;
  std::vector<int32_t> writer, reader;  // core + 1
  std::vector<uint8_t> written;         // ever
  bool fresh = false;                   // made by the host: nothing is there before a store

  // Fails where another core may touch the element at the same time, or nothing is there.
  void Touch(int64_t core, const ir::Gm& gm, int64_t at, bool in, Place place, bool atomic_add) {
    int32_t me = static_cast<int32_t>(core) + 1;
    int32_t w = writer[at], r = reader[at];
    bool clash = in ? (w && w != me) : !atomic_add && ((w && w != me) || (r && r != me));
    if (clash)
      Fail("AK1531",
           fmt::format("core {} {} element {} of {}, core {} {} it: nothing orders them", core,
                       in ? "reads" : "writes", at, gm.name, (w && w != me ? w : r) - 1,
                       w && w != me ? "writes" : "reads"),
           place, "give each core its own part, or put sync_all() between");
    if (in && w == me)
      Fail("AK1531",
           fmt::format("core {} reads element {} of {}, which it has written since the last "
                       "sync_all(): nothing orders "
                       "the two",
                       core, at, gm.name),
           place, "keep what is needed later in a buffer, or put sync_all() between");
    if (in && fresh && !written[at])
      Fail("AK1530", fmt::format("element {} of {} is read before anything wrote it", at, gm.name),
           place, "store into it first, sync_all() between if another core does");
    if (in) {
      reader[at] = me;
    } else {
      writer[at] = me;
      written[at] = 1;
    }
  }
};
using GmMemory = std::map<Tensor*, GmTensor>;

// The error bound of an element that is moved. Additions of several cores come in any order.
inline void MoveBound(Tensor& t, int64_t at, TileData& tile, int64_t n, bool in, bool add) {
  if (in) {
    if (!t.err.empty() && tile.e.empty()) tile.e.resize(tile.rows * tile.cols);
    if (!t.err.empty()) tile.e[n] = t.err[at];
    return;
  }
  float e = tile.e.empty() ? 0 : tile.e[n];
  if (add && tile.real()) {
    TileData old = MakeTile(t.Seen(), 1, 1);
    ReadElement(old, 0, t.bytes.data() + at * base::SizeOf(t.Seen()));
    float eps = t.Seen() == Dtype::kFloat32 ? 0x1p-23f : 0x1p-10f;
    e += eps * (std::fabs(old.f[0]) + std::fabs(tile.f[n]));
  }
  if (e == 0 && t.err.empty()) return;
  if (t.err.empty()) t.err.resize(t.Elements());
  t.err[at] = add ? t.err[at] + e : e;
}

// One element on its way to GM.
inline void Put(const TileData& tile, int64_t n, uint8_t* to, bool add) {
  if (!add) return WriteElement(tile, n, to);
  TileData sum = MakeTile(tile.dtype, 1, 1);
  ReadElement(sum, 0, to);
  if (sum.real())
    sum.f[0] += tile.f[n];
  else
    sum.i[0] += tile.i[n];
  WriteElement(sum, 0, to);
}

// What a kernel is given as lists of integers, by name.
class IntLists {
 public:
  using Lists = std::vector<std::vector<int64_t>>;
  IntLists(const ir::Kernel& k, const Lists& lists) : k_(k), lists_(lists) {}
  const std::vector<int64_t>& operator[](const std::string& name) const {
    const auto at = std::find(k_.lists.begin(), k_.lists.end(), name) - k_.lists.begin();
    return lists_[static_cast<size_t>(at)];
  }

 private:
  const ir::Kernel& k_;
  const Lists& lists_;
};

// A core's own memory.
class Buffers {
 public:
  explicit Buffers(size_t n) : tiles_(n), filled_(n) {}
  bool Filled(size_t b) const { return filled_[b]; }
  TileData& operator[](size_t b) { return tiles_[b]; }
  void Fill(size_t b, TileData tile) { tiles_[b] = std::move(tile), filled_[b] = true; }
  void Move(size_t from, size_t to) { tiles_[to] = tiles_[from], filled_[to] = filled_[from]; }

 private:
  std::vector<TileData> tiles_;
  std::vector<bool> filled_;
};

// A tile of another dtype and shape; one row or column of `from` serves all.
inline TileData Spread(const TileData& from, Dtype dtype, int64_t rows, int64_t cols) {
  TileData t = MakeTile(dtype, rows, cols);
  for (int64_t r = 0; r < t.rows; ++r)
    for (int64_t c = 0; c < t.cols; ++c) {
      int64_t at = (from.rows == 1 ? 0 : r) * from.cols + (from.cols == 1 ? 0 : c);
      if (t.real())
        t.f[r * t.cols + c] = from.f[at];
      else
        t.i[r * t.cols + c] = from.i[at];
      if (!from.e.empty()) t.e.resize(t.rows * t.cols);
      if (!from.e.empty()) t.e[r * t.cols + c] = from.e[at];
    }
  return t;
}

class Core : public Scalars {
 public:
  using Lists = IntLists::Lists;
  Core(const ir::Kernel& k, std::vector<std::vector<Tensor*>> gms, const Lists& lists,
       GmMemory& memory, int64_t core, int64_t cores, bool bounds)
      : k_(k),
        gms_(std::move(gms)),
        lists_(k, lists),
        memory_(memory),
        core_(core),
        cores_(cores),
        bounds_(bounds),
        buffers_(k.buffers.size()) {}

  // A kernel may say that a tensor is smaller than it is, not larger.
  void CheckShapes(Place launch) {
    for (size_t g = 0; g < k_.gms.size(); ++g) {
      if (k_.gms[g].is_list || gms_[g].empty()) continue;
      int64_t said = 1;
      std::string shape;
      for (const S& d : k_.gms[g].dims) {
        int64_t n = Int(d);
        shape += fmt::format("{}{}", shape.empty() ? "" : ", ", n);
        if (n < 0 || (n > 0 && said > std::numeric_limits<int64_t>::max() / n))
          Fail("AK1532", fmt::format("{} is said to be [{}]", k_.gms[g].name, shape), launch);
        said *= n;
      }
      int64_t has = gms_[g][0]->Elements();
      if (said > has)
        Fail("AK1532",
             fmt::format("{} is said to be [{}], but has {} elements", k_.gms[g].name, shape, has),
             launch, "require() the shapes that go together");
    }
  }
  // Runs up to the next sync_all(). False: the kernel is over.
  bool Turn() {
    while (next_ < k_.body.size()) {
      const ir::Stmt& s = *k_.body[next_++];
      if (s.kind == ir::Stmt::kSync) return true;
      One(s);
    }
    return false;
  }

 private:
  double Real(double v) const override { return static_cast<float>(v); }

  Number Special(const ir::Scalar& s) override {
    if (s.text == "core") return core_;
    if (s.text == "cores") return cores_;
    if (s.text == "element" || s.text == "length") return OfList(s);
    if (s.text == "start") return Start(k_.StartsOf(s.tensor), Int(s.args[0]));
    size_t g = 0;
    while (g < k_.gms.size() && k_.gms[g].name != s.tensor) ++g;
    if (s.text == "count") return static_cast<int64_t>(gms_[g].size());
    if (s.text == "numel") return Element(g, Int(s.args[0]))->Elements();
    int64_t at = Int(s.args[0]);
    Tensor* t = Element(g, s.args.size() > 1 ? Int(s.args[1]) : 0);
    if (at < 0 || at >= t->Elements())
      Fail("AK1530",
           fmt::format("item() reads element {} of {}, which has {}", at, s.tensor, t->Elements()),
           {});
    TileData one = MakeTile(t->Seen(), 1, 1);
    ReadElement(one, 0, t->bytes.data() + at * base::SizeOf(t->Seen()));
    if (one.real()) return static_cast<double>(one.f[0]);
    return one.i[0];
  }
  Number OfList(const ir::Scalar& s) {
    const std::vector<int64_t>& list = lists_[s.tensor];
    const int64_t length = static_cast<int64_t>(list.size());
    if (s.text == "length") return length;
    const int64_t at = Int(s.args[0]);
    if (at < 0 || at >= length)
      Fail("AK1530", fmt::format("element {} of {}, which has {}", at, s.tensor, length), {});
    return list[static_cast<size_t>(at)];
  }
  int64_t Start(const ir::Starts& s, int64_t piece) {
    const int64_t pieces = static_cast<int64_t>(lists_[s.list].size());
    if (piece < 0 || piece > pieces)
      Fail("AK1530", fmt::format("before() piece {} of {}", piece, pieces), {});
    int64_t sum = 0;
    for (int64_t i = 0; i < piece; ++i) {
      env_[ir::kPiece] = i;
      sum = Whole("+", sum, Int(s.size));
    }
    return sum;
  }
  Tensor* Element(size_t g, int64_t i) {
    if (i < 0 || i >= static_cast<int64_t>(gms_[g].size()))
      Fail("AK1530", fmt::format("{} has no tensor {}", k_.gms[g].name, i), {});
    return gms_[g][i];
  }

  void Block(const ir::Block& b) {
    for (const auto& s : b) One(*s);
  }
  void One(const ir::Stmt& s) {
    AtPlace here(s.place);
    switch (s.kind) {
      case ir::Stmt::kLet: env_[s.name] = Eval(s.value); return;
      case ir::Stmt::kIf: return Block(AsInt(Eval(s.value)) ? s.body : s.other);
      case ir::Stmt::kFor: {
        int64_t last = Int(s.last), step = Int(s.step);
        if (step <= 0) Fail("AK1530", "a loop with a step that is not positive", s.place);
        for (int64_t v = Int(s.first); v < last; v += step) {
          env_[s.name] = v;
          if (!s.count_name.empty()) env_[s.count_name] = std::min(step, last - v);
          Block(s.body);
        }
        return;
      }
      case ir::Stmt::kBlocks: return EachBlock(s);
      case ir::Stmt::kStage:
        for (const ir::Product& p : s.products) Multiply(p);
        for (const ir::Handover& h : s.handovers) buffers_.Move(h.from, h.to);
        for (const ir::Copy& c : s.copies) Move(c, s.stage == ir::StageKind::kCopyIn);
        return Compute(s);
      case ir::Stmt::kFlag:
      case ir::Stmt::kSync: return;
    }
  }

  // core_cube.cc
  void EachBlock(const ir::Stmt& s);
  int64_t BlocksOf(const ir::Stmt& s, int64_t before);
  void Multiply(const ir::Product& p);
  TileData Operand(const ir::Matrix& m);
  TileData Fetch(const ir::GmRef& window);
  TileData Leaving(const ir::Copy& c, Dtype to);

  Tensor* CheckWindow(const ir::GmRef& ref) {
    Tensor* t = Element(ref.gm, ref.list_index ? Int(ref.list_index) : 0);
    for (size_t d = 0; d < ref.window.size(); ++d) {
      int64_t start = Int(ref.window[d].start), extent = Int(ref.window[d].extent);
      int64_t room = Int(ref.window[d].room);
      if (start < 0 || extent < 0 || start + extent > room)
        Fail("AK1530",
             fmt::format("the window [{}, {}) leaves dimension {} of {}{}, which has {}", start,
                         start + extent, d < ref.of_view ? d : d - ref.of_view,
                         d < ref.of_view || !ref.of_view ? "" : "a view of ", k_.gms[ref.gm].name,
                         room),
             ref.place, "take the smaller of the two ends: min(...)");
    }
    return t;
  }

  void Move(const ir::Copy& c, bool in) {
    Tensor* t = CheckWindow(c.gm);
    const ir::Gm& gm = k_.gms[c.gm.gm];
    int64_t offset = Int(c.gm.offset), rows = Int(c.gm.rows), cols = Int(c.gm.cols),
            stride = Int(c.gm.row_stride);
    const ir::Buffer& b = k_.buffers[c.buffer];
    const bool sums = !in && b.memory == ir::Memory::kAcc;
    TileData converted;
    if (sums && buffers_.Filled(c.buffer)) converted = Leaving(c, gm.dtype);
    TileData& tile = sums ? converted : buffers_[c.buffer];
    if (in) {
      if (rows > Int(b.rows) || cols > Int(b.cols))
        Fail("AK1530", fmt::format("{} is too small for [{}, {}]", b.name, rows, cols), c.gm.place);
      buffers_.Fill(c.buffer, MakeTile(b.dtype, rows, cols));
    } else if (!buffers_.Filled(c.buffer)) {
      Fail("AK1530", fmt::format("{} is stored before it was written", b.name), c.gm.place);
    }
    GmTensor& m = memory_[t];
    size_t size = base::SizeOf(gm.dtype);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < cols; ++j) {
        int64_t at = offset + r * stride + j;
        m.Touch(core_, gm, at, in, c.gm.place, c.atomic_add);
        if (bounds_) MoveBound(*t, at, tile, r * cols + j, in, c.atomic_add);
        if (in)
          ReadElement(tile, r * cols + j, t->bytes.data() + at * size);
        else
          Put(tile, r * cols + j, t->bytes.data() + at * size, c.atomic_add);
      }
  }
  void Compute(const ir::Stmt& s) {
    std::vector<TileData> tiles(s.values.size());
    for (size_t i = 0; i < s.values.size(); ++i) {
      const ir::Value& v = s.values[i];
      switch (v.op) {
        case ir::Op::kRead:
          if (!buffers_.Filled(v.buffer))
            Fail("AK1530",
                 fmt::format("{} is read before it was written", k_.buffers[v.buffer].name),
                 v.place);
          tiles[i] = buffers_[v.buffer];
          break;
        case ir::Op::kSplat:
        case ir::Op::k_full:
        case ir::Op::k_iota: tiles[i] = Make(v); break;
        case ir::Op::kWrite:
          buffers_.Fill(v.buffer, Spread(tiles[v.args[0]], k_.buffers[v.buffer].dtype, Int(v.rows),
                                         Int(v.cols)));
          break;
        default: {
          std::vector<const TileData*> args;
          for (int a : v.args) args.push_back(&tiles[a]);
          if (v.op == ir::Op::k_row_gather)
            for (int64_t at : args[1]->i)
              if (at < 0 || at >= args[0]->cols)
                Fail("AK1530",
                     fmt::format("row_gather() takes element {} of rows that have {}", at,
                                 args[0]->cols),
                     v.place, "keep the places inside: minimum(maximum(i, 0), n - 1)");
          tiles[i] = v.numbers.empty() ? Evaluate(v, args, Int(v.rows), Int(v.cols))
                                       : Windows(v, *args[0], WindowNumbers(v), bounds_);
          if (bounds_ && v.numbers.empty()) AddBounds(v, args, tiles[i]);
        }
      }
    }
  }
  std::vector<int64_t> WindowNumbers(const ir::Value& v) {
    std::vector<int64_t> out;
    for (const ir::S& s : v.numbers) out.push_back(Int(s));
    if (std::any_of(out.begin(), out.end() - 1, [](int64_t n) { return n < 1; }))
      Fail("AK1530", "windows with an extent, a count or a distance below 1", v.place);
    return out;
  }
  TileData Make(const ir::Value& v) {
    if (Int(v.rows) < 0 || Int(v.cols) < 0)
      Fail("AK1530", fmt::format("a tile of [{}, {}] elements", Int(v.rows), Int(v.cols)), v.place,
           "take the larger of 0 and the extent: max(...)");
    TileData t = MakeTile(v.dtype, Int(v.rows), Int(v.cols));
    Number n = Eval(v.scalar);
    for (int64_t i = 0; i < t.rows * t.cols; ++i) {
      if (t.real())
        t.f[i] = static_cast<float>(AsReal(n));
      else
        t.i[i] = AsInt(n) + (v.op == ir::Op::k_iota ? i : 0);
    }
    return t.real() ? CastTile(t, t.dtype) : t;
  }
  const ir::Kernel& k_;
  std::vector<std::vector<Tensor*>> gms_;
  IntLists lists_;
  GmMemory& memory_;
  int64_t core_, cores_;
  bool bounds_;
  Buffers buffers_;
  size_t next_ = 0;
};

}  // namespace akgen::craft
