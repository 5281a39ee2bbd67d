# try: x=i64[1]{-81985529216486896, -81985529216486896} n=9001
# try: x=i64[1]{4294967297, 4294967297} n=32
# try: x=i64[1]{-1, -1} n=1
# A number of 64 bits in every element: more than one instruction takes, a whole one, a part of one.
@kernel
def fill_kernel(x: gm[1], y: gm[n], n):
    y_ub = ub(n, dtype=y.dtype)
    with compute: y_ub[:] = cast(full(1, n, item(x[0])), y.dtype)
    with copyout: store(y[:], y_ub)


@host
def fill_long(x: tensor(i64), n: int):
    y = empty([n], i64)
    fill_kernel[1](x, y, n)
    return y
