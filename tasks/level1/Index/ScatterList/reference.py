def reference(var: List[Tensor], indice: Tensor, updates: Tensor, mask: Optional[Tensor], reduce: str, axis: int) -> List[Tensor]:
    out: List[Tensor] = []
    for i in range(len(var)):
        v = var[i].clone()
        chosen = True
        if mask is not None:
            chosen = bool(mask[i].item())
        if chosen:
            start = int(indice[i][0].item())
            length = int(indice[i][1].item())
            v.narrow(axis, start, length).copy_(updates[i].narrow(axis, 0, length))
        out.append(v)
    return out
