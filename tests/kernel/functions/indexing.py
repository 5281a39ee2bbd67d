"""Elements chosen by position, by index or by rank."""
import torch
import torch.nn as nn


# case: table=f16[100, 64] ids=i64[4, 16]{0, 99}
def embed(table, ids):
    return table[ids]


# case: ids=i64[3, 20]{0, 49}
class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 32)

    def forward(self, ids):
        return self.table(ids) * 32**0.5


# case: x=f32[40, 64] index=i64[40]{0, 63}
def pick(x, index):
    return x.gather(1, index[:, None])[:, 0]


# case: x=f32[32, 200]
def top_share(x, k: int = 5):
    values, index = torch.topk(x, k, dim=-1)
    return values / values.sum(-1, keepdim=True), index


# case: x=f32[32, 100]
def largest(x):
    value, place = x.max(dim=-1)
    return value, place


# case: x=f16[20, 300]
def decode(x):
    return x.argmax(-1)


# case: x=f32[16, 10, 12]
def every_other(x):
    return x[:, ::2, 1:-1] * 2


# case: x=f32[8, 30] value=f32[8, 10]
def write_slice(x, value):
    y = x.clone()
    y[:, 10:20] = value
    return y


# case: x=f32[6, 40]
def shift_right(x):
    return torch.roll(x, 1, dims=-1)


# case: ids=i64[64]{0, 9}
def one_hot(ids):
    return torch.nn.functional.one_hot(ids, 10).float()
