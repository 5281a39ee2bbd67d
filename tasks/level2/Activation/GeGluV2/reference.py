def reference(x: Tensor, dim: int, approximate: int, activate_left: bool) -> Tuple[Tensor, Tensor]:
    p = torch.chunk(x, 2, dim)
    a, b = p[0], p[1]
    if not activate_left:
        a, b = p[1], p[0]
    if approximate == 1:
        gelu = 0.5 * a * (1.0 + torch.tanh(0.79788456080286535588 * (a + 0.044715 * a * a * a)))
    else:
        gelu = 0.5 * a * (1.0 + torch.erf(a * 0.70710678118654752440))
    return gelu * b, gelu
