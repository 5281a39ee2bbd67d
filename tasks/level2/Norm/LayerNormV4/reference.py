def reference(x: Tensor, normalized_shape: Tensor, gamma: Optional[Tensor], beta: Optional[Tensor], epsilon: float) -> Tuple[Tensor, Tensor, Tensor]:
    dims: List[int] = []
    for i in range(normalized_shape.numel()):
        dims.append(-1 - i)
    mean = x.mean(dims, True)
    d = x - mean
    rstd = torch.rsqrt((d * d).mean(dims, True) + epsilon)
    y = d * rstd
    if gamma is not None:
        y = y * gamma
    if beta is not None:
        y = y + beta
    return y, mean, rstd
