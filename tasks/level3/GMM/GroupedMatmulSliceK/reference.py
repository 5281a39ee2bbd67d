def reference(a: Tensor, b: Tensor, groupList: Tensor) -> Tensor:
    m, n = a.size(0), b.size(1)
    left = a.reshape([-1, m])
    out: List[Tensor] = []
    first = 0
    for i in range(groupList.numel()):
        last = int(groupList[i].item())
        out.append(torch.matmul(left[first:last].t(), b[first:last]).reshape([-1]))
        first = last
    return torch.cat(out)
