// blocks() becomes a loop over this core's blocks, with the place of each computed from its number.
#include <fmt/format.h>

#include "craft/passes/lowered.h"

namespace akgen::craft {
namespace {
using ir::Call;
using ir::S;
using ir::Stmt;
using ir::Ty;

S BlockQuotient(const S& a, const S& b) {
  return ir::IsConst(b, 1) ? a : Call("quotient", {a, b}, Ty::kInt);
}
S BlockRemainder(const S& a, const S& b) { return Call("remainder", {a, b}, Ty::kInt); }

void TakenNames(const ir::Block& b, std::set<std::string>& out) {
  for (const auto& s : b) {
    out.insert({s->name, s->count_name});
    if (s->blocks)
      out.insert(
          {s->blocks->group, s->blocks->row, s->blocks->rows, s->blocks->col, s->blocks->cols});
    if (s->blocks)
      for (const auto& [name, extent] : s->blocks->over) out.insert(name);
    TakenNames(s->body, out);
    TakenNames(s->other, out);
  }
}

class BlockExpander {
 public:
  explicit BlockExpander(LoweredKernel& k) : k_(k) {}

  ir::Block Block(const ir::Block& b) {
    ir::Block out;
    for (const auto& s : b) {
      if (s->kind == Stmt::kBlocks) {
        Expand(*s, out);
        continue;
      }
      auto copy = std::make_shared<Stmt>(*s);
      copy->body = Block(s->body);
      copy->other = Block(s->other);
      out.push_back(copy);
    }
    return out;
  }

 private:
  S Let(ir::Block& to, const std::string& name, S value, Place place) {
    auto st = std::make_shared<Stmt>();
    st->kind = Stmt::kLet;
    st->place = place;
    st->name = name;
    st->value = std::move(value);
    to.push_back(st);
    return ir::Var(name, Ty::kInt);
  }

  void Expand(const Stmt& s, ir::Block& out) {
    const ir::Blocks& b = *s.blocks;
    if (!b.group.empty()) return ExpandGroups(s, out);
    S rows = ir::CeilDiv(b.m, b.tm), cols = b.n ? ir::CeilDiv(b.n, b.tn) : ir::Int(1),
      all = ir::Mul(rows, cols);
    for (const auto& [name, extent] : b.over) all = ir::Mul(extent, all);
    k_.blocks = all;
    if (b.n) cols = Let(out, FreshName(k_, "block_cols"), cols, s.place);
    if (b.order || !b.over.empty()) rows = Let(out, FreshName(k_, "block_rows"), rows, s.place);
    S per = ir::Mul(rows, cols), total = per;
    for (const auto& [name, extent] : b.over) total = ir::Mul(extent, total);
    auto loop = Loop(s, Let(out, FreshName(k_, "blocks"), total, s.place));
    Place(b, ir::Var(loop->name, Ty::kInt), rows, cols, loop->body, s.place);
    for (auto& inner : Block(s.body)) loop->body.push_back(inner);
    out.push_back(loop);
  }

  // Blocks of several outputs, one behind the other: the number of a block says whose it is.
  void ExpandGroups(const Stmt& s, ir::Block& out) {
    const ir::Blocks& b = *s.blocks;
    auto of_starts = [&](const char* what, S at) {
      auto call = std::make_shared<ir::Scalar>(*Call(what, {std::move(at)}, Ty::kInt));
      call->tensor = b.starts;
      return call;
    };
    auto groups = std::make_shared<ir::Scalar>(*Call("length", {}, Ty::kInt));
    groups->tensor = k_.kernel.StartsOf(b.starts).list;
    auto loop = Loop(s, Let(out, FreshName(k_, "blocks"), of_starts("start", groups), s.place));
    const S at = ir::Var(loop->name, Ty::kInt);
    const S g = Let(loop->body, b.group, of_starts("group", at), s.place);
    S rows = ir::CeilDiv(b.m, b.tm), cols = b.n ? ir::CeilDiv(b.n, b.tn) : ir::Int(1);
    if (b.n) cols = Let(loop->body, FreshName(k_, "block_cols"), cols, s.place);
    if (b.order || !b.over.empty())
      rows = Let(loop->body, FreshName(k_, "block_rows"), rows, s.place);
    Place(b,
          Let(loop->body, FreshName(k_, "of_group"), ir::Sub(at, of_starts("start", g)), s.place),
          rows, cols, loop->body, s.place);
    for (auto& inner : Block(s.body)) loop->body.push_back(inner);
    out.push_back(loop);
  }

  // Every cores()-th of so many blocks.
  std::shared_ptr<Stmt> Loop(const Stmt& s, const S& blocks) {
    const ir::Blocks& b = *s.blocks;
    auto loop = std::make_shared<Stmt>();
    loop->kind = Stmt::kFor;
    loop->place = s.place;
    loop->name = FreshName(k_, "block");
    k_.block_row = b.row, k_.block_rows = b.rows, k_.block_cols = b.cols,
    k_.block_loop = loop->name;
    loop->first = Call("core", {}, Ty::kInt);
    loop->last = blocks;
    loop->step = Call("cores", {}, Ty::kInt);
    return loop;
  }

  // Where block number `at` lies.
  void Place(const ir::Blocks& b, const S& at, const S& rows, const S& cols, ir::Block& out,
             craft::Place place) {
    S inner = at;
    if (!b.over.empty()) {
      S per = ir::Mul(rows, cols), rest = BlockQuotient(at, per);
      for (size_t o = b.over.size(); o-- > 0; rest = BlockQuotient(rest, b.over[o].second))
        Let(out, b.over[o].first, o == 0 ? rest : BlockRemainder(rest, b.over[o].second), place);
      inner = Let(out, FreshName(k_, "of_output"), BlockRemainder(at, per), place);
    }
    auto in_strips = [&](const char* what) {
      return Call(what, {inner, rows, cols, b.order}, Ty::kInt);
    };
    S row = b.order ? in_strips("block_row") : b.n ? BlockQuotient(inner, cols) : inner;
    S i = Let(out, b.row, ir::Mul(row, b.tm), place);
    Let(out, b.rows, Call("min", {b.tm, ir::Sub(b.m, i)}, Ty::kInt), place);
    if (!b.n) return;
    S j = Let(out, b.col,
              ir::Mul(b.order ? in_strips("block_col") : BlockRemainder(inner, cols), b.tn), place);
    Let(out, b.cols, Call("min", {b.tn, ir::Sub(b.n, j)}, Ty::kInt), place);
  }

  LoweredKernel& k_;
};
}  // namespace

// A name that neither the program nor the compiler uses yet.
std::string FreshName(LoweredKernel& k, const std::string& base) {
  if (k.taken.empty()) {
    TakenNames(k.kernel.body, k.taken);
    for (const auto& p : k.kernel.params) k.taken.insert(p.name);
    for (const auto& g : k.kernel.gms) k.taken.insert(g.name);
    for (const auto& l : k.kernel.lists) k.taken.insert(l);
    for (const auto& s : k.kernel.starts) k.taken.insert(s.name);
    for (const auto& b : k.kernel.buffers) k.taken.insert(b.name);
  }
  std::string name = base;
  for (int n = 2; !k.taken.insert(name).second; ++n) name = fmt::format("{}{}", base, n);
  return name;
}

base::Status ExpandBlocks(LoweredKernel& k) {
  k.kernel.body = BlockExpander(k).Block(k.kernel.body);
  return {};
}

}  // namespace akgen::craft
