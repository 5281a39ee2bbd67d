// Which stages run on the Cube core: products and what is stored from L0C. The rest stays with the
// Vector cores.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "craft/passes/lowered.h"

namespace akgen::craft {
namespace {
using ir::Stmt;

class CoreSplitter {
 public:
  explicit CoreSplitter(LoweredKernel& k) : k_(k), out_(std::make_shared<CubeKernel>()) {}

  base::Status Run() {
    out_->kernel = k_.kernel;
    Accumulators();
    Rings();
    out_->body = Cube(k_.kernel.body);
    if (!k_.rings.empty()) Drain();
    ir::Block vector = Vector(k_.kernel.body);
    if (!vector.empty() && k_.rings.empty())
      Fail(*vector[0], "a kernel with products has stages for vector cores, but hands nothing over",
           "with handover: move(x, c)");
    if (!k_.rings.empty() && status_.ok()) status_ = SplitRows(k_, vector);
    k_.kernel.body = vector;
    k_.cube = out_;
    return status_;
  }

 private:
  void Fail(const Stmt& s, std::string what, std::string fix) {
    if (status_.ok())
      status_ = base::Error{"AK1520", std::move(what), fmt::format("line {}", s.place.line),
                            std::move(fix)};
  }

  // Sums of floats that one product makes whole and one store takes are handed over by unit flags,
  // others by a queue.
  void Accumulators() {
    for (const ir::Buffer& b : k_.kernel.buffers) {
      out_->acc.push_back(-1);
      if (b.memory != ir::Memory::kAcc) continue;
      const int at = static_cast<int>(out_->acc.size()) - 1;
      Count count;
      CountUses(k_.kernel.body, at, count);
      CubeTensor t;
      t.name = b.name;
      t.dtype = b.dtype;
      t.position = CubePosition::kSums;
      t.member = true;
      t.depth = b.dtype == base::Dtype::kFloat32 && count.pairs && !count.accumulates ? 0 : 1;
      out_->acc.back() = static_cast<int>(out_->tensors.size());
      out_->tensors.push_back(std::move(t));
    }
  }
  struct Count {
    bool pairs = true, accumulates = false, open = false;
  };
  static void CountUses(const ir::Block& b, int acc, Count& count) {
    const bool outer = count.open;
    for (const auto& s : b) {
      for (const ir::Product& p : s->products) {
        if (p.acc != acc) continue;
        count.accumulates |= p.accumulate;
        count.pairs &= !count.open;
        count.open = true;
      }
      for (const ir::Copy& c : s->copies) {
        if (c.buffer != acc) continue;
        count.pairs &= count.open;
        count.open = false;
      }
      for (const ir::Handover& h : s->handovers) {
        if (h.from != acc) continue;
        count.pairs &= count.open;
        count.open = false;
      }
      if (s->body.empty() && s->other.empty()) continue;
      CountUses(s->body, acc, count);
      CountUses(s->other, acc, count);
    }
    count.pairs &= count.open == outer;
  }

  // Each handover of a loop over blocks has a ring of its own.
  void Rings() {
    for (const auto& s : k_.kernel.body)
      for (const auto& inner : s->body)
        for (const ir::Handover& h : inner->handovers) {
          if (s->kind != Stmt::kFor || s->name != k_.block_loop)
            Fail(*inner, "a handover outside of a loop over blocks",
                 "for i, h, j, w in blocks(m, tm, n, tn):");
          if (static_cast<int64_t>(k_.rings.size()) >= 5)
            Fail(*inner, "more than five handovers in a loop",
                 "hand over what is needed, and compute the rest from it");
          const ir::Buffer &from = k_.kernel.buffers[static_cast<size_t>(h.from)],
                           &to = k_.kernel.buffers[static_cast<size_t>(h.to)];
          ir::Gm gm;
          gm.name = FreshName(k_, to.name + "_ring");
          gm.dtype = from.dtype;
          gm.dims = {ir::Mul(ir::Call("cores", {}, ir::Ty::kInt), ir::Int(kRingSlots)), from.rows,
                     from.cols};
          k_.rings.push_back(
              {static_cast<int>(k_.kernel.gms.size()), gm.name, from.rows, from.cols, gm.dtype});
          k_.kernel.gms.push_back(gm);
          out_->kernel.gms.push_back(gm);
        }
  }
  // Flags of a ring: its slots are full, its slots are free.
  static ir::S FullFlag(size_t ring) { return ir::Int(static_cast<int64_t>(2 * ring)); }
  static ir::S FreeFlag(size_t ring) { return ir::Int(static_cast<int64_t>(2 * ring + 1)); }

  // Every flag that is set is waited for: behind the loop, those of the last slots.
  void Drain() {
    for (size_t i = 0; i < out_->body.size(); ++i) {
      if (out_->body[i].var != k_.block_loop) continue;
      ir::S left = ir::Sub(out_->body[i].last, out_->body[i].first);
      CubeInstr loop;
      loop.op = CubeOp::loop;
      loop.place = out_->body[i].place;
      loop.var = FreshName(k_, "slot");
      loop.first = ir::Int(0);
      loop.last = ir::Call("min", {ir::Int(kRingSlots), ir::CeilDiv(left, out_->body[i].step)},
                           ir::Ty::kInt);
      loop.step = ir::Int(1);
      for (size_t r = 0; r < k_.rings.size(); ++r)
        loop.body.push_back(CrossInstr(CubeOp::cross_wait, FreeFlag(r), loop.place));
      out_->body.insert(out_->body.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(loop));
      return;
    }
  }
  static CubeInstr CrossInstr(CubeOp op, ir::S id, Place place) {
    CubeInstr n;
    n.op = op;
    n.place = place;
    n.numbers = {std::move(id)};
    return n;
  }

  void HandOver(const Stmt& s, const ir::Handover& h, CubeInstr& method) {
    const size_t r = next_ring_++;
    if (r >= k_.rings.size())
      return Fail(s, "a handover outside of a loop over blocks",
                  "hand over in the loop's own block");
    const Ring& ring = k_.rings[r];
    ir::S turn = RingTurn(k_);
    CubeInstr wait;
    wait.op = CubeOp::branch;
    wait.place = s.place;
    wait.numbers = {ir::Binary(">=", turn, ir::Int(kRingSlots), ir::Ty::kBool)};
    wait.body = {CrossInstr(CubeOp::cross_wait, FreeFlag(r), s.place)};
    method.body.push_back(std::move(wait));
    CubeInstr out;
    out.op = CubeOp::fixpipe;
    out.place = s.place;
    out.tensors = {out_->acc[static_cast<size_t>(h.from)]};
    ir::GmRef window;
    window.gm = ring.gm;
    window.offset = RingOffset(k_, ring);
    auto extent = extents_.find(h.from);
    if (extent == extents_.end())
      return Fail(s, "sums are handed over in another block than they are made in", "");
    window.rows = extent->second.first;
    window.cols = extent->second.second;
    window.row_stride = ring.cols;
    out.gm = window;
    out.numbers = {window.rows, window.cols, window.row_stride};
    out.form.unit_flag = out_->tensors[static_cast<size_t>(out.tensors[0])].depth == 0;
    out.form.dtype = ring.dtype;
    method.body.push_back(std::move(out));
    method.body.push_back(CrossInstr(CubeOp::cross_set, FullFlag(r), s.place));
  }

  static bool OnCube(const LoweredKernel& k, const ir::Copy& c) {
    return k.kernel.buffers[static_cast<size_t>(c.buffer)].memory != ir::Memory::kUb;
  }

  CubeBlock Cube(const ir::Block& b) {
    CubeBlock out;
    for (const auto& s : b) {
      CubeInstr n;
      n.place = s->place;
      switch (s->kind) {
        case Stmt::kLet:
          n.op = CubeOp::let;
          n.var = s->name;
          n.numbers = {s->value};
          out.push_back(std::move(n));
          break;
        case Stmt::kFor:
          n.op = CubeOp::loop;
          n.var = s->name, n.count = s->count_name;
          n.first = s->first, n.last = s->last, n.step = s->step;
          n.body = Cube(s->body);
          if (Works(n.body)) out.push_back(std::move(n));
          break;
        case Stmt::kIf:
          n.op = CubeOp::branch;
          n.numbers = {s->value};
          n.body = Cube(s->body);
          n.other = Cube(s->other);
          if (Works(n.body) || Works(n.other)) out.push_back(std::move(n));
          break;
        case Stmt::kFlag:
        case Stmt::kBlocks: break;  // expand_blocks has made loops of them
        case Stmt::kSync:
          Fail(*s, "sync_all() in a kernel with products",
               "launch what follows as a kernel of its own");
          break;
        case Stmt::kStage: Stage(*s, out); break;
      }
    }
    return out;
  }
  static bool Works(const CubeBlock& b) {
    return std::any_of(b.begin(), b.end(), [](const CubeInstr& n) { return n.op != CubeOp::let; });
  }

  void Stage(const Stmt& s, CubeBlock& out) {
    CubeInstr method;
    method.op = CubeOp::method;
    method.place = s.place;
    method.name = s.stage == ir::StageKind::kCube       ? "Multiply"
                  : s.stage == ir::StageKind::kHandover ? "HandOver"
                                                        : "CopyOut";
    for (const ir::Handover& h : s.handovers) HandOver(s, h, method);
    for (const ir::Product& p : s.products) {
      CubeInstr n;
      n.op = CubeOp::product;
      n.place = p.place;
      n.product = &p;
      extents_[p.acc] = {p.m, p.n};
      n.tensors = {out_->acc[static_cast<size_t>(p.acc)]};
      n.form.unit_flag = out_->tensors[static_cast<size_t>(n.tensors[0])].depth == 0;
      method.comment += (method.comment.empty() ? "" : "; ") + p.text;
      method.body.push_back(std::move(n));
    }
    for (const ir::Copy& c : s.copies) {
      if (!OnCube(k_, c)) continue;
      CubeInstr n;
      n.op = CubeOp::fixpipe;
      n.place = s.place;
      n.gm = c.gm;
      n.tensors = {out_->acc[static_cast<size_t>(c.buffer)]};
      n.numbers = {c.gm.rows, c.gm.cols, c.gm.row_stride};
      n.form.unit_flag = out_->tensors[static_cast<size_t>(n.tensors[0])].depth == 0;
      n.form.relu = c.relu;
      n.form.scale = c.scale;
      n.form.atomic_add = c.atomic_add;
      n.form.dtype = k_.kernel.gms[static_cast<size_t>(c.gm.gm)].dtype;
      method.body.push_back(std::move(n));
    }
    if (!method.body.empty()) out.push_back(std::move(method));
  }

  // What is left for Vector cores. Loops and conditions without a stage go.
  ir::Block Vector(const ir::Block& b) {
    ir::Block out;
    bool works = false;
    for (const auto& s : b) {
      auto copy = std::make_shared<Stmt>(*s);
      if (s->kind == Stmt::kStage) {
        copy->products.clear();
        std::erase_if(copy->copies, [&](const ir::Copy& c) { return OnCube(k_, c); });
        if (copy->copies.empty() && copy->values.empty() && copy->handovers.empty()) continue;
      } else if (s->kind == Stmt::kFor || s->kind == Stmt::kIf) {
        copy->body = Vector(s->body);
        copy->other = Vector(s->other);
        if (copy->body.empty() && copy->other.empty()) continue;
      }
      works |= s->kind != Stmt::kLet;
      out.push_back(copy);
    }
    return works ? out : ir::Block{};
  }

  std::map<int, std::pair<ir::S, ir::S>> extents_;  // of sums, as the last product made them
  size_t next_ring_ = 0;
  LoweredKernel& k_;
  std::shared_ptr<CubeKernel> out_;
  base::Status status_;
};
}  // namespace

base::Status SplitCores(LoweredKernel& k) {
  return k.kernel.cube ? CoreSplitter(k).Run() : base::Status{};
}

}  // namespace akgen::craft
