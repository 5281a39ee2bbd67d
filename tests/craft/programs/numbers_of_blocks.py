# The first row of a block and how many there are, as numbers: two vector cores share the rows, and see the same numbers.
# A row that all rows of a block take is theirs, too.
# try: a=f16[50, 16] b=f16[16, 20] row=f32[50, 20]
@kernel
def numbers_kernel(a: gm[m, k], b: gm[k, n], row: gm[m, n], y: gm[m, n], tm, tn):
    c = acc(tm, tn)
    x, y_ub, row_ub = ub(tm, tn, dtype=f32), ub(tm, tn, dtype=f32), ub(1, tn, dtype=f32)
    for i, h, j, w in blocks(m, tm, n, tn):
        with cube: c[:] = a[i : i + h, :] @ b[:, j : j + w]
        with copyin: load(row_ub, row[i : i + 1, j : j + w])
        with handover: move(x, c)
        with compute: y_ub[:] = x * h + row_ub * i
        with copyout: store(y[i : i + h, j : j + w], y_ub)


@host
def numbers(a: tensor(f16)[m, k], b: tensor(f16)[k, n], row: tensor(f32)[m, n]):
    y = empty([m, n], f32)
    numbers_kernel[best_cores()](a, b, row, y, 32, 16)
    return y
