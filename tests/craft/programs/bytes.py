# try: x=u8[7, 21]
# try: x=i8[3, 5]!
# Bytes widened, copied, and read again: an odd number of them shares 16 bits with nothing.
@kernel
def bytes_kernel(x: gm[rows, cols], y: gm[rows, cols], z: gm[rows, cols], rows, cols, tile):
    x_ub = ub(tile, cols, dtype=x.dtype)
    y_ub = ub(tile, cols, dtype=i16)
    z_ub = ub(tile, cols, dtype=x.dtype)
    for r, n in tiles(core() * tile, min(core() * tile + tile, rows), tile):
        with copyin:
            load(x_ub, x[r : r + n, :])
        with compute:
            y_ub[:] = x_ub
            z_ub[:] = x_ub
        with copyout:
            store(y[r : r + n, :], y_ub)
            store(z[r : r + n, :], z_ub)


@host
def bytes(x: tensor(u8, i8)):
    rows, cols = x.shape
    y = empty(x.shape, i16)
    z = empty(x.shape, x.dtype)
    bytes_kernel[ceil_div(rows, 2)](x, y, z, rows, cols, 2)
    return y, z
