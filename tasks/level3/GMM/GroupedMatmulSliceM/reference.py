def reference(a: Tensor, b: Tensor, groupList: Tensor) -> Tensor:
    out: List[Tensor] = []
    first = 0
    for i in range(groupList.numel()):
        last = int(groupList[i].item())
        out.append(torch.matmul(a[first:last], b[i]).reshape([-1]))
        first = last
    return torch.cat(out)
