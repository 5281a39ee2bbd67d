def reference(x1: List[Tensor], x2: List[Tensor], weight: Tensor) -> List[Tensor]:
    out: List[Tensor] = []
    for i in range(len(x1)):
        out.append(x1[i] + weight * (x2[i] - x1[i]))
    return out
