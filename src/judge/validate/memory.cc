#include "judge/validate/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "task/task.h"

namespace akgen::judge {
using craft::Tensor;
using craft::ir::HostTensor;

namespace {
size_t Rounded(size_t bytes) { return (bytes + 511) & ~size_t{511}; }

void StoredGms(const craft::ir::Block& b, std::vector<bool>& out) {
  for (const auto& s : b) {
    StoredGms(s->body, out);
    StoredGms(s->other, out);
    if (s->kind == craft::ir::Stmt::kStage && s->stage == craft::ir::StageKind::kCopyOut)
      for (const auto& c : s->copies) out[c.gm.gm] = true;
  }
}
}  // namespace

bool IsStoredInto(const craft::ir::Program& p, const std::string& param) {
  bool found = false;
  std::function<void(const craft::ir::HostBlock&)> walk = [&](const craft::ir::HostBlock& b) {
    for (const auto& s : b) {
      walk(s->body);
      walk(s->other);
      if (s->kind != craft::ir::HostStmt::kLaunch) continue;
      std::vector<bool> stored(p.kernels[s->kernel].gms.size());
      StoredGms(p.kernels[s->kernel].body, stored);
      for (size_t g = 0; g < stored.size(); ++g) found |= stored[g] && s->tensors[g] == param;
    }
  };
  walk(p.body);
  return found;
}

size_t Arena::Place(size_t bytes, bool out) {
  size_t& end = out ? out_ : in_;
  size_t at = end;
  end += Rounded(task::AllocationBytes(bytes));
  return at;
}

KernelMemory Arena::Add(const craft::ir::Program& p, const craft::Arguments& args,
                        const craft::Outputs& expected) {
  KernelMemory m;
  std::map<std::string, std::vector<size_t>> region_of;  // inputs
  using Argument = sim::RunArgument;
  using sim::Role;
  auto region = [&](const std::string& name, Role role, size_t bytes, bool out) {
    size_t offset = Place(bytes, out);
    m.regions.push_back({name, role, offset, bytes, task::AllocationBytes(bytes)});
    return offset;
  };
  auto argument = [&](const std::vector<size_t>& regions, const std::vector<Tensor>& tensors,
                      bool list) {
    if (!list) return regions.empty() ? Argument() : Argument{Argument::kRegion, {regions[0]}, {}};
    Argument a{Argument::kList, regions, {}};
    for (const Tensor& t : tensors) a.shapes.push_back(t.shape);
    return a;
  };
  for (const auto& param : p.params) {
    if (param.is_attr) continue;
    bool inplace = std::any_of(p.tensors.begin(), p.tensors.end(), [&](const HostTensor& t) {
      return t.kind == HostTensor::kInplace && t.of == param.name;
    });
    bool out = inplace || IsStoredInto(p, param.name);
    const auto& tensors = args.tensors.at(param.name);
    for (size_t i = 0; i < tensors.size(); ++i) {
      region_of[param.name].push_back(m.regions.size());
      size_t offset =
          region(param.name, out ? Role::kInout : Role::kInput, tensors[i].bytes.size(), out);
      copies_.push_back({out, offset, &tensors[i].bytes});
      if (out) m.written.push_back({param.name, offset, &expected.inputs.at(param.name)[i]});
    }
    m.args.push_back(argument(region_of[param.name], tensors, param.is_list));
  }
  size_t output = 0;
  for (const HostTensor& t : p.tensors) {
    if (t.kind == HostTensor::kWorkspace) continue;
    const auto& tensors = expected.tensors[output++];
    std::vector<size_t> regions;
    if (t.kind == HostTensor::kInplace)
      regions = region_of[t.of];
    else
      for (const Tensor& one : tensors) {
        regions.push_back(m.regions.size());
        m.written.push_back({t.name, region(t.name, Role::kOutput, one.bytes.size(), true), &one});
      }
    m.args.push_back(argument(regions, tensors, t.is_list));
  }
  m.args.push_back({Argument::kWorkspace, {}, {}});
  m.args.push_back({Argument::kTiling, {}, {}});
  return m;
}

base::Status Arena::Allocate() {
  auto in = base::SharedMemory::Create("akgen-in", std::max<size_t>(in_, 512));
  auto out = base::SharedMemory::Create("akgen-out", std::max<size_t>(out_, 512));
  if (!in.ok()) return in.error();
  if (!out.ok()) return out.error();
  in_memory_ = std::move(*in);
  out_memory_ = std::move(*out);
  std::memset(in_memory_.data(), 0xff, in_memory_.size());  // what lies behind a tensor is nobody's
  for (const Copy& c : copies_)
    if (!c.bytes->empty())
      std::memcpy((c.out ? out_memory_ : in_memory_).data() + c.offset, c.bytes->data(),
                  c.bytes->size());
  return {};
}

Difference Compare(const WrittenTensor& t, const uint8_t* got) {
  Difference d;
  base::Dtype dtype =
      t.expected->dtype == base::Dtype::kComplex64 ? base::Dtype::kFloat32 : t.expected->dtype;
  size_t size = base::SizeOf(dtype);
  d.elements = static_cast<int64_t>(t.expected->bytes.size() / size);
  craft::TileData pair = craft::MakeTile(dtype, 1, 2);
  for (int64_t i = 0; i < d.elements; ++i) {
    const uint8_t* want = t.expected->bytes.data() + i * size;
    double bound = t.expected->err.empty() ? 0 : t.expected->err[i];
    if (std::isinf(bound)) {
      ++d.undecided;
      continue;
    }
    d.exact += bound == 0;
    if (std::memcmp(want, got + i * size, size) == 0) continue;
    craft::ReadElement(pair, 0, want);
    craft::ReadElement(pair, 1, got + i * size);
    double a = pair.real() ? pair.f[0] : static_cast<double>(pair.i[0]),
           b = pair.real() ? pair.f[1] : static_cast<double>(pair.i[1]);
    if (std::isnan(a) && std::isnan(b)) continue;
    double off = std::fabs(a - b);
    if (bound > 0) d.worst = std::max(d.worst, off / bound);
    if (bound > 0 && off <= bound) continue;
    if (d.first.empty())
      d.first =
          fmt::format("{}[{}]: the interpreter gives {:.9g}, the kernel {:.9g}{}", t.name, i, a, b,
                      bound > 0 ? fmt::format(", the bound is {:.3g}", bound) : "; both are exact");
  }
  return d;
}

}  // namespace akgen::judge
