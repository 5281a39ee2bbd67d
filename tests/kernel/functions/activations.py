"""Activations and elementwise chains as they are written in models."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


# case: x=f16[128, 1000]
def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


# case: x=f32[64, 513]
def gelu_by_hand(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


# case: gate=f16[64, 1024] up=f16[64, 1024]
def swiglu(gate, up):
    return F.silu(gate) * up


# case: x=f16[32, 2048]
def geglu(x):
    a, b = x.chunk(2, dim=-1)
    return a * F.gelu(b)


# case: x=f32[100, 333]
mish = lambda x: x * torch.tanh(F.softplus(x))  # noqa: E731


# case: x=f16[16, 32, 20]
def hard_swish(x):
    return x * (x + 3).clamp(0, 6) / 6


# case: x=f32[64, 300] alpha=0.1
def leaky(x, alpha=0.2):
    return torch.where(x > 0, x, alpha * x)


# case: x=f16[64, 512] bias=f16[512] residual=f16[64, 512]
def bias_relu_add(x, bias, residual):
    y = (x + bias).relu_()
    y += residual
    return y


# case: x=f16[64, 512]
def squared_relu(x):
    return F.relu(x).square()


# case: x=f32[50, 70] y=f32[50, 70] weight=0.3
def blend(x, y, weight: float = 0.5):
    return torch.lerp(x, y, weight).sigmoid()


# case: x=f16[128, 1000]
class Snake(nn.Module):
    def __init__(self, width=1000):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x + (self.alpha * x).sin().pow(2) / (self.alpha + 1e-9)
