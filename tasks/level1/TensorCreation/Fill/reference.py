def reference(dims: Tensor, value: Tensor) -> Tensor:
    shape: List[int] = []
    for i in range(dims.numel()):
        shape.append(int(dims[i].item()))
    return value.expand(shape).clone()
