def reference(var: Tensor, m: Tensor, v: Tensor, grad: Tensor, step: Tensor, max_grad_norm: Optional[Tensor], lr: float, beta1: float, beta2: float, weight_decay: float, eps: float, amsgrad: bool, maximize: bool) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    g = grad
    if maximize:
        g = -grad
    n = float(step.item()) + 1.0
    m1 = beta1 * m + (1.0 - beta1) * g
    v1 = beta2 * v + (1.0 - beta2) * g * g
    norm = v1
    if max_grad_norm is not None:
        norm = max_grad_norm
    bound = v1
    if amsgrad:
        norm = torch.maximum(norm, v1)
        bound = norm
    step_size = lr / (1.0 - beta1 ** n)
    var1 = var * (1.0 - lr * weight_decay) - step_size * m1 / (torch.sqrt(bound / (1.0 - beta2 ** n)) + eps)
    return var1, m1, v1, norm
