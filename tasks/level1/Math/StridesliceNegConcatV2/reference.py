def reference(input: Tensor) -> Tensor:
    half = input.size(-1) // 2
    output = input.clone()
    output.narrow(-1, half, input.size(-1) - half).neg_()
    return output
