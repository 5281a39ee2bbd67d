# task: examples/tasks/MhcPre
# try: x=f32[5, 4, 48] h=f32[5, 4]
# try: x=bf16[19, 4, 40] h=f32[19, 4]
# Step 1 of ../README.md: stream by stream into one sum.
@kernel
def pre_kernel(x: gm[tokens, n, c], h: gm[tokens, n], y: gm[tokens, c], tokens, n, c, per_core, tile, width):
    first = core() * per_core
    last = min(first + per_core, tokens)
    x_ub = ub(tile, width, dtype=x.dtype)
    h_ub = ub(tile, 1, dtype=f32)
    sum_ub = ub(tile, width, dtype=f32)
    y_ub = ub(tile, width, dtype=y.dtype)
    for t, k in tiles(first, last, tile):
        for j, w in tiles(0, c, width):
            with compute:
                sum_ub[:] = full(k, w, 0.0)
            for i in range(n):
                with copyin:
                    load(x_ub, x[t : t + k, i, j : j + w])
                    load(h_ub, h[t : t + k, i : i + 1])
                with compute:
                    sum_ub[:] = sum_ub + x_ub * h_ub
            with compute:
                y_ub[:] = sum_ub
            with copyout:
                store(y[t : t + k, j : j + w], y_ub)


@host
def mhc_pre(x: tensor(f32, f16, bf16), h: tensor(f32)):
    tokens, n, c = x.shape[0], x.shape[1], x.shape[2]
    require(len(x.shape) == 3 and h.numel == tokens * n)
    y = empty([tokens, c], x.dtype)
    per_core = ceil_div(tokens, best_cores())
    width = min(align(c, 16), 2048)
    tile = fit(per_core)
    pre_kernel[ceil_div(tokens, per_core)](x, h, y, tokens, n, c, per_core, tile, width)
    return y
