def reference(a: Tensor, b: Tensor, c: Tensor, alpha: Tensor, beta: Tensor, mList: List[int], kList: List[int], nList: List[int]) -> Tensor:
    out: List[Tensor] = []
    at_a, at_b, at_c = 0, 0, 0
    for i in range(len(mList)):
        m, k, n = mList[i], kList[i], nList[i]
        left = a[at_a : at_a + m * k].reshape([m, k])
        right = b[at_b : at_b + k * n].reshape([k, n])
        old = c[at_c : at_c + m * n].reshape([m, n])
        out.append((alpha[i] * torch.matmul(left, right) + beta[i] * old).reshape([-1]))
        at_a, at_b, at_c = at_a + m * k, at_b + k * n, at_c + m * n
    return torch.cat(out)
