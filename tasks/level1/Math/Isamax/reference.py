def reference(x: Tensor, n: int, incx: int) -> Tensor:
    v = x[: n * incx : incx]
    a = torch.abs(v)
    return (torch.argmax(a) + 1).reshape([1])
