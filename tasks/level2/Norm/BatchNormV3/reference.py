def reference(x: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor, epsilon: float,
              momentum: float, is_training: bool) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    mean = torch.mean(x, [0, 2, 3], True)
    var = torch.mean((x - mean) * (x - mean), [0, 2, 3], True)
    rstd = torch.rsqrt(var + epsilon)
    per_channel = [1, x.size(1), 1, 1]
    y = (x - mean) * rstd * weight.reshape(per_channel) + bias.reshape(per_channel)
    flat_mean = mean.reshape([-1])
    if is_training:
        n = x.numel() // x.size(1)
        unbiased = var.reshape([-1]) * float(n) / (n - 1)  # one element has no unbiased variance: 0 / 0
        running_mean = (1.0 - momentum) * running_mean + momentum * flat_mean
        running_var = (1.0 - momentum) * running_var + momentum * unbiased
    return y, running_mean, running_var, flat_mean, rstd.reshape([-1])
