def reference(x: List[Tensor], scalar: Tensor) -> List[Tensor]:
    out: List[Tensor] = []
    for i in range(len(x)):
        out.append(x[i] / scalar)
    return out
