def reference(sel: Tensor, input1: Tensor, input2: Tensor) -> Tensor:
    return torch.softmax(torch.where(sel, input1, input2), -1)
