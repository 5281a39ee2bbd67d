# task: MatmulBias
# d = a b + bias: the sums of each block begin with its part of the row.
# try: a=f16[1, 1] b=f16[1, 1] bias=f16[1]
# try: a=f16[40, 300] b=f16[300, 70] bias=f16[70]
# try: a=f16[130, 17] b=f16[17, 600] bias=f16[600]
@kernel
def bias_kernel(a: gm[m, k], b: gm[k, n], bias: gm[n], d: gm[m, n], tm, tn):
    sums = acc(tm, tn)
    for i, h, j, w in blocks(m, tm, n, tn):
        with cube: sums[:] = a[i : i + h, :] @ b[:, j : j + w] + bias[j : j + w]
        with copyout: store(d[i : i + h, j : j + w], sums)


@host
def matmul_bias(a: tensor(f16)[m, k], b: tensor(f16)[k, n], bias: tensor(f16)[n]):
    d = empty([m, n], f16)
    tm, tn = block(m, n, k)
    bias_kernel[best_cores()](a, b, bias, d, tm, tn)
    return d
