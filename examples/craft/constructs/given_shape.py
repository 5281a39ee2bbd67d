# An output whose shape the caller decides.
# try: first=f32[1] step=f32[1] y=f32[300]
# try: first=i32[1] step=i32[1] y=i32[5, 7]
@kernel
def ramp_kernel(first: gm[1], step: gm[1], y: gm[total], total, tile):
    y_ub = ub(tile, dtype=y.dtype)
    from_where, by = item(first[0]), item(step[0])
    for i, n in tiles(core() * tile, min(core() * tile + tile, total), tile):
        with compute:
            y_ub[:] = from_where + iota(i, n) * by
        with copyout:
            store(y[i : i + n], y_ub)


@host
def ramp(first: tensor(f32, i32), step: tensor(first)):
    y = empty(given, first.dtype)
    ramp_kernel[ceil_div(y.numel, 64)](first, step, y, y.numel, 64)
    return y
