#include "task/evaluate_case.h"

#include <cmath>
#include <cstring>

#include "task/element.h"
#include "task/evaluate/run_script.h"
#include "task/round.h"

namespace akgen::task::evaluate {
using base::Dtype;
using base::Json;
namespace {

template <class From, class To>
void Widen(std::span<const uint8_t> bytes, std::vector<To>* out) {
  for (size_t i = 0; i < out->size(); ++i) {
    From v;
    std::memcpy(&v, bytes.data() + i * sizeof v, sizeof v);
    (*out)[i] = static_cast<To>(v);
  }
}

std::shared_ptr<Tensor> Read(const TensorDesc& desc, std::span<const uint8_t> bytes) {
  auto t = Zeros(base::IsFloating(desc.dtype) ? Dtype::kFloat64 : desc.dtype, desc.shape);
  switch (desc.dtype) {
    case Dtype::kFloat64: Widen<double>(bytes, &t->real); break;
    case Dtype::kFloat32: Widen<float>(bytes, &t->real); break;
    case Dtype::kFloat16:
    case Dtype::kBfloat16:
      for (size_t i = 0; i < t->real.size(); ++i) {
        uint16_t v;
        std::memcpy(&v, bytes.data() + i * sizeof v, sizeof v);
        t->real[i] =
            double(desc.dtype == Dtype::kFloat16 ? base::HalfToFloat(v) : base::Bf16ToFloat(v));
      }
      break;
    case Dtype::kInt8: Widen<int8_t>(bytes, &t->whole); break;
    case Dtype::kUint8: Widen<uint8_t>(bytes, &t->whole); break;
    case Dtype::kInt16: Widen<int16_t>(bytes, &t->whole); break;
    case Dtype::kInt32: Widen<int32_t>(bytes, &t->whole); break;
    case Dtype::kInt64: Widen<int64_t>(bytes, &t->whole); break;
    case Dtype::kBool: Widen<uint8_t>(bytes, &t->whole); break;
    default: throw Unsupported("elements of " + std::string(base::NameOf(desc.dtype)));
  }
  return t;
}

std::vector<Value> Arguments(const CaseDesc& c, const TensorSet& inputs, Nudge nudge) {
  std::vector<Value> out;
  size_t flat = 0;
  const auto next = [&] {
    auto t = Read(inputs.tensors.at(flat), inputs.Bytes(flat));
    ++flat;
    if (nudge.by != 0 && t->IsReal()) NudgeElements(nudge, t->real.data(), t->real.size());
    return TensorPtr(t);
  };
  for (const ParamDesc& p : c.inputs) {
    nudge.input = out.size();
    if (!p.present) {
      out.emplace_back();
    } else if (p.kind == ParamKind::kList) {
      auto list = std::make_shared<std::vector<Value>>();
      for (size_t i = 0; i < p.tensors.size(); ++i) list->push_back(next());
      out.push_back(list);
    } else {
      out.push_back(next());
    }
  }
  return out;
}

Value ListAttribute(const Json& values, bool real) {
  auto list = std::make_shared<std::vector<Value>>();
  for (const Json& v : values) {
    if (v.is_array())
      list->push_back(ListAttribute(v, real));
    else if (v.is_boolean())
      list->push_back(v.get<bool>());
    else if (real)
      list->push_back(double(float(v.get<double>())));
    else
      list->push_back(v.get<int64_t>());
  }
  return list;
}
// A float attribute is single precision, as it reaches a kernel.
Value AttributeOf(const AttrValue& a) {
  if (a.type == "int") return a.value.get<int64_t>();
  if (a.type == "float") return double(float(a.value.get<double>()));
  if (a.type == "bool") return a.value.get<bool>();
  if (a.type == "string") return a.value.get<std::string>();
  return ListAttribute(a.value, a.type == "list_float");
}

template <class To>
void Store(const std::vector<double>& from, uint8_t* to) {
  for (size_t i = 0; i < from.size(); ++i) {
    const To v = static_cast<To>(from[i]);
    std::memcpy(to + i * sizeof v, &v, sizeof v);
  }
}
template <class To>
void Store(const std::vector<int64_t>& from, uint8_t* to) {
  for (size_t i = 0; i < from.size(); ++i) {
    const To v = static_cast<To>(from[i]);
    std::memcpy(to + i * sizeof v, &v, sizeof v);
  }
}

void Write(const TensorPtr& t, const TensorDesc& desc, uint8_t* to) {
  if (base::IsFloating(desc.dtype)) {
    TensorPtr real = t;
    if (!t->IsReal())
      for (int64_t v : t->whole)
        if (std::abs(v) > (int64_t{1} << 24)) throw Unsupported("integers that are rounded twice");
    real = Convert(t, Dtype::kFloat64);
    if (desc.dtype == Dtype::kFloat64) return Store<double>(real->real, to);
    if (desc.dtype == Dtype::kFloat32) return Store<float>(real->real, to);
    for (size_t i = 0; i < real->real.size(); ++i) {
      const uint16_t v =
          desc.dtype == Dtype::kFloat16 ? RoundToHalf(real->real[i]) : RoundToBf16(real->real[i]);
      std::memcpy(to + i * sizeof v, &v, sizeof v);
    }
    return;
  }
  const TensorPtr whole = Convert(t, desc.dtype);
  switch (base::SizeOf(desc.dtype)) {
    case 1: return Store<int8_t>(whole->whole, to);
    case 2: return Store<int16_t>(whole->whole, to);
    case 4: return Store<int32_t>(whole->whole, to);
    default: return Store<int64_t>(whole->whole, to);
  }
}
}  // namespace

TensorSet EvaluateCase(const record::ScriptBlock& script, const CaseDesc& c,
                       const TensorSet& inputs, const Nudge& nudge) {
  std::vector<Value> arguments = Arguments(c, inputs, nudge);
  for (const AttrValue& a : c.attrs) arguments.push_back(AttributeOf(a));
  const std::vector<TensorPtr> results = RunScript(script, std::move(arguments));
  TensorSet out;
  out.tensors = Flatten(c.outputs);
  out.layout = LayoutOf(out.tensors);
  if (results.size() != out.tensors.size()) throw Unsupported("another number of results");
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i]->shape != out.tensors[i].shape) throw Unsupported("a result of another shape");
  auto memory = base::SharedMemory::Create("akgen-goldens", out.layout.bytes);
  if (!memory) throw Unsupported("shared memory");
  out.memory = std::move(memory.value());
  for (size_t i = 0; i < results.size(); ++i)
    Write(results[i], out.tensors[i], out.Bytes(i).data());
  return out;
}

}  // namespace akgen::task::evaluate
