def reference(grad: Tensor, var: Tensor, m: Tensor, v: Tensor, s: Tensor, step: Tensor, lr: float, ema_decay: float, beta1: float, beta2: float, eps: float, mode: int, bias_correction: bool, weight_decay: float) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    g = grad
    if mode == 0:
        g = grad + weight_decay * var
    m1 = beta1 * m + (1.0 - beta1) * g
    v1 = beta2 * v + (1.0 - beta2) * (g * g)
    c1, c2 = 1.0, 1.0
    if bias_correction:
        n = float(step.item())
        c1, c2 = 1.0 - beta1 ** n, 1.0 - beta2 ** n
    update = (m1 / c1) / (torch.sqrt(v1 / c2) + eps)
    if mode == 1:
        update = update + weight_decay * var
    var1 = var - lr * update
    return var1, m1, v1, ema_decay * s + (1.0 - ema_decay) * var1
