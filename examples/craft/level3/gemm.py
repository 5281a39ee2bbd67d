# task: Gemm
# c = alpha a b + beta c: the old c is added on the vector cores, block by block, and overwritten.
# try: a=f32[40, 300] b=f32[300, 70] c=f32[40, 70] alpha=0.5 beta=-2.0
# try: a=f32[300, 17] b=f32[17, 130] c=f32[300, 130] alpha=1.5 beta=0.25
@kernel
def gemm_kernel(a: gm[m, k], b: gm[k, n], c: gm[m, n], tm, tn, alpha, beta):
    sums = acc(tm, tn)
    x, y, old = ub(tm, tn, dtype=f32), ub(tm, tn, dtype=c.dtype), ub(tm, tn, dtype=c.dtype)
    for i, h, j, w in blocks(m, tm, n, tn):
        with cube: sums[:] = a[i : i + h, :] @ b[:, j : j + w]
        with copyin: load(old, c[i : i + h, j : j + w])
        with handover: move(x, sums)
        with compute: y[:] = x * alpha + old * beta
        with copyout: store(c[i : i + h, j : j + w], y)


@host
def gemm(a: tensor(f32)[m, k], b: tensor(f32)[k, n], c: tensor(f32)[m, n], alpha: float, beta: float):
    tm, tn = block(m, n, k)
    gemm_kernel[best_cores()](a, b, c, tm, tn, alpha, beta)
