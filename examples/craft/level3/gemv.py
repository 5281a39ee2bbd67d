# task: Gemv
# out = alpha a x + beta y on the vector cores: x stays in UB, or a row is summed in parts.
# try: a=f32[40, 300] x=f32[300] y=f32[40] alpha=0.5 beta=-2.0
# try: a=f32[3, 5] x=f32[5] y=f32[3] alpha=1.5 beta=0.25
@kernel
def gemv_kernel(a: gm[m, n], x: gm[n], y: gm[m, 1], out: gm[m, 1], m, n, per_core, tile, alpha, beta):
    first = core() * per_core
    x_ub, a_ub = ub(1, n, dtype=f32), ub(tile, n, dtype=f32)
    y_ub, out_ub = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    with copyin: load(x_ub, x[:])
    for r, h in tiles(first, min(first + per_core, m), tile):
        with copyin:
            load(a_ub, a[r : r + h, :])
            load(y_ub, y[r : r + h, :])
        with compute: out_ub[:] = row_sum(a_ub * x_ub) * alpha + y_ub * beta
        with copyout: store(out[r : r + h, :], out_ub)


@host
def gemv(a: tensor(f32)[m, n], x: tensor(f32)[n], y: tensor(f32)[m], alpha: float, beta: float):
    require(n > 0 and n <= 8192)
    out = empty([m], f32)
    per_core = ceil_div(m, best_cores())
    tile = fit(per_core)
    gemv_kernel[ceil_div(m, per_core)](a, x, y, out, m, n, per_core, tile, alpha, beta)
    return out
