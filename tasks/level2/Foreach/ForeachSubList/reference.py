def reference(x1: List[Tensor], x2: List[Tensor], alpha: Tensor) -> List[Tensor]:
    out: List[Tensor] = []
    for i in range(len(x1)):
        out.append(x1[i] - alpha * x2[i])
    return out
