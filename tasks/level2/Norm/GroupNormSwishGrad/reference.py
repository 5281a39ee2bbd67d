def reference(dy: Tensor, mean: Tensor, rstd: Tensor, x: Tensor, gamma: Tensor, beta: Tensor, num_groups: int, data_format: str, swish_scale: float, dgamma_is_require: bool, dbeta_is_require: bool) -> Tuple[Tensor, Tensor, Tensor]:
    batch, channels = x.size(0), x.size(1)
    grouped = [batch, num_groups, channels // num_groups, -1]
    per_channel = [1, num_groups, channels // num_groups, 1]
    m = mean.reshape([batch, num_groups, 1, 1])
    r = rstd.reshape([batch, num_groups, 1, 1])
    w = gamma.reshape(per_channel)
    h = (x.reshape(grouped) - m) * r
    z = h * w + beta.reshape(per_channel)
    s = torch.sigmoid(swish_scale * z)
    t = dy.reshape(grouped) * s * (1.0 + z * (1.0 - s))
    dx = r * (t * w - h * (t * h * w).mean([2, 3], True) - (t * w).mean([2, 3], True))
    return dx.reshape(x.size()), (t * h).sum([0, 3]).reshape([-1]), t.sum([0, 3]).reshape([-1])
