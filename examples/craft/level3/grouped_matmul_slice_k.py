# task: GroupedMatmulSliceK
# Products of slices along K; where they end is read when the kernel runs. An empty slice gives zeros.
# try: a=f16[33, 70] b=f16[70, 150] groupList=i64[3]{70, 70}
# try: a=f16[130, 16] b=f16[16, 20] groupList=i64[1]{5, 16}
@kernel
def slices_kernel(a: gm[k, m], b: gm[k, n], ends: gm[groups], c: gm[groups, m, n], k, m, n, groups, tm, tn):
    sums = acc(tm, tn)
    for g, i, h, j, w in blocks(m, tm, n, tn, over=[groups]):
        first = item(ends[max(g, 1) - 1]) if g > 0 else 0
        last = item(ends[g])
        with cube: sums[:] = a[first:last, i : i + h].T @ b[first:last, j : j + w]
        with copyout: store(c[g, i : i + h, j : j + w], sums)


@host
def grouped_matmul_slice_k(a: tensor(f16)[m, k], b: tensor(f16)[k, n], groupList: tensor(i64)[groups]):
    c = empty([groups * m * n], f16)
    tm, tn = block(groups * m, n, ceil_div(k, groups))
    slices_kernel[best_cores()](a, b, groupList, c, k, m, n, groups, tm, tn)
    return c
