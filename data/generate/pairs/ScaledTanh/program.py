@kernel
def scaled_tanh_kernel(x: gm[total], y: gm[total], total, per_core, tile, scale):
    first = core() * per_core
    last = min(first + per_core, total)
    x_ub = ub(tile, dtype=x.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    for i, n in tiles(first, last, tile):
        with copyin:
            load(x_ub, x[i : i + n])
        with compute:
            y_ub[:] = tanh(x_ub) * scale
        with copyout:
            store(y[i : i + n], y_ub)


@host
def scaled_tanh(x: tensor(f16, f32, bf16), scale: float):
    y = empty(x.shape, x.dtype)
    per_core = align(ceil_div(x.numel, best_cores()), 64)
    tile = fit(per_core, 64)
    scaled_tanh_kernel[ceil_div(x.numel, per_core)](x, y, x.numel, per_core, tile, scale)
    return y
