def reference(x: Tensor) -> Tensor:
    return torch.isinf(x)
