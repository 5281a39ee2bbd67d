# Lists of integers in kernels: matrices that lie flat, one behind the other, seen one at a time. Each is multiplied by its factor.
# try: x=f32[302] factor=f32[3] rows=3,1,40 cols=20,2,6
# try: x=f16[130] factor=f32[1] rows=1 cols=130
# try: x=f32[0] factor=f32[2] rows=0,4 cols=7,0
@kernel
def pieces_kernel(x: gm[total], y: gm[total], factor: gm[count], rows: ints, cols: ints, tall, wide):
    x_ub, y_ub = ub(tall, wide, dtype=x.dtype), ub(tall, wide, dtype=y.dtype)
    for g, i, h, j, w in blocks(rows, tall, cols, wide):
        first = before(g, rows, cols)
        last = first + rows[g] * cols[g]
        left = x[first:last].view(rows[g], cols[g])
        right = y[first:last].view(rows[g], cols[g])
        f = item(factor[g])
        with copyin: load(x_ub, left[i : i + h, j : j + w])
        with compute: y_ub[:] = x_ub * f
        with copyout: store(right[i : i + h, j : j + w], y_ub)


@host
def pieces(x: tensor(f32, f16)[total], factor: tensor(f32)[count], rows: ints, cols: ints):
    y = empty([total], x.dtype)
    require(len(rows) == count and len(cols) == count and before(count, rows, cols) == total)
    tall = fit(ceil_div(before(count, rows), best_cores()))
    pieces_kernel[best_cores()](x, y, factor, rows, cols, tall, 64)
    return y
