# task: SplitkMatmul
# K in four parts, fewer where it is short: each gives sums of its own, which a second launch adds.
# try: a=f16[40, 300] b=f16[300, 70]
# try: a=f16[33, 5000] b=f16[5000, 20]
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
def splitk_matmul(a: tensor(f16)[m, k], b: tensor(f16)[k, n]):
    c = empty([m, n], f16)
    depth = max(64, align(ceil_div(k, 4), 16))
    parts = ceil_div(k, depth)
    sums = workspace([parts, m, n], f32)
    tm, tn = block(m * parts, n, depth)
    part_kernel[best_cores()](a, b, sums, k, parts, depth, tm, tn)
    per_core = align(ceil_div(m * n, vector_cores()), 64)
    tile = fit(per_core, 64)
    add_kernel[vector_cores()](sums, c, parts, m * n, per_core, tile)
    return c
