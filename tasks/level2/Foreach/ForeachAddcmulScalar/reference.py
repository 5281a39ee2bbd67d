def reference(x1: List[Tensor], x2: List[Tensor], x3: List[Tensor], scalar: Tensor) -> List[Tensor]:
    out: List[Tensor] = []
    for i in range(len(x1)):
        out.append(x1[i] + scalar * x2[i] * x3[i])
    return out
