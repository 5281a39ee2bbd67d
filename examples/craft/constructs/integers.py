# Quotients and remainders of integers, and integer reductions, which are exact: float32 holds no more than 24 bits.
# try: x=i32[9, 41]
# try: x=i64[3, 8]
# try: x=i32[1, 200]
@kernel
def buckets_kernel(x: gm[rows, cols], q: gm[rows, cols], left: gm[rows, cols], s: gm[rows, 1], top: gm[1, cols], rows, cols):
    x_ub = ub(rows, cols, dtype=x.dtype)
    q_ub = ub(rows, cols, dtype=x.dtype)
    left_ub = ub(rows, cols, dtype=x.dtype)
    s_ub = ub(rows, 1, dtype=i64)
    top_ub = ub(1, cols, dtype=x.dtype)
    with copyin:
        load(x_ub, x[:, :])
    with compute:
        wide = x_ub * 16777217 + 5
        q_ub[:] = wide // 7 + wide // (-1000) + x_ub // (x_ub * x_ub + 1)
        left_ub[:] = wide % 1000 - wide % (-3) - wide % row_max(all_min(abs(x_ub)) + 3)
        s_ub[:] = row_sum(cast(wide, i64)) + row_min(cast(x_ub, i64)) * all_max(cast(x_ub, i64))
        top_ub[:] = col_max(wide)
    with copyout:
        store(q[:, :], q_ub)
        store(left[:, :], left_ub)
        store(s[:, :], s_ub)
        store(top[:, :], top_ub)


@host
def buckets(x: tensor(i32, i64)):
    rows, cols = x.shape
    require(rows * cols <= 2048)
    q = empty(x.shape, x.dtype)
    left = empty(x.shape, x.dtype)
    s = empty([rows, 1], i64)
    top = empty([1, cols], x.dtype)
    buckets_kernel[1](x, q, left, s, top, rows, cols)
    return q, left, s, top
