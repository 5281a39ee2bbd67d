# Windows: an index, a step, a number from a tensor.
# Up to two dimensions of a window are slices; the others take one element. A stepped slice of the rows skips
# rows.
# try: x=f32[2, 9, 12] pick=i64[2]{0, 1}
# try: x=f16[4, 6, 5] pick=i64[4]{0, 3}
@kernel
def even_kernel(x: gm[count, rows, cols], pick: gm[count], y: gm[count, half, cols], count, rows, half, cols):
    rows_ub = ub(half, cols, dtype=x.dtype)
    for b in range(core(), count, cores()):
        from_which = item(pick[b])
        with copyin:
            load(rows_ub, x[from_which, 0 : half * 2 : 2, :])
        with copyout:
            store(y[b, 0:half, :], rows_ub)


@host
def even_rows(x: tensor(f32, f16), pick: tensor(i64)):
    count, rows, cols = x.shape
    require(rows >= 2 and pick.numel == count)
    half = rows // 2
    y = empty([count, half, cols], x.dtype)
    even_kernel[min(count, vector_cores())](x, pick, y, count, rows, half, cols)
    return y
