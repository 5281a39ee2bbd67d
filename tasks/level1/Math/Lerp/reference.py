def reference(start: Tensor, end: Tensor, weight: Tensor) -> Tensor:
    return start + weight * (end - start)
