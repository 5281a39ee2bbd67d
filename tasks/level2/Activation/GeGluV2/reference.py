def reference(x: Tensor, dim: int, approximate: int, activate_left: bool) -> Tuple[Tensor, Tensor]:
    p = torch.chunk(x, 2, dim)
    gelu = 0.5 * p[0] * (1.0 + torch.erf(p[0] * 0.70710678118654752440))
    return gelu * p[1], gelu
