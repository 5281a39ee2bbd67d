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
#define ACLRT_LAUNCH_KERNEL(name) ::akgen_named_launch([](auto... akgen_args) { name(akgen_args...); })

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif  // AKGEN_ACL_LAUNCH_H
