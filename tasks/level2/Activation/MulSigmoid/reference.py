def reference(x1: Tensor, x2: Tensor, t1: float, t2: float, t3: float) -> Tensor:
    s = torch.sigmoid(x1 * t1)
    s = torch.where(s < t2, s, 2.0 * s).reshape([x1.size(0), x2.numel()])
    shape = [x1.size(0)] + x2.size()[1:]
    return (s * x2.reshape([1, x2.numel()]) * t3).reshape(shape)
