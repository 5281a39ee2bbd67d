# Windows along a dimension.
# row_window_max(v, outer, extent, inner, count, size, step, apart, before) sees each row as [outer, extent,
# inner] and gives [outer, count, inner]. Pooling in two dimensions is one after the other; here in windows of 3
# x 3, stride two, one element of padding.
# try: x=f32[20, 8, 8]
# try: x=f16[3, 5, 17]
@kernel
def pool_kernel(x: gm[rows, h * w], y: gm[rows, p * q], rows, h, w, p, q, per_core, tile):
    first = core() * per_core
    x_ub = ub(tile, h * w, dtype=x.dtype)
    y_ub = ub(tile, p * q, dtype=y.dtype)
    for r, n in tiles(first, min(first + per_core, rows), tile):
        with copyin:
            load(x_ub, x[r : r + n, :])
        with compute:
            across = row_window_max(x_ub, h, w, 1, q, 3, 2, 1, 1)
            y_ub[:] = row_window_max(across, 1, h, q, p, 3, 2, 1, 1)
        with copyout:
            store(y[r : r + n, :], y_ub)


@host
def pool(x: tensor(f32, f16)):
    rows, h, w = x.shape
    p = (h - 1) // 2 + 1
    q = (w - 1) // 2 + 1
    y = empty([rows, p, q], x.dtype)
    per_core = ceil_div(rows, best_cores())
    tile = fit(per_core)
    pool_kernel[ceil_div(rows, per_core)](x, y, rows, h, w, p, q, per_core, tile)
    return y
