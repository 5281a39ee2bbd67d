def reference(tensor_list: List[Tensor]) -> Tensor:
    found = torch.zeros([1]) > 0
    for t in tensor_list:
        found = found | (~torch.isfinite(t)).any()
    return found
