"""Sums, extrema, running sums and statistics."""
import torch


# case: x=f32[64, 300]
def log_sum_exp(x):
    m = x.amax(-1, keepdim=True)
    return (x - m).exp().sum(-1, keepdim=True).log() + m


# case: x=f32[16, 200]
def running_sum(x):
    return x.cumsum(dim=-1)


# case: x=f32[8, 16, 12, 12]
def channel_mean(x):
    return x.mean(dim=[2, 3])


# case: x=f32[64, 100]
def spread(x):
    return x.max(-1).values - x.min(-1).values


# case: x=f16[32, 1000]
def quantise_rows(x):
    scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-5) / 127
    return (x / scale).round().clamp(-128, 127), scale


# case: a=f32[20, 30] b=f32[20, 30]
def row_dots(a, b):
    return torch.einsum("ij,ij->i", a, b)


# case: x=f32[10, 50]
def column_share(x):
    e = torch.exp(x)
    return e / e.sum(0)
