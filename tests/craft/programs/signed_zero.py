# try: x=bf16[7, 4]! m=0
# try: x=f32[3, 9]! m=0
# -0.0 less a whole 0 is -0.0.
@kernel
def sub_kernel(x: gm[total], y: gm[total], total, tile, m):
    x_ub = ub(tile, dtype=x.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    for i, n in tiles(core() * tile, min(core() * tile + tile, total), tile):
        with copyin:
            load(x_ub, x[i : i + n])
        with compute:
            y_ub[:] = x_ub - m
        with copyout:
            store(y[i : i + n], y_ub)


@host
def sub(x: tensor(bf16, f32), m: int = 0):
    y = empty(x.shape, column(f16, f32))
    sub_kernel[ceil_div(x.numel, 16)](x, y, x.numel, 16, m)
    return y
