@kernel
def centered_rows_kernel(x: gm[rows, cols], bias: gm[cols], y: gm[rows, cols], rows, cols, per_core, tile):
    first = core() * per_core
    last = min(first + per_core, rows)
    x_ub = ub(tile, cols, dtype=x.dtype)
    bias_ub = ub(cols, dtype=bias.dtype)
    y_ub = ub(tile, cols, dtype=y.dtype)
    with copyin:
        load(bias_ub, bias[0 : cols])
    for r, n in tiles(first, last, tile):
        with copyin:
            load(x_ub, x[r : r + n, :])
        with compute:
            mean = row_sum(x_ub) / cols
            y_ub[:] = x_ub - mean + bias_ub
        with copyout:
            store(y[r : r + n, :], y_ub)


@host
def centered_rows(x: tensor(f32, f16), bias: tensor(f32, f16)):
    y = empty(x.shape, x.dtype)
    cols = x.shape[-1]
    rows = x.numel // cols
    per_core = ceil_div(rows, best_cores())
    tile = fit(per_core)
    centered_rows_kernel[ceil_div(rows, per_core)](x, bias, y, rows, cols, per_core, tile)
    return y
