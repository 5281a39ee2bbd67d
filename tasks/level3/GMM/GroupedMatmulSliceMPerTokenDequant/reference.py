def reference(a: Tensor, b: Tensor, scale: Tensor, per_token_scale: Tensor, groupList: Tensor) -> Tensor:
    out: List[Tensor] = []
    first = 0
    for i in range(groupList.numel()):
        last = int(groupList[i].item())
        product = torch.matmul(a[first:last].double(), b[i].double())
        out.append((product * scale[i].unsqueeze(0) * per_token_scale[first:last].unsqueeze(1)).reshape([-1]))
        first = last
    return torch.cat(out)
