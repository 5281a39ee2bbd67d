# task: GroupedMatmulSliceMPerTokenDequant (slow)
# Groups of rows, each with a right side and a scale of its own. Where they end is read when the kernels run: the first
# launch makes sums of i32, the second one scales them by columns and by rows. Each group's blocks begin with the core
# behind those that had the one before.
# try: a=i8[33, 70] b=i8[3, 70, 150] scale=bf16[3, 150] per_token_scale=bf16[33] groupList=i64[3]{33, 33}
# try: a=i8[130, 16] b=i8[1, 16, 20] scale=bf16[1, 20] per_token_scale=bf16[130] groupList=i64[1]{130, 130}
@kernel
def groups_kernel(a: gm[m, k], b: gm[groups, k, n], ends: gm[groups], sums: gm[m, n], m, n, groups, tm, tn):
    c = acc(tm, tn, dtype=i32)
    across = ceil_div(n, tn)
    for g in range(groups):
        first = item(ends[max(g, 1) - 1]) if g > 0 else 0
        last = item(ends[g])
        for t in range((core() - (first // tm + g) * across) % cores(), ceil_div(last - first, tm) * across, cores()):
            i = first + t // across * tm
            h = min(tm, last - i)
            j = t % across * tn
            w = min(tn, n - j)
            with cube: c[:] = a[i : i + h, :] @ b[g, :, j : j + w]
            with copyout: store(sums[i : i + h, j : j + w], c)


@kernel
def scale_kernel(sums: gm[m, n], scale: gm[groups, n], token: gm[m, 1], ends: gm[groups], c: gm[m, n], m, n, groups, rows, cols):
    x, y = ub(rows, cols, dtype=i32), ub(rows, cols, dtype=c.dtype)
    s, t = ub(1, cols, dtype=scale.dtype), ub(rows, 1, dtype=token.dtype)
    across = ceil_div(n, cols)
    for g in range(groups):
        first = item(ends[max(g, 1) - 1]) if g > 0 else 0
        last = item(ends[g])
        for u in range((core() - (first // rows + g) * across) % cores(), ceil_div(last - first, rows) * across, cores()):
            i = first + u // across * rows
            h = min(rows, last - i)
            j = u % across * cols
            w = min(cols, n - j)
            with copyin:
                load(x, sums[i : i + h, j : j + w])
                load(s, scale[g, j : j + w])
                load(t, token[i : i + h, :])
            with compute: y[:] = cast(x, f32) * s * t
            with copyout: store(c[i : i + h, j : j + w], y)


@host
def grouped_matmul_slice_m_per_token_dequant(a: tensor(i8)[m, k], b: tensor(i8)[groups, k, n], scale: tensor(bf16)[groups, n], per_token_scale: tensor(bf16)[m], groupList: tensor(i64)[groups]):
    c = empty([m * n], bf16)
    sums = workspace([m, n], i32)
    tm, tn = block(ceil_div(m, max(groups, 1)), n, k)
    groups_kernel[best_cores()](a, b, groupList, sums, m, n, groups, tm, tn)
    cols = min(align(n, 32), 512)
    rows = fit(ceil_div(m, max(groups, 1)))
    scale_kernel[vector_cores()](sums, scale, per_token_scale, groupList, c, m, n, groups, rows, cols)
    return c
