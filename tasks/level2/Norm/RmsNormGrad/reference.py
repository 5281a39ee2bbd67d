def reference(dy: Tensor, x: Tensor, rstd: Tensor, gamma: Tensor) -> Tuple[Tensor, Tensor]:
    n = x.size(-1)
    g = dy * gamma
    dx = rstd * (g - x * rstd * rstd * (g * x).sum([-1], True) / n)
    dgamma = (dy * x * rstd).reshape([-1, n]).sum([0])
    return dx, dgamma
