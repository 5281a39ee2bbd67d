def reference(a: Tensor, b: Tensor) -> Tensor:
    p = torch.matmul(a, b)
    return p * torch.sigmoid(1.5957691216 * (p + 0.044715 * p * p * p))
