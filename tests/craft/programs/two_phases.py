# Two phases of five inputs and two outputs each: queues of the second are those of the first.
# try: x0=f32[700] x1=f32[700] x2=f32[700] x3=f32[700] x4=f32[700]
# try: x0=f16[3, 41] x1=f16[3, 41] x2=f16[3, 41] x3=f16[3, 41] x4=f16[3, 41]
@kernel
def two_phases_kernel(x0: gm[total], x1: gm[total], x2: gm[total], x3: gm[total], x4: gm[total], y: gm[total], z: gm[total], total, per_core, tile):
    first = core() * per_core
    last = min(first + per_core, total)
    ax0 = ub(tile, dtype=x0.dtype)
    ax1 = ub(tile, dtype=x0.dtype)
    ax2 = ub(tile, dtype=x0.dtype)
    ax3 = ub(tile, dtype=x0.dtype)
    ax4 = ub(tile, dtype=x0.dtype)
    ao = ub(tile, dtype=y.dtype)
    bx0 = ub(tile, dtype=x0.dtype)
    bx1 = ub(tile, dtype=x0.dtype)
    bx2 = ub(tile, dtype=x0.dtype)
    bx3 = ub(tile, dtype=x0.dtype)
    bx4 = ub(tile, dtype=x0.dtype)
    bo = ub(tile, dtype=y.dtype)
    for as, an in tiles(first, last, tile):
        with copyin:
            load(ax0, x0[as : as + an])
            load(ax1, x1[as : as + an])
            load(ax2, x2[as : as + an])
            load(ax3, x3[as : as + an])
            load(ax4, x4[as : as + an])
        with compute:
            ao[:] = ax0 + ax1 + ax2 + ax3 + ax4
        with copyout:
            store(y[as : as + an], ao)
    for bs, bn in tiles(first, last, tile):
        with copyin:
            load(bx0, x0[bs : bs + bn])
            load(bx1, x1[bs : bs + bn])
            load(bx2, x2[bs : bs + bn])
            load(bx3, x3[bs : bs + bn])
            load(bx4, x4[bs : bs + bn])
        with compute:
            bo[:] = bx0 * bx1 * bx2 * bx3 * bx4
        with copyout:
            store(z[bs : bs + bn], bo)


@host
def two_phases(x0: tensor(f16, f32), x1: tensor(x0), x2: tensor(x0), x3: tensor(x0), x4: tensor(x0)):
    total = x0.numel
    y = empty(x0.shape, x0.dtype)
    z = empty(x0.shape, x0.dtype)
    per_core = ceil_div(total, best_cores())
    tile = fit(per_core)
    two_phases_kernel[ceil_div(total, per_core)](x0, x1, x2, x3, x4, y, z, total, per_core, tile)
    return y, z
