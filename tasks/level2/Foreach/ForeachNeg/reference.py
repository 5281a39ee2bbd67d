def reference(x: List[Tensor]) -> List[Tensor]:
    out: List[Tensor] = []
    for i in range(len(x)):
        out.append(torch.neg(x[i]))
    return out
