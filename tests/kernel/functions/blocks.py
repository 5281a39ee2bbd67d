"""Blocks of networks."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


# case: x=f16[64, 1024]
def silu_and_mul(x):
    d = x.shape[-1] // 2
    return F.silu(x[..., :d]) * x[..., d:]


# case: x=f32[2, 16, 12, 12]
class SqueezeExcite(nn.Module):
    def __init__(self, channels=16, reduction=4):
        super().__init__()
        self.fc1 = nn.Linear(channels, channels // reduction)
        self.fc2 = nn.Linear(channels // reduction, channels)

    def forward(self, x):
        b, c, _, _ = x.shape
        s = x.mean(dim=(2, 3))
        s = torch.sigmoid(self.fc2(F.relu(self.fc1(s))))
        return x * s.view(b, c, 1, 1)


# case: x=f32[2, 16, 14, 14]
class SpatialAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 1, 7, padding=3, bias=False)

    def forward(self, x):
        avg = x.mean(1, keepdim=True)
        mx, _ = x.max(1, keepdim=True)
        return x * torch.sigmoid(self.conv(torch.cat([avg, mx], dim=1)))


# case: x=f32[2, 16, 10, 10]
class BasicBlock(nn.Module):
    def __init__(self, c=16):
        super().__init__()
        self.conv1 = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(c)
        self.conv2 = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(c)
        self.eval()

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return F.relu(out + x)


# case: x=f32[4, 32] h=f32[4, 48]
class GruCell(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(32, 48)

    def forward(self, x, h):
        return self.cell(x, h)


# case: x=f32[4, 32] h=f32[4, 48] c=f32[4, 48]
class LstmStep(nn.Module):
    def __init__(self):
        super().__init__()
        self.x2h = nn.Linear(32, 4 * 48)
        self.h2h = nn.Linear(48, 4 * 48)

    def forward(self, x, h, c):
        i, f, g, o = (self.x2h(x) + self.h2h(h)).chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


# case: x=f16[2, 24, 64]
class TransformerBlock(nn.Module):
    def __init__(self, d=64, heads=4):
        super().__init__()
        self.ln1 = nn.LayerNorm(d)
        self.ln2 = nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)
        self.fc = nn.Linear(d, 4 * d)
        self.out = nn.Linear(4 * d, d)
        self.heads = heads

    def forward(self, x):
        b, t, d = x.size()
        q, k, v = self.qkv(self.ln1(x)).split(d, dim=2)
        q = q.view(b, t, self.heads, d // self.heads).transpose(1, 2)
        k = k.view(b, t, self.heads, d // self.heads).transpose(1, 2)
        v = v.view(b, t, self.heads, d // self.heads).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(b, t, d)
        x = x + self.proj(y)
        return x + self.out(F.gelu(self.fc(self.ln2(x))))


# case: x=f16[32, 64]
class LoraLinear(nn.Module):
    def __init__(self, d=64, r=8, alpha=16):
        super().__init__()
        self.base = nn.Linear(d, d)
        self.a = nn.Parameter(torch.randn(r, d))
        self.b = nn.Parameter(torch.zeros(d, r))
        self.scale = alpha / r

    def forward(self, x):
        return self.base(x) + (x @ self.a.T @ self.b.T) * self.scale


# case: q=f16[2, 4, 20, 32] k=f16[2, 4, 20, 32] v=f16[2, 4, 20, 32]
def linear_attention(q, k, v):
    q = F.elu(q) + 1
    k = F.elu(k) + 1
    kv = torch.einsum("bhnd,bhne->bhde", k, v)
    z = 1 / (torch.einsum("bhnd,bhd->bhn", q, k.sum(dim=2)) + 1e-6)
    return torch.einsum("bhnd,bhde,bhn->bhne", q, kv, z)


# case: x=f32[2, 20, 32] mask=bool[2, 20]
class AttentionPooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(32, 1)

    def forward(self, x, mask):
        s = self.score(x).squeeze(-1).masked_fill(~mask, -1e9)
        w = torch.softmax(s, dim=1)
        return torch.bmm(w.unsqueeze(1), x).squeeze(1)


# case: x=f32[40, 32]
class DenseMoe(nn.Module):
    def __init__(self, d=32, experts=4):
        super().__init__()
        self.gate = nn.Linear(d, experts)
        self.experts = nn.ModuleList([nn.Linear(d, d) for _ in range(experts)])

    def forward(self, x):
        g = F.softmax(self.gate(x), dim=-1)
        outs = torch.stack([e(x) for e in self.experts], dim=1)
        return (g.unsqueeze(-1) * outs).sum(1)


# case: x=f32[2, 24, 16] last=f32[2, 16]
class TimeMix(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.mix = nn.Parameter(torch.ones(d) * 0.3)
        self.key = nn.Linear(d, d, bias=False)

    def forward(self, x, last):
        shifted = torch.cat([last[:, None], x[:, :-1]], dim=1)
        return self.key(x * self.mix + shifted * (1 - self.mix))


# case: x=f32[4, 3, 32, 32]
class PatchEmbed(nn.Module):
    def __init__(self, p=8, d=48):
        super().__init__()
        self.proj = nn.Conv2d(3, d, p, stride=p)
        self.cls = nn.Parameter(torch.zeros(1, 1, d))
        self.pos = nn.Parameter(torch.zeros(1, 17, d))

    def forward(self, x):
        x = self.proj(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1)
        return x + self.pos


# case: t=f32[16]
def timestep_embedding(t, dim: int = 64, max_period: int = 10000):
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(half, dtype=torch.float32) / half)
    args = t[:, None] * freqs[None]
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)


# case: x=f32[2, 10, 32]
def add_positions(x):
    b, t, d = x.shape
    pos = torch.arange(t).unsqueeze(1)
    div = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
    pe = torch.zeros(t, d)
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return x + pe


# case: q=f16[2, 4, 16, 32] k=f16[2, 4, 16, 32] cos=f16[64, 32] sin=f16[64, 32] pos=i64[2, 16]{0, 63}
def apply_rope(q, k, cos, sin, pos):
    def rotate_half(x):
        x1, x2 = x.chunk(2, dim=-1)
        return torch.cat((-x2, x1), dim=-1)
    cos, sin = cos[pos].unsqueeze(1), sin[pos].unsqueeze(1)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


# case: x=f16[8, 128] gate=f16[8, 128] w=f16[128]
def gated_rms_norm(x, gate, w, eps=1e-5):
    x = x.float() * F.silu(gate.float())
    v = x.pow(2).mean(-1, keepdim=True)
    return (x * torch.rsqrt(v + eps) * w.float()).to(gate.dtype)


# case: x=f32[2, 8, 40]
class Eca(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 1, 3, padding=1, bias=False)

    def forward(self, x):
        y = self.conv(x.mean(-1, keepdim=True).transpose(-1, -2)).transpose(-1, -2)
        return x * y.sigmoid().expand_as(x)


# case: x=f32[2, 6, 20, 20]
def layer_norm_2d(x, eps: float = 1e-6):
    u = x.mean(1, keepdim=True)
    s = (x - u).pow(2).mean(1, keepdim=True)
    return (x - u) / torch.sqrt(s + eps)


# case: x=f32[2, 8, 16, 16]
class Grn(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(1, c, 1, 1))
        self.beta = nn.Parameter(torch.zeros(1, c, 1, 1))

    def forward(self, x):
        gx = torch.norm(x, p=2, dim=(2, 3), keepdim=True)
        nx = gx / (gx.mean(dim=1, keepdim=True) + 1e-6)
        return self.gamma * (x * nx) + self.beta + x


# case: x=f32[2, 6, 8]
class SmallLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 12, batch_first=True)
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        y, _ = self.rnn(x)
        return self.head(y[:, -1])


# case: x=f32[2, 3, 12, 12]
def pyramid(x):
    a = F.avg_pool2d(x, 2)
    return a, x - F.interpolate(a, scale_factor=2, mode="bilinear", align_corners=False)


# case: y=f32[2, 6, 12] w=f32[3, 12]
def last_token(y, w):
    return y[:, -1] @ w.T


# case: x=f32[5, 2, 8]
class PlainRnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(8, 12, bias=False)

    def forward(self, x):
        return self.rnn(x)[0]


# case: x=f32[2, 2, 6]
class BothWays(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(6, 10, bidirectional=True)

    def forward(self, x):
        return self.rnn(x)[0]
