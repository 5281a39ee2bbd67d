# task: Mla (slow)
# Attention over a paged cache in three launches: scores, softmax of each row, product with the values. How many queries and keys each
# sequence has is read when the kernels run, and so are the pages that its keys lie in. Weights are kept as two numbers, one and what
# it lacks: rounded once they would be too coarse where values cancel.
# try: query_nope=f16[4, 6, 48] query_rope=f16[4, 6, 16] kv_nope_cache=f16[5, 32, 2, 48] kv_rope_cache=f16[5, 32, 2, 16] block_tables=i32[3, 2]{0, 4} q_seqlen_list=1,0,3 k_seqlen_list=40,7,64
# try: query_nope=bf16[2, 40, 64] query_rope=bf16[2, 40, 16] kv_nope_cache=bf16[4, 16, 1, 64] kv_rope_cache=bf16[4, 16, 1, 16] block_tables=i32[1, 1]{0, 3} q_seqlen_list=2 k_seqlen_list=9
@kernel
def scores_kernel(q: gm[tokens, kv_heads, share, d], q_rope: gm[tokens, kv_heads, share, rope], kv: gm[pages, size, kv_heads, d], kv_rope: gm[pages, size, kv_heads, rope], table: gm[sequences, most], s: gm[tokens, kv_heads, share, keys], qs: ints, ks: ints, tokens, kv_heads, share, d, rope, pages, size, sequences, most, keys, tm, tn):
    sums = acc(tm, tn)
    for b, head, t, one, i, h in blocks(qs, 1, share, tm, over=[kv_heads]):
        at = before(b, qs) + t
        n = min(ks[b], keys)
        for p in range(ceil_div(n, size)):
            page = max(0, min(item(table[b, p]), pages - 1))
            for j, w in tiles(0, min(size, n - p * size), tn):
                with cube:
                    sums[:] = q[at, head, i : i + h, :] @ kv[page, j : j + w, head, :].T
                    sums[:] += q_rope[at, head, i : i + h, :] @ kv_rope[page, j : j + w, head, :].T
                with copyout: store(s[at, head, i : i + h, p * size + j : p * size + j + w], sums)


@kernel
def softmax_kernel(s: gm[tokens, heads, keys], weights: gm[tokens, heads, keys], rest: gm[tokens, heads, keys], qs: ints, ks: ints, tokens, heads, keys, tile, scale):
    x, y, z = ub(tile, keys, dtype=f32), ub(tile, keys, dtype=weights.dtype), ub(tile, keys, dtype=weights.dtype)
    for b, t, one, i, h in blocks(qs, 1, heads, tile):
        at = before(b, qs) + t
        n = min(ks[b], keys)
        if n > 0:
            with copyin: load(x, s[at, i : i + h, 0:n])
            with compute:
                scaled = x * scale
                e = exp(scaled - row_max(scaled))
                weight = e / row_sum(e)
                y[:] = weight
                z[:] = weight - y
            with copyout:
                store(weights[at, i : i + h, 0:n], y)
                store(rest[at, i : i + h, 0:n], z)


@kernel
def values_kernel(weights: gm[tokens, kv_heads, share, keys], rest: gm[tokens, kv_heads, share, keys], kv: gm[pages, size, kv_heads, d], table: gm[sequences, most], out: gm[tokens, kv_heads, share, d], qs: ints, ks: ints, tokens, kv_heads, share, d, pages, size, sequences, most, keys, tm, tn):
    sums = acc(tm, tn)
    for b, head, t, one, i, h in blocks(qs, 1, share, tm, over=[kv_heads]):
        at = before(b, qs) + t
        n = min(ks[b], keys)
        for j, w in tiles(0, d, tn):
            first = min(size, n)
            page = max(0, min(item(table[b, 0]), pages - 1))
            with cube:
                sums[:] = weights[at, head, i : i + h, 0:first] @ kv[page, 0:first, head, j : j + w]
                sums[:] += rest[at, head, i : i + h, 0:first] @ kv[page, 0:first, head, j : j + w]
            for p in range(1, ceil_div(n, size)):
                next_page = max(0, min(item(table[b, p]), pages - 1))
                c = p * size
                last = min(c + size, n)
                with cube:
                    sums[:] += weights[at, head, i : i + h, c:last] @ kv[next_page, 0 : last - c, head, j : j + w]
                    sums[:] += rest[at, head, i : i + h, c:last] @ kv[next_page, 0 : last - c, head, j : j + w]
            with copyout: store(out[at, head, i : i + h, j : j + w], sums)


@host
def mla(query_nope: tensor(f16, bf16)[tokens, heads, d], query_rope: tensor(query_nope)[tokens, heads, rope], kv_nope_cache: tensor(query_nope)[pages, size, kv_heads, d], kv_rope_cache: tensor(query_nope)[pages, size, kv_heads, rope], block_tables: tensor(i32)[sequences, most], q_seqlen_list: ints, k_seqlen_list: ints):
    require(kv_heads > 0 and heads % kv_heads == 0 and pages > 0 and size > 0 and most > 0)
    require(len(q_seqlen_list) == sequences and len(k_seqlen_list) == sequences and before(sequences, q_seqlen_list) == tokens)
    out = empty([tokens, heads, d], query_nope.dtype)
    keys = most * size
    scores = workspace(tokens * heads * keys, f32)
    weights, rest = workspace(tokens * heads * keys, query_nope.dtype), workspace(tokens * heads * keys, query_nope.dtype)
    share = heads // kv_heads
    tm, tn = block(tokens * heads, size, d)
    scores_kernel[best_cores()](query_nope, query_rope, kv_nope_cache, kv_rope_cache, block_tables, scores, q_seqlen_list, k_seqlen_list, tokens, kv_heads, share, d, rope, pages, size, sequences, most, keys, tm, tn)
    tile = fit(ceil_div(tokens * heads, vector_cores()))
    softmax_kernel[vector_cores()](scores, weights, rest, q_seqlen_list, k_seqlen_list, tokens, heads, keys, tile, 1.0 / sqrt(d + rope))
    vm, vn = block(tokens * heads, d, size)
    values_kernel[best_cores()](weights, rest, kv_nope_cache, block_tables, out, q_seqlen_list, k_seqlen_list, tokens, kv_heads, share, d, pages, size, sequences, most, keys, vm, vn)
    return out
