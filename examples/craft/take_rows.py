# try: x=f32[16, 32] index=i64[8]{0, 15}
# try: x=f16[7, 45] index=i32[20]{0, 6}
# Index: y[i, :] = x[index[i], :]. A row's number is read by item(); the row passes through UB as it is.
@kernel
def take_kernel(x: gm[rows, cols], index: gm[count], y: gm[count, cols], rows, cols, count, per_core, width):
    first = core() * per_core
    last = min(first + per_core, count)
    row_ub = ub(width, dtype=x.dtype)
    for i in range(first, last):
        row = item(index[i])
        for c, n in tiles(0, cols, width):
            with copyin:
                load(row_ub, x[row, c : c + n])
            with copyout:
                store(y[i, c : c + n], row_ub)


@host
def take_rows(x: tensor(f32, f16), index: tensor(i64, i32)):
    rows, cols = x.shape
    count = index.numel
    y = empty([count, cols], x.dtype)
    per_core = ceil_div(count, best_cores())
    width = fit(cols, 16)
    take_kernel[ceil_div(count, per_core)](x, index, y, rows, cols, count, per_core, width)
    return y
