def reference(x: Tensor, n: int, incx: int) -> Tensor:
    return torch.sum(torch.abs(x[: n * incx : incx])).reshape([1])
