// Three short passes over memory: two buffers for queues inside loops, shared slots for
// temporaries, the size of UB.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "craft/passes/lowered.h"

namespace akgen::craft {
namespace {
// Buffers whose tensor is taken inside a loop: the next turn's copy runs beside this one's
// arithmetic.
void InLoops(const LoweredKernel& k, const ir::Block& b, bool in_loop, std::set<int>& out) {
  for (const auto& s : b) {
    if (auto it = k.hooks.find(s.get()); it != k.hooks.end() && in_loop)
      for (const Hook& h : it->second.before)
        if (h.action == Hook::kAlloc) out.insert(h.buffer);
    InLoops(k, s->body, in_loop || s->kind == ir::Stmt::kFor, out);
    InLoops(k, s->other, in_loop, out);
  }
}

// Statements with code in the order of the text: addresses would give another kernel each time.
void InOrder(const LoweredKernel& k, const ir::Block& b, std::vector<const StageCode*>& out) {
  for (const auto& s : b) {
    if (auto it = k.code.find(s.get()); it != k.code.end()) out.push_back(&it->second);
    InOrder(k, s->body, out);
    InOrder(k, s->other, out);
  }
}

ir::S TempBytes(const LoweredKernel& k, const Temp& t) {
  if (!t.bits) return TileBytes(k, t.rows, t.cols, t.dtype);
  ir::S elements = ir::Mul(t.rows, RowPitch(k, t.rows, t.cols));
  return ir::Mul(ir::CeilDiv(elements, ir::Int(256)), ir::Int(32));
}
}  // namespace

base::Status DoubleBuffer(LoweredKernel& k) {
  std::set<int> twice;
  InLoops(k, k.kernel.body, false, twice);
  for (size_t b = 0; b < k.roles.size(); ++b)
    k.depth.push_back(k.roles[b] != Role::kCalc && twice.count(static_cast<int>(b)) ? 2 : 1);
  return {};
}

base::Status PlanUb(LoweredKernel& k) {
  std::vector<std::string> keys(k.temps.size());
  for (size_t t = 0; t < k.temps.size(); ++t) keys[t] = ir::Key(TempBytes(k, k.temps[t]));
  std::vector<std::string> slot_keys;
  std::vector<const StageCode*> stages;
  InOrder(k, k.kernel.body, stages);
  for (const StageCode* stage : stages) {
    const StageCode& code = *stage;
    // First and last loop or instruction (a group) that touches each temporary of this stage.
    std::map<int, std::pair<int, int>> life;
    for (const Instr& in : code.instrs)
      for (const Tile& t : in.tiles)
        if (t.temp >= 0) {
          auto [it, fresh] = life.insert({t.temp, {in.group, in.group}});
          it->second.second = std::max(it->second.second, in.group);
        }
    std::vector<std::pair<int, int>> order;  // birth, temp
    for (const auto& [t, l] : life) order.push_back({l.first, t});
    std::sort(order.begin(), order.end());
    std::map<int, int> busy_until;  // slot -> last group
    for (const auto& [birth, t] : order) {
      int slot = -1;
      for (size_t s = 0; s < slot_keys.size(); ++s)
        if (slot_keys[s] == keys[t] && (!busy_until.count(s) || busy_until[s] < birth)) {
          slot = static_cast<int>(s);
          break;
        }
      if (slot < 0) {
        slot = static_cast<int>(slot_keys.size());
        slot_keys.push_back(keys[t]);
        k.slots.push_back({TempBytes(k, k.temps[t]), fmt::format("tmp{}", slot)});
      }
      k.temps[t].slot = slot;
      busy_until[slot] = life[t].second;
    }
  }
  return {};
}

base::Status ComputeUbSize(LoweredKernel& k) {
  ir::S sum = ir::Int(0);
  for (size_t b = 0; b < k.kernel.buffers.size(); ++b) {
    const ir::Buffer& buffer = k.kernel.buffers[b];
    if (!k.HasMemory(b) || buffer.memory != ir::Memory::kUb) continue;
    base::Dtype d = buffer.dtype == base::Dtype::kBool ? base::Dtype::kUint8 : buffer.dtype;
    sum = ir::Add(sum, ir::Mul(ir::Int(k.HasQueue(b) ? k.depth[b] : 1),
                               TileBytes(k, buffer.rows, buffer.cols, d)));
  }
  for (const auto& slot : k.slots) sum = ir::Add(sum, slot.bytes);
  std::set<std::string> known, used;
  for (const auto& p : k.kernel.params) known.insert(p.name);
  ir::Variables(sum, used);
  for (const std::string& v : used)
    if (!known.count(v))
      return base::Error{
          "AK1521",
          fmt::format("the size of a tile depends on '{}', which the host does not know", v),
          k.kernel.name, "make buffers and full() from the kernel's parameters"};
  k.ub_bytes = sum;
  return {};
}

}  // namespace akgen::craft
