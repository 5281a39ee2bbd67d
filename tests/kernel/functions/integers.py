"""Integers: exact beyond what float32 holds."""
import torch


# case: x=i64[8, 40]
def bucket(x):
    return (x * 31 + 7) % 64


# case: x=i32[8, 40]
def halves(x):
    return x // 3 + x % 5, x >> 2, torch.div(x, -7, rounding_mode="trunc")


# case: x=i32[8, 40]
def sums(x):
    return x.sum(-1), x.sum(0), x.sum()


# case: x=i64[8, 40]
def extremes(x):
    return x.max(-1)[0], x.amin(0)
