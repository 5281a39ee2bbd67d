def reference(scaled_grads: List[Tensor], found_inf: Tensor, inv_scale: Tensor) -> Tuple[List[Tensor], Tensor]:
    out: List[Tensor] = []
    bad = torch.zeros_like(found_inf)
    for g in scaled_grads:
        bad = torch.maximum(bad, (~torch.isfinite(g)).any().double())
        out.append(g * inv_scale)
    return out, bad
