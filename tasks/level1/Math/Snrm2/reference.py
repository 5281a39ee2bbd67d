def reference(x: Tensor, n: int, incx: int) -> Tensor:
    v = x[: n * incx : incx]
    return torch.sqrt(torch.sum(v * v)).reshape([1])
