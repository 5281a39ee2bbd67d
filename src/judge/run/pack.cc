#include "judge/run/pack.h"

#include <cstring>
#include <optional>

#include "judge/host/requests.h"
#include "task/generate.h"

namespace akgen::judge {

void PoisonPadding(const task::TensorSet& inputs) {
  for (size_t i = 0; i < inputs.tensors.size(); ++i) {
    size_t bytes = inputs.tensors[i].Bytes();
    std::memset(inputs.memory.data() + inputs.layout.offsets[i] + bytes, 0xff,
                task::AllocationBytes(bytes) - bytes);
  }
}

namespace {
void StartWithInitValues(const OperatorDefinition& op, const task::CaseDesc& c, Packed* packed) {
  size_t flat = 0, at = 0;
  for (const task::ParamDesc& p : c.outputs) {
    const auto& value =
        InDefinition(p) && at < op.outputs.size() ? op.outputs[at].init_value : std::nullopt;
    at += InDefinition(p);
    for (size_t t = 0; t < p.tensors.size(); ++t, ++flat) {
      sim::RunRegion& region = packed->regions[flat];
      if (!value || p.inplace_of >= 0) continue;
      region.role = sim::Role::kInout;
      const base::Dtype dtype = p.tensors[t].dtype;
      const size_t each = size_t(base::SizeOf(dtype));
      for (size_t i = 0; i + each <= region.bytes; i += each)
        task::Encode(dtype, &*value, 1, packed->outputs.data() + region.offset + i);
    }
  }
}
}  // namespace

base::Result<Packed> Pack(const OperatorDefinition& op, const task::CaseDesc& c,
                          const task::TensorSet& inputs, bool need_atomic) {
  Packed out;
  auto outputs = task::Flatten(c.outputs);
  task::Layout layout = task::LayoutOf(outputs);
  auto memory = base::SharedMemory::Create("akgen-outputs", layout.bytes);
  if (!memory.ok()) return memory.error();
  out.outputs = std::move(*memory);
  // Which input is overwritten, and where its memory lies among the outputs.
  std::vector<int> region_of_input(task::Flatten(c.inputs).size(), -1);
  std::vector<size_t> first_flat_input;
  size_t flat = 0;
  for (const auto& p : c.inputs) {
    first_flat_input.push_back(flat);
    flat += p.tensors.size();
  }
  auto add_region = [&](const std::string& name, sim::Role role, size_t offset, size_t bytes) {
    out.regions.push_back({name, role, offset, bytes, task::AllocationBytes(bytes)});
    return out.regions.size() - 1;
  };
  std::vector<std::vector<size_t>> output_regions;
  flat = 0;
  for (const auto& p : c.outputs) {
    std::vector<size_t> regions;
    for (size_t t = 0; t < p.tensors.size(); ++t, ++flat) {
      size_t bytes = p.tensors[t].Bytes();
      bool inout = p.inplace_of >= 0;
      if (inout) {
        size_t in = first_flat_input[size_t(p.inplace_of)] + t;
        std::memcpy(out.outputs.data() + layout.offsets[flat], inputs.Bytes(in).data(), bytes);
        region_of_input[in] = int(out.regions.size());
      }
      bool defined = inout || p.zeroed || !p.compared;  // the chip poisons every other output
      regions.push_back(add_region(p.name, defined ? sim::Role::kInout : sim::Role::kOutput,
                                   layout.offsets[flat], bytes));
      out.flat_outputs.push_back({layout.offsets[flat], p.tensors[t], p.name, p.compared});
    }
    output_regions.push_back(regions);
  }
  using Argument = sim::RunArgument;
  auto argument = [&](const task::ParamDesc& p, const std::vector<size_t>& regions) {
    Argument a;
    if (!p.present) return a;
    if (p.kind != task::ParamKind::kList)
      return regions.empty() ? a : Argument{Argument::kRegion, {regions[0]}, {}};
    a = {Argument::kList, regions, {}};
    for (const auto& t : p.tensors) a.shapes.push_back(t.shape);
    return a;
  };
  flat = 0;
  for (const auto& p : c.inputs) {
    std::vector<size_t> regions;
    for (size_t t = 0; t < p.tensors.size(); ++t, ++flat) {
      if (region_of_input[flat] < 0)
        region_of_input[flat] = int(add_region(p.name, sim::Role::kInput,
                                               inputs.layout.offsets[flat], p.tensors[t].Bytes()));
      regions.push_back(size_t(region_of_input[flat]));
    }
    out.args.push_back(argument(p, regions));
  }
  for (size_t i = c.inputs.size(); i < op.inputs.size(); ++i) out.args.emplace_back();
  for (size_t i = 0; i < c.outputs.size(); ++i)
    if (c.outputs[i].in_signature) out.args.push_back(argument(c.outputs[i], output_regions[i]));
  out.args.push_back({Argument::kWorkspace, {}, {}});
  out.args.push_back({Argument::kTiling, {}, {}});
  if (need_atomic) StartWithInitValues(op, c, &out);
  return out;
}

}  // namespace akgen::judge
