# Rows, a vector for all rows, a number for each.
# [rows, cols], [1, cols] and [rows, 1] spread over each other.
# try: x=f16[9, 50] bias=f16[50]
# try: x=f32[64, 8] bias=f32[8]
@kernel
def centre_kernel(x: gm[rows, cols], bias: gm[cols], y: gm[rows, cols], mean: gm[rows, 1], rows, cols, per_core, tile):
    first = core() * per_core
    x_ub = ub(tile, cols, dtype=x.dtype)
    bias_ub = ub(cols, dtype=bias.dtype)
    y_ub = ub(tile, cols, dtype=y.dtype)
    mean_ub = ub(tile, 1, dtype=f32)
    with copyin:
        load(bias_ub, bias[:])
    for r, n in tiles(first, min(first + per_core, rows), tile):
        with copyin:
            load(x_ub, x[r : r + n, :])
        with compute:
            m = row_sum(x_ub) / float(cols)
            mean_ub[:] = m
            y_ub[:] = x_ub - m + bias_ub
        with copyout:
            store(y[r : r + n, :], y_ub)
            store(mean[r : r + n, :], mean_ub)


@host
def centre(x: tensor(f32, f16), bias: tensor(x)):
    rows, cols = x.shape
    require(bias.numel == cols)
    y = empty(x.shape, x.dtype)
    mean = empty(x.shape[:-1] + [1], f32)
    per_core = ceil_div(rows, vector_cores())
    tile = fit(per_core)
    centre_kernel[ceil_div(rows, per_core)](x, bias, y, mean, rows, cols, per_core, tile)
    return y, mean
