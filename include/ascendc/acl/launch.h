// What a rewritten launch `kernel<T><<<blocks, dynamic UB bytes, stream>>>(args…)` becomes: a closure that runs one
// block, handed to the simulated chip. Arguments are evaluated once, at the launch; each block gets its own copies.
#ifndef AKGEN_ACL_LAUNCH_H
#define AKGEN_ACL_LAUNCH_H
#include <stdint.h>

// The closure that a block runs lies in the host's memory; it is no access of the kernel.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)
#endif

extern "C" {
// Runs `body` once per block on the chip, or records it when `stream` is being captured. Takes `body` over and
// releases it with `drop`. Returns an aclError.
// `cores`: how many Cube cores and Vector cores a block starts, 16 bits each from the lowest on.
int akgen_launch_cores(void (*run)(void* body), void (*drop)(void* body), void* body, uint32_t blocks, void* stream,
                       uint32_t cores);
}

// A literal 0 or NULL argument: still becomes any pointer or number.
struct akgen_launch_zero {
  template <typename T>
  operator T*() const {
    return nullptr;
  }
  template <typename T, typename = decltype(T(0) * T(1))>
  operator T() const {
    return T(0);
  }
};

// An argument for a parameter that is a structure: the toolkit takes its address too, and copies it.
template <typename T>
struct AkgenStructure {
  const T* at;
  AkgenStructure(const T& v) : at(&v) {}
  AkgenStructure(const T* v) : at(v) {}
  operator T() const { return *at; }
  operator T*() const { return const_cast<T*>(at); }
};
template <typename T, bool kOfClass>
struct AkgenPointee {
  using Type = T*;
};
template <typename T>
struct AkgenPointee<T, true> {
  using Type = AkgenStructure<T>;
};
template <typename T>
T akgen_structure(T argument) {
  return argument;
}
template <typename T>
typename AkgenPointee<T, __is_class(T)>::Type akgen_structure(T* argument) {
  return argument;
}
template <typename T>
typename AkgenPointee<T, __is_class(T)>::Type akgen_structure(const T* argument) {
  return argument;
}

template <typename Kernel, uint32_t kCores = 1u << 16>
class AkgenLauncher {
 public:
  AkgenLauncher(Kernel kernel, uint32_t blocks, void* stream) : kernel_(kernel), blocks_(blocks), stream_(stream) {}

  template <typename... Args>
  void operator()(Args... args) const {
    auto body = [kernel = kernel_, args...]() { kernel(args...); };
    using Body = decltype(body);
    akgen_launch_cores([](void* b) { (*static_cast<Body*>(b))(); }, [](void* b) { delete static_cast<Body*>(b); },
                       new Body(body), blocks_, stream_, kCores);
  }

 private:
  Kernel kernel_;
  uint32_t blocks_;
  void* stream_;
};

// `kCores` as for akgen_launch_cores; one Vector core where the kernel is not qualified.
template <uint32_t kCores = 1u << 16, typename Kernel>
AkgenLauncher<Kernel, kCores> akgen_launch(Kernel kernel, uint32_t blocks) {
  return AkgenLauncher<Kernel, kCores>(kernel, blocks, nullptr);
}
// The second configuration argument (dynamic UB bytes, formerly an L2 control block) does not change a result.
template <uint32_t kCores = 1u << 16, typename Kernel, typename Dynamic>
AkgenLauncher<Kernel, kCores> akgen_launch(Kernel kernel, uint32_t blocks, Dynamic) {
  return AkgenLauncher<Kernel, kCores>(kernel, blocks, nullptr);
}
template <uint32_t kCores = 1u << 16, typename Kernel, typename Dynamic, typename Stream>
AkgenLauncher<Kernel, kCores> akgen_launch(Kernel kernel, uint32_t blocks, Dynamic, Stream stream) {
  return AkgenLauncher<Kernel, kCores>(kernel, blocks, stream);
}

// The older form: ACLRT_LAUNCH_KERNEL(name)(blocks, stream, args…).
template <typename Kernel>
struct AkgenNamedLaunch {
  Kernel kernel;
  template <typename... Args>
  uint32_t operator()(uint32_t blocks, void* stream, Args... args) const {
    AkgenLauncher<Kernel>(kernel, blocks, stream)(args...);
    return 0;
  }
};
template <typename Kernel>
AkgenNamedLaunch<Kernel> akgen_named_launch(Kernel kernel) {
  return {kernel};
}

// The same for a kernel of another source, which aclrtlaunch_NAME.h declares: a pointer may be of any type.
template <typename T, bool kStructure = __is_class(T)>
struct AkgenFromHost {
  using Type = T;
};
template <typename T>
struct AkgenFromHost<T, true> {
  using Type = AkgenStructure<T>;
};
template <typename T>
struct AkgenFromHost<T*, false> {
  using Type = const volatile void*;
};
template <uint32_t kCores, typename... Params>
struct AkgenSeparateLaunch {
  void (*kernel)(Params...);
  uint32_t operator()(uint32_t blocks, void* stream, typename AkgenFromHost<Params>::Type... args) const {
    AkgenLauncher<void (*)(Params...), kCores>(kernel, blocks, stream)((Params)args...);
    return 0;
  }
};
template <uint32_t kCores, typename... Params>
constexpr AkgenSeparateLaunch<kCores, Params...> akgen_separate_launch(void (*kernel)(Params...)) {
  return {kernel};
}
#define ACLRT_LAUNCH_KERNEL(name) ::akgen_named_launch([](auto... akgen_args) { name(akgen_args...); })

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif  // AKGEN_ACL_LAUNCH_H
