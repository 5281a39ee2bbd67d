def reference(query_nope: Tensor, query_rope: Tensor, kv_nope_cache: Tensor, kv_rope_cache: Tensor,
              block_tables: Tensor, q_seqlen_list: List[int], k_seqlen_list: List[int]) -> Tensor:
    query = torch.cat([query_nope, query_rope], -1)
    heads, kv_heads = query.size(1), kv_nope_cache.size(2)
    scale = 1.0 / float(query.size(2)) ** 0.5
    out: List[Tensor] = []
    first = 0
    for s in range(len(q_seqlen_list)):
        q = query[first:first + q_seqlen_list[s]].transpose(0, 1)
        blocks = block_tables[s].long()
        value = kv_nope_cache[blocks].reshape([-1, kv_heads, kv_nope_cache.size(3)])[:k_seqlen_list[s]]
        rope = kv_rope_cache[blocks].reshape([-1, kv_heads, kv_rope_cache.size(3)])[:k_seqlen_list[s]]
        key = torch.cat([value, rope], -1).transpose(0, 1).repeat_interleave(heads // kv_heads, 0)
        value = value.transpose(0, 1).repeat_interleave(heads // kv_heads, 0)
        weights = torch.softmax(torch.matmul(q, key.transpose(1, 2)) * scale, -1)
        out.append(torch.matmul(weights, value).transpose(0, 1))
        first += q_seqlen_list[s]
    return torch.cat(out)
