def reference(start: Tensor, end: Tensor, step: Tensor) -> Tensor:
    if start.is_floating_point():
        count = int(torch.ceil((end - start) / step).item())
    else:
        count = int((end - start + step - 1).item()) // int(step.item())
    return start + torch.arange(count) * step
