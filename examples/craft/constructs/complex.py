# Complex numbers, a kernel for some dtypes only.
# A kernel sees complex numbers as pairs of f32. x.dtype chooses on the host; columns that do not take a branch
# need not compute there.
# try: x=c64[45]
# try: x=f16[3, 100]
@kernel
def conjugate_kernel(x: gm[total, 2], y: gm[total, 2], total, per_core, tile):
    first = core() * per_core
    x_ub = ub(tile, 2, dtype=x.dtype)
    y_ub = ub(tile, 2, dtype=y.dtype)
    for i, n in tiles(first, min(first + per_core, total), tile):
        with copyin:
            load(x_ub, x[i : i + n, :])
        with compute:
            y_ub[:] = where(iota(0, 2) == 0, x_ub, -x_ub)
        with copyout:
            store(y[i : i + n, :], y_ub)


@kernel
def same_kernel(x: gm[total], y: gm[total], total, per_core, tile):
    first = core() * per_core
    x_ub = ub(tile, dtype=x.dtype)
    for i, n in tiles(first, min(first + per_core, total), tile):
        with copyin:
            load(x_ub, x[i : i + n])
        with copyout:
            store(y[i : i + n], x_ub)


@host
def conjugate(x: tensor(f16, f32, c64)):
    y = empty(x.shape, x.dtype)
    per_core = align(ceil_div(x.numel, vector_cores()), 64)
    if x.dtype == c64:
        tile = fit(per_core, 8)
        conjugate_kernel[ceil_div(x.numel, per_core)](x, y, x.numel, per_core, tile)
    else:
        tile = fit(per_core, 64)
        same_kernel[ceil_div(x.numel, per_core)](x, y, x.numel, per_core, tile)
    return y
