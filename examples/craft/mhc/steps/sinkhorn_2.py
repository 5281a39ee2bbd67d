# task: examples/tasks/MhcSinkhorn
# try: logits=f32[5, 4, 4] iterations=1
# try: logits=f32[200, 4, 4] iterations=3
# Step 2 of ../README.md: an element of all matrices of a tile is one buffer.
@kernel
def sinkhorn_kernel(logits: gm[tokens, 16], m: gm[tokens, 16], tokens, per_core, tile, iterations):
    first = core() * per_core
    l00, l01, l02, l03 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    l10, l11, l12, l13 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    l20, l21, l22, l23 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    l30, l31, l32, l33 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    m00, m01, m02, m03 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    m10, m11, m12, m13 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    m20, m21, m22, m23 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    m30, m31, m32, m33 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    y00, y01, y02, y03 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    y10, y11, y12, y13 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    y20, y21, y22, y23 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    y30, y31, y32, y33 = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    for t, k in tiles(first, min(first + per_core, tokens), tile):
        with copyin:
            load(l00, logits[t : t + k, 0 : 1])
            load(l01, logits[t : t + k, 1 : 2])
            load(l02, logits[t : t + k, 2 : 3])
            load(l03, logits[t : t + k, 3 : 4])
            load(l10, logits[t : t + k, 4 : 5])
            load(l11, logits[t : t + k, 5 : 6])
            load(l12, logits[t : t + k, 6 : 7])
            load(l13, logits[t : t + k, 7 : 8])
            load(l20, logits[t : t + k, 8 : 9])
            load(l21, logits[t : t + k, 9 : 10])
            load(l22, logits[t : t + k, 10 : 11])
            load(l23, logits[t : t + k, 11 : 12])
            load(l30, logits[t : t + k, 12 : 13])
            load(l31, logits[t : t + k, 13 : 14])
            load(l32, logits[t : t + k, 14 : 15])
            load(l33, logits[t : t + k, 15 : 16])
        with compute:
            most0 = maximum(maximum(l00, l10), maximum(l20, l30))
            most1 = maximum(maximum(l01, l11), maximum(l21, l31))
            most2 = maximum(maximum(l02, l12), maximum(l22, l32))
            most3 = maximum(maximum(l03, l13), maximum(l23, l33))
            m00[:] = exp(l00 - most0)
            m01[:] = exp(l01 - most1)
            m02[:] = exp(l02 - most2)
            m03[:] = exp(l03 - most3)
            m10[:] = exp(l10 - most0)
            m11[:] = exp(l11 - most1)
            m12[:] = exp(l12 - most2)
            m13[:] = exp(l13 - most3)
            m20[:] = exp(l20 - most0)
            m21[:] = exp(l21 - most1)
            m22[:] = exp(l22 - most2)
            m23[:] = exp(l23 - most3)
            m30[:] = exp(l30 - most0)
            m31[:] = exp(l31 - most1)
            m32[:] = exp(l32 - most2)
            m33[:] = exp(l33 - most3)
        for s in range(iterations):
            with compute:
                c0 = m00 + m10 + m20 + m30
                a00 = m00 / c0
                a10 = m10 / c0
                a20 = m20 / c0
                a30 = m30 / c0
                c1 = m01 + m11 + m21 + m31
                a01 = m01 / c1
                a11 = m11 / c1
                a21 = m21 / c1
                a31 = m31 / c1
                c2 = m02 + m12 + m22 + m32
                a02 = m02 / c2
                a12 = m12 / c2
                a22 = m22 / c2
                a32 = m32 / c2
                c3 = m03 + m13 + m23 + m33
                a03 = m03 / c3
                a13 = m13 / c3
                a23 = m23 / c3
                a33 = m33 / c3
                r0 = a00 + a01 + a02 + a03
                m00[:] = a00 / r0
                m01[:] = a01 / r0
                m02[:] = a02 / r0
                m03[:] = a03 / r0
                r1 = a10 + a11 + a12 + a13
                m10[:] = a10 / r1
                m11[:] = a11 / r1
                m12[:] = a12 / r1
                m13[:] = a13 / r1
                r2 = a20 + a21 + a22 + a23
                m20[:] = a20 / r2
                m21[:] = a21 / r2
                m22[:] = a22 / r2
                m23[:] = a23 / r2
                r3 = a30 + a31 + a32 + a33
                m30[:] = a30 / r3
                m31[:] = a31 / r3
                m32[:] = a32 / r3
                m33[:] = a33 / r3
        with compute:
            y00[:] = m00
            y01[:] = m01
            y02[:] = m02
            y03[:] = m03
            y10[:] = m10
            y11[:] = m11
            y12[:] = m12
            y13[:] = m13
            y20[:] = m20
            y21[:] = m21
            y22[:] = m22
            y23[:] = m23
            y30[:] = m30
            y31[:] = m31
            y32[:] = m32
            y33[:] = m33
        with copyout:
            store(m[t : t + k, 0 : 1], y00)
            store(m[t : t + k, 1 : 2], y01)
            store(m[t : t + k, 2 : 3], y02)
            store(m[t : t + k, 3 : 4], y03)
            store(m[t : t + k, 4 : 5], y10)
            store(m[t : t + k, 5 : 6], y11)
            store(m[t : t + k, 6 : 7], y12)
            store(m[t : t + k, 7 : 8], y13)
            store(m[t : t + k, 8 : 9], y20)
            store(m[t : t + k, 9 : 10], y21)
            store(m[t : t + k, 10 : 11], y22)
            store(m[t : t + k, 11 : 12], y23)
            store(m[t : t + k, 12 : 13], y30)
            store(m[t : t + k, 13 : 14], y31)
            store(m[t : t + k, 14 : 15], y32)
            store(m[t : t + k, 15 : 16], y33)


@host
def mhc_sinkhorn(logits: tensor(f32), iterations: int):
    require(len(logits.shape) == 3 and logits.shape[1] == 4 and logits.shape[2] == 4)
    tokens = logits.shape[0]
    m = empty(logits.shape, f32)
    per_core = ceil_div(tokens, best_cores())
    tile = fit(per_core)
    sinkhorn_kernel[ceil_div(tokens, per_core)](logits, m, tokens, per_core, tile, iterations)
    return m
