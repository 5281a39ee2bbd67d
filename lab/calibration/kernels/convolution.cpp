// A convolution of NC1HWC0, image to columns on the way into L0A: tiles of whole rows of outputs and 128 channels.
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR w, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  constexpr uint32_t kC0 = kRow<T>, kC1 = Up(kChannels, kC0) / kC0, kN = Up(kOutChannels, 16), kTaps = kTapsH * kTapsW;
  constexpr uint32_t kBaseN = 128, kRows = Least(Most(1, 128 / kOutWidth), kOutHeight),
                     kDown = Up(kOutHeight, kRows) / kRows;
  constexpr uint32_t kTilesN = Up(kN, kBaseN) / kBaseN, kAll = kBatch * kDown * kTilesN;
  constexpr uint32_t kGroups =
      Least(Most(1, 131072 / (kTaps * kBaseN * 32)), Least(kC1, 4));  // of channels in L1 at once
  constexpr uint32_t kPiece = 32768 / (128 * 32);                     // groups of K in L0
  const GlobalTensor<T> image = InGm<T>(x), weights = InGm<T>(w);
  Multiplier mul(2);
  Buffers of_x(0, 0, 131072), of_w(2, 262144, 131072);
  for (uint32_t i = GetBlockIdx() * kAll / kBlocks; i < (GetBlockIdx() + 1) * kAll / kBlocks; ++i) {
    const uint32_t column = i % kTilesN * kBaseN, n = Least(kBaseN, kN - column), place = i / kTilesN;
    const uint32_t batch = place / kDown, row = place % kDown * kRows, rows = Least(kRows, kOutHeight - row),
                   m = rows * kOutWidth;
    const int32_t top = (int32_t)(row * kStride) - kPad,
                  bottom = (int32_t)((row + rows - 1) * kStride + (kTapsH - 1) * kDilation) - kPad + 1;
    const uint32_t from = top<0 ? 0 : top, to = bottom>(int32_t) kHeight ? kHeight : bottom;
    mul.Begin();
    for (uint32_t c1 = 0; c1 < kC1; c1 += kGroups) {
      const uint32_t groups = Least(kGroups, kC1 - c1);
      const uint64_t first = ((uint64_t)batch * kC1 + c1) * kHeight * kWidth + from * kWidth;
      DataCopy(of_x.Fill<T>(), image[first * kC0],
               DataCopyParams{(uint16_t)groups, (uint16_t)((to - from) * kWidth),
                              (uint16_t)((kHeight - (to - from)) * kWidth), 0});
      const LocalTensor<T> a1 = of_x.Filled<T>();
      DataCopy(of_w.Fill<T>(), weights[((uint64_t)c1 * kTaps * kN + column) * kC0],
               DataCopyParams{(uint16_t)(groups * kTaps), (uint16_t)n, (uint16_t)(kN - n), 0});
      const LocalTensor<T> b1 = of_w.Filled<T>();
      mul.Multiply<T, float>(
          m, n, groups * kTaps * kC0, kPiece * kC0,
          [&](const LocalTensor<T> &a, uint32_t at, uint32_t k) {
            LoadData3DParamsV2<T> p;
            p.l1H = to - from, p.l1W = kWidth, p.channelSize = groups * kC0;
            p.padList[0] = p.padList[1] = kPad, p.padList[2] = from - top, p.padList[3] = bottom - to;
            p.kStartPt = at, p.kExtension = k, p.mStartPt = 0, p.mExtension = Up(m, 16);
            p.strideW = p.strideH = kStride, p.filterW = kTapsW, p.filterH = kTapsH;
            p.dilationFilterW = p.dilationFilterH = kDilation;
            LoadData(a, a1, p);
          },
          [&](const LocalTensor<T> &b, uint32_t at, uint32_t k) {
            LoadData2DParams p;
            p.startIndex = at / kC0 * n / 16, p.repeatTimes = k / kC0 * n / 16, p.srcStride = 1;
            LoadData(b, b1, p);
          });
      of_x.Emptied(), of_w.Emptied();
    }
    mul.Store<float>(InGm<Out>(y)[(((uint64_t)batch * kOutHeight + row) * kOutWidth) * kN + column], m, n, kN);
  }
  mul.End(), of_x.End(), of_w.End();
}
