def reference(predict: Tensor, label: Tensor, reduction: str) -> Tensor:
    d = (predict - label) * (predict - label)
    if reduction == "sum":
        return d.sum()
    if reduction == "mean":
        return d.mean()
    return d
