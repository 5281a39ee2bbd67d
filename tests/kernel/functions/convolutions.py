"""Convolutions in groups and transposed, pooling beside other operations, running values along any dimension."""
import torch
import torch.nn.functional as F


# case: x=f32[2, 8, 12, 16] weight=f32[8, 1, 3, 3] bias=f32[8]
def depthwise(x, weight, bias):
    return F.relu(F.conv2d(x, weight, bias, padding=1, groups=8))


# case: x=f32[2, 8, 10, 9] weight=f32[6, 4, 3, 3]
def grouped(x, weight):
    return F.conv2d(x, weight, stride=2, groups=2)


# case: x=f32[2, 6, 5, 8] weight=f32[6, 4, 3, 3] bias=f32[4]
def upsampling(x, weight, bias):
    return torch.tanh(F.conv_transpose2d(x, weight, bias, stride=2, padding=1, output_padding=1))


# case: x=f32[2, 6, 10, 12]
def pooled_channels(x):
    return F.max_pool2d(x, 2).sum(dim=1)


# case: x=f32[6, 10]
def running_columns(x):
    return torch.cumsum(x, dim=0) * 2


# case: x=f32[1, 3, 12, 12] w=f32[4, 3, 4, 4]
def same_even(x, w):
    return F.conv2d(x, w, padding="same")


# case: x=f32[2, 4, 9, 9]
def crop_and_pad(x):
    return F.pad(x, (-1, 2, 1, -1))
