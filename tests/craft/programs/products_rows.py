# Rows that sums begin with, and slices along K that may be empty: their ends are read when the kernel runs.
# try: a=i8[33, 70] b=i8[70, 150] row=i32[150] ends=i64[3]{0, 70}
# try: a=i8[100, 20] b=i8[20, 16] row=i32[16] ends=i64[2]{0, 1}
@kernel
def rows_kernel(a: gm[m, k], b: gm[k, n], row: gm[n], ends: gm[parts], c: gm[parts, m, n], tm, tn, k, parts):
    sums = acc(tm, tn, dtype=i32)
    for s, i, h, j, w in blocks(m, tm, n, tn, over=[parts]):
        last = max(0, min(k, item(ends[s])))
        with cube: sums[:] = a[i : i + h, 0:last] @ b[0:last, j : j + w] + row[j : j + w]
        with copyout: store(c[s, i : i + h, j : j + w], sums)


@host
def products_rows(a: tensor(i8)[m, k], b: tensor(i8)[k, n], row: tensor(i32)[n], ends: tensor(i64)[parts]):
    c = empty([parts, m, n], i32)
    tm, tn = block(m, n, k)
    rows_kernel[best_cores()](a, b, row, ends, c, tm, tn, k, parts)
    return c
