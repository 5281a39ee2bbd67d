def reference(x: Tensor, mask: Tensor) -> Tuple[Tensor, Tensor]:
    y = torch.masked_select(x, mask)
    return y, torch.tensor([1, y.numel()])
