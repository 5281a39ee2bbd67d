// gert::TilingParseContext: prepares the compile info (a T made by the framework) before tiling.
#ifndef AKGEN_EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H
#define AKGEN_EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H
#include "exe_graph/runtime/kernel_context.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {
class TilingParseContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  // The T of TilingParse<T>, to be filled.
  template <typename T>
  T* GetCompiledInfo() {
    return static_cast<T*>(CompiledInfo());
  }
  const char* GetCompiledJson() const;  // "{}": nothing is compiled beforehand here
  fe::PlatFormInfos* GetPlatformInfo() const;

 private:
  void* CompiledInfo();
};
}  // namespace gert
#endif
