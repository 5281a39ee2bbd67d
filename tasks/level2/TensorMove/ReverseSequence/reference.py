def reference(x: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int) -> Tensor:
    y = x.clone()
    for i in range(x.size(batch_dim)):
        n = int(seq_lengths[i].item())
        # One entry of the batch, kept as a dimension of size 1, so that seq_dim keeps its number.
        part = x.narrow(batch_dim, i, 1).narrow(seq_dim, 0, n)
        y.narrow(batch_dim, i, 1).narrow(seq_dim, 0, n).copy_(torch.flip(part, [seq_dim]))
    return y
