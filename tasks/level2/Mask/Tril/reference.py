def reference(x: Tensor, diagonal: int) -> Tensor:
    return torch.tril(x, diagonal)
