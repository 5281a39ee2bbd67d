def reference(dy: Tensor, x: Tensor) -> Tensor:
    s = torch.sigmoid(1.702 * x)
    return dy * (s + 1.702 * x * s * (1.0 - s))
