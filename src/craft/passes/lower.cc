// All passes, in their order.
#include <fmt/format.h>

#include "craft/passes/lowered.h"

namespace akgen::craft {

const std::vector<Pass>& Passes() {
  static const std::vector<Pass> kPasses = {
      {"expand_blocks", "blocks() becomes a loop over this core's blocks", ExpandBlocks},
      {"split_cores", "products and what is stored from L0C go to the Cube core", SplitCores},
      {"stage_fusion", "drops unused values, merges neighbouring compute stages", StageFusion},
      {"align_pad",
       "rows of tiles begin at 32 bytes whatever the dtype; copies move the exact bytes", AlignPad},
      {"select_instructions", "values become vector instructions", SelectInstructions},
      {"assign_queues",
       "buffers become queues and temporaries; where their tensors are allocated and freed",
       AssignQueues},
      {"double_buffer", "queues that a loop feeds get two buffers", DoubleBuffer},
      {"event_ids", "queues between two pipes have no more buffers than the pipes have event ids",
       EventIds},
      {"plan_ub", "temporaries share memory when their live ranges do not overlap", PlanUb},
      {"compute_ub_size", "bytes of UB that the kernel takes, as a function of its parameters",
       ComputeUbSize},
      {"stream_k", "a product becomes a loop over K that brings tiles to L1", StreamK},
      {"tile_l0", "in it a loop brings parts of these to L0A and L0B, where they are multiplied",
       TileL0},
      {"cube_queues", "tensors of the Cube core are taken from queues and given back", CubeQueues},
      {"plan_cube", "bytes of L0C that sums take", PlanCube},
      {"model_cost",
       "modelled cost of a launch, as a function of its parameters: the host chooses cores and "
       "tiles by it",
       ModelCost},
  };
  return kPasses;
}

base::Result<LoweredProgram> Lower(
    const ir::Program& p, const Target& target,
    const std::function<void(const Pass&, const LoweredKernel&)>& after) {
  LoweredProgram out;
  out.program = p;
  out.target = target;
  for (const ir::Kernel& kernel : p.kernels) {
    LoweredKernel k;
    k.kernel = kernel;
    k.target = target;
    for (const Pass& pass : Passes()) {
      if (auto st = pass.run(k); !st.ok()) return st.error();
      ir::Program check;
      check.kernels = {k.kernel};
      if (auto st = ir::Verify(check); !st.ok()) {
        base::Error e = st.error();
        e.message += fmt::format(" (after {})", pass.name);
        return e;
      }
      if (k.cube)
        if (auto st = VerifyCube(*k.cube); !st.ok()) return st.error();
      if (after) after(pass, k);
    }
    out.kernels.push_back(std::move(k));
  }
  return out;
}

std::string Dump(const LoweredKernel& k) {
  std::string out = ir::Dump(k.kernel);
  static const char* kRoles[] = {"calc", "in", "out", "move"};
  for (size_t i = 0; i < k.roles.size(); ++i)
    out += fmt::format("    {}: {}{}{}\n", k.kernel.buffers[i].name,
                       kRoles[static_cast<int>(k.roles[i])],
                       i < k.depth.size() ? fmt::format(" depth {}", k.depth[i]) : "",
                       i < k.queue.size() && k.queue[i] != int(i)
                           ? " in the queue of " + k.kernel.buffers[k.queue[i]].name
                           : "");
  for (size_t i = 0; i < k.temps.size(); ++i)
    out += fmt::format("    t{}: {}[{}, {}]{}\n", i, ir::ShortName(k.temps[i].dtype),
                       ir::ToText(k.temps[i].rows), ir::ToText(k.temps[i].cols),
                       k.temps[i].slot >= 0 ? " in " + k.slots[k.temps[i].slot].name : "");
  for (const auto& [stmt, code] : k.code)
    for (const Instr& i : code.instrs) {
      out += "    " + i.text;
      for (const Tile& t : i.tiles)
        out += t.buffer >= 0 ? " " + k.kernel.buffers[t.buffer].name : fmt::format(" t{}", t.temp);
      for (const ir::S& s : i.scalars) out += " " + ir::ToText(s);
      out += i.per_row ? " per row\n" : "\n";
    }
  if (k.cube) out += Dump(*k.cube);
  if (k.ub_bytes) out += "    UB bytes: " + ir::ToText(k.ub_bytes) + "\n";
  for (const auto& [name, value] : k.parts)
    out += fmt::format("    {} = {}\n", name, ir::ToText(value));
  if (k.cycles) out += "    cycles: " + ir::ToText(k.cycles) + "\n";
  return out;
}

}  // namespace akgen::craft
