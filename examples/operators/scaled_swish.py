# Swish with a slope, scaled by one number a column.
# case: x=f16[64, 1000] gamma=f16[1000] slope=1.5 -> f16[64, 1000]
# case: x=f16[3, 200] gamma=f16[200] slope=0.5 -> f16[3, 200]
def scaled_swish(x: Tensor, gamma: Tensor, slope: float) -> Tensor:
    return x * torch.sigmoid(x * slope) * gamma
