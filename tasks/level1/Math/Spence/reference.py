# Spence's function is Li2(1 - x). Li2(z) for |z| <= 1/2 from its power series; other arguments are brought there:
#   Li2(z) = pi^2/6 - ln(z) ln(1-z) - Li2(1-z)     and     Li2(z) = -Li2(1/z) - pi^2/6 - ln(-z)^2 / 2  (z < -1)
def dilog_series(z: Tensor) -> Tensor:
    total = torch.zeros_like(z)
    power = torch.ones_like(z)
    for k in range(1, 64):
        power = power * z
        total = total + power / float(k * k)
    return total


def reference(x: Tensor) -> Tensor:
    sixth = 9.8696044010893586188 / 6.0
    tiny = 5e-324
    low = x < 0.5
    high = x > 1.5
    # x in [0, 1/2): z = 1 - x lies above 1/2, the series runs in x.
    log_x = torch.log(torch.clamp(x, min=tiny))
    low_value = sixth - log_x * torch.log1p(-torch.clamp(x, max=0.5)) - dilog_series(torch.clamp(x, max=0.5))
    # x in [1/2, 3/2]: the series runs in 1 - x.
    mid_value = dilog_series(1.0 - torch.clamp(x, 0.5, 1.5))
    # x above 3/2: Spence(x) = -Spence(1/x) - ln(x)^2 / 2, and 1/x is below 2/3.
    inverse = 1.0 / torch.clamp(x, min=1.5)
    inner_low = sixth - torch.log(inverse) * torch.log1p(-torch.clamp(inverse, max=0.5)) - dilog_series(torch.clamp(inverse, max=0.5))
    inner_mid = dilog_series(1.0 - torch.clamp(inverse, min=0.5))
    inner = torch.where(inverse < 0.5, inner_low, inner_mid)
    high_value = -inner - 0.5 * torch.log(torch.clamp(x, min=1.5)) ** 2
    value = torch.where(low, low_value, torch.where(high, high_value, mid_value))
    return torch.where(torch.isinf(x), -torch.abs(x), value)
