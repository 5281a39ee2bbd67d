def round_one(x: Tensor, mode: int) -> Tensor:
    whole = torch.trunc(x)
    tie = torch.abs(x - whole) == 0.5
    if mode == 1:
        return torch.round(x)
    if mode == 2:
        return torch.floor(x)
    if mode == 3:
        return torch.ceil(x)
    if mode == 4:
        return torch.where(tie, whole + torch.sign(x), torch.round(x))
    if mode == 5:
        return whole
    if mode == 6:
        odd = torch.where(torch.remainder(whole, 2) == 0, whole + torch.sign(x), whole)
        return torch.where(tie, odd, torch.round(x))
    return x - whole


def reference(x: List[Tensor], roundMode: Tensor) -> List[Tensor]:
    out: List[Tensor] = []
    for i in range(len(x)):
        out.append(round_one(x[i], int(roundMode.item())))
    return out
