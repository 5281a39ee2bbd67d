def reference(dy: Tensor, x: Tensor, gx: Tensor, gamma: Tensor, mean: Tensor, rstd: Tensor, alpha: float) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    inner: List[int] = []
    for i in range(gamma.dim()):
        inner.append(-1 - i)
    outer: List[int] = []
    for i in range(dy.dim() - gamma.dim()):
        outer.append(i)
    g = dy * gamma
    c = alpha * x + gx - mean
    size = float(gamma.numel())
    var_part = (-0.5 * g * c * rstd * rstd * rstd).sum(inner, True)
    mean_part = (-1.0 * g * rstd).sum(inner, True)
    dgx = g * rstd + (2.0 / size) * var_part * c + mean_part / size
    return alpha * dgx, dgx, dy.sum(outer), (dy * rstd * c).sum(outer)
