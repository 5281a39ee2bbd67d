# task: examples/tasks/MhcPost
# try: x=f32[5, 4, 48] f=f32[5, 48] h_res=f32[5, 4, 4] h_post=f32[5, 4]
# try: x=bf16[19, 4, 40] f=bf16[19, 40] h_res=f32[19, 4, 4] h_post=f32[19, 4]
# Step 3 of ../README.md: weights are numbers.
@kernel
def post_kernel(x: gm[tokens, 4, c], f: gm[tokens, c], h_res: gm[tokens, 4, 4], h_post: gm[tokens, 4], out: gm[tokens, 4, c], tokens, c, per_core, width):
    first = core() * per_core
    in_ub = ub(width, dtype=x.dtype)
    x0, x1, x2, x3, f0 = ub(width, dtype=f32), ub(width, dtype=f32), ub(width, dtype=f32), ub(width, dtype=f32), ub(width, dtype=f32)
    out_ub = ub(width, dtype=out.dtype)
    for t in range(first, min(first + per_core, tokens)):
        for j, w in tiles(0, c, width):
            with copyin: load(in_ub, x[t, 0, j : j + w])
            with compute: x0[:] = in_ub
            with copyin: load(in_ub, x[t, 1, j : j + w])
            with compute: x1[:] = in_ub
            with copyin: load(in_ub, x[t, 2, j : j + w])
            with compute: x2[:] = in_ub
            with copyin: load(in_ub, x[t, 3, j : j + w])
            with compute: x3[:] = in_ub
            with copyin: load(in_ub, f[t, j : j + w])
            with compute: f0[:] = in_ub
            for i in range(4):
                a0, a1, a2, a3 = item(h_res[t, i, 0]), item(h_res[t, i, 1]), item(h_res[t, i, 2]), item(h_res[t, i, 3])
                b = item(h_post[t, i])
                with compute: out_ub[:] = x0 * a0 + x1 * a1 + x2 * a2 + x3 * a3 + f0 * b
                with copyout: store(out[t, i, j : j + w], out_ub)


@host
def mhc_post(x: tensor(f32, f16, bf16), f: tensor(x), h_res: tensor(f32), h_post: tensor(f32)):
    require(len(x.shape) == 3 and x.shape[1] == 4)
    tokens, c = x.shape[0], x.shape[2]
    require(f.numel == tokens * c and h_res.numel == tokens * 16 and h_post.numel == tokens * 4)
    out = empty(x.shape, x.dtype)
    per_core = ceil_div(tokens, best_cores())
    width = min(align(c, 16), 2048)
    post_kernel[ceil_div(tokens, per_core)](x, f, h_res, h_post, out, tokens, c, per_core, width)
    return out
