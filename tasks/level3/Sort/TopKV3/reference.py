def reference(x: Tensor, k: Tensor, sorted: bool, dim: int, largest: bool) -> Tuple[Tensor, Tensor]:
    return torch.topk(x, int(k.item()), dim, largest, sorted)
