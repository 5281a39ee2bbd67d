"""Parts of a tensor written in place: by slices, steps, conditions and indices."""
import torch


# case: cache=f16[64, 8, 32] idx=i64[5]{0,63} k=f16[5, 8, 32]
def kv_update(cache, idx, k):
    out = cache.clone()
    out[idx] = k
    return out


# case: x=f32[4, 32, 16] v=f32[4, 16, 16]
def interleave(x, v):
    y = torch.zeros_like(x)
    y[:, 0::2] = v
    y[:, 1::2] = v * 2
    return y


# case: x=f32[4, 24, 32] lens=i64[4]{1,24}
def last_by_length(x, lens):
    return x[torch.arange(x.size(0)), lens - 1]


# case: x=f32[8, 16, 4] m=bool[8, 16]
def mask_rows(x, m):
    y = x.clone()
    y[m] = 0.0
    return y


# case: x=f32[30, 16] i=i64[12]{0,29} v=f32[12, 16]
def accumulate(x, i, v):
    return x.index_put((i,), v, accumulate=True)


# case: x=f32[30, 16] i=i64[12]{0,29} v=f32[12, 16]
def copy_rows(x, i, v):
    return x.index_copy(0, i, v)


# case: x=f32[8, 40]
def tail_assign(x):
    y = x.clone()
    y[:, -3:] = 1.5
    y[:, :2] *= 2
    return y


# case: x=f32[6, 50] i=i64[6]{0,49} j=i64[6]{0,5}
def two_indices(x, i, j):
    return x[j, i]


# case: x=f32[4, 24, 32] lens=i64[4]{1,24}
def mean_by_length(x, lens):
    m = (torch.arange(x.size(1))[None, :] < lens[:, None]).float().unsqueeze(-1)
    return (x * m).sum(1) / m.sum(1)
