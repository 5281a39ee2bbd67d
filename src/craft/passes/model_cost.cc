// The modelled cost of a launch on its busiest core, as a function of the kernel's parameters: the
// host minimises it over the number of cores and the length of tiles. Parameters come from the
// chip's timing model (craft/ir/target.h, docs/timing.md); the cost of the scalar unit is
// estimated.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "craft/passes/lowered.h"

namespace akgen::craft {
namespace {
using ir::Call;
using ir::Int;
using ir::S;
using ir::Stmt;

// Instructions that are not one cycle for 256 bytes: whole passes over the operand, cycles for 256
// bytes in each.
struct Slow {
  double passes, cycles;
};
Slow RateOf(const std::string& text) {
  static const std::map<std::string, Slow, std::less<>> kSlow = {{"Exp", {1, 2}},
                                                                 {"Ln", {1, 2}},
                                                                 {"Sqrt", {1, 2}},
                                                                 {"Div", {1, 2}},
                                                                 {"ReduceSum", {1.2, 7}},
                                                                 {"ReduceMax", {1.2, 7}},
                                                                 {"ReduceMin", {1.2, 7}},
                                                                 {"WholeReduceSum", {1, 7}},
                                                                 {"WholeReduceMax", {1, 7}},
                                                                 {"WholeReduceMin", {1, 7}},
                                                                 {"Floor", {3, 1}},
                                                                 {"Ceil", {3, 1}},
                                                                 {"Trunc", {3, 1}},
                                                                 {"Rint", {3, 1}},
                                                                 {"Sign", {3, 1}},
                                                                 {"Sigmoid", {6, 1}},
                                                                 {"Log2", {6, 1}},
                                                                 {"Log10", {6, 1}},
                                                                 {"Tanh", {12, 1}},
                                                                 {"Sinh", {12, 1}},
                                                                 {"Cosh", {12, 1}},
                                                                 {"Sin", {30, 1}},
                                                                 {"Cos", {30, 1}},
                                                                 {"Tan", {30, 1}},
                                                                 {"Asin", {30, 1}},
                                                                 {"Acos", {30, 1}},
                                                                 {"Atan", {30, 1}},
                                                                 {"Erf", {30, 1}},
                                                                 {"Erfc", {30, 1}},
                                                                 {"Power", {30, 1}},
                                                                 {"Gather", {1, 13}}};
  size_t from = text.rfind("if (#r > 0) ", 0) == 0 ? 12 : 0;
  auto it = kSlow.find(text.substr(from, text.find_first_of("(<", from + 1) - from));
  return it == kSlow.end() ? Slow{1, 1} : it->second;
}

// Cycles by unit; copied bytes count for all cores together, too.
struct Cycles {
  S in = Int(0), vector = Int(0), out = Int(0), scalar = Int(0), shared = Int(0);
  void Plus(const Cycles& c, const S& times) {
    for (auto member :
         {&Cycles::in, &Cycles::vector, &Cycles::out, &Cycles::scalar, &Cycles::shared})
      this->*member = ir::Add(this->*member, ir::Mul(times, c.*member));
  }
};

S Most(const S& a, const S& b) {
  return ir::IsConst(a, 0)                     ? b
         : ir::IsConst(b, 0) || ir::Same(a, b) ? a
                                               : Call("max", {a, b}, ir::Ty::kInt);
}
S Divided(const S& a, int64_t by) {
  return ir::IsConst(a, 0) ? a : ir::Binary("//", a, Int(by), ir::Ty::kInt);
}

class CostModel {
 public:
  explicit CostModel(LoweredKernel& k) : k_(k) {
    for (const auto& p : k.kernel.params) names_.insert(p.name);
  }

  void Run() {
    k_.cycles = Body(k_.kernel.body);
    // Parts that nobody uses go.
    std::set<std::string> used;
    ir::Variables(k_.cycles, used);
    std::vector<std::pair<std::string, S>> kept;
    for (size_t i = k_.parts.size(); i-- > 0;) {
      if (!used.count(k_.parts[i].first)) continue;
      ir::Variables(k_.parts[i].second, used);
      kept.push_back(k_.parts[i]);
    }
    k_.parts.assign(kept.rbegin(), kept.rend());
  }

 private:
  // Units work beside each other inside a loop, and one after the other outside.
  S Serial(const Stmt& s) {
    if (s.kind == Stmt::kFor) {
      first_.reset();
      Cycles all = Of(s);
      Cycles turn = first_ ? *first_ : Cycles{};
      S shared = ir::Mul(Call("cores", {}, ir::Ty::kInt), all.shared);
      return Call("overlap",
                  {all.in, all.vector, all.out, all.scalar, shared, turn.in, turn.vector, turn.out},
                  ir::Ty::kInt);
    }
    if (s.kind == Stmt::kIf) {
      const S value = Known(s.value);
      if (const ir::Scalar* known = ir::AsConst(value); known && !known->i) return Body(s.other);
      return ir::Add(Body(s.body), Body(s.other));
    }
    if (s.kind == Stmt::kSync) {  // one core waits for nobody
      const S others = ir::Min(ir::Sub(Call("cores", {}, ir::Ty::kInt), Int(1)), Int(1));
      return ir::Mul(Int(k_.target.costs.sync_all), others);
    }
    Cycles c = Of(s);
    return ir::Add(ir::Add(c.in, c.vector), ir::Add(c.out, c.scalar));
  }
  S Body(const ir::Block& b) {
    S all = Int(0);
    for (const auto& s : b) all = ir::Add(all, Serial(*s));
    return all;
  }

  // A name for what is used several times.
  S Named(const std::string& name, const S& value) {
    if (value->kind == ir::SKind::kConst || value->kind == ir::SKind::kVar) return value;
    std::string own = name;
    for (int i = 2; !names_.insert(own).second; ++i) own = fmt::format("{}_{}", name, i);
    k_.parts.push_back({own, value});
    return ir::Var(own, value->type);
  }

  Cycles Of(const Stmt& s) {
    Cycles c;
    switch (s.kind) {
      case Stmt::kLet: known_[s.name] = Named(s.name, Known(s.value)); break;
      case Stmt::kBlocks:
      case Stmt::kFlag:
      case Stmt::kSync: break;
      case Stmt::kIf:
        c.Plus(Of(s.body), Int(1));
        c.Plus(Of(s.other), Int(1));
        break;
      case Stmt::kStage: return Stage(s);
      case Stmt::kFor: {
        S first = Known(s.first), last = Known(s.last), step = Known(s.step),
          all = ir::Sub(last, first);
        known_[s.name] = first;
        if (!s.count_name.empty()) known_[s.count_name] = Named(s.count_name, ir::Min(step, all));
        S turns = Named("turns", ir::CeilDiv(all, step));
        ++loops_;
        Cycles body = Of(s.body);
        --loops_;
        body.in = Named("in", body.in), body.vector = Named("vector", body.vector),
        body.out = Named("out", body.out);
        body.scalar = Named("scalar", body.scalar), body.shared = Named("shared", body.shared);
        if (!first_) first_ = body;
        c.Plus(body, turns);
      }
    }
    return c;
  }
  Cycles Of(const ir::Block& b) {
    Cycles c;
    for (const auto& s : b) c.Plus(Of(*s), Int(1));
    return c;
  }

  Cycles Stage(const Stmt& s) {
    // Copies: a core's own rate, a least time and more for each row; a load's data come a while
    // after it.
    constexpr int kCall = 20;
    const Costs& costs = k_.target.costs;
    Cycles c;
    bool in = s.stage == ir::StageKind::kCopyIn;
    if (in && !s.copies.empty()) c.in = Int(costs.copy_latency);
    S waits = Int(0);
    for (const ir::Copy& copy : s.copies) {
      int size = base::SizeOf(k_.kernel.buffers[copy.buffer].dtype);
      S rows = Known(copy.gm.rows), cols = Known(copy.gm.cols),
        bytes = ir::Mul(ir::Mul(rows, cols), Int(size));
      // Rows of less than a sector are fetched as one.
      if (!ir::IsConst(rows, 1))
        bytes = ir::Mul(rows, Most(ir::Mul(cols, Int(size)), Int(in ? 128 : 32)));
      const S cycles = ir::Add(Int(costs.copy_least),
                               ir::Add(ir::IsConst(rows, 1) ? Int(0) : rows,
                                       Divided(bytes, in ? costs.in_rate : costs.out_rate)));
      S& pipe = in ? c.in : c.out;
      pipe = ir::Add(pipe, cycles);
      // One buffer: the vector unit waits for it, turn after turn.
      if (in && loops_ > 0 && k_.HasQueue(copy.buffer) && k_.depth[k_.queue[copy.buffer]] == 1)
        waits = ir::Add(waits, cycles);
      c.shared = ir::Add(c.shared, Divided(bytes, in ? costs.shared_in : costs.shared_out));
      c.scalar = ir::Add(c.scalar, Int(kCall));
    }
    if (!ir::IsConst(waits, 0)) c.vector = ir::Add(Int(costs.copy_latency), waits);
    if (auto it = k_.code.find(&s); it != k_.code.end()) Vector(it->second, c);
    return c;
  }

  int64_t Head() const { return k_.target.costs.vector_head; }

  // The helpers over all rows: instructions by columns of 64, a pass over the operand, 7 cycles to
  // join or spread a row.
  S RowsHelper(const Instr& i, double cycles) const {
    S rows = Known(i.scalars[0]), cols = Known(i.scalars[1]);
    S heads = Int(Head() * 3), columns = ir::Add(Divided(cols, 64), Int(1));
    bool one = ir::IsConst(rows, 1);
    if (!one)
      heads = ir::Add(heads, ir::Mul(Int(Head()), Call("min", {rows, columns}, ir::Ty::kInt)));
    S each = ir::Add(Divided(ir::Mul(cols, Int(std::lround(cycles * (one ? 2 : 1)))), 64),
                     Int(i.text.rfind("RowsRow", 0) == 0 ? 1 : 8));
    return ir::Add(heads, ir::Mul(rows, each));
  }

  // 16 rows at once: instructions and passes over their columns.
  S LanesHelper(const Instr& i) const {
    if (i.text.rfind("LanesWindow", 0) == 0) return LanesWindow(i);
    bool sum = i.text.rfind("LanesSum", 0) == 0;
    S groups = ir::CeilDiv(Known(i.scalars[0]), Int(16)), cols = Known(i.scalars[1]);
    S each = ir::Add(ir::Mul(ir::CeilDiv(cols, Int(512)), Int(sum ? 2000 : 750)),
                     Divided(ir::Mul(cols, Int(sum ? 30 : 8)), 10));
    return ir::Mul(groups, each);
  }

  // Turned, joined window by window, and turned back.
  S LanesWindow(const Instr& i) const {
    auto n = [&](size_t at) { return Known(i.scalars[at]); };
    S in = ir::Mul(ir::Mul(n(3), n(4)), n(5)), out = ir::Mul(ir::Mul(n(3), n(6)), n(5));
    S joins = ir::Mul(n(7), ir::Add(Int(70), Divided(ir::Mul(out, Int(3)), 8)));
    S turns = ir::Add(Int(66), Divided(ir::Add(in, out), 8));
    return ir::Mul(ir::CeilDiv(n(0), Int(16)), ir::Add(joins, turns));
  }

  void Vector(const StageCode& code, Cycles& c) {
    constexpr double kCall = 4, kUnit = 1024;
    std::map<std::string, std::pair<S, double>>
        work;  // bytes of operands and how often they are gone over
    S heads = Int(0);
    for (const Instr& i : code.instrs) {
      S cols = Known(i.cols), rows = i.per_row ? Known(i.rows) : Int(1);
      S n = i.per_row || ir::IsConst(i.rows, 1)
                ? cols
                : ir::Mul(Known(i.rows),
                          Known(RowPitch(k_, i.tiles[0].most_rows, i.tiles[0].most_cols)));
      if (i.text.rfind("Whole", 0) == 0) {
        c.scalar =
            ir::Add(c.scalar, ir::Mul(ir::Mul(Known(i.scalars[0]), Known(i.scalars[1])), Int(20)));
        continue;
      }
      if (i.text.rfind("for (", 0) == 0) {
        c.scalar = ir::Add(c.scalar, ir::Mul(ir::Mul(rows, cols), Int(40)));
        continue;
      }
      if (i.text.rfind("ColumnsReduce", 0) == 0) {  // one and a half passes
        heads = ir::Add(
            heads,
            ir::Add(
                Int(Head() * 8),
                Divided(ir::Mul(ir::Mul(Known(i.scalars[0]), Known(i.scalars[2])), Int(3)), 128)));
        continue;
      }
      if (i.text.rfind("Lanes", 0) == 0) {
        heads = ir::Add(heads, LanesHelper(i));
        c.scalar = ir::Add(c.scalar, Int(40));
        continue;
      }
      if (i.text.rfind("Rows", 0) == 0) {
        heads = ir::Add(heads, RowsHelper(i, i.text.find("kDiv") != std::string::npos ? 2 : 1));
        c.scalar = ir::Add(c.scalar, Int(40));
        continue;
      }
      Slow slow = RateOf(i.text);
      int bytes = 0;
      for (const Tile& t : i.tiles)
        if (t.temp < 0 || !k_.temps[t.temp].bits) bytes = std::max(bytes, ElementBytes(t.dtype));
      S all = ir::Mul(rows, n);
      auto& w = work.insert({ir::Key(all), {all, 0}}).first->second;
      w.second += slow.passes * slow.cycles * bytes / 256 * kUnit;
      // The scalar unit waits for the vector unit when it reads what that has computed, and the
      // other way round.
      bool reads = i.text.find("GetValue") != std::string::npos;
      heads =
          ir::Add(heads, ir::Mul(rows, Int(std::lround(slow.passes * static_cast<double>(Head())) +
                                           (reads ? 30 : 0))));
      c.scalar = ir::Add(c.scalar, ir::Mul(rows, Int(reads ? 30 : std::lround(kCall))));
    }
    c.vector = ir::Add(c.vector, heads);
    for (const auto& [key, w] : work)
      c.vector = ir::Add(c.vector,
                         Divided(ir::Mul(w.first, Int(std::lround(w.second))), std::lround(kUnit)));
  }

  // In numbers that the host knows, for the first core and the first turn of each loop.
  S Known(const S& s) const {
    switch (s->kind) {
      case ir::SKind::kConst: return s;
      case ir::SKind::kVar: {
        auto it = known_.find(s->text);
        return it == known_.end() ? s : it->second;
      }
      case ir::SKind::kCall:
        if (s->text == "core") return Int(0);
        if (s->text == "count") return ir::Var(s->tensor + "_count", ir::Ty::kInt);
        if (s->text == "numel") return ir::Var(s->tensor + "_mean", ir::Ty::kInt);
        if (s->text == "item") return Int(1);
        if (s->text == "length") return ir::Var(s->tensor + "_count", ir::Ty::kInt);
        if (s->text == "element") return ir::Var(s->tensor + "_mean", ir::Ty::kInt);
        if (s->text == "group") return Int(0);
        if (s->text == "start") return StartOf(s);
        break;
      default: break;
    }
    if (s->args.empty()) return s;
    std::vector<S> args;
    for (const S& a : s->args) args.push_back(Known(a));
    if (s->kind == ir::SKind::kBinary && (s->text == "//" || s->text == "%") &&
        ir::IsConst(args[0], 0))
      return Int(0);
    if (s->kind == ir::SKind::kBinary && s->text == "==" && ir::IsConst(args[0], 0) &&
        ir::AsConst(args[1]))
      return ir::Bool(ir::IsConst(args[1], 0));
    if (s->kind == ir::SKind::kCall && s->text == "min") return ir::Min(args[0], args[1]);
    if (s->kind == ir::SKind::kCall && s->text == "ceil_div") return ir::CeilDiv(args[0], args[1]);
    return ir::MapScalar(s, args);
  }

  // Pieces of the mean size.
  S StartOf(const S& s) const {
    return ir::Mul(Known(s->args[0]), Known(k_.kernel.StartsOf(s->tensor).size));
  }

  LoweredKernel& k_;
  int loops_ = 0;  // around the statement
  std::set<std::string> names_;
  std::map<std::string, S> known_;
  std::optional<Cycles> first_;  // one turn of the innermost loop
};
}  // namespace

base::Status ModelCost(LoweredKernel& k) {
  CostModel(k).Run();
  return {};
}

}  // namespace akgen::craft
