def reference(grad_loss: Tensor, log_prob: Tensor, target: Tensor, weight: Optional[Tensor], grad_zloss: Optional[Tensor], lse_for_zloss: Optional[Tensor], reduction: str, ignore_index: int, label_smoothing: float, lse_square_scale_for_zloss: float) -> Tensor:
    w = torch.ones_like(log_prob[0])
    if weight is not None:
        w = weight
    chosen = torch.gather(w, 0, target)
    if ignore_index >= 0:
        chosen = torch.where(target != ignore_index, chosen, torch.zeros_like(chosen))
    g = grad_loss * chosen
    if reduction == "mean":
        g = g / chosen.sum()
    hot = torch.zeros_like(log_prob).scatter(1, target.unsqueeze(1), 1.0)
    return g.unsqueeze(1) * (torch.exp(log_prob) - hot)
