def reference(var: Tensor, m: Tensor, grad: Tensor, momentum: float, rate: float) -> Tuple[Tensor, Tensor]:
    step = momentum * m + grad
    return var - rate * step, step
