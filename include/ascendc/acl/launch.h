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
int akgen_launch_blocks(void (*run)(void* body), void (*drop)(void* body), void* body, uint32_t blocks, void* stream);
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

template <typename Kernel>
class AkgenLauncher {
 public:
  AkgenLauncher(Kernel kernel, uint32_t blocks, void* stream) : kernel_(kernel), blocks_(blocks), stream_(stream) {}

  template <typename... Args>
  void operator()(Args... args) const {
    auto body = [kernel = kernel_, args...]() { kernel(args...); };
    using Body = decltype(body);
    akgen_launch_blocks([](void* b) { (*static_cast<Body*>(b))(); }, [](void* b) { delete static_cast<Body*>(b); },
                        new Body(body), blocks_, stream_);
  }

 private:
  Kernel kernel_;
  uint32_t blocks_;
  void* stream_;
};

template <typename Kernel>
AkgenLauncher<Kernel> akgen_launch(Kernel kernel, uint32_t blocks) {
  return AkgenLauncher<Kernel>(kernel, blocks, nullptr);
}
// The second configuration argument (dynamic UB bytes, formerly an L2 control block) does not change a result.
template <typename Kernel, typename Dynamic>
AkgenLauncher<Kernel> akgen_launch(Kernel kernel, uint32_t blocks, Dynamic) {
  return AkgenLauncher<Kernel>(kernel, blocks, nullptr);
}
template <typename Kernel, typename Dynamic, typename Stream>
AkgenLauncher<Kernel> akgen_launch(Kernel kernel, uint32_t blocks, Dynamic, Stream stream) {
  return AkgenLauncher<Kernel>(kernel, blocks, stream);
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
