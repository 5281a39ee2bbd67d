"""Normalisations: by hand, from the library, as modules."""
import torch
import torch.nn as nn
import torch.nn.functional as F


# case: x=f16[64, 1024] weight=f16[1024] eps=1e-6
def rms_norm(x, weight, eps: float = 1e-6):
    h = x.float()
    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps)
    return weight * h.to(x.dtype)


# case: x=f16[64, 768] weight=f16[768] bias=f16[768]
def layer_norm(x, weight, bias):
    return F.layer_norm(x, (x.shape[-1],), weight, bias)


# case: x=f32[40, 500]
def standardise(x):
    return (x - x.mean(dim=1, keepdim=True)) / (x.std(dim=1, keepdim=True) + 1e-5)


# case: x=f32[4, 32, 14, 14]
def group_norm(x, groups=8):
    return F.group_norm(x, groups)


# case: x=f32[4, 16, 10, 10]
class BatchNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm2d(16)

    def forward(self, x):
        return self.bn(x)


# case: x=f32[4, 16, 20]
def instance_norm(x):
    mean = x.mean((-1,), keepdim=True)
    var = ((x - mean) ** 2).mean((-1,), keepdim=True)
    return (x - mean) * (var + 1e-5).rsqrt()


# case: x=f32[64, 200]
def l2_normalise(x):
    return F.normalize(x, dim=-1)


# case: x=f16[32, 512] residual=f16[32, 512] weight=f16[512]
def add_rms_norm(x, residual, weight):
    hidden = x + residual
    scale = torch.rsqrt(hidden.float().square().mean(-1, keepdim=True) + 1e-6)
    return (hidden.float() * scale).type_as(x) * weight, hidden


# case: x=f16[30, 256] shift=f16[30, 256] scale=f16[30, 256]
def modulate(x, shift, scale):
    return F.layer_norm(x, x.shape[-1:]) * (1 + scale) + shift
