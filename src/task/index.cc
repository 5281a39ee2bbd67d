#include "task/index.h"

#include <cmath>
#include <cstring>
#include <set>

namespace akgen::task {
namespace {
using base::Dtype;

template <typename T>
T Read(std::span<const uint8_t> bytes, int64_t i) {
  T v;
  std::memcpy(&v, &bytes[size_t(i) * sizeof(T)], sizeof v);
  return v;
}

double Whole(Dtype d, std::span<const uint8_t> bytes, int64_t i) {
  return d == Dtype::kInt32 ? double(Read<int32_t>(bytes, i)) : double(Read<int64_t>(bytes, i));
}

// In the input's own precision: two elements that a kernel cannot tell apart are equal.
double KeyOf(IndexKey key, Dtype d, std::span<const uint8_t> bytes, int64_t i) {
  double v = 0;
  switch (d) {
    case Dtype::kFloat16: v = base::HalfToFloat(Read<uint16_t>(bytes, i)); break;
    case Dtype::kBfloat16: v = base::Bf16ToFloat(Read<uint16_t>(bytes, i)); break;
    case Dtype::kFloat32: v = Read<float>(bytes, i); break;
    case Dtype::kFloat64: v = Read<double>(bytes, i); break;
    case Dtype::kInt32: v = Read<int32_t>(bytes, i); break;
    case Dtype::kInt64: v = double(Read<int64_t>(bytes, i)); break;
    case Dtype::kInt8: v = Read<int8_t>(bytes, i); break;
    case Dtype::kUint8: v = Read<uint8_t>(bytes, i); break;
    case Dtype::kInt16: v = Read<int16_t>(bytes, i); break;
    case Dtype::kComplex64: {
      float re = Read<float>(bytes, 2 * i), im = Read<float>(bytes, 2 * i + 1);
      return key == IndexKey::kParts ? double(std::fabs(re) + std::fabs(im))
                                     : double(std::hypot(re, im));
    }
    default: break;
  }
  return key == IndexKey::kValue ? v : std::fabs(v);
}

bool SameKey(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

struct Place {
  int64_t line = 0;    // first element of the line
  int64_t step = 1;    // from one number to the next
  int64_t length = 0;  // numbers there are
};

// Where the line of element `i` of the output lies in the input.
Place PlaceOf(const IndexDesc& d, const TensorDesc& from, const TensorDesc& to, int64_t i) {
  if (d.axis < 0) return {0, d.stride, (from.Numel() + d.stride - 1) / d.stride};
  int64_t inner = 1;
  for (size_t a = size_t(d.axis) + 1; a < from.shape.size(); ++a) inner *= from.shape[a];
  int64_t length = from.shape[size_t(d.axis)], chosen = to.shape[size_t(d.axis)];
  return {i / (inner * chosen) * inner * length + i % inner, inner, length};
}
}  // namespace

std::optional<Comparison> CompareIndices(const CaseDesc& c, const TensorSet& inputs, size_t flat,
                                         std::span<const uint8_t> out,
                                         std::span<const uint8_t> ref) {
  const ParamDesc* param = nullptr;
  size_t at = 0;
  for (const ParamDesc& p : c.outputs) {
    if (flat >= at && flat < at + p.tensors.size()) param = &p;
    at += p.tensors.size();
  }
  if (!param || !param->index) return std::nullopt;
  const TensorDesc& to = param->tensors[0];
  if (to.dtype != Dtype::kInt32 && to.dtype != Dtype::kInt64) return std::nullopt;
  size_t input = 0;
  for (int p = 0; p < param->index->of; ++p) input += c.inputs[size_t(p)].tensors.size();
  const TensorDesc& from = inputs.tensors[input];
  std::span<const uint8_t> data = inputs.Bytes(input);
  Comparison r;
  r.elements = to.Numel();
  if (out.size() != ref.size()) {
    r.reason = "the output's memory has " + std::to_string(out.size()) + " bytes, should have " +
               std::to_string(ref.size());
    return r;
  }
  std::set<std::pair<int64_t, int64_t>> named;  // (line, number)
  for (int64_t i = 0; i < r.elements; ++i) {
    double o = Whole(to.dtype, out, i), t = Whole(to.dtype, ref, i);
    Place p = PlaceOf(*param->index, from, to, i);
    double mine = o - double(param->index->first), wanted = t - double(param->index->first);
    const auto inside = [&](double number) { return number >= 0 && number < double(p.length); };
    bool right =
        inside(mine) && inside(wanted);  // a task's own reference may point beyond its input
    if (right && o != t)
      right =
          SameKey(KeyOf(param->index->key, from.dtype, data, p.line + int64_t(mine) * p.step),
                  KeyOf(param->index->key, from.dtype, data, p.line + int64_t(wanted) * p.step));
    if (right && param->index->axis >= 0) right = named.insert({p.line, int64_t(mine)}).second;
    if (right) continue;
    r.Wrong(i, o, t);
  }
  r.pass = r.mismatches == 0;
  if (!r.pass)
    r.reason = std::to_string(r.mismatches) + " of " + std::to_string(r.elements) +
               " indices do not point at what is asked for, first at " +
               std::to_string(r.wrong.first()[0].index);
  return r;
}

}  // namespace akgen::task
