@kernel
def row_range_kernel(x: gm[rows, cols], y: gm[rows, 1], rows, cols, per_core, tile):
    first = core() * per_core
    last = min(first + per_core, rows)
    x_ub = ub(tile, cols, dtype=x.dtype)
    y_ub = ub(tile, 1, dtype=y.dtype)
    for r, n in tiles(first, last, tile):
        with copyin:
            load(x_ub, x[r : r + n, :])
        with compute:
            y_ub[:] = row_max(x_ub) - row_min(x_ub)
        with copyout:
            store(y[r : r + n, :], y_ub)


@host
def row_range(x: tensor(f32, f16)):
    y = empty(x.shape[:-1] + [1], x.dtype)
    cols = x.shape[-1]
    rows = x.numel // cols
    per_core = ceil_div(rows, best_cores())
    tile = fit(per_core)
    row_range_kernel[ceil_div(rows, per_core)](x, y, rows, cols, per_core, tile)
    return y
