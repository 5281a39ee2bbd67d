// TORCH_LIBRARY, TORCH_LIBRARY_IMPL and PYBIND11_MODULE: functions by the names that they are
// registered under, with arguments and results as values.
#ifndef AKGEN_AKGEN_TORCH_LIBRARY_H
#define AKGEN_AKGEN_TORCH_LIBRARY_H
#include <functional>
#include <map>

#include "akgen/torch/tensor.h"

namespace akgen_torch {
using at::Tensor;
using Value = std::variant<std::monostate, bool, int64_t, double, std::string, Tensor,
                           std::vector<int64_t>, std::vector<double>, std::vector<Tensor>>;
using Values = std::vector<Value>;

inline std::string KindOf(const Value& v) {
  constexpr const char* kNames[] = {"None",   "bool",  "int",     "float",   "str",
                                    "Tensor", "int[]", "float[]", "Tensor[]"};
  return kNames[v.index()];
}
[[noreturn]] inline void Mismatch(const Value& v, const char* wanted) {
  c10::AkgenFail("an argument is ", KindOf(v), ", and its parameter takes ", wanted);
}

template <typename T, typename = void>
struct As;
template <typename T>
struct As<T, std::enable_if_t<std::is_arithmetic_v<T>>> {
  static T Take(Value& v) {
    if (auto* b = std::get_if<bool>(&v)) return T(*b);
    if (auto* i = std::get_if<int64_t>(&v)) return T(*i);
    if (auto* d = std::get_if<double>(&v); d && std::is_floating_point_v<T>) return T(*d);
    Mismatch(v, "a number");
  }
};
template <>
struct As<c10::Scalar> {
  static c10::Scalar Take(Value& v) {
    if (auto* i = std::get_if<int64_t>(&v)) return *i;
    if (auto* d = std::get_if<double>(&v)) return *d;
    if (auto* b = std::get_if<bool>(&v)) return *b;
    Mismatch(v, "a Scalar");
  }
};
template <typename Kept>
struct Held {
  static Kept& Take(Value& v) {
    if (auto* kept = std::get_if<Kept>(&v)) return *kept;
    Mismatch(v, KindOf(Value(Kept())).c_str());
  }
};
template <>
struct As<Tensor> : Held<Tensor> {};
template <>
struct As<std::string> : Held<std::string> {};
template <>
struct As<std::vector<int64_t>> : Held<std::vector<int64_t>> {};
template <>
struct As<std::vector<double>> : Held<std::vector<double>> {};
template <>
struct As<std::vector<Tensor>> : Held<std::vector<Tensor>> {};
template <>
struct As<std::string_view> : Held<std::string> {};
template <>
struct As<c10::ArrayRef<int64_t>> : Held<std::vector<int64_t>> {};
template <>
struct As<c10::ArrayRef<double>> : Held<std::vector<double>> {};
template <>
struct As<c10::ArrayRef<Tensor>> : Held<std::vector<Tensor>> {};
template <>
struct As<c10::ScalarType> {
  static c10::ScalarType Take(Value& v) { return c10::ScalarType(Held<int64_t>::Take(v)); }
};
template <typename T>
struct As<std::optional<T>> {
  static std::optional<T> Take(Value& v) {
    if (std::holds_alternative<std::monostate>(v)) return std::nullopt;
    return std::optional<T>(As<T>::Take(v));
  }
};

template <typename T>
void Give(const T& result, Values* out) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double>)
    out->push_back(result);
  else if constexpr (std::is_integral_v<T>)
    out->push_back(int64_t(result));
  else if constexpr (std::is_floating_point_v<T>)
    out->push_back(double(result));
  else if constexpr (std::is_constructible_v<Value, T>)
    out->push_back(result);
  else
    std::apply([out](const auto&... each) { (Give(each, out), ...); }, result);  // a tuple
}

using Boxed = std::function<Values(Values&)>;
struct Entry {
  Boxed call;
  size_t arity = 0;
};
inline std::map<std::string, Entry>& Registry() {
  static std::map<std::string, Entry> entries;
  return entries;
}
// Schemas, by the name of the operator.
inline std::map<std::string, std::string>& Schemas() {
  static std::map<std::string, std::string> schemas;
  return schemas;
}

template <typename R, typename... Args, typename F, size_t... I>
Values CallWith(F& f, Values& values, std::index_sequence<I...>) {
  Values out;
  if constexpr (std::is_void_v<R>)
    f(As<std::decay_t<Args>>::Take(values[I])...);
  else
    Give<std::decay_t<R>>(f(As<std::decay_t<Args>>::Take(values[I])...), &out);
  return out;
}
template <typename R, typename... Args, typename F>
Entry BoxedOf(F f) {
  return {[f](Values& values) mutable {
            return CallWith<R, Args...>(f, values, std::index_sequence_for<Args...>());
          },
          sizeof...(Args)};
}
template <typename R, typename... Args>
Entry EntryOf(R (*f)(Args...)) {
  return BoxedOf<R, Args...>(f);
}
template <typename F, typename R, typename... Args>
Entry EntryOfMember(F f, R (F::*)(Args...) const) {
  return BoxedOf<R, Args...>(f);
}
template <typename F, typename = decltype(&F::operator())>
Entry EntryOf(F f) {
  return EntryOfMember(f, &F::operator());
}

class Library {
 public:
  explicit Library(std::string space) : space_(std::move(space)) {}
  Library& def(const std::string& schema) {
    Schemas()[Named(schema)] = schema;
    return *this;
  }
  template <typename F>
  Library& def(const std::string& schema, F f) {
    def(schema);
    return impl(schema, f);
  }
  template <typename F>
  Library& impl(const std::string& name, F f) {
    Registry()[Named(name)] = EntryOf(f);
    return *this;
  }
  template <typename F>
  Library& impl(const std::string& name, c10::DeviceType, F f) {
    return impl(name, f);
  }
  // Of pybind11: the words behind the function are its documentation and its arguments' names.
  template <typename F, typename... Words>
  Library& def(const char* name, F f, const Words&...) {
    return impl(name, f);
  }
  Library& doc(const char*) { return *this; }

 private:
  std::string Named(const std::string& schema) const {
    const std::string name = schema.substr(0, schema.find_first_of("( "));
    return name.find("::") == std::string::npos ? space_ + "::" + name : name;
  }
  std::string space_;
};
struct Registered {
  Registered(const char* space, void (*fill)(Library&)) {
    Library library(space);
    fill(library);
  }
};
}  // namespace akgen_torch

namespace torch {
using akgen_torch::Library;
using c10::kPrivateUse1, c10::kCPU;
template <typename F>
F* dispatch(c10::DeviceType, F* f) {
  return f;
}
}  // namespace torch

#define TORCH_FN(f) (&f)
#define AKGEN_TORCH_JOINED(a, b) a##b
#define AKGEN_TORCH_NAMED(a, b) AKGEN_TORCH_JOINED(a, b)
#define AKGEN_TORCH_LIBRARY(space, m, number)                                                \
  static void AKGEN_TORCH_NAMED(akgen_torch_fill_, number)(::torch::Library&);               \
  static const ::akgen_torch::Registered AKGEN_TORCH_NAMED(akgen_torch_registered_, number)( \
      #space, &AKGEN_TORCH_NAMED(akgen_torch_fill_, number));                                \
  static void AKGEN_TORCH_NAMED(akgen_torch_fill_, number)([[maybe_unused]] ::torch::Library & m)
#define TORCH_LIBRARY(space, m) AKGEN_TORCH_LIBRARY(space, m, __COUNTER__)
#define TORCH_LIBRARY_FRAGMENT(space, m) AKGEN_TORCH_LIBRARY(space, m, __COUNTER__)
#define TORCH_LIBRARY_IMPL(space, key, m) AKGEN_TORCH_LIBRARY(space, m, __COUNTER__)
#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME extension
#endif
#define PYBIND11_MODULE(name, m) AKGEN_TORCH_LIBRARY(name, m, __COUNTER__)
#endif
