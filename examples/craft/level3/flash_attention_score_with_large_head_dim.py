# task: FlashAttentionScoreWithLargeHeadDim (slow)
# Attention over the whole last dimension, in three launches. Weights are kept as two f16, a number and what it lacks. Of the statistics nothing is asked: zeros.
# try: query=f16[2, 33, 48] key=f16[2, 33, 48] value=f16[2, 33, 48] scale_value=0.5 head_num=3
# try: query=f16[1, 130, 300] key=f16[1, 130, 300] value=f16[1, 130, 300] scale_value=0.25 head_num=1
@kernel
def scores_kernel(q: gm[batch, rows, d], k: gm[batch, keys, d], s: gm[batch, rows, keys], tm, tn):
    sums = acc(tm, tn)
    for b, i, h, j, w in blocks(rows, tm, keys, tn, over=[batch]):
        with cube: sums[:] = q[b, i : i + h, :] @ k[b, j : j + w, :].T
        with copyout: store(s[b, i : i + h, j : j + w], sums)


@kernel
def softmax_kernel(s: gm[lines, keys], p: gm[lines, keys], rest: gm[lines, keys], lines, keys, per_core, tile, scale):
    first = core() * per_core
    x, y, z = ub(tile, keys, dtype=f32), ub(tile, keys, dtype=p.dtype), ub(tile, keys, dtype=p.dtype)
    for r, n in tiles(first, min(first + per_core, lines), tile):
        with copyin: load(x, s[r : r + n, :])
        with compute:
            scaled = x * scale
            e = exp(scaled - row_max(scaled))
            weight = e / row_sum(e)
            y[:] = weight
            z[:] = weight - y
        with copyout:
            store(p[r : r + n, :], y)
            store(rest[r : r + n, :], z)


@kernel
def values_kernel(p: gm[batch, rows, keys], rest: gm[batch, rows, keys], v: gm[batch, keys, d], out: gm[batch, rows, d], tm, tn):
    sums = acc(tm, tn)
    for b, i, h, j, w in blocks(rows, tm, d, tn, over=[batch]):
        with cube:
            sums[:] = p[b, i : i + h, :] @ v[b, :, j : j + w]
            sums[:] += rest[b, i : i + h, :] @ v[b, :, j : j + w]
        with copyout: store(out[b, i : i + h, j : j + w], sums)


@kernel
def zeros_kernel(x: gm[total], y: gm[total], total, per_core, tile):
    first = core() * per_core
    zeros = ub(tile, dtype=f32)
    for i, n in tiles(first, min(first + per_core, total), tile):
        with compute: zeros[:] = full(1, n, 0.0)
        with copyout:
            store(x[i : i + n], zeros)
            store(y[i : i + n], zeros)


@host
def flash_attention_score_with_large_head_dim(query: tensor(f16)[batch, rows, d], key: tensor(f16)[batch, keys, d], value: tensor(f16)[batch, keys, d], scale_value: float, head_num: int):
    require(keys > 0 and head_num > 0)
    softmax_max = empty([batch, head_num, rows, 8], f32)
    softmax_sum = empty([batch, head_num, rows, 8], f32)
    attention_out = empty([batch, rows, d], f16)
    scores, weights = workspace([batch, rows, keys], f32), workspace([batch, rows, keys], f16)
    rest = workspace([batch, rows, keys], f16)
    tm, tn = block(batch * rows, keys, d)
    scores_kernel[best_cores()](query, key, scores, tm, tn)
    lines = batch * rows
    per_core = ceil_div(lines, vector_cores())
    tile = fit(per_core)
    softmax_kernel[vector_cores()](scores, weights, rest, lines, keys, per_core, tile, scale_value)
    vm, vn = block(batch * rows, d, keys)
    values_kernel[best_cores()](weights, rest, value, attention_out, vm, vn)
    total = batch * head_num * rows * 8
    share = align(ceil_div(total, vector_cores()), 64)
    step = fit(share, 64)
    zeros_kernel[vector_cores()](softmax_max, softmax_sum, total, share, step)
    return softmax_max, softmax_sum, attention_out
