// A tiling structure in plain C++, registered by the kernel itself.
#include "kernel_operator.h"
namespace optiling {
struct Plain {
  uint32_t length;
};
struct Other {
  uint64_t length;
};
}  // namespace optiling
extern "C" __global__ __aicore__ void registered(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(optiling::Plain);
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 1", optiling::Other);
  if (TILING_KEY_IS(1)) {
    GET_TILING_DATA_WITH_STRUCT(optiling::Other, data, tiling);
    static_assert(sizeof(data.length) == 8, "");
  } else {
    GET_TILING_DATA(data, tiling);
    static_assert(sizeof(data.length) == 4, "");
  }
}
