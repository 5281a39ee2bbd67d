def reference(x: Tensor, diagonal: int) -> Tensor:
    return torch.triu(x, diagonal)
