def reference(var: Tensor, input_value: Tensor, begin: Tensor, end: Tensor, strides: Tensor, axes: Optional[Tensor]) -> Tensor:
    y = var.clone()
    part = y
    for i in range(begin.numel()):
        axis = i
        if axes is not None:
            axis = int(axes[i].item())
        part = torch.slice(part, axis, int(begin[i].item()), int(end[i].item()), int(strides[i].item()))
    part.copy_(input_value)
    return y
