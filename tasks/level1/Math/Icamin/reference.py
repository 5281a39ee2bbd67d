def reference(x: Tensor, n: int, incx: int) -> Tensor:
    v = x[: n * incx : incx]
    a = torch.abs(torch.real(v)) + torch.abs(torch.imag(v))
    return (torch.argmin(a) + 1).reshape([1])
