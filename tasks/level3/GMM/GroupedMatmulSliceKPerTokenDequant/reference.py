def reference(a: Tensor, b: Tensor, scale: Tensor, per_token_scale: Tensor, groupList: Tensor) -> Tensor:
    left = a.double().reshape([-1, a.size(0)])
    right = b.double()
    out: List[Tensor] = []
    first = 0
    for i in range(groupList.numel()):
        last = int(groupList[i].item())
        product = torch.matmul(left[first:last].t(), right[first:last])
        out.append((product * scale[i].unsqueeze(0) * per_token_scale[i].unsqueeze(1)).reshape([-1]))
        first = last
    return torch.cat(out)
