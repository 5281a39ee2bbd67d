# task: TopKV3
# The largest element of what is left, as often as wanted: along rows, or down the columns of slabs, whose places a first
# launch writes. Where the smallest ones are wanted, those of -x.
# try: x=f16[3, 40] k=i32[1]{2, 2} values=f16[3, 2] indices=i32[3, 2] sorted=True dim=1 largest=True
# try: x=f16[5, 33, 20] k=i32[1]{3, 3} values=f16[5, 3, 20] indices=i32[5, 3, 20] sorted=True dim=1 largest=False
@kernel
def rows_kernel(x: gm[lines, cols], values: gm[lines, top], indices: gm[lines, top], lines, cols, top, per_core, tile, sign):
    first = core() * per_core
    x_ub, left = ub(tile, cols, dtype=x.dtype), ub(tile, cols, dtype=f32)
    best_ub, place_ub = ub(tile, 1, dtype=values.dtype), ub(tile, 1, dtype=i32)
    for r, n in tiles(first, min(first + per_core, lines), tile):
        with copyin: load(x_ub, x[r : r + n, :])
        with compute: left[:] = x_ub * sign
        for s in range(top):
            with compute:
                place = row_argmax(left)
                best_ub[:] = row_max(left) * sign
                place_ub[:] = place
                left[:] = where(iota(0, cols) == place, -inf, left)
            with copyout:
                store(values[r : r + n, s : s + 1], best_ub)
                store(indices[r : r + n, s : s + 1], place_ub)


@kernel
def places_kernel(places: gm[cols], cols, tile):
    y = ub(tile, dtype=f32)
    for i, n in tiles(0, cols, tile):
        with compute: y[:] = cast(iota(i, n), f32)
        with copyout: store(places[i : i + n], y)


@kernel
def columns_kernel(x: gm[outer, cols, inner], places: gm[cols, 1], values: gm[outer, top, inner], indices: gm[outer, top, inner], outer, cols, inner, top, step, sign):
    x_ub, left = ub(cols, step, dtype=x.dtype), ub(cols, step, dtype=f32)
    at = ub(cols, 1, dtype=f32)
    best_ub, place_ub = ub(1, step, dtype=values.dtype), ub(1, step, dtype=i32)
    parts = ceil_div(inner, step)
    with copyin: load(at, places[:, :])
    for j in range(core(), outer * parts, cores()):
        o = j // parts
        c = j % parts * step
        n = min(step, inner - c)
        with copyin: load(x_ub, x[o, :, c : c + n])
        with compute: left[:] = x_ub * sign
        for s in range(top):
            with compute:
                best = col_max(left)
                place = col_min(where(left == best, at, 1e9))
                best_ub[:] = best * sign
                place_ub[:] = cast(place, i32)
                left[:] = where(at == place, -inf, left)
            with copyout:
                store(values[o, s, c : c + n], best_ub)
                store(indices[o, s, c : c + n], place_ub)


@host
def top_kv3(x: tensor(f16), k: tensor(i32), sorted: bool, dim: int, largest: bool):
    values, indices = empty(given, f16), empty(given, i32)
    axis = dim if dim >= 0 else dim + len(x.shape)
    require(0 <= axis and axis < len(x.shape))
    outer, cols, inner = prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1:])
    top = values.shape[axis]
    require(top <= cols and values.numel == outer * top * inner and indices.numel == values.numel)
    sign = 1.0 if largest else -1.0
    places = workspace(cols, f32)
    if inner == 1:
        per_core = ceil_div(outer, best_cores())
        tile = fit(per_core)
        rows_kernel[ceil_div(outer, per_core)](x, values, indices, outer, cols, top, per_core, tile, sign)
    else:
        places_kernel[1](places, cols, 512)
        step = fit(min(inner, ceil_div(outer * inner, vector_cores())), 16)
        columns_kernel[vector_cores()](x, places, values, indices, outer, cols, inner, top, step, sign)
    return values, indices
