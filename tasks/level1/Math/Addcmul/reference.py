def reference(input_data: Tensor, x1: Tensor, x2: Tensor, value: Tensor) -> Tensor:
    return input_data + value * (x1 * x2)
