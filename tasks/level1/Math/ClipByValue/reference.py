def reference(x: Tensor, clip_value_min: Tensor, clip_value_max: Tensor) -> Tensor:
    return torch.minimum(torch.maximum(x, clip_value_min), clip_value_max)
