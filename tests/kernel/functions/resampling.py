"""Resampling."""
import torch
import torch.nn.functional as F


# case: x=f32[2, 3, 10, 12]
def gathered(x):
    n, m = x.shape[-1], 30
    c = ((torch.arange(m) + 0.5) * (n / m) - 0.5).clamp(min=0)
    i = c.floor()
    f = c - i
    i = i.long()
    j = (i + 1).clamp(max=n - 1)
    return x.index_select(-1, i) * (1 - f) + x.index_select(-1, j) * f


# case: x=f32[2, 3, 10, 12]
def gathered_rows(x):
    n, m = x.shape[-2], 15
    c = ((torch.arange(m) + 0.5) * (n / m) - 0.5).clamp(min=0)
    i = c.floor()
    f = (c - i)[:, None]
    i = i.long()
    j = (i + 1).clamp(max=n - 1)
    return x[:, :, i] * (1 - f) + x[:, :, j] * f


# case: x=f32[2, 3, 10, 12]
def to_size(x):
    return F.interpolate(x, size=(15, 30), mode="bilinear", align_corners=False)


# case: x=f32[2, 3, 10, 12]
def aligned(x):
    return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True)


# case: x=f32[2, 3, 10, 12]
def bicubic(x):
    return F.interpolate(x, size=(20, 18), mode="bicubic", align_corners=False)


# case: x=f32[2, 3, 10, 12]
def nearest_any(x):
    return F.interpolate(x, size=(7, 18), mode="nearest")


# case: x=f32[2, 3, 40]
def linear1d(x):
    return F.interpolate(x, size=25, mode="linear")


# case: x=f32[2, 3, 6, 8, 10]
def trilinear(x):
    return F.interpolate(x, scale_factor=(2, 2, 2), mode="trilinear", align_corners=True)


# case: x=f32[2, 3, 10, 14]
def adaptive(x):
    return F.adaptive_avg_pool2d(x, (3, 4))


# case: x=f32[2, 3, 12, 12] grid=f32[2, 8, 9, 2]{-1, 1}
def sample(x, grid):
    return F.grid_sample(x, grid, mode="bilinear", align_corners=False)


# case: x=f32[2, 3, 12, 12] theta=f32[2, 2, 3]{-1, 1}
def affine(x, theta):
    return F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=False), align_corners=False)


# case: x=f32[2, 3, 11, 11]
def pool_ceil(x):
    return F.max_pool2d(x, 3, stride=2, ceil_mode=True)


# case: x=f32[2, 3, 11, 11]
def avg_ceil(x):
    return F.avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False)


# case: x=f32[2, 3, 40]
def lp(x):
    return F.lp_pool1d(x, 2, 4, stride=4)


# case: x=f32[2, 3, 16]
def unpool(x):
    y, i = F.max_pool1d(x, 2, return_indices=True)
    return F.max_unpool1d(y, i, 2)


# case: x=f32[2, 3, 12, 11]
def avg_padded(x):
    return F.avg_pool2d(x, 3, stride=2, padding=1, count_include_pad=False)


# case: x=f32[2, 3, 12, 11]
def avg_divisor(x):
    return F.avg_pool2d(x, 3, stride=2, padding=1, divisor_override=5)


# case: x=f32[2, 3, 12, 11]
def avg_default(x):
    return F.avg_pool2d(x, 3, stride=2, padding=1)


# case: x=f32[2, 3, 32, 32]
def smooth(x):
    return F.interpolate(x, size=(12, 16), mode="bilinear", antialias=True)


# case: x=f32[2, 3, 10, 12]
def by_factor(x):
    return F.interpolate(x, scale_factor=1.5, mode="bilinear")


# case: x=f16[2, 8, 14, 14] y=f16[2, 4, 28, 28]
def merge(x, y):
    up = F.interpolate(x, size=y.shape[-2:], mode="bilinear", align_corners=False)
    return torch.cat([up, y], dim=1)


# case: x=f16[2, 8, 7, 7] y=f16[2, 8, 13, 13]
def top_down(x, y):
    return y + F.interpolate(x, size=y.shape[-2:], mode="nearest")


# case: x=f32[2, 16, 40]
def adaptive_max(x):
    return F.adaptive_max_pool1d(x, 5)


# case: x=f32[2, 3, 20, 20]
def global_max(x):
    return F.adaptive_max_pool2d(x, 1).flatten(1)
