# Products in every form of their operands: dtypes, sides that are stored transposed, batches, strips of blocks.
# try: a=f16[3, 33, 70] b=f16[3, 70, 50] order=2
# try: a=f16[2, 300, 40] b=f16[2, 40, 280] order=-1
# try: a=bf16[1, 17, 300] b=bf16[1, 300, 19] order=3
# try: a=f32[2, 50, 100] b=f32[2, 100, 77] order=1
@kernel
def products_kernel(a: gm[batch, m, k], b: gm[batch, k, n], c: gm[batch, m, n], tm, tn, order):
    sums = acc(tm, tn)
    for t, i, h, j, w in blocks(m, tm, n, tn, over=[batch], order=order):
        with cube: sums[:] = a[t, i : i + h, :] @ b[t, :, j : j + w]
        with copyout: store(c[t, i : i + h, j : j + w], relu(sums))


@host
def products(a: tensor(f16, bf16, f32)[batch, m, k], b: tensor(a)[batch, k, n], order: int):
    c = empty([batch, m, n], a.dtype)
    tm, tn = block(m, n, k)
    products_kernel[best_cores()](a, b, c, tm, tn, order)
    return c
