def reference(x: Tensor, weight: Tensor, alpha: float, magnitude: bool) -> Tensor:
    y = (x * weight).sum(-1) * alpha
    return torch.abs(y) if magnitude else y
