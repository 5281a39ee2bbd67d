"""Objectives, and steps of optimisers."""
import torch
import torch.nn as nn
import torch.nn.functional as F


# case: logits=f32[32, 100] target=i64[32]{0, 99}
def smoothed_cross_entropy(logits, target, eps=0.1):
    logp = F.log_softmax(logits, dim=-1)
    nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    smooth = -logp.mean(dim=-1)
    return ((1 - eps) * nll + eps * smooth).mean()


# case: a=f32[24, 64] p=f32[24, 64] n=f32[24, 64]
def triplet(a, p, n, margin=1.0):
    dp = (a - p).pow(2).sum(1).sqrt()
    dn = (a - n).pow(2).sum(1).sqrt()
    return F.relu(dp - dn + margin).mean()


# case: z1=f32[16, 32] z2=f32[16, 32]
def info_nce(z1, z2, temperature: float = 0.1):
    z1 = F.normalize(z1, dim=1)
    z2 = F.normalize(z2, dim=1)
    logits = z1 @ z2.t() / temperature
    labels = torch.arange(z1.size(0))
    return F.cross_entropy(logits, labels)


# case: logits=f32[32, 20] target=f32[32, 20] weight=f32[20]
def bce_pos_weight(logits, target, weight):
    return F.binary_cross_entropy_with_logits(logits, target, pos_weight=weight)


# case: mu=f32[16, 32] logvar=f32[16, 32]
def kl_gaussian(mu, logvar):
    return -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1).mean()


# case: recon=f32[8, 64] x=f32[8, 64] mu=f32[8, 16] logvar=f32[8, 16]
def vae_loss(recon, x, mu, logvar):
    bce = F.mse_loss(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu ** 2 - torch.exp(logvar))
    return bce + kld


# case: p=f32[4, 1, 16, 16] t=f32[4, 1, 16, 16]
def tversky(p, t, alpha=0.7, beta=0.3, smooth=1.0):
    p = p.sigmoid().flatten()
    t = t.flatten()
    tp = (p * t).sum()
    fp = ((1 - t) * p).sum()
    fn = (t * (1 - p)).sum()
    return 1 - (tp + smooth) / (tp + alpha * fp + beta * fn + smooth)


# case: x=f32[64, 10] y=f32[64, 10]
def smooth_l1(x, y, beta: float = 1.0):
    d = torch.abs(x - y)
    return torch.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta).sum()


# case: scores=f32[40] y=f32[40]
def hinge(scores, y):
    return torch.clamp(1 - scores * y, min=0).mean()


# case: mean=f32[32, 8] target=f32[32, 8] var=f32[32, 8]{0.1, 4}
def gaussian_nll(mean, target, var):
    return F.gaussian_nll_loss(mean, target, var)


# case: rate=f32[40, 3] target=f32[40, 3]{0, 5}
def poisson_nll(rate, target):
    return F.poisson_nll_loss(rate, target, log_input=True)


# case: logits=f32[20, 12, 30] labels=i64[20, 12]{0, 29} mask=bool[20, 12]
def masked_lm_loss(logits, labels, mask):
    loss = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    return (loss * mask).sum() / mask.sum().clamp(min=1)


# case: logits=f32[32, 50] labels=i64[32]{0, 49}
def accuracy(logits, labels):
    return (logits.argmax(dim=-1) == labels).float().mean()


# case: x=f32[3, 3, 16, 16] y=f32[3, 3, 16, 16]
def psnr(x, y):
    mse = ((x - y) ** 2).mean(dim=[1, 2, 3])
    return 10 * torch.log10(1.0 / (mse + 1e-8))


# case: logp=f32[16, 20] old=f32[16, 20] adv=f32[16, 20]
def ppo_loss(logp, old, adv, clip: float = 0.2):
    ratio = torch.exp(logp - old)
    return -torch.min(ratio * adv, torch.clamp(ratio, 1 - clip, 1 + clip) * adv).mean()


# case: chosen=f32[32] rejected=f32[32] ref_chosen=f32[32] ref_rejected=f32[32]
def dpo_loss(chosen, rejected, ref_chosen, ref_rejected, beta=0.1):
    logits = (chosen - rejected) - (ref_chosen - ref_rejected)
    return -F.logsigmoid(beta * logits).mean(), (logits > 0).float().mean()


# case: x=f32[4, 3, 20, 20]
def total_variation(x):
    dh = (x[:, :, 1:, :] - x[:, :, :-1, :]).abs().mean()
    dw = (x[:, :, :, 1:] - x[:, :, :, :-1]).abs().mean()
    return dh + dw


# case: values=f32[8, 32] rewards=f32[8, 32]
def td_error(values, rewards, gamma=0.99):
    nxt = torch.cat([values[:, 1:], torch.zeros_like(values[:, :1])], dim=1)
    return rewards + gamma * nxt - values


# case: pred=f32[30, 5] lengths=i64[30]{1, 5}
def length_masked_mean(pred, lengths):
    mask = torch.arange(pred.size(1))[None, :] < lengths[:, None]
    return (pred * mask.float()).sum(1) / lengths


# case: emb=f32[24, 32] labels=i64[24]{0, 5}
def supervised_pairs(emb, labels):
    sim = emb @ emb.t()
    same = labels.unsqueeze(0) == labels.unsqueeze(1)
    same = same & ~torch.eye(emb.shape[0], dtype=torch.bool)
    return (sim * same).sum(1) / same.sum(1).clamp_min(1)


# case: p=f32[4096] g=f32[4096] buf=f32[4096]
def sgd_nesterov(p, g, buf, lr: float = 0.1, momentum: float = 0.9, wd: float = 1e-4):
    g = g + wd * p
    buf = momentum * buf + g
    return p - lr * (g + momentum * buf), buf


# case: p=f32[64, 100] g=f32[64, 100] m=f32[64, 100]
def lion(p, g, m, lr=1e-4, b1=0.9, b2=0.99, wd=0.01):
    update = (b1 * m + (1 - b1) * g).sign()
    p = p * (1 - lr * wd) - lr * update
    m = b2 * m + (1 - b2) * g
    return p, m


# case: p=f32[1000] g=f32[1000] s=f32[1000]{0, 1}
def rmsprop(p, g, s, lr=1e-2, alpha=0.99, eps=1e-8):
    s.mul_(alpha).addcmul_(g, g, value=1 - alpha)
    p.addcdiv_(g, s.sqrt().add_(eps), value=-lr)
    return p, s


# case: p=f32[512] g=f32[512] m=f32[512] v=f32[512]{0, 1}
def adamw(p, g, m, v, step: int = 3, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8, wd=0.01):
    p = p * (1 - lr * wd)
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    mhat = m / (1 - b1 ** step)
    vhat = v / (1 - b2 ** step)
    return p - lr * mhat / (vhat.sqrt() + eps), m, v


# case: g=f32[300, 40]
def clip_by_norm(g, limit: float = 1.0):
    norm = g.norm()
    return g * torch.clamp(limit / (norm + 1e-6), max=1.0)


# case: p=f32[2048] u=f32[2048]
def lamb_trust(p, u):
    wn, un = p.norm(2), u.norm(2)
    ratio = torch.where(wn > 0, torch.where(un > 0, wn / un, torch.ones_like(wn)), torch.ones_like(wn))
    return p - 0.01 * ratio * u


# case: ema=f16[64, 64] w=f16[64, 64]
def ema_update(ema, w, decay=0.999):
    return torch.lerp(w, ema, decay)


# case: g=f32[64, 80]
def newton_schulz(g, steps: int = 3):
    x = g / (g.norm() + 1e-7)
    for _ in range(steps):
        a = x @ x.T
        b = -4.7750 * a + 2.0315 * a @ a
        x = 3.4445 * x + b @ x
    return x


# case: g=f32[32, 48] r=f32[32]{0.1, 1} c=f32[48]{0.1, 1}
def adafactor(g, r, c, beta=0.9):
    g2 = g ** 2 + 1e-30
    r = beta * r + (1 - beta) * g2.mean(dim=-1)
    c = beta * c + (1 - beta) * g2.mean(dim=-2)
    v = torch.outer(r, c) / r.mean()
    return g * v.rsqrt(), r, c


# case: p=f32[300] g=f32[300]
def sgd_(p, g, lr: float = 0.1):
    p.sub_(lr * g)


# case: p=f16[32, 40] g=f16[32, 40] m=f32[32, 40]
def momentum_(p, g, m, lr=0.1, beta=0.9):
    m.mul_(beta).add_(g)
    p.add_(m, alpha=-lr)
    return p


# case: cache=f16[2, 16, 8] k=f16[2, 1, 8]
def append_(cache, k):
    cache[:, 3:4] = k
    return cache.sum(1)
