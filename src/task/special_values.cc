#include "task/special_values.h"

#include <algorithm>
#include <cmath>

#include "task/edge_values.h"
#include "task/element.h"
#include "task/generate.h"
#include "task/hidden.h"
#include "task/index.h"

namespace akgen::task {
namespace {
using base::Result;

constexpr uint64_t kSeeds[] = {2, 3, 4, 5,
                               6};  // others than those that cases are made and linted with
constexpr size_t kLargeSeeds = 2;   // of a case of many elements
constexpr int64_t kLarge = 1 << 16;

// A copy of the inputs in which the special values of one of them are lost, infinities as `share`
// of the largest number; nothing where it holds none.
std::optional<TensorSet> Without(const CaseDesc& c, const TensorSet& inputs,
                                 const SpecialValue& special, double share) {
  size_t first = 0;
  for (size_t i = 0; i < special.input; ++i) first += c.inputs[i].tensors.size();
  std::optional<TensorSet> out;
  for (size_t t = first; t < first + c.inputs[special.input].tensors.size(); ++t) {
    const TensorDesc& d = inputs.tensors[t];
    if (!base::IsFloating(d.dtype)) continue;
    const uint8_t* from = inputs.Bytes(t).data();
    for (int64_t k = 0; k < d.Numel(); ++k) {
      const double v = ElementAt(d.dtype, from, k).value.real();
      if (special.nan ? !std::isnan(v) : !std::isinf(v)) continue;
      if (!out) {
        auto memory = base::SharedMemory::Create("akgen-inputs", inputs.layout.bytes);
        if (!memory.ok()) return std::nullopt;
        out = TensorSet{inputs.tensors, inputs.layout, std::move(*memory)};
        std::copy_n(inputs.memory.data(), inputs.layout.bytes, out->memory.data());
      }
      const double instead = special.nan ? 0 : std::copysign(share * FormatOf(d.dtype).largest, v);
      Encode(d.dtype, &instead, 1, out->Bytes(t).data() + k * base::SizeOf(d.dtype));
    }
  }
  return out;
}
}  // namespace

void SpecialValues::Take(const CaseRow& row) {
  drawn_.clear();
  for (uint64_t seed : kSeeds) {
    auto c = ResolveCase(task_, row);
    if (!c.ok() || (ElementsOf(*c) > kLarge && drawn_.size() == kLargeSeeds)) return;
    auto inputs = GenerateInputs(task_, *c, seed);
    if (!inputs.ok()) return;
    drawn_.push_back({std::move(*c), std::move(*inputs), {}, {}});
  }
}

Result<bool> SpecialValues::Tells(const SpecialValue& special) {
  for (Drawn& drawn : drawn_)
    for (double share : special.nan ? std::vector<double>{0} : std::vector<double>{1, 1.0 / 8}) {
      auto told = Tells(drawn, special, share);
      if (!told.ok() || !*told) return told;
    }
  return !drawn_.empty();
}

Result<bool> SpecialValues::Tells(Drawn& drawn, const SpecialValue& special, double share) {
  const auto changed = Without(drawn.c, drawn.inputs, special, share);
  if (!changed) return false;
  auto refused = [](const base::Error& why) {
    return why.code == "AK0113" ? Result<bool>(why) : Result<bool>(false);
  };
  if (!drawn.golden) {
    auto golden = reference_.Run(task_, drawn.c, drawn.inputs);
    if (!golden.ok()) return refused(golden.error());
    drawn.golden = std::move(*golden);
    drawn.compare.emplace(reference_, task_, drawn.c, drawn.inputs);
  }
  auto without = reference_.Run(task_, drawn.c, *changed, true);
  if (!without.ok()) return refused(without.error());
  size_t i = 0;
  for (const ParamDesc& p : drawn.c.outputs)
    for (size_t k = 0; k < p.tensors.size(); ++k, ++i) {
      if (!p.compared) continue;
      const auto indices =
          CompareIndices(drawn.c, drawn.inputs, i, without->Bytes(i), drawn.golden->Bytes(i));
      if (indices
              ? !indices->pass
              : !drawn.compare->Compare(i, without->tensors[i], without->Bytes(i), *drawn.golden)
                     .pass)
        return true;
    }
  return false;
}

}  // namespace akgen::task
