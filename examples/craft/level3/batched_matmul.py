# task: BatchedMatmul
# All products of a batch: blocks are counted through the batch, so that small products fill the cores, too.
# try: a=f16[5, 33, 70] b=f16[5, 70, 20]
# try: a=f16[2, 150, 16] b=f16[2, 16, 300]
@kernel
def batched_kernel(a: gm[batch, m, k], b: gm[batch, k, n], c: gm[batch, m, n], tm, tn, order):
    sums = acc(tm, tn)
    for t, i, h, j, w in blocks(m, tm, n, tn, over=[batch], order=order):
        with cube: sums[:] = a[t, i : i + h, :] @ b[t, :, j : j + w]
        with copyout: store(c[t, i : i + h, j : j + w], sums)


@host
def batched_matmul(a: tensor(f16)[batch, m, k], b: tensor(f16)[batch, k, n]):
    c = empty([batch, m, n], f16)
    tm, tn = block(batch * m, n, k)
    batched_kernel[best_cores()](a, b, c, tm, tn, tune(3, -3, 1))
    return c
