# try: x=f32[2, 8, 8, 16] size=2 stride=2
# try: x=f16[1, 11, 9, 21] size=3 stride=2
# try: x=f32[3, 5, 7, 4] size=2 stride=1
# Pooling: the largest of each size × size window of pictures stored [picture, row, column, channel]. A core takes rows of
# the output; tap by tap it loads every stride-th column with all channels, and keeps the larger.
@kernel
def pool_kernel(x: gm[pictures, height, width, channels], y: gm[lines, out_width, channels], pictures, height, width, channels, lines, out_height, out_width, per_core, tile, size, stride):
    first = core() * per_core
    last = min(first + per_core, lines)
    x_ub = ub(tile, channels, dtype=x.dtype)
    most = ub(tile, channels, dtype=f32)
    y_ub = ub(tile, channels, dtype=y.dtype)
    for line in range(first, last):
        for c, n in tiles(0, out_width, tile):
            with compute:
                most[:] = full(n, channels, -inf)
            for tap in range(size * size):
                row = line % out_height * stride + tap // size
                column = c * stride + tap % size
                with copyin:
                    load(x_ub, x[line // out_height, row, column : column + n * stride : stride, :])
                with compute:
                    most[:] = maximum(most, x_ub)
            with compute:
                y_ub[:] = most * 1.0
            with copyout:
                store(y[line, c : c + n, :], y_ub)


@host
def max_pool(x: tensor(f32, f16), size: int = 2, stride: int = 2):
    pictures, height, width, channels = x.shape
    require(size > 0 and height >= size and width >= size and stride > 0)
    out_height = (height - size) // stride + 1
    out_width = (width - size) // stride + 1
    y = empty([pictures, out_height, out_width, channels], x.dtype)
    lines = pictures * out_height
    per_core = ceil_div(lines, best_cores())
    tile = fit(out_width)
    pool_kernel[ceil_div(lines, per_core)](x, y, pictures, height, width, channels, lines, out_height, out_width, per_core, tile, size, stride)
    return y
