@kernel
def momentum_step_kernel(var: gm[total], m: gm[total], grad: gm[total], var_out: gm[total], m_out: gm[total], total, per_core, tile, momentum, rate):
    first = core() * per_core
    last = min(first + per_core, total)
    var_ub = ub(tile, dtype=var.dtype)
    m_ub = ub(tile, dtype=m.dtype)
    grad_ub = ub(tile, dtype=grad.dtype)
    var_new = ub(tile, dtype=var.dtype)
    m_new = ub(tile, dtype=m.dtype)
    for i, n in tiles(first, last, tile):
        with copyin:
            load(var_ub, var[i : i + n])
            load(m_ub, m[i : i + n])
            load(grad_ub, grad[i : i + n])
        with compute:
            step = m_ub * momentum + grad_ub
            m_new[:] = step
            var_new[:] = var_ub - step * rate
        with copyout:
            store(var_out[i : i + n], var_new)
            store(m_out[i : i + n], m_new)


@host
def momentum_step(var: tensor(f32, f16), m: tensor(f32, f16), grad: tensor(f32, f16), momentum: float, rate: float):
    var_out = inplace(var)
    m_out = inplace(m)
    per_core = align(ceil_div(var.numel, best_cores()), 64)
    tile = fit(per_core, 64)
    momentum_step_kernel[ceil_div(var.numel, per_core)](var, m, grad, var_out, m_out, var.numel, per_core, tile, momentum, rate)
    return var_out, m_out
