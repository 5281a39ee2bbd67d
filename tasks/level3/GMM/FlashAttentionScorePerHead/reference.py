def reference(query: Tensor, key: Tensor, value: Tensor, scale_value: float,
              head_num: int) -> Tuple[Tensor, Tensor, Tensor]:
    heads = [query.size(0), query.size(1), head_num, query.size(2) // head_num]
    q, k, v = query.reshape(heads).transpose(1, 2), key.reshape(heads).transpose(1, 2), value.reshape(heads).transpose(1, 2)
    scores = torch.matmul(q, k.transpose(-1, -2)) * scale_value
    highest = torch.amax(scores, [-1], True)
    total = torch.sum(torch.exp(scores - highest), [-1], True)
    out = torch.matmul(torch.softmax(scores, -1), v).transpose(1, 2).reshape(query.size())
    return highest.repeat([1, 1, 1, 8]), total.repeat([1, 1, 1, 8]), out
