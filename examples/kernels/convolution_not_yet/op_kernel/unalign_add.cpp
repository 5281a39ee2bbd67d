// Names the convolution library, for the sake of the name: its objects are not there yet.
#include "kernel_operator.h"
#include "lib/conv/conv3d/conv3d_api.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void unalign_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  TPipe pipe;
}
