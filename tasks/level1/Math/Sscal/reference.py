def reference(x: Tensor, alpha: float, n: int, incx: int) -> Tensor:
    y = x.clone()
    y[: n * incx : incx] *= alpha
    return y
