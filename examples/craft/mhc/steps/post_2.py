# task: examples/tasks/MhcPost
# try: x=f32[5, 4, 48] f=f32[5, 48] h_res=f32[5, 4, 4] h_post=f32[5, 4]
# try: x=bf16[19, 4, 40] f=bf16[19, 40] h_res=f32[19, 4, 4] h_post=f32[19, 4]
# Step 2 of ../README.md: each stream is read and converted once.
@kernel
def post_kernel(x: gm[tokens, 4, c], f: gm[tokens, c], h_res: gm[tokens, 4, 4], h_post: gm[tokens, 4], out: gm[tokens, 4, c], tokens, c, per_core, tile, width):
    first = core() * per_core
    in_ub = ub(tile, width, dtype=x.dtype)
    a0, a1, a2, a3, b = ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32), ub(tile, 1, dtype=f32)
    x0, x1, x2, x3, f0 = ub(tile, width, dtype=f32), ub(tile, width, dtype=f32), ub(tile, width, dtype=f32), ub(tile, width, dtype=f32), ub(tile, width, dtype=f32)
    out_ub = ub(tile, width, dtype=out.dtype)
    for t, k in tiles(first, min(first + per_core, tokens), tile):
        for j, w in tiles(0, c, width):
            with copyin: load(in_ub, x[t : t + k, 0, j : j + w])
            with compute: x0[:] = in_ub
            with copyin: load(in_ub, x[t : t + k, 1, j : j + w])
            with compute: x1[:] = in_ub
            with copyin: load(in_ub, x[t : t + k, 2, j : j + w])
            with compute: x2[:] = in_ub
            with copyin: load(in_ub, x[t : t + k, 3, j : j + w])
            with compute: x3[:] = in_ub
            with copyin: load(in_ub, f[t : t + k, j : j + w])
            with compute: f0[:] = in_ub
            for i in range(4):
                with copyin:
                    load(a0, h_res[t : t + k, i, 0:1])
                    load(a1, h_res[t : t + k, i, 1:2])
                    load(a2, h_res[t : t + k, i, 2:3])
                    load(a3, h_res[t : t + k, i, 3:4])
                    load(b, h_post[t : t + k, i : i + 1])
                with compute: out_ub[:] = x0 * a0 + x1 * a1 + x2 * a2 + x3 * a3 + f0 * b
                with copyout: store(out[t : t + k, i, j : j + w], out_ub)


@host
def mhc_post(x: tensor(f32, f16, bf16), f: tensor(x), h_res: tensor(f32), h_post: tensor(f32)):
    require(len(x.shape) == 3 and x.shape[1] == 4)
    tokens, c = x.shape[0], x.shape[2]
    require(f.numel == tokens * c and h_res.numel == tokens * 16 and h_post.numel == tokens * 4)
    out = empty(x.shape, x.dtype)
    per_core = ceil_div(tokens, best_cores())
    width = min(align(c, 16), 2048)
    tile = fit(per_core)
    post_kernel[ceil_div(tokens, per_core)](x, f, h_res, h_post, out, tokens, c, per_core, tile, width)
    return out
