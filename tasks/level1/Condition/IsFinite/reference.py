def reference(x: Tensor) -> Tensor:
    return torch.isfinite(x)
