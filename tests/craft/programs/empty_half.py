# A part of K that is empty, of a transposed side in f32: zeros in whole fractals of rows.
# try: a=f32[1, 40] b=f32[1, 31]
@kernel
def halves_kernel(a: gm[k, m], b: gm[k, n], y: gm[m, n], tm, tn):
    c = acc(tm, tn)
    for i, h, j, w in blocks(m, tm, n, tn):
        with cube:
            c[:] = a[0 : k // 2, i : i + h].T @ b[0 : k // 2, j : j + w]
            c[:] += a[k // 2 : k, i : i + h].T @ b[k // 2 : k, j : j + w]
        with copyout: store(y[i : i + h, j : j + w], c)


@host
def halves(a: tensor(f32)[k, m], b: tensor(f32)[k, n]):
    y = empty([m, n], f32)
    tm, tn = block(m, n, k)
    halves_kernel[best_cores()](a, b, y, tm, tn)
    return y
