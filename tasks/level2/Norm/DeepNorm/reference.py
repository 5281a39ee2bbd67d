def reference(x: Tensor, gx: Tensor, beta: Tensor, gamma: Tensor, alpha: float, epsilon: float) -> Tuple[Tensor, Tensor, Tensor]:
    s = x * alpha + gx
    mean = s.mean([-1], True)
    d = s - mean
    rstd = torch.rsqrt((d * d).mean([-1], True) + epsilon)
    return mean, rstd, gamma * d * rstd + beta
