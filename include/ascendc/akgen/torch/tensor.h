// at::Tensor: device memory with sizes and strides. What computes is not here: kernels do that.
#ifndef AKGEN_AKGEN_TORCH_TENSOR_H
#define AKGEN_AKGEN_TORCH_TENSOR_H
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>

#include "akgen/torch/types.h"
#ifdef AKGEN_RECORD_LAUNCHES
#include "akgen/torch/record.h"
#endif

namespace at {
class Tensor {
 public:
  Tensor() = default;

  bool defined() const { return bool(impl_); }
  IntArrayRef sizes() const { return Of().sizes; }
  IntArrayRef strides() const { return Of().strides; }
  int64_t size(int64_t dim) const { return Of().sizes[Wrapped(dim)]; }
  int64_t stride(int64_t dim) const { return Of().strides[Wrapped(dim)]; }
  int64_t dim() const { return int64_t(Of().sizes.size()); }
  int64_t ndimension() const { return dim(); }
  int64_t numel() const { return Product(Of().sizes); }
  int64_t storage_offset() const { return Of().offset; }
  ScalarType scalar_type() const { return Of().type; }
  TypeMeta dtype() const { return {Of().type}; }
  TensorOptions options() const { return TensorOptions(Of().type).device(Of().device); }
  Device device() const { return Of().device; }
  DeviceIndex get_device() const { return Of().device.index(); }
  bool is_cpu() const { return Of().device.is_cpu(); }
  bool is_privateuseone() const { return Of().device.is_privateuseone(); }
  bool is_floating_point() const { return isFloatingType(Of().type); }
  size_t element_size() const { return elementSize(Of().type); }
  size_t itemsize() const { return element_size(); }
  size_t nbytes() const { return size_t(numel()) * element_size(); }
  bool is_same(const Tensor& o) const { return impl_ == o.impl_; }
  bool is_contiguous() const { return Of().strides == Dense(Of().sizes) || numel() <= 1; }
  bool requires_grad() const { return false; }

  void* data_ptr() const { return Of().storage.get() + Of().offset * int64_t(element_size()); }
  void* mutable_data_ptr() const { return data_ptr(); }
  const void* const_data_ptr() const { return data_ptr(); }
  template <typename T>
  T* data_ptr() const {
    return static_cast<T*>(data_ptr());
  }
  template <typename T>
  T* mutable_data_ptr() const {
    return static_cast<T*>(data_ptr());
  }
  template <typename T>
  const T* const_data_ptr() const {
    return static_cast<const T*>(data_ptr());
  }

  Tensor contiguous() const { return is_contiguous() ? *this : clone(); }
  Tensor detach() const { return *this; }
  Tensor clone() const {
    Tensor out = Made(Of().sizes, Of().type, Of().device);
    out.copy_(*this);
    return out;
  }
  Tensor& copy_(const Tensor& from) {
    const size_t bytes = element_size();
    if (is_contiguous() && from.is_contiguous()) {
      MoveBytes(data_ptr(), from.data_ptr(), nbytes());
    } else {
      for (int64_t i = 0; i < numel(); ++i) MoveBytes(Element(i), from.Element(i), bytes);
    }
    return *this;
  }
  Tensor& fill_(Scalar value) {
    std::vector<uint8_t> host(nbytes());
    for (int64_t i = 0; i < numel(); ++i) Put(&host[size_t(i) * element_size()], value);
    FromHost(host.data());
    return *this;
  }
  Tensor& zero_() { return fill_(0); }

  Tensor view(IntArrayRef sizes) const {
    if (!is_contiguous()) AkgenFail("view of a tensor that is not contiguous: use reshape");
    return WithSizes(Inferred(sizes.vec()));
  }
  Tensor reshape(IntArrayRef sizes) const { return contiguous().view(sizes); }
  Tensor flatten(int64_t from = 0, int64_t to = -1) const {
    std::vector<int64_t> out;
    const size_t first = Wrapped(from), last = Wrapped(to);
    for (size_t i = 0; i < Of().sizes.size(); ++i)
      if (i > first && i <= last)
        out.back() *= Of().sizes[i];
      else
        out.push_back(Of().sizes[i]);
    return reshape(out);
  }
  Tensor unsqueeze(int64_t dim) const {
    Tensor out = Copy();
    const size_t at = dim < 0 ? size_t(dim + this->dim() + 1) : size_t(dim);
    out.impl_->strides.insert(out.impl_->strides.begin() + long(at),
                              at < Of().sizes.size() ? Of().sizes[at] * Of().strides[at] : 1);
    out.impl_->sizes.insert(out.impl_->sizes.begin() + long(at), 1);
    return out;
  }
  Tensor squeeze(int64_t dim) const {
    Tensor out = Copy();
    const size_t at = Wrapped(dim);
    if (out.impl_->sizes[at] != 1) return out;
    out.impl_->sizes.erase(out.impl_->sizes.begin() + long(at));
    out.impl_->strides.erase(out.impl_->strides.begin() + long(at));
    return out;
  }
  Tensor transpose(int64_t a, int64_t b) const {
    Tensor out = Copy();
    std::swap(out.impl_->sizes[Wrapped(a)], out.impl_->sizes[Wrapped(b)]);
    std::swap(out.impl_->strides[Wrapped(a)], out.impl_->strides[Wrapped(b)]);
    return out;
  }
  Tensor t() const { return transpose(0, 1); }
  Tensor permute(IntArrayRef order) const {
    Tensor out = Copy();
    for (size_t i = 0; i < order.size(); ++i)
      out.impl_->sizes[i] = Of().sizes[Wrapped(order[i])],
      out.impl_->strides[i] = Of().strides[Wrapped(order[i])];
    return out;
  }
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const {
    Tensor out = Copy();
    out.impl_->offset += start * stride(dim);
    out.impl_->sizes[Wrapped(dim)] = length;
    return out;
  }
  Tensor slice(int64_t dim, int64_t start, int64_t end) const {
    return narrow(dim, start, (end < size(dim) ? end : size(dim)) - start);
  }
  Tensor select(int64_t dim, int64_t index) const { return narrow(dim, index, 1).squeeze(dim); }

  // New device memory of these sizes; nobody has written it.
  static Tensor Made(std::vector<int64_t> sizes, ScalarType type, Device device = {}) {
    Tensor out;
    out.impl_ = std::make_shared<Impl>();
    out.impl_->sizes = std::move(sizes), out.impl_->type = type, out.impl_->device = device;
    out.impl_->strides = Dense(out.impl_->sizes);
    const size_t bytes = out.nbytes() ? out.nbytes() : 1;
    void* memory = nullptr;
#ifdef AKGEN_RECORD_LAUNCHES
    if (!device.is_cpu())
      return Around(akgen_torch::Recorder::Get().Made(out.nbytes()), std::move(out.impl_->sizes),
                    type);
#endif
    if (device.is_cpu())
      memory = std::calloc(bytes, 1);
    else
      aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    out.impl_->storage.reset(static_cast<uint8_t*>(memory), [device](uint8_t* p) {
      if (device.is_cpu())
        std::free(p);
      else if (p)
        aclrtFree(p);
    });
    return out;
  }
  // Memory that the caller keeps, on the device.
  static Tensor Around(void* memory, std::vector<int64_t> sizes, ScalarType type) {
    Tensor out;
    out.impl_ = std::make_shared<Impl>();
    out.impl_->sizes = std::move(sizes), out.impl_->type = type;
    out.impl_->strides = Dense(out.impl_->sizes);
    out.impl_->storage.reset(static_cast<uint8_t*>(memory), [](uint8_t*) {});
    return out;
  }
  // The same memory with other strides.
  Tensor Strided(std::vector<int64_t> sizes, std::vector<int64_t> strides) const {
    Tensor out = Copy();
    out.impl_->sizes = std::move(sizes), out.impl_->strides = std::move(strides);
    return out;
  }
  // All of a contiguous tensor.
  void FromHost(const void* from) {
#ifdef AKGEN_RECORD_LAUNCHES
    if (!is_cpu())
      return akgen_torch::Recorder::Get().Fill(data_ptr(), from, nbytes(), element_size());
#endif
    if (is_cpu())
      std::memcpy(data_ptr(), from, nbytes());
    else if (nbytes())
      aclrtMemcpy(data_ptr(), nbytes(), from, nbytes(), ACL_MEMCPY_HOST_TO_DEVICE);
  }
  std::vector<uint8_t> ToHost() const {
#ifdef AKGEN_RECORD_LAUNCHES
    if (!is_cpu()) akgen_torch::NotRecorded("host code that reads the values of a tensor");
#endif
    const Tensor whole = contiguous();
    std::vector<uint8_t> out(whole.nbytes());
    if (is_cpu())
      std::memcpy(out.data(), whole.data_ptr(), out.size());
    else if (!out.empty())
      aclrtMemcpy(out.data(), out.size(), whole.data_ptr(), out.size(), ACL_MEMCPY_DEVICE_TO_HOST);
    return out;
  }
  void Put(uint8_t* at, Scalar value) const {
    switch (Of().type) {
#define AKGEN_X(of, name, number)                           \
  case ScalarType::name: {                                  \
    const of element = static_cast<of>(value.to<double>()); \
    std::memcpy(at, &element, sizeof element);              \
  } break;
      AKGEN_TORCH_TYPES(AKGEN_X)
#undef AKGEN_X
      default: break;
    }
  }

 private:
  struct Impl {
    std::shared_ptr<uint8_t> storage;
    std::vector<int64_t> sizes, strides;
    int64_t offset = 0;  // elements
    ScalarType type = ScalarType::Float;
    Device device;
  };
  const Impl& Of() const {
    if (!impl_) AkgenFail("a tensor that is not defined");
    return *impl_;
  }
  size_t Wrapped(int64_t dim) const {
    const int64_t n = int64_t(Of().sizes.size());
    if (dim < -n || dim >= n) AkgenFail("Dimension out of range: ", dim, " of ", n);
    return size_t(dim < 0 ? dim + n : dim);
  }
  static int64_t Product(const std::vector<int64_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1},
                           [](int64_t a, int64_t b) { return a * b; });
  }
  static std::vector<int64_t> Dense(const std::vector<int64_t>& sizes) {
    std::vector<int64_t> out(sizes.size());
    int64_t step = 1;
    for (size_t i = sizes.size(); i-- > 0; step *= sizes[i]) out[i] = step;
    return out;
  }
  std::vector<int64_t> Inferred(std::vector<int64_t> sizes) const {
    int64_t known = 1, open = -1;
    for (size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] < 0)
        open = int64_t(i);
      else
        known *= sizes[i];
    if (open >= 0 && known) sizes[size_t(open)] = numel() / known;
    if (Product(sizes) != numel())
      AkgenFail("shape '", IntArrayRef(sizes), "' is invalid for input of size ", numel());
    return sizes;
  }
  Tensor Copy() const {
    Tensor out;
    out.impl_ = std::make_shared<Impl>(Of());
    return out;
  }
  Tensor WithSizes(std::vector<int64_t> sizes) const {
    Tensor out = Copy();
    out.impl_->strides = Dense(sizes);
    out.impl_->sizes = std::move(sizes);
    return out;
  }
  uint8_t* Element(int64_t index) const {
    int64_t at = Of().offset;
    for (size_t i = Of().sizes.size(); i-- > 0; index /= Of().sizes[i])
      at += index % Of().sizes[i] * Of().strides[i];
    return Of().storage.get() + at * int64_t(element_size());
  }
  void MoveBytes(void* to, const void* from, size_t bytes) const {
#ifdef AKGEN_RECORD_LAUNCHES
    if (!is_cpu()) return akgen_torch::Recorder::Get().Copy(to, from, bytes);
#endif
    if (is_cpu())
      std::memcpy(to, from, bytes);
    else
      aclrtMemcpy(to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE);
  }
  std::shared_ptr<Impl> impl_;
};
using TensorList = ArrayRef<Tensor>;
using ITensorListRef = TensorList;

inline Tensor empty(IntArrayRef sizes, TensorOptions o = {}) {
  return Tensor::Made(sizes.vec(), o.dtype().toScalarType(), o.device());
}
inline Tensor full(IntArrayRef sizes, Scalar value, TensorOptions o = {}) {
  return empty(sizes, o).fill_(value);
}
inline Tensor zeros(IntArrayRef sizes, TensorOptions o = {}) { return full(sizes, 0, o); }
inline Tensor ones(IntArrayRef sizes, TensorOptions o = {}) { return full(sizes, 1, o); }
inline Tensor empty_like(const Tensor& t) { return empty(t.sizes(), t.options()); }
inline Tensor empty_like(const Tensor& t, TensorOptions o) { return empty(t.sizes(), o); }
inline Tensor full_like(const Tensor& t, Scalar value) { return empty_like(t).fill_(value); }
inline Tensor zeros_like(const Tensor& t) { return full_like(t, 0); }
inline Tensor ones_like(const Tensor& t) { return full_like(t, 1); }
inline Tensor scalar_tensor(Scalar value, TensorOptions o = {}) { return full({}, value, o); }
inline Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions o = {}) {
#ifdef AKGEN_RECORD_LAUNCHES
  akgen_torch::NotRecorded("from_blob");
#endif
  return Tensor::Around(data, sizes.vec(), o.dtype().toScalarType());
}
template <typename T>
Tensor tensor(const std::vector<T>& values, TensorOptions o) {
  Tensor out = empty({int64_t(values.size())}, o);
  std::vector<uint8_t> host(out.nbytes());
  for (size_t i = 0; i < values.size(); ++i) out.Put(&host[i * out.element_size()], values[i]);
  out.FromHost(host.data());
  return out;
}
}  // namespace at
namespace torch {
using at::empty, at::empty_like, at::from_blob, at::full, at::full_like, at::ones, at::ones_like,
    at::scalar_tensor, at::Tensor, at::tensor, at::TensorList, at::zeros, at::zeros_like;
}  // namespace torch

// A launch by way of PyTorch's queue of commands: what is handed over runs at once.
namespace at_npu {
namespace native {
class OpCommand {
 public:
  OpCommand& Name(const std::string&) { return *this; }
  template <typename F>
  OpCommand& SetCustomHandler(F f) {
    run_ = [f]() mutable { (void)f(); };
    return *this;
  }
  void Run() { run_(); }
  template <typename F>
  static void RunOpApi(const std::string&, F f) {
    (void)f();
  }
  template <typename F>
  static void RunOpApiV2(const std::string&, F f) {
    (void)f();
  }

 private:
  std::function<void()> run_;
};
}  // namespace native
}  // namespace at_npu

namespace c10_npu {
class NPUStream {
 public:
  explicit NPUStream(aclrtStream stream = nullptr) : stream_(stream) {}
  aclrtStream stream(bool = true) const { return stream_; }
  operator aclrtStream() const { return stream_; }
  void synchronize() const { aclrtSynchronizeStream(stream_); }

 private:
  aclrtStream stream_;
};
inline NPUStream getCurrentNPUStream(c10::DeviceIndex = -1) { return NPUStream(); }
inline NPUStream getDefaultNPUStream(c10::DeviceIndex = -1) { return NPUStream(); }
struct NPUGuard {
  template <typename... Args>
  explicit NPUGuard(Args&&...) {}
};
using OptionalNPUGuard = NPUGuard;
}  // namespace c10_npu
namespace c10 {
struct DeviceGuard {
  template <typename... Args>
  explicit DeviceGuard(Args&&...) {}
};
using OptionalDeviceGuard = DeviceGuard;
}  // namespace c10
namespace at {
using c10::DeviceGuard, c10::OptionalDeviceGuard;
}  // namespace at
#endif
