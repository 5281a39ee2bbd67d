def reference(x: Tensor, dim: int) -> Tensor:
    p = torch.chunk(x, 2, dim)
    return p[0] * torch.sigmoid(p[0]) * p[1]
