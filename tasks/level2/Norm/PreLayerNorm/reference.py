def reference(x: Tensor, y: Tensor, gamma: Tensor, beta: Tensor, epsilon: float) -> Tensor:
    return torch.layer_norm(x + y, [x.size(-1)], gamma, beta, epsilon)
