# try: xs=f32[40]+f32[3, 9] ys=f32[3]+f32[2, 100] n=i32[1]{1, 1}
# try: xs=f32[5] ys=f32[7] n=i32[1]{2, 2}
# Two launches with a list of their own each, the second one as an element says.
@kernel
def scale_kernel(xs: gms, zs: gms, n: gm[1], tile, factor, which):
    x_ub, z_ub = ub(tile, dtype=xs.dtype), ub(tile, dtype=zs.dtype)
    if item(n[0]) >= which:
        for t in range(len(xs)):
            for i, m in tiles(core() * tile, numel(xs[t]), tile * cores()):
                with copyin: load(x_ub, xs[t][i : i + min(m, tile)])
                with compute: z_ub[:] = x_ub * factor
                with copyout: store(zs[t][i : i + min(m, tile)], z_ub)


@host
def lists_in_order(xs: tensors(f32), ys: tensors(f32), n: tensor(i32)):
    a = empty(xs)
    b = empty(ys)
    scale_kernel[2](xs, a, n, 64, 2.0, 0)
    scale_kernel[3](ys, b, n, 64, 3.0, 1)
    return a, b
