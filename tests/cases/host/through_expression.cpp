// A kernel that a program launches through an expression is the one that the expression gives at the launch: of floats.
// program
// expect: AK1002
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
__global__ __aicore__ void ones(GM_ADDR x) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 256 * sizeof(T));
  GlobalTensor<T> xGm;
  xGm.SetGlobalBuffer((__gm__ T *)x, 256);
  LocalTensor<T> t = buffer.Get<T>();
  Duplicate(t, T(1), 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(xGm, t, 256);  // <-- AK1002
}

int main(int argc, char **) {
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream;
  aclrtCreateStream(&stream);
  void *x;
  aclrtMalloc(&x, 512, ACL_MEM_MALLOC_HUGE_FIRST);
  (argc > 3 ? ones<half> : ones<float>)<<<1, nullptr, stream>>>((uint8_t *)x);
  aclrtSynchronizeStream(stream);
  float first = 0;
  aclrtMemcpy(&first, sizeof first, x, sizeof first, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(x);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return first == 1 ? 0 : 1;
}
