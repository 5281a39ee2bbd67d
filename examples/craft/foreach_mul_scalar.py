# try: x=f32[64]+f32[8, 16] scalar=f32[1]
# try: x=f16[3]+f16[7, 5]+f16[129] scalar=f16[1]
# try: x=bf16[33, 3] scalar=bf16[1]
# Foreach: every tensor of a list times one number, read from a tensor. Each tensor is shared by all cores.
@kernel
def scale_kernel(x: gms, scalar: gm[one], y: gms, one, tile):
    factor = item(scalar[0])
    x_ub = ub(tile, dtype=x.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    for t in range(len(x)):
        per_core = align(ceil_div(numel(x[t]), cores()), 64)
        first = min(core() * per_core, numel(x[t]))
        last = min(first + per_core, numel(x[t]))
        for i, n in tiles(first, last, tile):
            with copyin:
                load(x_ub, x[t][i : i + n])
            with compute:
                y_ub[:] = x_ub * factor
            with copyout:
                store(y[t][i : i + n], y_ub)


@host
def foreach_mul_scalar(x: tensors(f32, f16, bf16), scalar: tensor(x)):
    y = empty(x)
    tile = fit(8192, 64)
    scale_kernel[best_cores()](x, scalar, y, scalar.numel, tile)
    return y
