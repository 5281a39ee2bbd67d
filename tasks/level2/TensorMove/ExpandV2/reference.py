def reference(x: Tensor, shape: List[int]) -> Tensor:
    return x.expand(shape).clone()
