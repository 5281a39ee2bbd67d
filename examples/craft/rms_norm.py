# task: RmsNorm
# try: x=f16[8, 128] gamma=f16[128]
# try: x=f32[51, 77] gamma=f32[77] epsilon=1e-5
# try: x=bf16[3, 5, 40] gamma=bf16[40]
# y = x * rstd * gamma with rstd = 1 / sqrt(mean(x^2) + epsilon), for each row.
@kernel
def rms_norm_kernel(x: gm[rows, cols], gamma: gm[cols], y: gm[rows, cols], rstd: gm[rows, 1], rows, cols, per_core, tile, epsilon):
    first = core() * per_core
    last = min(first + per_core, rows)
    x_ub = ub(tile, cols, dtype=x.dtype)
    y_ub = ub(tile, cols, dtype=y.dtype)
    gamma_ub = ub(cols, dtype=gamma.dtype)
    rstd_ub = ub(tile, 1, dtype=f32)
    with copyin:
        load(gamma_ub, gamma[:])
    for r, n in tiles(first, last, tile):
        with copyin:
            load(x_ub, x[r : r + n, :])
        with compute:
            rstd_ub[:] = 1.0 / sqrt(row_sum(x_ub * x_ub) / float(cols) + epsilon)
            y_ub[:] = x_ub * rstd_ub * gamma_ub
        with copyout:
            store(y[r : r + n, :], y_ub)
            store(rstd[r : r + n, :], rstd_ub)


@host
def rms_norm(x: tensor(f16, bf16, f32), gamma: tensor(x), epsilon: float = 1e-6):
    cols = x.shape[-1]
    require(gamma.numel == cols)
    rows = x.numel // cols
    y = empty(x.shape, x.dtype)
    rstd = empty(x.shape[:-1] + [1], f32)
    per_core = ceil_div(rows, best_cores())
    tile = fit(per_core)
    rms_norm_kernel[ceil_div(rows, per_core)](x, gamma, y, rstd, rows, cols, per_core, tile, epsilon)
    return y, rstd
