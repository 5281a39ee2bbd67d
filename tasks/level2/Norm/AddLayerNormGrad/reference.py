def reference(dy: Tensor, x1: Tensor, x2: Tensor, rstd: Tensor, mean: Tensor, gamma: Tensor, dsum: Optional[Tensor]) -> Tuple[Tensor, Tensor, Tensor]:
    inner: List[int] = []
    for i in range(gamma.dim()):
        inner.append(-1 - i)
    outer: List[int] = []
    for i in range(dy.dim() - gamma.dim()):
        outer.append(i)
    g = dy * gamma
    c = x1 + x2 - mean
    size = float(gamma.numel())
    p = (-0.5 * g * c * rstd * rstd * rstd).sum(inner, True)
    q = (-1.0 * g * rstd).sum(inner, True)
    dx = g * rstd + (2.0 / size) * p * c + q / size
    if dsum is not None:
        dx = dx + dsum
    return dx, (dy * c * rstd).sum(outer), dy.sum(outer)
