# task: QuantMatmul
# c = (a b) scale token: sums of i32 are handed over, and scaled by columns and by rows on the vector cores.
# try: a=i8[40, 300] b=i8[300, 70] scale=f16[70] perToken=f16[40]
# try: a=i8[130, 17] b=i8[17, 200] scale=f16[200] perToken=f16[130]
@kernel
def quant_kernel(a: gm[m, k], b: gm[k, n], scale: gm[n], token: gm[m, 1], c: gm[m, n], m, tm, tn):
    sums = acc(tm, tn, dtype=i32)
    x, y = ub(tm, tn, dtype=i32), ub(tm, tn, dtype=c.dtype)
    s, t = ub(1, tn, dtype=scale.dtype), ub(tm, 1, dtype=token.dtype)
    for i, h, j, w in blocks(m, tm, n, tn):
        with cube: sums[:] = a[i : i + h, :] @ b[:, j : j + w]
        with copyin:
            load(s, scale[j : j + w])
            load(t, token[i : i + h, :])
        with handover: move(x, sums)
        with compute: y[:] = cast(x, f32) * s * t
        with copyout: store(c[i : i + h, j : j + w], y)


@host
def quant_matmul(a: tensor(i8)[m, k], b: tensor(i8)[k, n], scale: tensor(f16)[n], perToken: tensor(f16)[m]):
    c = empty([m, n], f16)
    tm, tn = block(m, n, k)
    quant_kernel[best_cores()](a, b, scale, perToken, c, m, tm, tn)
    return c
