"""Orders, windows, edges and places: what chooses, repeats or moves elements."""
import math
import torch
import torch.nn.functional as F


# case: x=f32[32, 100]
def sorted_rows(x):
    return torch.sort(x, dim=-1)[0]


# case: x=f32[32, 64]
def ranking(x):
    return torch.argsort(x, dim=-1, descending=True)


# case: x=f32[32, 100]
def top16(x):
    return torch.topk(x, 16, dim=-1)


# case: scores=f32[16, 8]
def moe_gate(scores):
    p = torch.softmax(scores, -1)
    w, i = torch.topk(p, 2, dim=-1)
    return w / w.sum(-1, keepdim=True), i


# case: x=f32[32, 65]
def medians(x):
    return x.median(dim=-1)[0]


# case: x=f32[16, 40]
def q90(x):
    return torch.quantile(x, 0.9, dim=-1, keepdim=True)


# case: x=f32[64, 48]
def rolled(x):
    return torch.roll(x, 3, dims=-1)


# case: x=f32[2, 8, 8, 8]
def upsample(x):
    return F.interpolate(x, scale_factor=2, mode="nearest")


# case: x=f32[2, 3, 8, 8]
def bilinear(x):
    return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)


# case: x=f32[2, 16, 8, 8]
def shuffle(x):
    return F.pixel_shuffle(x, 2)


# case: x=f32[2, 3, 16, 16]
def patches(x):
    return F.unfold(x, 4, stride=4)


# case: x=f32[2, 3, 16, 16]
def reflected(x):
    return F.pad(x, (1, 1, 1, 1), mode="reflect")


# case: x=f32[2, 3, 16, 16]
def replicated(x):
    return F.pad(x, (2, 2, 0, 0), mode="replicate")


# case: x=f32[16, 8, 8]
def traces(x):
    return torch.diagonal(x, dim1=-2, dim2=-1).sum(-1)


# case: x=f32[32, 64]
def moving_mean(x):
    return x.unfold(-1, 8, 4).mean(-1)


# case: x=f32[64, 32]
def log_running_sum(x):
    return torch.logcumsumexp(x, dim=-1)


# case: x=f32[16, 32]
def running_maximum(x):
    return torch.cummax(x, dim=-1)[0]


# case: x=f32[40, 16] y=f32[30, 16]
def distances(x, y):
    return torch.cdist(x, y)


# case: x=f32[64, 32]
def buckets(x):
    return torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0]))


# case: x=f32[32, 64]
def without_nan(x):
    return torch.nan_to_num(x.log(), nan=0.0, posinf=1.0, neginf=-1.0)


# case: x=f32[16, 32]
def small_everywhere(x):
    return (x.abs() < 1).all(-1)


# case: boxes=f32[20, 4]
def areas(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


# case: x=f32[16, 32]
def log_mean_exp(x):
    return torch.logsumexp(x, -1) - math.log(x.shape[-1])


# case: x=f16[64, 256] w=i8[128, 256] s=f16[128]
def int8_linear(x, w, s):
    return x @ (w.to(torch.float16) * s[:, None]).t()


# case: x=f32[2, 5, 8, 8]
def spatial_softmax(x):
    b, c, h, w = x.shape
    return F.softmax(x.view(b, c, -1), dim=-1).view(b, c, h, w)


# case: q=f32[2, 4, 1, 16] k=f32[2, 4, 40, 16] v=f32[2, 4, 40, 16]
def decode_step(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)
