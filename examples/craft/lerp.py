# task: Lerp
# try: start=f32[8, 64] end=f32[8, 64] weight=f32[8, 64]{0, 1}
# try: start=f16[7, 33] end=f16[7, 33] weight=f16[7, 33]{0, 1}
# Math: y = start + weight * (end - start), element by element, over as many cores as are worth it.
@kernel
def lerp_kernel(start: gm[total], end: gm[total], weight: gm[total], y: gm[total], total, per_core, tile):
    first = core() * per_core
    last = min(first + per_core, total)
    start_ub = ub(tile, dtype=start.dtype)
    end_ub = ub(tile, dtype=end.dtype)
    weight_ub = ub(tile, dtype=weight.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    for i, n in tiles(first, last, tile):
        with copyin:
            load(start_ub, start[i : i + n])
            load(end_ub, end[i : i + n])
            load(weight_ub, weight[i : i + n])
        with compute:
            y_ub[:] = start_ub + weight_ub * (end_ub - start_ub)
        with copyout:
            store(y[i : i + n], y_ub)


@host
def lerp(start: tensor(f32, f16), end: tensor(start), weight: tensor(start)):
    require(end.numel == start.numel and weight.numel == start.numel)
    y = empty(start.shape, start.dtype)
    per_core = align(ceil_div(start.numel, best_cores()), 128)
    tile = fit(per_core, 128)
    lerp_kernel[ceil_div(start.numel, per_core)](start, end, weight, y, start.numel, per_core, tile)
    return y
