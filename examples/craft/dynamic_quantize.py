# try: x=f16[8, 64]
# try: x=f32[13, 51]
# Quantise: each row to int8 by its own scale, the largest magnitude / 127.
@kernel
def quantize_kernel(x: gm[rows, cols], y: gm[rows, cols], scale: gm[rows, 1], rows, cols, per_core, tile):
    first = core() * per_core
    last = min(first + per_core, rows)
    x_ub = ub(tile, cols, dtype=x.dtype)
    y_ub = ub(tile, cols, dtype=i8)
    scale_ub = ub(tile, 1, dtype=f32)
    for r, n in tiles(first, last, tile):
        with copyin:
            load(x_ub, x[r : r + n, :])
        with compute:
            s = maximum(row_max(abs(x_ub)) / 127.0, 1e-12)
            scale_ub[:] = s
            y_ub[:] = cast(round(x_ub / s), i8)
        with copyout:
            store(y[r : r + n, :], y_ub)
            store(scale[r : r + n, :], scale_ub)


@host
def dynamic_quantize(x: tensor(f16, f32)):
    cols = x.shape[-1]
    rows = x.numel // cols
    y = empty(x.shape, i8)
    scale = empty(x.shape[:-1] + [1], f32)
    per_core = ceil_div(rows, best_cores())
    tile = fit(per_core)
    quantize_kernel[ceil_div(rows, per_core)](x, y, scale, rows, cols, per_core, tile)
    return y, scale
