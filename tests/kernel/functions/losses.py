"""Losses and distances."""
import torch
import torch.nn.functional as F


# case: logits=f32[64, 100] target=i64[64]{0, 99}
def cross_entropy(logits, target):
    return F.cross_entropy(logits, target)


# case: logits=f32[32, 100] target=i64[32]{0, 99}
def nll(logits, target):
    logp = torch.log_softmax(logits, dim=-1)
    return -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)


# case: x=f32[64, 128] y=f32[64, 128]
def mse(x, y):
    return F.mse_loss(x, y)


# case: x=f32[64, 128] y=f32[64, 128] delta=1.0
def huber(x, y, delta=1.0):
    error = (x - y).abs()
    return torch.where(error < delta, 0.5 * error**2, delta * (error - 0.5 * delta)).mean()


# case: logits=f32[64, 50] target=f32[64, 50]{0, 1}
def focal(logits, target, gamma=2.0):
    p = torch.sigmoid(logits)
    bce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    return (bce * (1 - (p * target + (1 - p) * (1 - target))) ** gamma).mean()


# case: p=f32[32, 64] q=f32[32, 64]
def kl(p, q):
    return (F.softmax(p, -1) * (F.log_softmax(p, -1) - F.log_softmax(q, -1))).sum(-1)


# case: a=f32[40, 96] b=f32[40, 96]
def cosine(a, b):
    return F.cosine_similarity(a, b, dim=-1)


# case: student=f16[16, 200] teacher=f16[16, 200]
def distillation(student, teacher, t: float = 2.0):
    s = F.log_softmax(student.float() / t, dim=-1)
    return F.kl_div(s, F.softmax(teacher.float() / t, dim=-1), reduction="batchmean") * t * t


# case: probability=f32[8, 20, 20]{0, 1} target=f32[8, 20, 20]{0, 1}
def dice(probability, target):
    overlap = 2 * (probability * target).sum(dim=(1, 2))
    return 1 - (overlap + 1) / (probability.sum(dim=(1, 2)) + target.sum(dim=(1, 2)) + 1)
