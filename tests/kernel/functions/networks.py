"""Small networks and optimiser steps."""
import torch
import torch.nn as nn
import torch.nn.functional as F


# case: x=f32[16, 64]
class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(inplace=True), nn.Linear(128, 32))

    def forward(self, x):
        return self.net(x)


# case: x=f16[8, 64] up=f16[96, 64] gate=f16[96, 64] down=f16[64, 96]
def gated_mlp(x, up, gate, down):
    return F.linear(F.silu(x @ gate.T) * (x @ up.T), down)


# case: x=f32[2, 4, 50] weight=f32[8, 4, 3] bias=f32[8]
def conv1d(x, weight, bias):
    return F.conv1d(x, weight, bias, padding=1).relu()


# case: param=f32[500] grad=f32[500] m=f32[500] v=f32[500]{0.1, 4} lr=0.001
def adam(param, grad, m, v, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad * grad
    return param - lr * m / (v.sqrt() + eps), m, v
