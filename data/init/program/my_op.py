# try: x=f32[64, 96] y=f32[64, 96]
# try: x=f16[7, 333] y=f16[7, 333]
# z = x + y, element by element, over as many cores as are worth it. The line below `with compute` is the place for another
# operator.
@kernel
def my_op_kernel(x: gm[total], y: gm[total], z: gm[total], total, per_core, tile):
    first = core() * per_core
    last = min(first + per_core, total)
    x_ub = ub(tile, dtype=x.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    z_ub = ub(tile, dtype=z.dtype)
    for i, n in tiles(first, last, tile):
        with copyin:
            load(x_ub, x[i : i + n])
            load(y_ub, y[i : i + n])
        with compute:
            z_ub[:] = x_ub + y_ub
        with copyout:
            store(z[i : i + n], z_ub)


@host
def my_op(x: tensor(f32, f16), y: tensor(x)):
    require(y.numel == x.numel)
    z = empty(x.shape, x.dtype)
    per_core = align(ceil_div(x.numel, best_cores()), 128)
    tile = fit(per_core, 128)
    my_op_kernel[ceil_div(x.numel, per_core)](x, y, z, x.numel, per_core, tile)
    return z
