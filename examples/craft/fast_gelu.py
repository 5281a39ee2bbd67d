# task: FastGelu
# try: x=f32[4096]
# try: x=f16[7, 333]
# y = x * sigmoid(1.702 x), element by element, in float.
@kernel
def fast_gelu_kernel(x: gm[total], y: gm[total], total, per_core, tile):
    first = core() * per_core
    last = min(first + per_core, total)
    x_ub = ub(tile, dtype=x.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    for i, n in tiles(first, last, tile):
        with copyin:
            load(x_ub, x[i : i + n])
        with compute:
            y_ub[:] = x_ub * sigmoid(1.702 * x_ub)
        with copyout:
            store(y[i : i + n], y_ub)


@host
def fast_gelu(x: tensor(f16, f32)):
    y = empty(x.shape, x.dtype)
    per_core = align(ceil_div(x.numel, best_cores()), 128)
    tile = fit(per_core, 128)
    fast_gelu_kernel[ceil_div(x.numel, per_core)](x, y, x.numel, per_core, tile)
    return y
