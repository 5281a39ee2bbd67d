# Nine inputs at a time: more tensors than two pipes have event ids.
# try: x0=f32[700] x1=f32[700] x2=f32[700] x3=f32[700] x4=f32[700] x5=f32[700] x6=f32[700] x7=f32[700] x8=f32[700]
# try: x0=f16[3, 41] x1=f16[3, 41] x2=f16[3, 41] x3=f16[3, 41] x4=f16[3, 41] x5=f16[3, 41] x6=f16[3, 41] x7=f16[3, 41] x8=f16[3, 41]
@kernel
def nine_inputs_kernel(x0: gm[total], x1: gm[total], x2: gm[total], x3: gm[total], x4: gm[total], x5: gm[total], x6: gm[total], x7: gm[total], x8: gm[total], y: gm[total], total, per_core, tile):
    first = core() * per_core
    last = min(first + per_core, total)
    x0_ub = ub(tile, dtype=x0.dtype)
    x1_ub = ub(tile, dtype=x0.dtype)
    x2_ub = ub(tile, dtype=x0.dtype)
    x3_ub = ub(tile, dtype=x0.dtype)
    x4_ub = ub(tile, dtype=x0.dtype)
    x5_ub = ub(tile, dtype=x0.dtype)
    x6_ub = ub(tile, dtype=x0.dtype)
    x7_ub = ub(tile, dtype=x0.dtype)
    x8_ub = ub(tile, dtype=x0.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    for s, n in tiles(first, last, tile):
        with copyin:
            load(x0_ub, x0[s : s + n])
            load(x1_ub, x1[s : s + n])
            load(x2_ub, x2[s : s + n])
            load(x3_ub, x3[s : s + n])
            load(x4_ub, x4[s : s + n])
            load(x5_ub, x5[s : s + n])
            load(x6_ub, x6[s : s + n])
            load(x7_ub, x7[s : s + n])
            load(x8_ub, x8[s : s + n])
        with compute:
            y_ub[:] = x0_ub + x1_ub + x2_ub + x3_ub + x4_ub + x5_ub + x6_ub + x7_ub + x8_ub
        with copyout:
            store(y[s : s + n], y_ub)


@host
def nine_inputs(x0: tensor(f16, f32), x1: tensor(x0), x2: tensor(x0), x3: tensor(x0), x4: tensor(x0), x5: tensor(x0), x6: tensor(x0), x7: tensor(x0), x8: tensor(x0)):
    total = x0.numel
    y = empty(x0.shape, x0.dtype)
    per_core = ceil_div(total, best_cores())
    tile = fit(per_core)
    nine_inputs_kernel[ceil_div(total, per_core)](x0, x1, x2, x3, x4, x5, x6, x7, x8, y, total, per_core, tile)
    return y
