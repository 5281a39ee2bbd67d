def reference(x: Tensor, scale: float) -> Tensor:
    return torch.tanh(x) * scale
