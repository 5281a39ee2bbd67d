def reference(dy: Tensor, x: Tensor, gelu: Tensor, dim: int, approximate: int, activate_left: bool) -> Tensor:
    p = torch.chunk(x, 2, dim)
    g, a = p[0], p[1]
    if not activate_left:
        g, a = p[1], p[0]
    if approximate == 0:
        phi = 0.5 * (1.0 + torch.erf(g * 0.70710678118654752440))
        slope = phi + g * torch.exp(-0.5 * g * g) * 0.39894228040143267794
    else:
        k = 1.5957691216057308
        phi = torch.sigmoid(k * (g + 0.044715 * g * g * g))
        slope = phi + g * phi * (1.0 - phi) * k * (1.0 + 3.0 * 0.044715 * g * g)
    if activate_left:
        return torch.cat([dy * a * slope, dy * gelu], dim)
    return torch.cat([dy * gelu, dy * a * slope], dim)
