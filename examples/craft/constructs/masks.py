# Conditions and masks.
# A comparison gives a mask; masks are combined with &, |, ~ and select in where(). Numbers of the kernel choose
# stages.
# try: x=f32[6, 33] keep=bool[6, 33] limit=1.5
# try: x=f16[40, 7] keep=bool[40, 7]
@kernel
def mask_kernel(x: gm[rows, cols], keep: gm[rows, cols], y: gm[rows, cols], inside: gm[rows, cols], rows, cols, per_core, limit):
    first = core() * per_core
    x_ub = ub(cols, dtype=x.dtype)
    keep_ub = ub(cols, dtype=keep.dtype)
    y_ub = ub(cols, dtype=y.dtype)
    inside_ub = ub(cols, dtype=bool)
    for r in range(first, min(first + per_core, rows)):
        with copyin:
            load(x_ub, x[r, :])
            load(keep_ub, keep[r, :])
        if r % 2 == 0:
            with compute:
                good = (abs(x_ub) < limit) & keep_ub
                y_ub[:] = where(good, x_ub, 0.0)
                inside_ub[:] = good
        else:
            with compute:
                y_ub[:] = where(iota(0, cols) <= r, x_ub, -1.0)
                inside_ub[:] = ~keep_ub
        with copyout:
            store(y[r, :], y_ub)
            store(inside[r, :], inside_ub)


@host
def masked(x: tensor(f32, f16), keep: tensor(bool), limit: float = 1.0):
    rows, cols = x.shape
    require(keep.numel == x.numel)
    y = empty(x.shape, x.dtype)
    inside = empty(x.shape, bool)
    per_core = ceil_div(rows, vector_cores())
    mask_kernel[ceil_div(rows, per_core)](x, keep, y, inside, rows, cols, per_core, limit)
    return y, inside
