def reference(a: Tensor, b: Tensor, scale: Tensor, per_token_scale: Tensor) -> Tensor:
    return torch.matmul(a.double(), b.double()) * scale * per_token_scale.unsqueeze(1)
