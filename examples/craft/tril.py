# task: Tril
# try: x=f32[16, 32] diagonal=0
# try: x=f16[3, 21, 37] diagonal=-2
# try: x=f32[9, 5] diagonal=1
# Mask: the lower triangle of each matrix. A row is a mask by itself: columns up to row + diagonal stay.
@kernel
def tril_kernel(x: gm[lines, cols], y: gm[lines, cols], lines, rows, cols, per_core, diagonal):
    first = core() * per_core
    last = min(first + per_core, lines)
    x_ub = ub(cols, dtype=x.dtype)
    y_ub = ub(cols, dtype=y.dtype)
    for line in range(first, last):
        with copyin:
            load(x_ub, x[line, :])
        with compute:
            y_ub[:] = where(iota(0, cols) <= line % rows + diagonal, x_ub, 0.0)
        with copyout:
            store(y[line, :], y_ub)


@host
def tril(x: tensor(f32, f16), diagonal: int = 0):
    rows = x.shape[-2]
    cols = x.shape[-1]
    lines = x.numel // cols
    y = empty(x.shape, x.dtype)
    per_core = ceil_div(lines, best_cores())
    tril_kernel[ceil_div(lines, per_core)](x, y, lines, rows, cols, per_core, diagonal)
    return y
