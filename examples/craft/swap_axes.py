# try: x=f32[4, 8, 16]
# try: x=f16[5, 13, 11]
# try: x=i64[3, 2, 7]
# Tensor move: y[j, i, :] = x[i, j, :]. Rows pass through UB as they are; the window of y takes every other row of memory.
@kernel
def swap_kernel(x: gm[outer, inner, cols], y: gm[inner, outer, cols], outer, inner, cols, per_core, tile):
    first = core() * per_core
    last = min(first + per_core, outer)
    rows_ub = ub(tile, cols, dtype=x.dtype)
    for i in range(first, last):
        for j, n in tiles(0, inner, tile):
            with copyin:
                load(rows_ub, x[i, j : j + n, :])
            with copyout:
                store(y[j : j + n, i, :], rows_ub)


@host
def swap_axes(x: tensor(f32, f16, i64)):
    outer, inner, cols = x.shape
    y = empty([inner, outer, cols], x.dtype)
    per_core = ceil_div(outer, best_cores())
    tile = fit(inner)
    swap_kernel[ceil_div(outer, per_core)](x, y, outer, inner, cols, per_core, tile)
    return y
