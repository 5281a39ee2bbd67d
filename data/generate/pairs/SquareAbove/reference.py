def reference(a: Tensor, b: Tensor) -> Tensor:
    d = a - b
    return torch.where(a > b, d * d, torch.zeros_like(a))
