// What a rewritten launch `kernel<T><<<blocks, dynamic UB bytes, stream>>>(args…)` becomes: a
// closure that runs one block, handed to the simulated chip. Arguments are evaluated once, at the
// launch; each block gets its own copies.
#ifndef AKGEN_ACL_LAUNCH_H
#define AKGEN_ACL_LAUNCH_H
#include <stdint.h>

#include <typeinfo>

// The closure that a block runs lies in the host's memory; it is no access of the kernel.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)
#endif

extern "C" {
// Runs `body` once per block on the chip, or records it when `stream` is being captured. Takes
// `body` over and releases it with `drop`. Returns an aclError. `cores`: how many Cube cores and
// Vector cores a block starts, 16 bits each from the lowest on; 0: what the kernel uses decides;
// all bits: it was launched through a variable and nothing says, which will not do in a program
// with code for Cube cores. Cube cores run what akgen_cube_body named for the same launch, which
// `name` and `site` tell from others. `uses`, set by the compiler: 1 for instructions of the type
// of core that `run` is compiled for.
int akgen_launch_cores(void (*run)(void* body), void (*drop)(void* body), void* body,
                       uint32_t blocks, void* stream, uint32_t cores, const char* name,
                       uint32_t site, uint32_t uses);
void akgen_recorded_launch(
    uint32_t blocks);  // of AKGEN_RECORD_LAUNCHES (akgen/torch/record.h): what is called next
bool akgen_cube_body(const char* name, uint32_t site, void (*run)(void* body), uint32_t uses);
}

// A program is compiled once more for Cube cores; of that copy only the kernels run.
template <typename Body>
struct AkgenBody {
  static void Run(void* body) { (*static_cast<Body*>(body))(); }
  static void Drop(void* body) { delete static_cast<Body*>(body); }
};
#if defined(__DAV_C220_CUBE__)
template <typename Body, uint32_t kSite>
struct AkgenCubeBody {
  static const bool kKnown;
};
template <typename Body, uint32_t kSite>
const bool AkgenCubeBody<Body, kSite>::kKnown =
    akgen_cube_body(typeid(Body).name(), kSite, &AkgenBody<Body>::Run, 0);
#endif

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

// An argument for a parameter that is a structure: the toolkit takes its address too, and copies
// it.
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

template <uint32_t kCores, uint32_t kSite, typename Body>
void AkgenStart(const Body& body, uint32_t blocks, void* stream) {
#if defined(__DAV_C220_CUBE__)
  (void)&AkgenCubeBody<Body, kSite>::kKnown;
#elif defined(AKGEN_RECORD_LAUNCHES)
  akgen_recorded_launch(blocks);
  body();
#else
  akgen_launch_cores(&AkgenBody<Body>::Run, &AkgenBody<Body>::Drop, new Body(body), blocks, stream,
                     kCores, typeid(Body).name(), kSite, 0);
#endif
}

template <typename Kernel, uint32_t kCores = 0, uint32_t kSite = 0>
class AkgenLauncher {
 public:
  AkgenLauncher(Kernel kernel, uint32_t blocks, void* stream)
      : kernel_(kernel), blocks_(blocks), stream_(stream) {}

  template <typename... Args>
  void operator()(Args... args) const {
    auto body = [kernel = kernel_, args...]() { kernel(args...); };
    AkgenStart<kCores, kSite>(body, blocks_, stream_);
  }

 private:
  Kernel kernel_;
  uint32_t blocks_;
  void* stream_;
};

// A kernel that may be a variable: `held` then gives the address that it holds at the launch, and
// is not there for a function. Nothing says which cores such a kernel starts.
template <typename T>
struct AkgenPointer;
template <typename R, typename... P>
struct AkgenPointer<R (*)(P...)> {
  using Type = R (*)(P...);
};
template <typename R, typename... P>
struct AkgenPointer<R (*&)(P...)> {
  using Type = R (*)(P...);
};
template <typename R, typename... P>
struct AkgenPointer<R (*const&)(P...)> {
  using Type = R (*)(P...);
};
template <typename T, typename... Args>
typename AkgenPointer<T>::Type akgen_pointer(T&& variable, Args...);
// Likewise of one that is chosen among several: functions, too.
template <typename T>
struct AkgenChosen;
template <typename R, typename... P>
struct AkgenChosen<R (*)(P...)> {
  using Type = R (*)(P...);
};
template <typename R, typename... P>
struct AkgenChosen<R (*&)(P...)> {
  using Type = R (*)(P...);
};
template <typename R, typename... P>
struct AkgenChosen<R (*const&)(P...)> {
  using Type = R (*)(P...);
};
template <typename R, typename... P>
struct AkgenChosen<R (&)(P...)> {
  using Type = R (*)(P...);
};
template <typename T, typename... Args>
typename AkgenChosen<T>::Type akgen_chosen(T&& kernel, Args...);
// There only for a variable whose value is known while the program is compiled: the same kernel in
// both of its copies. `Args`: void of the arguments' types.
template <typename Args, typename T, typename Pointer = typename AkgenPointer<T>::Type>
constexpr int akgen_known(T&& variable) {
  return variable ? 1 : 0;
}
template <uint32_t kCoresKnown, typename Call, typename Held, typename Known>
struct AkgenCallee {
  Call call;
  Held held;
};
template <uint32_t kCoresKnown, typename Call, typename Held, typename Known>
AkgenCallee<kCoresKnown, Call, Held, Known> akgen_callee(Call call, Held held, Known) {
  return {call, held};
}

constexpr uint32_t kAkgenCoresOfPointer = 0xffffffff;
template <uint32_t kCoresKnown, typename Call, typename Held, typename Known, uint32_t kCores,
          uint32_t kSite>
class AkgenLauncher<AkgenCallee<kCoresKnown, Call, Held, Known>, kCores, kSite> {
 public:
  AkgenLauncher(AkgenCallee<kCoresKnown, Call, Held, Known> kernel, uint32_t blocks, void* stream)
      : kernel_(kernel), blocks_(blocks), stream_(stream) {}

  template <typename... Args>
  void operator()(Args... args) const {
    Start(0, args...);
  }

 private:
  template <typename... Args>
  auto Start(int, Args... args) const
      -> decltype((void)((const Known*)nullptr)->operator()(args...)) {
    AkgenLauncher<Call, kCoresKnown, kSite>(kernel_.call, blocks_, stream_)(args...);
  }
  template <typename... Args>
  void Start(long, Args... args) const {
    StartVariable(0, args...);
  }
  template <typename... Args>
  auto StartVariable(int, Args... args) const
      -> decltype((void)((const Held*)nullptr)->operator()(args...)) {
    auto body = [kernel = kernel_.held(args...), args...]() { kernel(args...); };
    AkgenStart<kAkgenCoresOfPointer, kSite>(body, blocks_, stream_);
  }
  template <typename... Args>
  void StartVariable(long, Args... args) const {
    AkgenLauncher<Call, kCores, kSite>(kernel_.call, blocks_, stream_)(args...);
  }

  AkgenCallee<kCoresKnown, Call, Held, Known> kernel_;
  uint32_t blocks_;
  void* stream_;
};

// `kCores` as for akgen_launch_cores; `kSite` tells the launches of a program apart.
template <uint32_t kCores = 0, uint32_t kSite = 0, typename Kernel>
AkgenLauncher<Kernel, kCores, kSite> akgen_launch(Kernel kernel, uint32_t blocks) {
  return AkgenLauncher<Kernel, kCores, kSite>(kernel, blocks, nullptr);
}
// The second configuration argument (dynamic UB bytes, formerly an L2 control block) does not
// change a result.
template <uint32_t kCores = 0, uint32_t kSite = 0, typename Kernel, typename Dynamic>
AkgenLauncher<Kernel, kCores, kSite> akgen_launch(Kernel kernel, uint32_t blocks, Dynamic) {
  return AkgenLauncher<Kernel, kCores, kSite>(kernel, blocks, nullptr);
}
template <uint32_t kCores = 0, uint32_t kSite = 0, typename Kernel, typename Dynamic,
          typename Stream>
AkgenLauncher<Kernel, kCores, kSite> akgen_launch(Kernel kernel, uint32_t blocks, Dynamic,
                                                  Stream stream) {
  return AkgenLauncher<Kernel, kCores, kSite>(kernel, blocks, stream);
}

// The older form: ACLRT_LAUNCH_KERNEL(name)(blocks, stream, args…).
template <uint32_t kSite, typename Kernel>
struct AkgenNamedLaunch {
  Kernel kernel;
  template <typename... Args>
  uint32_t operator()(uint32_t blocks, void* stream, Args... args) const {
    AkgenLauncher<Kernel, 0, kSite>(kernel, blocks, stream)(args...);
    return 0;
  }
};
template <uint32_t kSite, typename Kernel>
AkgenNamedLaunch<kSite, Kernel> akgen_named_launch(Kernel kernel) {
  return {kernel};
}

// The same for a kernel of another source, which aclrtlaunch_NAME.h declares: a pointer may be of
// any type.
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
template <uint32_t kCores, auto kKernel, typename... Params>
struct AkgenSeparateLaunch {
  struct Call {
    void operator()(Params... params) const { kKernel(params...); }
  };
  uint32_t operator()(uint32_t blocks, void* stream,
                      typename AkgenFromHost<Params>::Type... args) const {
    AkgenLauncher<Call, kCores>({}, blocks, stream)((Params)args...);
    return 0;
  }
};
template <uint32_t kCores, auto kKernel, typename... Params>
constexpr AkgenSeparateLaunch<kCores, kKernel, Params...> akgen_separate_launch(
    void (*)(Params...)) {
  return {};
}
#define ACLRT_LAUNCH_KERNEL(name) \
  ::akgen_named_launch<__LINE__>([](auto... akgen_args) { name(akgen_args...); })

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif  // AKGEN_ACL_LAUNCH_H
