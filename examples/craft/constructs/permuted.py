# Permuted elements, running values.
# row_gather(v, i) takes element i[r, j] of row r. Its indices must lie in the row: use where() for values
# outside.
# try: x=f32[7, 100]
# try: x=f16[9, 513]
# try: x=f32[40, 5]
# try: x=f32[3, 1]
@kernel
def places_kernel(x: gm[rows, cols], turned: gm[rows, cols], later: gm[rows, cols], total: gm[rows, cols], product: gm[rows, 1], rows, cols, per_core, tile):
    first = core() * per_core
    x_ub = ub(tile, cols, dtype=x.dtype)
    turned_ub = ub(tile, cols, dtype=x.dtype)
    later_ub = ub(tile, cols, dtype=x.dtype)
    total_ub = ub(tile, cols, dtype=f32)
    product_ub = ub(tile, 1, dtype=f32)
    for r, n in tiles(first, min(first + per_core, rows), tile):
        with copyin:
            load(x_ub, x[r : r + n, :])
        with compute:
            turned_ub[:] = row_gather(x_ub, cols - 1 - iota(0, cols))
            before = iota(-1, cols)
            later_ub[:] = where(before >= 0, row_gather(x_ub, maximum(before, 0)), 0.0)
            total_ub[:] = row_cumsum(x_ub) + row_cumprod(0.5 + x_ub * 0.01)
            product_ub[:] = row_prod(1.0 + x_ub * 0.01)
        with copyout:
            store(turned[r : r + n, :], turned_ub)
            store(later[r : r + n, :], later_ub)
            store(total[r : r + n, :], total_ub)
            store(product[r : r + n, :], product_ub)


@host
def places(x: tensor(f32, f16)):
    rows, cols = x.shape
    turned = empty(x.shape, x.dtype)
    later = empty(x.shape, x.dtype)
    total = empty(x.shape, f32)
    product = empty([rows, 1], f32)
    per_core = ceil_div(rows, vector_cores())
    tile = fit(per_core)
    places_kernel[ceil_div(rows, per_core)](x, turned, later, total, product, rows, cols, per_core, tile)
    return turned, later, total, product
