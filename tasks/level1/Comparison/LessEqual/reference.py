def reference(x1: Tensor, x2: Tensor) -> Tensor:
    return torch.le(x1, x2)
