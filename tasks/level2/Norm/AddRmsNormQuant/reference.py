def quantised(n: Tensor, scales: Tensor, zero_points: Optional[Tensor], div_mode: bool) -> Tensor:
    q = n / scales if div_mode else n * scales
    if zero_points is not None:
        q = q + zero_points
    return torch.clamp(torch.round(q), -128, 127)


def reference(x1: Tensor, x2: Tensor, gamma: Tensor, scales1: Tensor, scales2: Optional[Tensor],
              zero_points1: Optional[Tensor], zero_points2: Optional[Tensor], axis: int, epsilon: float,
              div_mode: bool) -> Tuple[Tensor, Tensor, Tensor]:
    x = x1 + x2
    n = x * torch.rsqrt(torch.mean(x * x, [axis], True) + epsilon) * gamma
    y2 = torch.zeros_like(x)
    if scales2 is not None:
        y2 = quantised(n, scales2, zero_points2, div_mode)
    return quantised(n, scales1, zero_points1, div_mode), y2, x
