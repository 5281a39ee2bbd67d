# task: OptimizedMatmul cases 0,2,4,6
# K in parts: each gives sums of its own, which a second launch adds. Short K has one part and no second launch.
# Case 1 (K of 65,536) is not exact enough: L0C adds in f32, and four sums near zero of 163,840 are 1e-4 off.
# try: a=f16[40, 300] b=f16[300, 70]
# try: a=f16[33, 5000] b=f16[5000, 20]
@kernel
def whole_kernel(a: gm[m, k], b: gm[k, n], c: gm[m, n], tm, tn, order):
    sums = acc(tm, tn)
    for i, h, j, w in blocks(m, tm, n, tn, order=order):
        with cube: sums[:] = a[i : i + h, :] @ b[:, j : j + w]
        with copyout: store(c[i : i + h, j : j + w], sums)


@kernel
def part_kernel(a: gm[m, k], b: gm[k, n], part: gm[parts, m, n], k, parts, depth, tm, tn):
    sums = acc(tm, tn)
    for s, i, h, j, w in blocks(m, tm, n, tn, over=[parts]):
        first = s * depth
        last = min(first + depth, k)
        with cube: sums[:] = a[i : i + h, first:last] @ b[first:last, j : j + w]
        with copyout: store(part[s, i : i + h, j : j + w], sums)


@kernel
def add_kernel(part: gm[parts, total], c: gm[total], parts, total, per_core, tile):
    first = core() * per_core
    x, sum, y = ub(tile, dtype=f32), ub(tile, dtype=f32), ub(tile, dtype=c.dtype)
    for i, n in tiles(first, min(first + per_core, total), tile):
        with compute: sum[:] = full(1, n, 0.0)
        for s in range(parts):
            with copyin: load(x, part[s, i : i + n])
            with compute: sum[:] = sum + x
        with compute: y[:] = sum * 1.0
        with copyout: store(c[i : i + n], y)


@host
def optimized_matmul(a: tensor(f16)[m, k], b: tensor(f16)[k, n]):
    c = empty([m, n], f16)
    depth = align(ceil_div(k, max(1, ceil_div(k, 4096))), 16)
    parts = ceil_div(k, max(1, depth))
    sums = workspace([parts, m, n], f32)
    if parts < 2:
        tm, tn = block(m, n, k)
        whole_kernel[best_cores()](a, b, c, tm, tn, 3)
    else:
        pm, pn = block(m * parts, n, depth)
        part_kernel[best_cores()](a, b, sums, k, parts, depth, pm, pn)
        per_core = align(ceil_div(m * n, vector_cores()), 64)
        tile = fit(per_core, 64)
        add_kernel[vector_cores()](sums, c, parts, m * n, per_core, tile)
    return c
