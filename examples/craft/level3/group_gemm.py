# task: GroupGemm (slow)
# Products in place: c_g = alpha[g] a_g b_g + beta[g] c_g. All groups' matrices lie flat, one behind the other; how large they are is
# read when the kernel runs. Blocks of all groups are shared among the cores as those of one product.
# try: a=f16[2871] b=f16[4497] c=f16[5328] alpha=f32[3] beta=f32[3] mList=33,1,40 kList=70,1,14 nList=45,3,96
# try: a=f16[2048] b=f16[320] c=f16[2560] alpha=f32[1] beta=f32[1] mList=128 kList=16 nList=20
@kernel
def groups_kernel(a: gm[a_size], b: gm[b_size], c: gm[c_size], alpha: gm[groups], beta: gm[groups], ms: ints, ks: ints, ns: ints, tm, tn):
    sums = acc(tm, tn)
    x, y, old = ub(tm, tn, dtype=f32), ub(tm, tn, dtype=c.dtype), ub(tm, tn, dtype=c.dtype)
    for g, i, h, j, w in blocks(ms, tm, ns, tn):
        m, k, n = ms[g], ks[g], ns[g]
        at_a, at_b, at_c = before(g, ms, ks), before(g, ks, ns), before(g, ms, ns)
        left = a[at_a : at_a + m * k].view(m, k)
        right = b[at_b : at_b + k * n].view(k, n)
        out = c[at_c : at_c + m * n].view(m, n)
        scale, old_scale = item(alpha[g]), item(beta[g])
        with cube: sums[:] = left[i : i + h, :] @ right[:, j : j + w]
        with copyin: load(old, out[i : i + h, j : j + w])
        with handover: move(x, sums)
        with compute: y[:] = x * scale + old * old_scale
        with copyout: store(out[i : i + h, j : j + w], y)


@host
def group_gemm(a: tensor(f16)[a_size], b: tensor(f16)[b_size], c: tensor(f16)[c_size], alpha: tensor(f32)[groups], beta: tensor(f32)[groups], mList: ints, kList: ints, nList: ints):
    count = len(mList)
    require(count == groups and before(count, mList, kList) == a_size and before(count, kList, nList) == b_size and before(count, mList, nList) == c_size)
    tm, tn = block(before(count, mList), before(count, nList) // max(count, 1), before(count, kList) // max(count, 1))
    groups_kernel[best_cores()](a, b, c, alpha, beta, mList, kList, nList, tm, tn)
