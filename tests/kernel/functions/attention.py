"""Parts of attention: scores, masks, positions, heads."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


# case: q=f16[2, 4, 64, 32] cos=f16[64, 32] sin=f16[64, 32]
def rope_half(q, cos, sin):
    def rotate(x):
        half = x.shape[-1] // 2
        return torch.cat((-x[..., half:], x[..., :half]), dim=-1)

    return q * cos + rotate(q) * sin


# case: x=f32[2, 16, 4, 32] cos=f32[16, 16] sin=f32[16, 16]
def rope_pairs(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    cos, sin = cos[:, None, :], sin[:, None, :]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


# case: q=f16[2, 2, 32, 32] k=f16[2, 2, 32, 32] v=f16[2, 2, 32, 32]
def attention(q, k, v):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    return torch.matmul(F.softmax(scores, dim=-1), v)


# case: q=f16[1, 2, 32, 16] k=f16[1, 2, 32, 16] v=f16[1, 2, 32, 16]
def fused_attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


# case: scores=f16[4, 64, 64] mask=bool[64, 64]
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)


# case: scores=f32[2, 4, 40, 40]
def causal_softmax(scores):
    n = scores.shape[-1]
    mask = torch.tril(torch.ones(n, n)).bool()
    return torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)


# case: scores=f32[4, 32, 32]
def alibi(scores, slope=0.5):
    n = scores.shape[-1]
    distance = torch.arange(n)[None, :] - torch.arange(n)[:, None]
    return scores + slope * distance


# case: x=f16[2, 32, 64]
def split_heads(x, heads=4):
    b, n, d = x.shape
    return x.view(b, n, heads, d // heads).transpose(1, 2).contiguous()


# case: x=f32[8, 16, 16]
class SelfAttention(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        weights = (q @ k.transpose(1, 2) * x.shape[-1] ** -0.5).softmax(dim=-1)
        return self.out(weights @ v)


# case: logits=f16[16, 500] temperature=0.7
def soft_cap(logits, temperature=1.0):
    return 30.0 * torch.tanh(logits / temperature / 30.0)
