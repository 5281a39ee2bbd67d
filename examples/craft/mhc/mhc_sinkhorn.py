# task: examples/tasks/MhcSinkhorn
# try: logits=f32[5, 4, 4] iterations=1
# try: logits=f32[200, 4, 4] iterations=3
# The matrices that mix the streams of mHC, made doubly stochastic by Sinkhorn and Knopp. A copy through the workspace puts the tokens
# side by side: then each of m0 to m3 is a row of all matrices of a tile, and sums over rows or columns are additions of whole vectors.
@kernel
def sinkhorn_kernel(logits: gm[tokens, 16], m: gm[tokens, 16], column: gm[all, 1], row: gm[16, tokens], all, tokens, per_core, tile, width, iterations):
    first = core() * per_core
    last = min(first + per_core, tokens)
    in_ub, out_ub = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    l0, l1, l2, l3 = ub(4, width, dtype=f32), ub(4, width, dtype=f32), ub(4, width, dtype=f32), ub(4, width, dtype=f32)
    m0, m1, m2, m3 = ub(4, width, dtype=f32), ub(4, width, dtype=f32), ub(4, width, dtype=f32), ub(4, width, dtype=f32)
    y0, y1, y2, y3 = ub(4, width, dtype=f32), ub(4, width, dtype=f32), ub(4, width, dtype=f32), ub(4, width, dtype=f32)
    for t, k in tiles(first, last, tile):
        for e in range(16):
            with copyin: load(in_ub, logits[t : t + k, e : e + 1])
            with copyout: store(column[e * tokens + t : e * tokens + t + k, :], in_ub)
    sync_all()
    for t, k in tiles(first, last, width):
        with copyin:
            load(l0, row[0:4, t : t + k])
            load(l1, row[4:8, t : t + k])
            load(l2, row[8:12, t : t + k])
            load(l3, row[12:16, t : t + k])
        with compute:
            most = maximum(maximum(l0, l1), maximum(l2, l3))
            m0[:] = exp(l0 - most)
            m1[:] = exp(l1 - most)
            m2[:] = exp(l2 - most)
            m3[:] = exp(l3 - most)
        for s in range(iterations):
            with compute:
                c = m0 + m1 + m2 + m3
                a0 = m0 / c
                a1 = m1 / c
                a2 = m2 / c
                a3 = m3 / c
                m0[:] = a0 / col_sum(a0)
                m1[:] = a1 / col_sum(a1)
                m2[:] = a2 / col_sum(a2)
                m3[:] = a3 / col_sum(a3)
        with compute:
            y0[:] = m0
            y1[:] = m1
            y2[:] = m2
            y3[:] = m3
        with copyout:
            store(row[0:4, t : t + k], y0)
            store(row[4:8, t : t + k], y1)
            store(row[8:12, t : t + k], y2)
            store(row[12:16, t : t + k], y3)
    sync_all()
    for t, k in tiles(first, last, tile):
        for e in range(16):
            with copyin: load(out_ub, column[e * tokens + t : e * tokens + t + k, :])
            with copyout: store(m[t : t + k, e : e + 1], out_ub)


@host
def mhc_sinkhorn(logits: tensor(f32), iterations: int):
    require(len(logits.shape) == 3 and logits.shape[1] == 4 and logits.shape[2] == 4)
    tokens = logits.shape[0]
    m = empty(logits.shape, f32)
    w = workspace(16 * tokens, f32)
    per_core = ceil_div(tokens, best_cores())
    tile = min(per_core, 512)
    width = fit(per_core)
    sinkhorn_kernel[ceil_div(tokens, per_core)](logits, m, w, w, 16 * tokens, tokens, per_core, tile, width, iterations)
    return m
