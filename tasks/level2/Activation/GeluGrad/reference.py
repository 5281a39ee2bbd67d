def reference(dy: Tensor, x: Tensor, y: Tensor) -> Tensor:
    k = 1.5957691216057308
    s = torch.sigmoid(k * (x + 0.044715 * x * x * x))
    return dy * (s + x * s * (1.0 - s) * k * (1.0 + 3.0 * 0.044715 * x * x))
