# Integers and casts.
# Integers stay exact; a float is truncated towards zero unless it is rounded first. column() gives each column
# of dtypes its own.
# try: x=f32[70] n=i32[70]
# try: x=f16[33] n=i32[33]
@kernel
def cast_kernel(x: gm[total], n: gm[total], y: gm[total], z: gm[total], total, tile):
    x_ub = ub(tile, dtype=x.dtype)
    n_ub = ub(tile, dtype=n.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    z_ub = ub(tile, dtype=z.dtype)
    for i, m in tiles(core() * tile, min(core() * tile + tile, total), tile):
        with copyin:
            load(x_ub, x[i : i + m])
            load(n_ub, n[i : i + m])
        with compute:
            y_ub[:] = cast(round(x_ub * 20.0), i32) + n_ub * 2
            z_ub[:] = cast(n_ub, f32) / 3.0
        with copyout:
            store(y[i : i + m], y_ub)
            store(z[i : i + m], z_ub)


@host
def mixed(x: tensor(f32, f16), n: tensor(i32)):
    require(n.numel == x.numel)
    y = empty(x.shape, column(i16, i8))
    z = empty(x.shape, column(f32, bf16))
    cast_kernel[ceil_div(x.numel, 32)](x, n, y, z, x.numel, 32)
    return y, z
