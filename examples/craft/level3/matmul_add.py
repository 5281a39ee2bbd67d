# task: MatmulAdd
# d = a b + c: the Cube core hands each tile of the product over to the two vector cores of its block, which add c.
# try: a=f16[40, 300] b=f16[300, 70] c=f16[40, 70]
# try: a=f16[300, 17] b=f16[17, 130] c=f16[300, 130]
@kernel
def add_kernel(a: gm[m, k], b: gm[k, n], c: gm[m, n], d: gm[m, n], tm, tn):
    sums = acc(tm, tn)
    x, y = ub(tm, tn, dtype=f32), ub(tm, tn, dtype=d.dtype)
    z = ub(tm, tn, dtype=c.dtype)
    for i, h, j, w in blocks(m, tm, n, tn):
        with cube: sums[:] = a[i : i + h, :] @ b[:, j : j + w]
        with copyin: load(z, c[i : i + h, j : j + w])
        with handover: move(x, sums)
        with compute: y[:] = x + z
        with copyout: store(d[i : i + h, j : j + w], y)


@host
def matmul_add(a: tensor(f16)[m, k], b: tensor(f16)[k, n], c: tensor(f16)[m, n]):
    d = empty([m, n], f16)
    tm, tn = block(m, n, k)
    add_kernel[best_cores()](a, b, c, d, tm, tn)
    return d
