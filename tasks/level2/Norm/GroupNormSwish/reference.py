def reference(x: Tensor, gamma: Tensor, beta: Tensor, num_groups: int, data_format: str, eps: float, activate_swish: bool, swish_scale: float) -> Tuple[Tensor, Tensor, Tensor]:
    groups = x.reshape([x.size(0), num_groups, -1])
    mean = groups.mean([2], True)
    d = groups - mean
    rstd = torch.rsqrt((d * d).mean([2], True) + eps)
    per_channel = [1, x.size(1)] + [1] * (x.dim() - 2)
    z = (d * rstd).reshape(x.size()) * gamma.reshape(per_channel) + beta.reshape(per_channel)
    if activate_swish:
        z = z * torch.sigmoid(swish_scale * z)
    return z, mean.squeeze(2), rstd.squeeze(2)
