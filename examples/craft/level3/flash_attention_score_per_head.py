# task: FlashAttentionScorePerHead (slow)
# Attention in three launches: scores, softmax of each row, product with the values. Heads are columns of the tensors.
# Weights are kept as two f16, a number and what it lacks: rounded once they would be too coarse where values cancel.
# try: query=f16[2, 33, 48] key=f16[2, 33, 48] value=f16[2, 33, 48] scale_value=0.5 head_num=3
# try: query=f16[1, 130, 64] key=f16[1, 130, 64] value=f16[1, 130, 64] scale_value=0.25 head_num=1
@kernel
def scores_kernel(q: gm[batch, rows, heads, d], k: gm[batch, keys, heads, d], s: gm[batch, heads, rows, keys], batch, rows, keys, heads, d, tm, tn):
    sums = acc(tm, tn)
    for b, g, i, h, j, w in blocks(rows, tm, keys, tn, over=[batch, heads]):
        with cube: sums[:] = q[b, i : i + h, g, :] @ k[b, j : j + w, g, :].T
        with copyout: store(s[b, g, i : i + h, j : j + w], sums)


@kernel
def softmax_kernel(s: gm[lines, keys], p: gm[lines, keys], rest: gm[lines, keys], high: gm[lines, 8], total: gm[lines, 8], lines, keys, per_core, tile, scale):
    first = core() * per_core
    x, y, z = ub(tile, keys, dtype=f32), ub(tile, keys, dtype=p.dtype), ub(tile, keys, dtype=p.dtype)
    high_ub, total_ub = ub(tile, 8, dtype=f32), ub(tile, 8, dtype=f32)
    for r, n in tiles(first, min(first + per_core, lines), tile):
        with copyin: load(x, s[r : r + n, :])
        with compute:
            scaled = x * scale
            most = row_max(scaled)
            e = exp(scaled - most)
            whole = row_sum(e)
            weight = e / whole
            y[:] = weight
            z[:] = weight - y
            high_ub[:] = full(n, 8, 0.0) + most
            total_ub[:] = full(n, 8, 0.0) + whole
        with copyout:
            store(p[r : r + n, :], y)
            store(rest[r : r + n, :], z)
            store(high[r : r + n, :], high_ub)
            store(total[r : r + n, :], total_ub)


@kernel
def values_kernel(p: gm[batch, heads, rows, keys], rest: gm[batch, heads, rows, keys], v: gm[batch, keys, heads, d], out: gm[batch, rows, heads, d], batch, rows, keys, heads, d, tm, tn):
    sums = acc(tm, tn)
    for b, g, i, h, j, w in blocks(rows, tm, d, tn, over=[batch, heads]):
        with cube:
            sums[:] = p[b, g, i : i + h, :] @ v[b, :, g, j : j + w]
            sums[:] += rest[b, g, i : i + h, :] @ v[b, :, g, j : j + w]
        with copyout: store(out[b, i : i + h, g, j : j + w], sums)


@host
def flash_attention_score_per_head(query: tensor(f16)[batch, rows, width], key: tensor(f16)[batch, keys, width], value: tensor(f16)[batch, keys, width], scale_value: float, head_num: int):
    require(head_num > 0 and keys > 0 and width % head_num == 0)
    d = width // head_num
    softmax_max = empty([batch, head_num, rows, 8], f32)
    softmax_sum = empty([batch, head_num, rows, 8], f32)
    attention_out = empty([batch, rows, width], f16)
    scores = workspace(batch * head_num * rows * keys, f32)
    weights, rest = workspace(batch * head_num * rows * keys, f16), workspace(batch * head_num * rows * keys, f16)
    lines = batch * head_num * rows
    tm, tn = block(rows * batch * head_num, keys, d)
    scores_kernel[best_cores()](query, key, scores, batch, rows, keys, head_num, d, tm, tn)
    per_core = ceil_div(lines, vector_cores())
    tile = fit(per_core)
    softmax_kernel[vector_cores()](scores, weights, rest, softmax_max, softmax_sum, lines, keys, per_core, tile, scale_value)
    vm, vn = block(rows * batch * head_num, d, keys)
    values_kernel[best_cores()](weights, rest, value, attention_out, batch, rows, keys, head_num, d, vm, vn)
    return softmax_max, softmax_sum, attention_out
