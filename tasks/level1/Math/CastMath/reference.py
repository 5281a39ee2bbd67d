def reference(x: Tensor, dst_type: int) -> Tensor:
    if dst_type == 12:
        return x != 0
    if x.is_floating_point() and (dst_type == 2 or dst_type == 3 or dst_type == 4 or dst_type == 6 or dst_type == 9):
        return torch.trunc(x)
    return x
