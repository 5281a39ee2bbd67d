def reference(input: Tensor, mulscalar1: Tensor, mulscalar2: Tensor, addscalar3: Tensor) -> Tensor:
    return torch.sigmoid(input * mulscalar1) * mulscalar2 + addscalar3
