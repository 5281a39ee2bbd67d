# try: a=i64[9, 5] b=i64[9, 5]
# try: a=i64[3, 40]! b=i64[3, 40]
# 64-bit numbers go through the scalar unit row by row: the padding between rows is nobody's.
@kernel
def long_kernel(a: gm[rows, cols], b: gm[rows, cols], y: gm[rows, cols], less: gm[rows, cols], rows, cols, tile):
    a_ub = ub(tile, cols, dtype=i64)
    b_ub = ub(tile, cols, dtype=i64)
    y_ub = ub(tile, cols, dtype=i64)
    less_ub = ub(tile, cols, dtype=bool)
    for r, n in tiles(core() * tile, min(core() * tile + tile, rows), tile):
        with copyin:
            load(a_ub, a[r : r + n, :])
            load(b_ub, b[r : r + n, :])
        with compute:
            y_ub[:] = where(a_ub < b_ub, maximum(a_ub, 3), -b_ub)
            less_ub[:] = a_ub <= b_ub
        with copyout:
            store(y[r : r + n, :], y_ub)
            store(less[r : r + n, :], less_ub)


@host
def long_numbers(a: tensor(i64), b: tensor(i64)):
    rows, cols = a.shape
    y = empty(a.shape, i64)
    less = empty(a.shape, bool)
    long_kernel[ceil_div(rows, 4)](a, b, y, less, rows, cols, 4)
    return y, less
