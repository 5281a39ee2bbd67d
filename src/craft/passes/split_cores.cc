// Which stages run on the Cube core: products and what is stored from L0C. The rest stays with the Vector cores.
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
    out_->body = Cube(k_.kernel.body);
    ir::Block vector = Vector(k_.kernel.body);
    if (!vector.empty() && status_.ok())
      Fail(*vector[0], "a kernel with products has stages for vector cores",
           "hand the sums over, or store them here and launch another kernel");
    k_.kernel.body = vector;
    k_.cube = out_;
    return status_;
  }

 private:
  void Fail(const Stmt& s, std::string what, std::string fix) {
    if (status_.ok())
      status_ = base::Error{"AK1520", std::move(what), fmt::format("line {}", s.place.line), std::move(fix)};
  }

  // Sums of floats that one product makes whole and one store takes are handed over by unit flags, others by a queue.
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
      if (s->body.empty() && s->other.empty()) continue;
      CountUses(s->body, acc, count);
      CountUses(s->other, acc, count);
    }
    count.pairs &= count.open == outer;
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
        case Stmt::kBlocks: break;  // expand_blocks has made loops of them
        case Stmt::kSync:
          Fail(*s, "sync_all() in a kernel with products", "launch what follows as a kernel of its own");
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
    method.name = s.stage == ir::StageKind::kCube ? "Multiply" : "CopyOut";
    for (const ir::Product& p : s.products) {
      CubeInstr n;
      n.op = CubeOp::product;
      n.place = p.place;
      n.product = &p;
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
    for (const auto& s : b) {
      auto copy = std::make_shared<Stmt>(*s);
      if (s->kind == Stmt::kStage) {
        copy->products.clear();
        std::erase_if(copy->copies, [&](const ir::Copy& c) { return OnCube(k_, c); });
        if (copy->copies.empty() && copy->values.empty()) continue;
      } else if (s->kind == Stmt::kFor || s->kind == Stmt::kIf) {
        copy->body = Vector(s->body);
        copy->other = Vector(s->other);
        if (copy->body.empty() && copy->other.empty()) continue;
      } else {
        continue;
      }
      out.push_back(copy);
    }
    return out;
  }

  LoweredKernel& k_;
  std::shared_ptr<CubeKernel> out_;
  base::Status status_;
};
}  // namespace

base::Status SplitCores(LoweredKernel& k) { return k.kernel.cube ? CoreSplitter(k).Run() : base::Status{}; }

}  // namespace akgen::craft
