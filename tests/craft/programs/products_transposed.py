# Both sides stored transposed; sums of sums by a loop over K of the program itself.
# try: a=f16[70, 33] b=f16[50, 70] both=1
# try: a=f16[300, 280] b=f16[19, 300] both=1
# try: a=f32[100, 50] b=f32[77, 100] both=0
# try: a=bf16[17, 130] b=bf16[260, 17] both=0
@kernel
def both_kernel(a: gm[k, m], b: gm[n, k], c: gm[m, n], tm, tn):
    sums = acc(tm, tn)
    for i, h, j, w in blocks(m, tm, n, tn):
        with cube: sums[:] = a[:, i : i + h].T @ b[j : j + w, :].T
        with copyout: store(c[i : i + h, j : j + w], sums)


@kernel
def loop_kernel(a: gm[k, m], b: gm[n, k], c: gm[m, n], k, tm, tn):
    sums = acc(tm, tn)
    for i, h, j, w in blocks(m, tm, n, tn):
        with cube: sums[:] = a[0:1, i : i + h].T @ b[j : j + w, 0:1].T
        for q, d in tiles(1, k, 40):
            with cube: sums[:] += a[q : q + d, i : i + h].T @ b[j : j + w, q : q + d].T
        with copyout: store(c[i : i + h, j : j + w], sums)


@host
def transposed(a: tensor(f16, bf16, f32)[k, m], b: tensor(a)[n, k], both: int):
    c = empty([m, n], f32)
    tm, tn = block(m, n, k)
    if both > 0:
        both_kernel[best_cores()](a, b, c, tm, tn)
    else:
        loop_kernel[best_cores()](a, b, c, k, tm, tn)
    return c
