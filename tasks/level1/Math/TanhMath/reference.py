def reference(x: Tensor) -> Tensor:
    return torch.tanh(x)
