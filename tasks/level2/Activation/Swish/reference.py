def reference(x: Tensor, scale: float) -> Tensor:
    return x * torch.sigmoid(x * scale)
