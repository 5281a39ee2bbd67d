// One pass over a tensor on all Vector cores, in two buffers: what a change of its layout moves.
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  constexpr uint32_t kTile = 16384 / sizeof(T) * 2;
  const uint32_t lines = (kElements + 127) / 128, first = (uint64_t)lines * GetBlockIdx() / kCores * 128;
  const uint32_t end = Least(kElements, (uint64_t)lines * (GetBlockIdx() + 1) / kCores * 128);
  Stage stage;
  for (uint32_t at = first; at < end; at += kTile) {
    const uint32_t n = Least(kTile, end - at);
    stage.Piece([&](uint32_t b) { RowsIn(InUb<T>(b * 32768, kTile), InGm<T>(x)[at], 1, n, n); },
                [&](uint32_t b) { Muls(InUb<T>(65536 + b * 32768, kTile), InUb<T>(b * 32768, kTile), (T)1, n); },
                [&](uint32_t b) { RowsOut(InGm<T>(y)[at], InUb<T>(65536 + b * 32768, kTile), 1, n, n); });
  }
  stage.End();
}
