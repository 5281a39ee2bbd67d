# Attributes, an optional input, two launches.
# Strings and flags choose on the host; numbers go to the kernel. Each path through the function has exactly one
# launch.
# try: x=f32[300] factor=0.5 mode=exp
# try: x=f16[41] shift=f16[41] twice=True
@kernel
def plain_kernel(x: gm[total], y: gm[total], total, per_core, tile, factor):
    first = core() * per_core
    x_ub = ub(tile, dtype=x.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    for i, n in tiles(first, min(first + per_core, total), tile):
        with copyin:
            load(x_ub, x[i : i + n])
        with compute:
            y_ub[:] = exp(x_ub * factor)
        with copyout:
            store(y[i : i + n], y_ub)


@kernel
def shifted_kernel(x: gm[total], shift: gm[total], y: gm[total], total, per_core, tile, factor):
    first = core() * per_core
    x_ub = ub(tile, dtype=x.dtype)
    shift_ub = ub(tile, dtype=shift.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    for i, n in tiles(first, min(first + per_core, total), tile):
        with copyin:
            load(x_ub, x[i : i + n])
            load(shift_ub, shift[i : i + n])
        with compute:
            y_ub[:] = x_ub * factor + shift_ub
        with copyout:
            store(y[i : i + n], y_ub)


@host
def scaled(x: tensor(f32, f16), shift: tensor(x) = None, factor: float = 2.0, twice: bool = False, mode: str = "linear"):
    require(present(shift) or mode == "exp")
    y = empty(x.shape, x.dtype)
    per_core = align(ceil_div(x.numel, vector_cores()), 64)
    tile = tune(64, 128, 256)
    cores = ceil_div(x.numel, per_core)
    if present(shift):
        require(shift.numel == x.numel)
        shifted_kernel[cores](x, shift, y, x.numel, per_core, tile, factor * 2.0 if twice else factor)
    else:
        plain_kernel[cores](x, y, x.numel, per_core, tile, factor)
    return y
