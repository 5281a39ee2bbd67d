def reference(unique_len: Tensor, unique_indices: Tensor, indices: Tensor,
              values: Tensor) -> Tuple[Tensor, Tensor]:
    new_indices = torch.zeros([unique_len.numel(), indices.size(1)]).to(indices.dtype)
    new_indices[unique_indices] = indices
    shape = values.size()
    shape[0] = unique_len.numel()
    new_values = torch.zeros(shape).to(values.dtype)
    return new_indices, new_values.index_add(0, unique_indices, values)
