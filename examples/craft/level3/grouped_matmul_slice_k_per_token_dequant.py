# task: GroupedMatmulSliceKPerTokenDequant (slow)
# Products of slices along K, each with scales of its own for columns and rows. An empty slice gives zeros.
# try: a=i8[33, 70] b=i8[70, 150] scale=bf16[3, 150] per_token_scale=bf16[3, 33] groupList=i64[3]{70, 70}
# try: a=i8[130, 16] b=i8[16, 20] scale=bf16[1, 20] per_token_scale=bf16[1, 130] groupList=i64[1]{5, 16}
@kernel
def slices_kernel(a: gm[k, m], b: gm[k, n], scale: gm[groups, n], token: gm[groups, m, 1], ends: gm[groups], c: gm[groups, m, n], k, m, n, groups, tm, tn):
    sums = acc(tm, tn, dtype=i32)
    x, y = ub(tm, tn, dtype=i32), ub(tm, tn, dtype=c.dtype)
    s, t = ub(1, tn, dtype=scale.dtype), ub(tm, 1, dtype=token.dtype)
    for g, i, h, j, w in blocks(m, tm, n, tn, over=[groups]):
        first = item(ends[max(g, 1) - 1]) if g > 0 else 0
        last = item(ends[g])
        with cube: sums[:] = a[first:last, i : i + h].T @ b[first:last, j : j + w]
        with copyin:
            load(s, scale[g, j : j + w])
            load(t, token[g, i : i + h, :])
        with handover: move(x, sums)
        with compute: y[:] = cast(x, f32) * s * t
        with copyout: store(c[g, i : i + h, j : j + w], y)


@host
def grouped_matmul_slice_k_per_token_dequant(a: tensor(i8)[m, k], b: tensor(i8)[k, n], scale: tensor(bf16)[groups, n], per_token_scale: tensor(bf16)[groups, m], groupList: tensor(i64)[groups]):
    c = empty([groups * m * n], bf16)
    tm, tn = block(groups * m, n, ceil_div(k, max(groups, 1)))
    slices_kernel[best_cores()](a, b, scale, per_token_scale, groupList, c, k, m, n, groups, tm, tn)
    return c
