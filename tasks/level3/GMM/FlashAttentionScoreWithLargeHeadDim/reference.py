def reference(query: Tensor, key: Tensor, value: Tensor, scale_value: float,
              head_num: int) -> Tuple[Tensor, Tensor, Tensor]:
    scores = torch.matmul(query, key.transpose(-1, -2)) * scale_value
    statistics = torch.zeros([query.size(0), head_num, query.size(1), 8])
    return statistics, statistics, torch.matmul(torch.softmax(scores, -1), value)
