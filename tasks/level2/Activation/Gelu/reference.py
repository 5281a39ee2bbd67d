def reference(x: Tensor) -> Tensor:
    return 0.5 * x * (1.0 + torch.erf(x * 0.70710678118654752440))
