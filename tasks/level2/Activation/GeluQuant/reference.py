def reference(x: Tensor, input_scale: Optional[Tensor], input_offset: Optional[Tensor], approximate: str,
              quant_mode: str) -> Tuple[Tensor, Tensor]:
    g = torch.gelu(x, approximate=approximate)
    if input_scale is not None:
        g = g * input_scale
    if quant_mode == "static":
        if input_offset is not None:
            g = g + input_offset
        return torch.clamp(torch.round(g), -128, 127), torch.zeros(x.size()[:-1])
    scale = torch.amax(torch.abs(g), [-1]) / 127.0
    return torch.clamp(torch.round(g / scale.unsqueeze(-1)), -128, 127), scale
