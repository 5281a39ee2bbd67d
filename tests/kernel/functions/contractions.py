"""Products whose sides are spread over each other, and einsum in its forms."""
import torch


# case: q=f32[2,4,16,8] k=f32[2,1,12,8]
def multi_query(q, k):
    return torch.matmul(q, k.transpose(-2, -1))


# case: q=f32[2,8,16,8] k=f32[2,2,12,8]
def grouped_query(q, k):
    b, h, n, d = q.shape
    q = q.view(b, k.shape[1], h // k.shape[1], n, d)
    return (q @ k.unsqueeze(2).transpose(-2, -1)).view(b, h, n, -1)


# case: a=f32[6,7] b=f32[7,5]
def result_not_said(a, b):
    return torch.einsum("ij,jk", a, b)


# case: a=f32[2,3,6,7] b=f32[2,3,7,5]
def leading_dimensions(a, b):
    return torch.einsum("...ij,...jk->...ik", a, b)


# case: a=f32[4,6] b=f32[6,8] c=f32[8,5]
def three_factors(a, b, c):
    return torch.einsum("ij,jk,kl->il", a, b, c)


# case: a=f32[4,6] w=f32[3,6,5] b=f32[4,5]
def bilinear(a, w, b):
    return torch.einsum("bi,oij,bj->bo", a, w, b)


# case: q=f32[2,4,3,8,16] k=f32[2,1,12,16]
def one_key_head(q, k):
    return torch.einsum("bhgnd,bhkd->bhgnk", q, k)


# case: q=f32[4,16,8] k=f32[4,16,8] mask=bool[16,16]
def masked_scores(q, k, mask):
    bias = torch.zeros_like(mask, dtype=q.dtype)
    bias.masked_fill_(mask, -1e9)
    return torch.softmax(torch.baddbmm(bias.unsqueeze(0), q, k.transpose(1, 2)), -1)
