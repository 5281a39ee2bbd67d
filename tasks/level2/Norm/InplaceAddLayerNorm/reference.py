def reference(x1: Tensor, x2: Tensor, gamma: Tensor, beta: Tensor, bias: Optional[Tensor], epsilon: float, additional_output: bool) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    x = x1 + x2
    if bias is not None:
        x = x + bias
    mean = x.mean([-1], True)
    d = x - mean
    rstd = torch.rsqrt((d * d).mean([-1], True) + epsilon)
    return d * rstd * gamma + beta, mean, rstd, x
