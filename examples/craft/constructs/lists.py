# Lists of tensors.
# try: xs=f32[40]+f32[3, 9] ys=f32[40]+f32[3, 9]
# try: xs=i32[5] ys=i32[5]
@kernel
def add_kernel(xs: gms, ys: gms, zs: gms, tile):
    x_ub = ub(tile, dtype=xs.dtype)
    y_ub = ub(tile, dtype=ys.dtype)
    z_ub = ub(tile, dtype=zs.dtype)
    for t in range(len(xs)):
        per_core = align(ceil_div(numel(xs[t]), cores()), 8)
        first = min(core() * per_core, numel(xs[t]))
        for i, n in tiles(first, min(first + per_core, numel(xs[t])), tile):
            with copyin:
                load(x_ub, xs[t][i : i + n])
                load(y_ub, ys[t][i : i + n])
            with compute:
                z_ub[:] = x_ub + y_ub
            with copyout:
                store(zs[t][i : i + n], z_ub)


@host
def add_lists(xs: tensors(f32, i32), ys: tensors(xs)):
    zs = empty(xs)
    require(alike(xs, ys))
    add_kernel[4](xs, ys, zs, 64)
    return zs
