@kernel
def square_above_kernel(a: gm[total], b: gm[total], y: gm[total], total, per_core, tile):
    first = core() * per_core
    last = min(first + per_core, total)
    a_ub = ub(tile, dtype=a.dtype)
    b_ub = ub(tile, dtype=b.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    for i, n in tiles(first, last, tile):
        with copyin:
            load(a_ub, a[i : i + n])
            load(b_ub, b[i : i + n])
        with compute:
            d = a_ub - b_ub
            y_ub[:] = where(d > 0.0, d * d, 0.0)
        with copyout:
            store(y[i : i + n], y_ub)


@host
def square_above(a: tensor(f32, f16), b: tensor(f32, f16)):
    y = empty(a.shape, a.dtype)
    per_core = align(ceil_div(a.numel, best_cores()), 64)
    tile = fit(per_core, 64)
    square_above_kernel[ceil_div(a.numel, per_core)](a, b, y, a.numel, per_core, tile)
    return y
