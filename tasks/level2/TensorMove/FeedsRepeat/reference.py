def reference(feeds: Tensor, feeds_repeat_times: Tensor, output_feeds_size: int) -> Tensor:
    rows = torch.repeat_interleave(feeds, feeds_repeat_times.long(), 0)
    rest = torch.zeros_like(feeds[:1]).expand([output_feeds_size - rows.size(0)] + feeds.size()[1:])
    return torch.cat([rows, rest], 0)
