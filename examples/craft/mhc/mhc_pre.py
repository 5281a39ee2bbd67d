# task: examples/tasks/MhcPre
# try: x=f32[5, 4, 48] h=f32[5, 4]
# try: x=bf16[19, 4, 40] h=f32[19, 4]
# try: x=f16[3, 4, 7] h=f32[3, 4]
# What a layer of mHC reads: y = H^pre x, for each token the sum of its four streams, each times its weight. Two sums take turns: one
# that is read and written by the same statement would be copied.
@kernel
def pre_kernel(x: gm[tokens, 4, c], h: gm[tokens, 4], y: gm[tokens, c], tokens, c, per_core, tile, width):
    first = core() * per_core
    x_ub = ub(tile, width, dtype=x.dtype)
    h_ub = ub(tile, 1, dtype=f32)
    sum0, sum1 = ub(tile, width, dtype=f32), ub(tile, width, dtype=f32)
    y_ub = ub(tile, width, dtype=y.dtype)
    for t, k in tiles(first, min(first + per_core, tokens), tile):
        for j, w in tiles(0, c, width):
            with copyin:
                load(h_ub, h[t : t + k, 0:1])
                load(x_ub, x[t : t + k, 0, j : j + w])
            with compute:
                sum0[:] = x_ub * h_ub
            with copyin:
                load(h_ub, h[t : t + k, 1:2])
                load(x_ub, x[t : t + k, 1, j : j + w])
            with compute:
                sum1[:] = sum0 + x_ub * h_ub
            with copyin:
                load(h_ub, h[t : t + k, 2:3])
                load(x_ub, x[t : t + k, 2, j : j + w])
            with compute:
                sum0[:] = sum1 + x_ub * h_ub
            with copyin:
                load(h_ub, h[t : t + k, 3:4])
                load(x_ub, x[t : t + k, 3, j : j + w])
            with compute:
                y_ub[:] = sum0 + x_ub * h_ub
            with copyout:
                store(y[t : t + k, j : j + w], y_ub)


@host
def mhc_pre(x: tensor(f32, f16, bf16), h: tensor(f32)):
    require(len(x.shape) == 3 and x.shape[1] == 4)
    tokens, c = x.shape[0], x.shape[2]
    require(h.numel == tokens * 4)
    y = empty([tokens, c], x.dtype)
    per_core = ceil_div(tokens, best_cores())
    width = min(align(c, 16), tune(2048, 1024, 640, 512))
    tile = fit(per_core)
    pre_kernel[ceil_div(tokens, per_core)](x, h, y, tokens, c, per_core, tile, width)
    return y
