# task: examples/tasks/MhcSinkhorn
# try: logits=f32[5, 4, 4] iterations=1
# try: logits=f32[200, 4, 4] iterations=3
# Step 1 of ../README.md: row i of all matrices of a tile is one buffer.
@kernel
def sinkhorn_kernel(logits: gm[tokens, 4, 4], m: gm[tokens, 4, 4], tokens, per_core, tile, iterations):
    first = core() * per_core
    last = min(first + per_core, tokens)
    l0, l1, l2, l3 = ub(tile, 4, dtype=f32), ub(tile, 4, dtype=f32), ub(tile, 4, dtype=f32), ub(tile, 4, dtype=f32)
    r0, r1, r2, r3 = ub(tile, 4, dtype=f32), ub(tile, 4, dtype=f32), ub(tile, 4, dtype=f32), ub(tile, 4, dtype=f32)
    y0, y1, y2, y3 = ub(tile, 4, dtype=f32), ub(tile, 4, dtype=f32), ub(tile, 4, dtype=f32), ub(tile, 4, dtype=f32)
    for t, k in tiles(first, last, tile):
        with copyin:
            load(l0, logits[t : t + k, 0, :])
            load(l1, logits[t : t + k, 1, :])
            load(l2, logits[t : t + k, 2, :])
            load(l3, logits[t : t + k, 3, :])
        with compute:
            most = maximum(maximum(l0, l1), maximum(l2, l3))
            r0[:] = exp(l0 - most)
            r1[:] = exp(l1 - most)
            r2[:] = exp(l2 - most)
            r3[:] = exp(l3 - most)
        for s in range(iterations):
            with compute:
                c = r0 + r1 + r2 + r3
                a0 = r0 / c
                a1 = r1 / c
                a2 = r2 / c
                a3 = r3 / c
                r0[:] = a0 / row_sum(a0)
                r1[:] = a1 / row_sum(a1)
                r2[:] = a2 / row_sum(a2)
                r3[:] = a3 / row_sum(a3)
        with compute:
            y0[:] = r0
            y1[:] = r1
            y2[:] = r2
            y3[:] = r3
        with copyout:
            store(m[t : t + k, 0, :], y0)
            store(m[t : t + k, 1, :], y1)
            store(m[t : t + k, 2, :], y2)
            store(m[t : t + k, 3, :], y3)


@host
def mhc_sinkhorn(logits: tensor(f32), iterations: int):
    require(len(logits.shape) == 3 and logits.shape[1] == 4 and logits.shape[2] == 4)
    tokens = logits.shape[0]
    m = empty(logits.shape, f32)
    per_core = ceil_div(tokens, best_cores())
    tile = fit(per_core)
    sinkhorn_kernel[ceil_div(tokens, per_core)](logits, m, tokens, per_core, tile, iterations)
    return m
