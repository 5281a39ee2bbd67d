# try: x=f32[32, 64]
# try: x=f16[5, 19, 45]
# try: x=bf16[1, 130]
# Reduce: the sum over the first dimensions, one value for each column. Each core takes some of the columns, and its
# running sum stays in UB while the rows pass by.
@kernel
def sum_kernel(x: gm[rows, cols], y: gm[cols], rows, cols, per_core, tile):
    first = core() * per_core
    width = min(per_core, cols - first)
    x_ub = ub(tile, per_core, dtype=x.dtype)
    sum = ub(1, per_core, dtype=f32)
    y_ub = ub(1, per_core, dtype=y.dtype)
    with compute:
        sum[:] = full(1, width, 0.0)
    for r, n in tiles(0, rows, tile):
        with copyin:
            load(x_ub, x[r : r + n, first : first + width])
        with compute:
            sum[:] = sum + col_sum(x_ub)
    with compute:
        y_ub[:] = sum * 1.0
    with copyout:
        store(y[first : first + width], y_ub)


@host
def sum_rows(x: tensor(f32, f16, bf16)):
    cols = x.shape[-1]
    rows = x.numel // cols
    y = empty([cols], x.dtype)
    per_core = align(ceil_div(cols, best_cores()), 16)
    tile = fit(rows)
    sum_kernel[ceil_div(cols, per_core)](x, y, rows, cols, per_core, tile)
    return y
