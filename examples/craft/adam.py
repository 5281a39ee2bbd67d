# try: var=f32[256] m=f32[256] v=f32[256]{0, 1} grad=f32[256] lr=0.01
# try: var=f16[7, 45] m=f16[7, 45] v=f16[7, 45]{0, 1} grad=f16[7, 45] step=3
# Optimizer: one step of AdamW, in place: the kernel stores into its inputs.
@kernel
def adam_kernel(var: gm[total], m: gm[total], v: gm[total], grad: gm[total], total, per_core, tile, beta1, beta2, shrink, rate, scale, eps):
    first = core() * per_core
    last = min(first + per_core, total)
    var_ub = ub(tile, dtype=var.dtype)
    m_ub = ub(tile, dtype=m.dtype)
    v_ub = ub(tile, dtype=v.dtype)
    grad_ub = ub(tile, dtype=grad.dtype)
    new_var = ub(tile, dtype=var.dtype)
    new_m = ub(tile, dtype=m.dtype)
    new_v = ub(tile, dtype=v.dtype)
    for i, n in tiles(first, last, tile):
        with copyin:
            load(var_ub, var[i : i + n])
            load(m_ub, m[i : i + n])
            load(v_ub, v[i : i + n])
            load(grad_ub, grad[i : i + n])
        with compute:
            mean = m_ub * beta1 + grad_ub * (1.0 - beta1)
            square = v_ub * beta2 + grad_ub * grad_ub * (1.0 - beta2)
            new_m[:] = mean
            new_v[:] = square
            new_var[:] = var_ub * shrink - rate * mean / (sqrt(square * scale) + eps)
        with copyout:
            store(var[i : i + n], new_var)
            store(m[i : i + n], new_m)
            store(v[i : i + n], new_v)


@host
def adam(var: tensor(f32, f16), m: tensor(var), v: tensor(var), grad: tensor(var), lr: float = 0.001, beta1: float = 0.9, beta2: float = 0.99, weight_decay: float = 0.01, eps: float = 1e-6, step: int = 1):
    total = var.numel
    require(m.numel == total and v.numel == total and grad.numel == total)
    shrink = 1.0 - lr * weight_decay
    rate = lr / (1.0 - pow(beta1, float(step)))
    scale = 1.0 / (1.0 - pow(beta2, float(step)))
    per_core = align(ceil_div(total, best_cores()), 64)
    tile = fit(per_core, 64)
    adam_kernel[ceil_div(total, per_core)](var, m, v, grad, total, per_core, tile, beta1, beta2, shrink, rate, scale, eps)
