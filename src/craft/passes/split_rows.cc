// The two Vector cores of a block share the rows of each tile that is handed over: the first has
// the upper half.
#include <fmt/format.h>

#include "craft/passes/lowered.h"

namespace akgen::craft {
namespace {
using ir::Call;
using ir::S;
using ir::Stmt;
using ir::Ty;

class RowSplitter {
 public:
  explicit RowSplitter(LoweredKernel& k) : k_(k) {}

  base::Status Run(ir::Block& body) {
    Capacities();
    for (auto& s : body) {
      if (s->kind == Stmt::kFor && s->name == k_.block_loop)
        Loop(*s);
      else if (s->kind == Stmt::kStage && s->stage != ir::StageKind::kCopyIn)
        Fail(*s, "a stage outside of the loop that hands tiles over",
             "only loads that all blocks use stand there");
      else if (s->kind == Stmt::kFor || s->kind == Stmt::kIf || s->kind == Stmt::kSync)
        Fail(*s, "a second loop of vector cores in a kernel with products",
             "give it a program of its own");
    }
    return status_;
  }

 private:
  void Fail(const Stmt& s, std::string what, std::string fix) {
    if (status_.ok())
      status_ = base::Error{"AK1520", std::move(what), fmt::format("line {}", s.place.line),
                            std::move(fix)};
  }

  // A tile's buffers hold half of its rows.
  void Capacities() {
    most_ = k_.rings[0].rows;
    half_most_ = ir::CeilDiv(most_, ir::Int(2));
    for (ir::Buffer& b : k_.kernel.buffers)
      if (b.memory == ir::Memory::kUb && ir::Same(b.rows, most_)) b.rows = half_most_;
  }

  static std::shared_ptr<Stmt> Let(const std::string& name, S value, Place place) {
    auto st = std::make_shared<Stmt>();
    st->kind = Stmt::kLet;
    st->place = place;
    st->name = name;
    st->value = std::move(value);
    return st;
  }
  static std::shared_ptr<Stmt> FlagOf(bool set, size_t ring, Place place) {
    auto st = std::make_shared<Stmt>();
    st->kind = Stmt::kFlag;
    st->place = place;
    st->flag = {set, static_cast<int>(2 * ring + (set ? 1 : 0))};
    return st;
  }

  void Loop(Stmt& loop) {
    ir::Block lets, rest;
    for (auto& s : loop.body) (rest.empty() && s->kind == Stmt::kLet ? lets : rest).push_back(s);
    S h = ir::Var(k_.block_rows, Ty::kInt), sub = Call("sub_block", {}, Ty::kInt);
    const std::string half = FreshName(k_, "half"), top = FreshName(k_, "top"),
                      mine = FreshName(k_, "mine"), first = FreshName(k_, "first_row");
    S half_var = ir::Var(half, Ty::kInt), top_var = ir::Var(top, Ty::kInt);
    lets.push_back(Let(half, ir::CeilDiv(h, ir::Int(2)), loop.place));
    lets.push_back(Let(top, ir::Mul(sub, half_var), loop.place));
    lets.push_back(Let(mine, Call("min", {half_var, ir::Sub(h, top_var)}, Ty::kInt), loop.place));
    lets.push_back(Let(first, ir::Add(ir::Var(k_.block_row, Ty::kInt), top_var), loop.place));
    rename_ = {{k_.block_row, ir::Var(first, Ty::kInt)}, {k_.block_rows, ir::Var(mine, Ty::kInt)}};
    auto guard = std::make_shared<Stmt>();
    guard->kind = Stmt::kIf;
    guard->place = loop.place;
    guard->value = ir::Binary(">", ir::Var(mine, Ty::kInt), ir::Int(0), Ty::kBool);
    for (auto& s : rest) {
      if (!s->handovers.empty()) {
        for (const ir::Handover& handover : s->handovers)
          Take(handover, top_var, ir::Var(mine, Ty::kInt), *s, *guard);
        continue;
      }
      Rename(*s);
      guard->body.push_back(s);
    }
    loop.body = lets;
    loop.body.push_back(guard);
  }

  // The ring's next tile: waited for, loaded, and its slot given back.
  void Take(const ir::Handover& h, const S& top, const S& mine, const Stmt& s, Stmt& guard) {
    const size_t r = next_++;
    const Ring& ring = k_.rings[r];
    auto load = std::make_shared<Stmt>();
    load->kind = Stmt::kStage;
    load->place = s.place;
    ir::Copy c;
    c.buffer = h.to;
    c.gm.gm = ring.gm;
    c.gm.place = s.place;
    c.gm.offset = ir::Add(RingOffset(k_, ring), ir::Mul(top, ring.cols));
    c.gm.rows = mine;
    c.gm.cols = ir::Var(k_.block_cols, Ty::kInt);
    c.gm.row_stride = ring.cols;
    load->copies = {c};
    guard.body.push_back(FlagOf(false, r, s.place));
    guard.body.push_back(load);
    guard.body.push_back(FlagOf(true, r, s.place));
    guard.other.push_back(FlagOf(false, r, s.place));
    guard.other.push_back(FlagOf(true, r, s.place));
  }

  S Renamed(const S& s) const {
    return ir::Substitute(s, [&](const std::string& name) -> S {
      auto it = rename_.find(name);
      return it == rename_.end() ? nullptr : it->second;
    });
  }
  bool Mentions(const S& s, const std::string& name) const {
    std::set<std::string> used;
    ir::Variables(s, used);
    return used.count(name) > 0;
  }
  // Of a window of rows of the block, which are shared, the dimension they lie along.
  enum class Rows { kShared, kOthers, kNeither };
  Rows RowsOf(const ir::Copy& c) const {
    const S row = ir::Var(k_.block_row, Ty::kInt), rows = ir::Var(k_.block_rows, Ty::kInt);
    bool shared = false, other = false;
    for (const auto& [start, extent, room] : c.gm.window) {
      if (!Mentions(extent, k_.block_rows)) {
        other |= Mentions(start, k_.block_row) || Mentions(start, k_.block_rows);
        continue;
      }
      const S from = ir::Substitute(start, [&](const std::string& name) -> S {
        return name == k_.block_row ? ir::Int(0) : nullptr;
      });
      if (shared || !ir::Same(extent, rows) || !ir::Same(start, ir::Add(row, from)) ||
          Mentions(from, k_.block_rows))
        return Rows::kNeither;
      shared = true;
    }
    if (shared) return other ? Rows::kNeither : Rows::kShared;
    return Rows::kOthers;
  }
  // As numbers the block's first row and rows are those of the whole tile; as places and extents
  // they are a core's own.
  void Rename(Stmt& s) {
    for (ir::Copy& c : s.copies) {
      const Rows rows = RowsOf(c);
      if (rows == Rows::kNeither || (rows == Rows::kOthers && s.stage == ir::StageKind::kCopyOut))
        Fail(s,
             !Mentions(c.gm.offset, k_.block_row)
                 ? "both vector cores of a block would store the same rows"
                 : "rows of a block that two vector cores cannot share",
             "rows of the block, one for each of the tile: d[i : i + h, j : j + w]");
      if (rows != Rows::kShared) continue;
      for (S* e : {&c.gm.offset, &c.gm.rows, &c.gm.cols, &c.gm.row_stride, &c.gm.list_index})
        *e = Renamed(*e);
      for (auto& [start, extent, room] : c.gm.window)
        start = Renamed(start), extent = Renamed(extent);
    }
    for (ir::Value& v : s.values) {
      const ir::OpKind kind = ir::KindOf(v.op);
      if (kind == ir::OpKind::column || kind == ir::OpKind::all)
        Fail(s, fmt::format("{}() joins rows, which two vector cores share", ir::NameOf(v.op)),
             "reduce along rows, or in another kernel");
      for (S* e : {&v.rows, &v.cols}) *e = Renamed(*e);
      if (ir::Same(v.most_rows, most_)) v.most_rows = half_most_;
    }
    for (auto* inner : {&s.body, &s.other})
      for (auto& c : *inner) {
        if (!c->handovers.empty())
          Fail(*c, "a handover below a loop or a condition",
               "hand over in the loop over blocks itself");
        Rename(*c);
      }
  }

  LoweredKernel& k_;
  std::map<std::string, S> rename_;
  S most_, half_most_;
  size_t next_ = 0;
  base::Status status_;
};
}  // namespace

// Which of a core's blocks this is.
S RingTurn(const LoweredKernel& k) {
  return Call("quotient", {ir::Var(k.block_loop, Ty::kInt), Call("cores", {}, Ty::kInt)}, Ty::kInt);
}
// Where this block's tile lies in its ring.
S RingOffset(const LoweredKernel& k, const Ring& ring) {
  S slot = Call("remainder", {RingTurn(k), ir::Int(kRingSlots)}, Ty::kInt);
  S tile = ir::Add(ir::Mul(Call("core", {}, Ty::kInt), ir::Int(kRingSlots)), slot);
  return ir::Mul(tile, ir::Mul(ring.rows, ring.cols));
}

base::Status SplitRows(LoweredKernel& k, ir::Block& body) { return RowSplitter(k).Run(body); }

}  // namespace akgen::craft
