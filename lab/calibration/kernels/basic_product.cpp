// The vendor's fastest product by the basic interface: half, B stored by rows along N, unit flags; each core's part in
// kRounds along M.
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  Product<half, float, true, Stored::kTurned> product(kPlan, InGm<half>(a), InGm<half>(b));
  for (uint32_t round = 0; round < kRounds; ++round) {
    TilesOf(kPlan, GetBlockIdx(), [&](Tile t) {
      t.row += round * kPlan.single_m * kPlan.grid_m;
      product.Block(t, [&](const LocalTensor<float> &from, uint8_t flag) {
        FixpipeParamsV220 how(t.n, t.m, Up(t.m, 16), kPlan.n, false);
        how.quantPre = QuantMode_t::F322F16, how.unitFlag = flag;
        Fixpipe(InGm<half>(c)[(uint64_t)t.row * kPlan.n + t.column], from, how);
      });
    });
  }
  product.End();
}
