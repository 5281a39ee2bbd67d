# Products of i8: sums of i32, scaled to f16 on their way out.
# try: a=i8[33, 70] b=i8[70, 50] scale=0.125
# try: a=i8[1, 300] b=i8[300, 33] scale=0.3
# try: a=i8[200, 20] b=i8[20, 310] scale=1.0
@kernel
def scaled_kernel(a: gm[m, k], b: gm[k, n], c: gm[m, n], d: gm[m, n], tm, tn, scale):
    sums = acc(tm, tn, dtype=i32)
    for i, h, j, w in blocks(m, tm, n, tn):
        with cube: sums[:] = a[i : i + h, :] @ b[:, j : j + w]
        with copyout:
            store(c[i : i + h, j : j + w], sums)
            store(d[i : i + h, j : j + w], relu(sums * scale))


@host
def products_int8(a: tensor(i8)[m, k], b: tensor(i8)[k, n], scale: float):
    c, d = empty([m, n], i32), empty([m, n], f16)
    tm, tn = block(m, n, k)
    scaled_kernel[best_cores()](a, b, c, d, tm, tn, scale)
    return c, d
