def reference(x1: Tensor, x2: Tensor) -> Tensor:
    return torch.lt(x1, x2)
