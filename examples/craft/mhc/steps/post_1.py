# task: examples/tasks/MhcPost
# try: x=f32[5, 4, 48] f=f32[5, 48] h_res=f32[5, 4, 4] h_post=f32[5, 4]
# try: x=bf16[19, 4, 40] f=bf16[19, 40] h_res=f32[19, 4, 4] h_post=f32[19, 4]
# Step 1 of ../README.md: output by output, stream by stream.
@kernel
def post_kernel(x: gm[tokens, n, c], f: gm[tokens, c], h_res: gm[tokens, n, n], h_post: gm[tokens, n], out: gm[tokens, n, c], tokens, n, c, per_core, tile, width):
    first = core() * per_core
    last = min(first + per_core, tokens)
    x_ub = ub(tile, width, dtype=x.dtype)
    h_ub = ub(tile, 1, dtype=f32)
    f_ub = ub(tile, width, dtype=f.dtype)
    p_ub = ub(tile, 1, dtype=f32)
    sum_ub = ub(tile, width, dtype=f32)
    y_ub = ub(tile, width, dtype=out.dtype)
    for t, k in tiles(first, last, tile):
        for j, w in tiles(0, c, width):
            for i in range(n):
                with copyin:
                    load(f_ub, f[t : t + k, j : j + w])
                    load(p_ub, h_post[t : t + k, i : i + 1])
                with compute:
                    sum_ub[:] = f_ub * p_ub
                for s in range(n):
                    with copyin:
                        load(x_ub, x[t : t + k, s, j : j + w])
                        load(h_ub, h_res[t : t + k, i, s : s + 1])
                    with compute:
                        sum_ub[:] = sum_ub + x_ub * h_ub
                with compute:
                    y_ub[:] = sum_ub
                with copyout:
                    store(out[t : t + k, i, j : j + w], y_ub)


@host
def mhc_post(x: tensor(f32, f16, bf16), f: tensor(x), h_res: tensor(f32), h_post: tensor(f32)):
    require(len(x.shape) == 3)
    tokens, n, c = x.shape[0], x.shape[1], x.shape[2]
    require(f.numel == tokens * c and h_res.numel == tokens * n * n and h_post.numel == tokens * n)
    out = empty(x.shape, x.dtype)
    per_core = ceil_div(tokens, best_cores())
    width = min(align(c, 16), 2048)
    tile = fit(per_core)
    post_kernel[ceil_div(tokens, per_core)](x, f, h_res, h_post, out, tokens, n, c, per_core, tile, width)
    return out
