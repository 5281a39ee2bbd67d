def reference(input: Tensor, target: Tensor, weight: Optional[Tensor], reduction: str, ignore_index: int, label_smoothing: float, lse_square_scale_for_zloss: float, return_zloss: bool) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    classes = input.size(1)
    lse = torch.logsumexp(input, 1)
    log_prob = torch.log_softmax(input, 1)
    w = torch.ones_like(input[0])
    if weight is not None:
        w = weight
    counted = torch.ones_like(lse)
    if ignore_index >= 0:
        counted = torch.where(target != ignore_index, torch.ones_like(lse), torch.zeros_like(lse))
    chosen = torch.gather(w, 0, target) * counted
    row = -torch.gather(log_prob, 1, target.unsqueeze(1)).squeeze(1) * chosen
    smooth = -(log_prob * w).sum(1) * counted
    if reduction == "mean":
        row = row.sum() / chosen.sum()
        smooth = smooth.sum() / chosen.sum()
    elif reduction == "sum":
        row = row.sum()
        smooth = smooth.sum()
    loss = (1.0 - label_smoothing) * row + smooth * (label_smoothing / classes)
    zloss = torch.zeros_like(lse[:1])
    if return_zloss:
        zloss = (lse_square_scale_for_zloss * (lse * lse).mean()).reshape([1])
    return loss, log_prob, zloss, lse
