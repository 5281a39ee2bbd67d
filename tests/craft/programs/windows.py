# Windows along each dimension of a row of three; distances that fit into an instruction's strides, and those that do not.
# try: x=f32[16, 4, 8, 8]
# try: x=f32[5, 3, 7, 9]
# try: x=f32[33, 2, 17, 3]!
# try: x=f32[2, 1, 300, 1]
# try: x=f32[3, 1, 40, 8]
# try: x=f32[1, 1, 1, 1]
@kernel
def windows(x: gm[rows, a * b * c], y: gm[rows, a * b * d], rows, a, b, c, d, per_core, tile):
    x_ub = ub(tile, a * b * c, dtype=x.dtype)
    y_ub = ub(tile, a * b * d, dtype=y.dtype)
    first = core() * per_core
    for i, n in tiles(first, min(first + per_core, rows), tile):
        with copyin:
            load(x_ub, x[i : i + n, :])
        with compute:
            inner = row_window_max(x_ub, a * b, c, 1, d, 3, 2, 1, 1)
            middle = row_window_sum(inner, a, b, d, b, 2, 1, 2, 1)
            y_ub[:] = row_window_min(middle, 1, a, b * d, a, 4, 1, 1, 2)
        with copyout:
            store(y[i : i + n, :], y_ub)


@host
def op(x: tensor(f32)):
    rows, a, b, c = x.shape
    d = (c - 1) // 2 + 1
    y = empty([rows, a, b, d], f32)
    per_core = ceil_div(rows, best_cores())
    tile = fit(per_core)
    windows[ceil_div(rows, per_core)](x, y, rows, a, b, c, d, per_core, tile)
    return y
