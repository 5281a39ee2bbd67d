# task: GroupedMatmulSliceM
# Groups of rows, each with a right side of its own; where they end is read when the kernel runs. Each group's blocks begin with the
# core behind those that had the one before.
# try: a=f16[33, 70] b=f16[3, 70, 150] groupList=i64[3]{33, 33}
# try: a=f16[130, 16] b=f16[1, 16, 20] groupList=i64[1]{130, 130}
@kernel
def groups_kernel(a: gm[m, k], b: gm[groups, k, n], ends: gm[groups], c: gm[m, n], m, n, groups, tm, tn):
    sums = acc(tm, tn)
    across = ceil_div(n, tn)
    for g in range(groups):
        first = item(ends[max(g, 1) - 1]) if g > 0 else 0
        last = item(ends[g])
        for t in range((core() - (first // tm + g) * across) % cores(), ceil_div(last - first, tm) * across, cores()):
            i = first + t // across * tm
            h = min(tm, last - i)
            j = t % across * tn
            w = min(tn, n - j)
            with cube: sums[:] = a[i : i + h, :] @ b[g, :, j : j + w]
            with copyout: store(c[i : i + h, j : j + w], sums)


@host
def grouped_matmul_slice_m(a: tensor(f16)[m, k], b: tensor(f16)[groups, k, n], groupList: tensor(i64)[groups]):
    c = empty([m * n], f16)
    tm, tn = block(ceil_div(m, groups), n, k)
    groups_kernel[best_cores()](a, b, groupList, c, m, n, groups, tm, tn)
    return c
