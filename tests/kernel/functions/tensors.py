"""Of detection, sampling, graphs, quantisation."""
import math
import torch
import torch.nn.functional as F


# case: w=f16[64, 128]
def fake_quant_channel(w, bits: int = 8):
    qmax = 2 ** (bits - 1) - 1
    scale = w.abs().amax(dim=1, keepdim=True) / qmax
    q = torch.clamp(torch.round(w / scale), -qmax - 1, qmax)
    return q * scale


# case: q=i8[32, 256] scale=f16[32, 4] zero=f16[32, 4]
def dequant_groups(q, scale, zero):
    q = q.view(32, 4, 64).to(torch.float16)
    return ((q - zero[..., None]) * scale[..., None]).view(32, 256)


# case: packed=u8[16, 64] scale=f16[16, 1]
def unpack_int4(packed, scale):
    low = (packed & 0xF).to(torch.int8) - 8
    high = (packed >> 4).to(torch.int8) - 8
    w = torch.stack([low, high], dim=-1).flatten(1)
    return w.to(scale.dtype) * scale


# case: a=f32[20, 4]{0, 10} b=f32[30, 4]{0, 10}
def box_iou(a, b):
    area1 = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area2 = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (area1[:, None] + area2 - inter + 1e-6)


# case: deltas=f32[50, 4] anchors=f32[50, 4]{1, 20}
def decode_boxes(deltas, anchors):
    w = anchors[:, 2] - anchors[:, 0]
    h = anchors[:, 3] - anchors[:, 1]
    cx = anchors[:, 0] + 0.5 * w
    cy = anchors[:, 1] + 0.5 * h
    dx, dy, dw, dh = deltas.unbind(dim=1)
    dw = dw.clamp(max=math.log(1000.0 / 16))
    dh = dh.clamp(max=math.log(1000.0 / 16))
    px, py = dx * w + cx, dy * h + cy
    pw, ph = torch.exp(dw) * w, torch.exp(dh) * h
    return torch.stack([px - 0.5 * pw, py - 0.5 * ph, px + 0.5 * pw, py + 0.5 * ph], dim=1)


# case: boxes=f32[64, 4]
def cxcywh_to_xyxy(boxes):
    cx, cy, w, h = boxes.split(1, dim=-1)
    return torch.cat([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], dim=-1)


# case: x=f32[4, 3, 16, 20]
def normalise_image(x):
    mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)
    return (x - mean) / std


# case: x=f32[4, 3, 16, 20]
def to_gray(x):
    r, g, b = x[:, 0], x[:, 1], x[:, 2]
    return (0.299 * r + 0.587 * g + 0.114 * b).unsqueeze(1)


# case: x=u8[2, 16, 20, 3]
def bytes_to_floats(x):
    return x.permute(0, 3, 1, 2).float().div(255.0)


# case: logits=f32[8, 200] prev=i64[8, 10]{0, 199}
def repetition_penalty(logits, prev, penalty: float = 1.2):
    score = torch.gather(logits, 1, prev)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, prev, score)


# case: logits=f32[8, 200]
def top_k_filter(logits, k: int = 20):
    v, _ = torch.topk(logits, k)
    return logits.masked_fill(logits < v[:, [-1]], float("-inf"))


# case: logits=f32[8, 128]
def top_p_filter(logits, p: float = 0.9):
    s, idx = torch.sort(logits, descending=True)
    cum = torch.cumsum(F.softmax(s, dim=-1), dim=-1)
    drop = cum - F.softmax(s, dim=-1) > p
    s = s.masked_fill(drop, float("-inf"))
    return torch.zeros_like(logits).scatter(1, idx, s)


# case: logits=f32[16, 64] u=f32[16, 64]{0.001, 0.999}
def gumbel_softmax(logits, u, tau: float = 0.5):
    g = -torch.log(-torch.log(u))
    return F.softmax((logits + g) / tau, dim=-1)


# case: x=f32[200, 16] seg=i64[200]{0, 9}
def segment_mean(x, seg, n: int = 10):
    out = torch.zeros(n, x.shape[1], dtype=x.dtype)
    out.index_add_(0, seg, x)
    count = torch.zeros(n, dtype=x.dtype).index_add_(0, seg, torch.ones_like(x[:, 0]))
    return out / count.clamp(min=1).unsqueeze(1)


# case: table=f32[50, 16] ids=i64[8, 5]{0, 49}
def bag_mean(table, ids):
    return F.embedding(ids, table).mean(dim=1)


# case: ids=i64[400]{0, 15}
def histogram(ids, n: int = 16):
    return F.one_hot(ids, n).sum(0)


# case: x=f32[20, 30]
def sinkhorn(x, iters: int = 3):
    p = torch.exp(x)
    for _ in range(iters):
        p = p / p.sum(dim=1, keepdim=True)
        p = p / p.sum(dim=0, keepdim=True)
    return p


# case: x=f32[10, 24] y=f32[14, 24]
def squared_distances(x, y):
    xx = (x * x).sum(1, keepdim=True)
    yy = (y * y).sum(1).unsqueeze(0)
    return (xx + yy - 2 * x @ y.t()).clamp_min(0)


# case: a=f32[6, 40] b=f32[9, 40]
def cosine_matrix(a, b, eps=1e-8):
    an = a / a.norm(dim=1, keepdim=True).clamp(min=eps)
    bn = b / b.norm(dim=1, keepdim=True).clamp(min=eps)
    return torch.mm(an, bn.transpose(0, 1))


# case: x=f32[12, 200]
def mean_std(x):
    std, mean = torch.std_mean(x, dim=-1, unbiased=False)
    return mean, std


# case: x=f32[30, 30]
def lower_softmax(x):
    mask = torch.tril(torch.ones(x.shape[0], x.shape[1], dtype=torch.bool))
    return x.masked_fill(~mask, float("-inf")).softmax(-1)


# case: x=f16[16, 100]
def count_positive(x):
    return (x > 0).sum(dim=-1), torch.count_nonzero(x, dim=1)


# case: x=f32[8, 40]
def any_all(x):
    return (x > 2).any(dim=1), torch.all(x > -3, dim=1)


# case: a=f32[12] b=f32[20]
def outer_sum(a, b):
    return torch.outer(a, b) + a[:, None] - b


# case: a=f32[4, 5] b=f32[3, 6]
def kron(a, b):
    return torch.kron(a, b)


# case: x=f32[4, 9, 8, 8]
def depth_to_space(x, r: int = 3):
    b, c, h, w = x.shape
    x = x.view(b, c // (r * r), r, r, h, w)
    return x.permute(0, 1, 4, 2, 5, 3).reshape(b, c // (r * r), h * r, w * r)


# case: x=f32[4, 12, 8, 8]
def channel_shuffle(x, groups: int = 3):
    b, c, h, w = x.size()
    return x.view(b, groups, c // groups, h, w).transpose(1, 2).contiguous().view(b, c, h, w)


# case: x=f32[6, 50]
def ema_smooth(x, alpha: float = 0.9):
    t = torch.arange(x.size(1), dtype=x.dtype)
    w = alpha ** (t[None, :] - t[:, None]).clamp(min=0)
    w = torch.where(t[:, None] <= t[None, :], w, torch.zeros_like(w))
    return (1 - alpha) * (x @ w)


# case: x=f32[3, 100]
def min_max_scale(x):
    lo, hi = torch.aminmax(x, dim=1, keepdim=True)
    return (x - lo) / (hi - lo + 1e-8)


# case: x=f32[4, 8, 32]
def median_absolute(x):
    m = x.median(dim=-1, keepdim=True).values
    return (x - m).abs().median(dim=-1).values


# case: x=f32[32, 64]
def gelu_grad(x, ):
    return torch.sigmoid(1.702 * x) * (1 + 1.702 * x * (1 - torch.sigmoid(1.702 * x)))


# case: y=f32[32, 64] dy=f32[32, 64]
def softmax_backward(y, dy):
    return y * (dy - (y * dy).sum(dim=-1, keepdim=True))


# case: dy=f32[32, 64] x=f32[32, 64] w=f32[64]
def layer_norm_backward(dy, x, w, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    rstd = (x.var(-1, unbiased=False, keepdim=True) + eps).rsqrt()
    xhat = (x - mean) * rstd
    dw, db = (dy * xhat).sum(0), dy.sum(0)
    g = dy * w
    dx = rstd * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True))
    return dx, dw, db


# case: x=f32[2, 4, 9, 9]
def blur(x):
    k = torch.tensor([1.0, 2.0, 1.0])
    k = (k[:, None] * k[None, :]) / 16
    k = k.expand(x.shape[1], 1, 3, 3)
    return F.conv2d(F.pad(x, (1, 1, 1, 1), mode="reflect"), k, groups=x.shape[1])


# case: x=f32[2, 10, 12] w=f32[12, 12] b=f32[12]
def bias_dropout_residual(x, w, b):
    y = F.dropout(x @ w + b, p=0.1, training=False)
    return x + y


# case: pos=f32[20, 3]
def pairwise_rbf(pos, n: int = 8, cutoff: float = 5.0):
    d = (pos[:, None] - pos[None]).norm(dim=-1)
    c = torch.linspace(0, cutoff, n)
    return torch.exp(-((d[..., None] - c) ** 2) / 0.5)


# case: x=f32[5, 33]
def flip_cumsum(x):
    return torch.flip(torch.cumsum(torch.flip(x, [1]), dim=1), [1])


# case: x=f16[8, 64] y=f16[8, 64]
def rotate_complex(x, y):
    a, b = x.reshape(8, 32, 2).unbind(-1)
    c, d = y.reshape(8, 32, 2).unbind(-1)
    return torch.stack((a * c - b * d, a * d + b * c), dim=-1).flatten(-2)


# case: x=f32[2, 3, 8]
def repeat_kv(x, n: int = 4):
    b, h, d = x.shape
    return x[:, :, None, :].expand(b, h, n, d).reshape(b, h * n, d)


# case: x=f32[40, 6]
def standard_scores(x):
    return (x - x.mean(0)) / (x.std(0) + 1e-9)


# case: x=f32[8, 16] i=i64[8]{0, 15}
def margin_logits(x, i, s=30.0, m=0.35):
    hot = F.one_hot(i, x.shape[1]).to(x.dtype)
    return s * (x - m * hot)



# case: x=f32[4, 64]
def softplus_stack(x):
    return torch.stack([F.softplus(x), F.mish(x), F.selu(x), F.celu(x, 1.5), F.hardsigmoid(x), F.softsign(x), F.tanhshrink(x)], dim=0)


# case: q=f32[10, 4]
def quaternion_to_matrix(q):
    r, i, j, k = torch.unbind(q, -1)
    s = 2.0 / (q * q).sum(-1)
    parts = (1 - s * (j * j + k * k), s * (i * j - k * r), s * (i * k + j * r), s * (i * j + k * r), 1 - s * (i * i + k * k),
             s * (j * k - i * r), s * (i * k - j * r), s * (j * k + i * r), 1 - s * (i * i + j * j))
    return torch.stack(parts, -1).reshape(q.shape[:-1] + (3, 3))


# case: mask=i64[4, 20]{0, 1}
def position_ids(mask):
    return (mask.long().cumsum(-1) - 1).masked_fill(mask == 0, 1)


# case: points=f32[2, 20, 3] k=4
def nearest(points, k: int = 4):
    d = (points.unsqueeze(2) - points.unsqueeze(1)).pow(2).sum(-1)
    return d.topk(k, dim=-1, largest=False)[1]


# case: frames=f32[4, 16, 10]
def overlap_add(frames):
    return F.fold(frames, (1, 88), (1, 16), stride=(1, 8))


# case: x=f32[16, 64]
def int8_round_trip(x):
    s = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-8) / 127.0
    q = torch.clamp(torch.round(x / s), -128, 127).to(torch.int8)
    return q, s.squeeze(-1), q.float() * s


# case: x=f32[2, 3, 24, 24]
def turned(x):
    return x.rot90(2, (2, 3)), x.flip(1)


# case: p=f32[8, 1, 12, 12] t=f32[8, 1, 12, 12]
def soft_iou(p, t):
    p, t = torch.sigmoid(p).flatten(1), (t > 0).float().flatten(1)
    both = (p * t).sum(1)
    return 1 - ((both + 1) / (p.sum(1) + t.sum(1) - both + 1)).mean()


# case: a=f32[1, 1, 24, 24] b=f32[1, 1, 24, 24]
def ssim(a, b):
    k = torch.ones(1, 1, 7, 7) / 49
    ma, mb = F.conv2d(a, k), F.conv2d(b, k)
    va, vb = F.conv2d(a * a, k) - ma ** 2, F.conv2d(b * b, k) - mb ** 2
    cov = F.conv2d(a * b, k) - ma * mb
    return (((2 * ma * mb + 1e-4) * (2 * cov + 9e-4)) / ((ma ** 2 + mb ** 2 + 1e-4) * (va.clamp(min=0) + vb.clamp(min=0) + 9e-4))).mean()


# case: x=f32[3, 40] taps=f32[5]
def fir(x, taps):
    return F.conv1d(F.pad(x.unsqueeze(1), (taps.numel() - 1, 0)), taps.flip(0).view(1, 1, -1)).squeeze(1)


# case: x=f32[8, 20] s=f32[4]
def by_last(x, s):
    return x * s[-1], x.softmax(-1) * s[-2] + s[0]
