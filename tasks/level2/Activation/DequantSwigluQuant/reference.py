def reference(x: Tensor, weight_scale: Optional[Tensor], activation_scale: Optional[Tensor], bias: Optional[Tensor],
              quant_scale: Optional[Tensor], quant_offset: Optional[Tensor], group_index: Optional[Tensor],
              activate_left: bool, quant_mode: str) -> Tuple[Tensor, Tensor]:
    rows, half = x.size(0), x.size(1) // 2
    if group_index is not None:
        group_of_row = torch.repeat_interleave(torch.arange(group_index.numel()), group_index.long())
    else:
        group_of_row = torch.zeros([rows]).long()
    v = x.double()
    if not x.is_floating_point():
        if bias is not None:
            v = v + bias
        if weight_scale is not None:
            v = v * weight_scale[group_of_row]
        if activation_scale is not None:
            v = v * activation_scale
    a, b = v[:, :half], v[:, half:]
    if activate_left:
        r = a * torch.sigmoid(a) * b
    else:
        r = b * torch.sigmoid(b) * a
    scale = torch.zeros([rows]).double()
    if quant_mode == "static":
        if quant_scale is not None:
            r = r / quant_scale[group_of_row]
        if quant_offset is not None:
            r = r + quant_offset[group_of_row]
    else:
        if quant_scale is not None:
            r = r * quant_scale[group_of_row]
        scale = torch.amax(torch.abs(r), [1]) / 127.0
        r = r / scale.unsqueeze(1)
    return torch.clamp(torch.round(r), -128, 127), scale
