def reference(x: Tensor, indices: Tensor, axis: Tensor, batchDims: int, negativeIndexSupport: bool) -> Tensor:
    return torch.index_select(x, int(axis.item()), indices)
