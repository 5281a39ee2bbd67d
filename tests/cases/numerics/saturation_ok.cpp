// Modes of saturation: half and bfloat16 held at their largest value, integers at the ends of their range, casts cut to
// their low bits; then as a kernel finds them.
// launch: blocks=1 args=out:f32[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 4096);
  LocalTensor<float> f = buf.Get<float>();
  LocalTensor<half> h = f[64].ReinterpretCast<half>();
  LocalTensor<int16_t> s = f[128].ReinterpretCast<int16_t>();
  LocalTensor<bfloat16_t> b = f[192].ReinterpretCast<bfloat16_t>();
  LocalTensor<float> back = f[256];
  assert(!GetSaturationFlag<SaturationMode::FLOAT>() && GetSaturationFlag<SaturationMode::CAST>());

  SetSaturationFlag<SaturationMode::FLOAT>(true);
  Duplicate(h, half(60000.0f), 64);
  Add(h, h, h, 64);
  assert(float(h.GetValue(0)) == 65504.0f);
  Duplicate(f, 3.4e38f, 64);
  Cast(b, f, RoundMode::CAST_RINT, 64);
  Cast(back, b, RoundMode::CAST_NONE, 64);
  assert(back.GetValue(0) < 3.4e38f && back.GetValue(0) > 3.3e38f);
  Adds(f, f, 3.4e38f, 64);
  assert(f.GetValue(0) > 3.4e38f);
  Duplicate(s, int16_t(30000), 64);
  Adds(s, s, int16_t(30000), 64);
  assert(s.GetValue(0) == 32767);
  assert(GetSaturationFlag<SaturationMode::FLOAT>());
  SetSaturationFlag<SaturationMode::FLOAT>(false);
  Duplicate(s, int16_t(30000), 64);
  Adds(s, s, int16_t(30000), 64);
  assert(s.GetValue(0) == int16_t(60000 - 65536));

  Duplicate(f, 65541.5f, 64);
  Cast(s, f, RoundMode::CAST_FLOOR, 64);
  assert(s.GetValue(0) == 32767);
  SetSaturationFlag<SaturationMode::CAST>(false);
  Cast(s, f, RoundMode::CAST_FLOOR, 64);
  assert(s.GetValue(0) == 5);
  SetSaturationFlag<SaturationMode::CAST>(true);

  Duplicate(f, 1.0f, 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, f, 64);
}
