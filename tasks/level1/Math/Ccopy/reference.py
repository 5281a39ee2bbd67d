def reference(x: Tensor, n: int, incx: int, incy: int) -> Tensor:
    return x.reshape(-1)[: n * incx : incx].clone()
