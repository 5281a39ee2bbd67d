# try: x=f32[7, 40] w=f32[40, 24]
# try: x=f16[130, 33] w=f16[33, 16]
# Several launches, in order: each sees what the earlier ones have stored. A host function calls others: what they make
# lies in a workspace unless the operator returns it.
@kernel
def product_kernel(a: gm[m, k], b: gm[k, n], c: gm[m, n], tm, tn):
    sums = acc(tm, tn)
    for i, h, j, w in blocks(m, tm, n, tn):
        with cube: sums[:] = a[i : i + h, :] @ b[:, j : j + w]
        with copyout: store(c[i : i + h, j : j + w], sums)


@host
def product(a: tensor(f32, f16)[m, k], b: tensor(f32, f16)[k, n]):
    c = empty([m, n], f32)
    tm, tn = block(m, n, k)
    product_kernel[best_cores()](a, b, c, tm, tn)
    return c


@kernel
def softmax_kernel(x: gm[rows, cols], y: gm[rows, cols], rows, cols, per_core, tile):
    first = core() * per_core
    x_ub, y_ub = ub(tile, cols, dtype=f32), ub(tile, cols, dtype=y.dtype)
    for r, n in tiles(first, min(first + per_core, rows), tile):
        with copyin: load(x_ub, x[r : r + n, :])
        with compute:
            e = exp(x_ub - row_max(x_ub))
            y_ub[:] = e / row_sum(e)
        with copyout: store(y[r : r + n, :], y_ub)


@host
def softmax(x: tensor(f32)[rows, cols], like: tensor(f32, f16)):
    y = empty([rows, cols], like.dtype)
    per_core = ceil_div(rows, vector_cores())
    tile = fit(per_core)
    softmax_kernel[vector_cores()](x, y, rows, cols, per_core, tile)
    return y


@host
def chosen(x: tensor(f32, f16), w: tensor(f32, f16)):
    return softmax(product(x, w), x)
