#!/usr/bin/env python3
"""The decoder of src/lm in plain PyTorch eager, as one would write it: the yardstick of tests/perf/lm.

usage: lm_eager.py JSON      settings: vocab, hidden, layers, heads, kv_heads, head_dim, mlp, length, samples, repeats, micro, device, threads
Prints tokens per second of whole training steps (forward, backward, clipping, AdamW) and the losses.
"""
import json
import math
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def turn(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        h, d = c["hidden"], c["head_dim"]
        self.norm1, self.norm2, self.q_norm, self.k_norm = Norm(h), Norm(h), Norm(d), Norm(d)
        self.q = nn.Linear(h, c["heads"] * d, bias=False)
        self.k = nn.Linear(h, c["kv_heads"] * d, bias=False)
        self.v = nn.Linear(h, c["kv_heads"] * d, bias=False)
        self.o = nn.Linear(c["heads"] * d, h, bias=False)
        self.gate, self.up = nn.Linear(h, c["mlp"], bias=False), nn.Linear(h, c["mlp"], bias=False)
        self.down = nn.Linear(c["mlp"], h, bias=False)

    def attention(self, x, cos, sin, mask):
        c, (batch, length, _) = self.c, x.shape
        heads = lambda t, n: t.view(batch, length, n, c["head_dim"])
        q = turn(self.q_norm(heads(self.q(x), c["heads"])).transpose(1, 2), cos, sin)
        k = turn(self.k_norm(heads(self.k(x), c["kv_heads"])).transpose(1, 2), cos, sin)
        v = heads(self.v(x), c["kv_heads"]).transpose(1, 2)
        k, v = (t.repeat_interleave(c["heads"] // c["kv_heads"], 1) for t in (k, v))
        if hasattr(F, "scaled_dot_product_attention"):
            out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            out = ((q @ k.transpose(-2, -1)) / math.sqrt(c["head_dim"]) + mask).softmax(-1) @ v
        return self.o(out.transpose(1, 2).reshape(batch, length, -1))

    def forward(self, x, cos, sin, mask):
        x = x + self.attention(self.norm1(x), cos, sin, mask)
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.embedding = nn.Embedding(c["vocab"], c["hidden"])
        self.blocks = nn.ModuleList(Block(c) for _ in range(c["layers"]))
        self.norm = Norm(c["hidden"])
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, 0, 0.02)

    def forward(self, ids):
        c, length = self.c, ids.shape[1]
        freq = 10000 ** (-torch.arange(0, c["head_dim"], 2, device=ids.device) / c["head_dim"])
        angle = torch.outer(torch.arange(length, device=ids.device).float(), freq)
        cos, sin = torch.cat((angle, angle), -1).cos(), torch.cat((angle, angle), -1).sin()
        mask = torch.full((length, length), -math.inf, device=ids.device).triu(1)
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x, cos, sin, mask)
        return F.linear(self.norm(x), self.embedding.weight)


def main():
    c = json.loads(sys.argv[1])
    torch.set_num_threads(c["threads"])
    torch.manual_seed(1)
    model = Decoder(c).to(c["device"])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3, (0.9, 0.95), weight_decay=0.1)
    ids = torch.randint(0, c["vocab"], (c["samples"], c["length"]), device=c["device"])
    rows = max(1, c["micro"] // c["length"])
    seconds, busy, losses = [], [], []
    for _ in range(c["repeats"]):
        begin, busy_before, total = time.perf_counter(), time.process_time(), 0.0
        optimizer.zero_grad()
        for part in ids.split(rows):
            logits, half = model(part), c["length"] // 2  # loss on the second half, as on completions
            loss = F.cross_entropy(logits[:, half - 1:-1].reshape(-1, c["vocab"]), part[:, half:].reshape(-1)) * len(part) / len(ids)
            loss.backward()
            total += loss.item()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seconds.append(time.perf_counter() - begin)
        busy.append(time.process_time() - busy_before)
        losses.append(total)
    seconds.sort()
    tokens = c["samples"] * c["length"]
    print(json.dumps({"torch": torch.__version__, "parameters": sum(p.numel() for p in model.parameters()), "tokens_per_s": tokens / seconds[len(seconds) // 2],
                      "best_tokens_per_s": tokens / seconds[0], "cpu_us_per_token": 1e6 * min(busy) / tokens, "losses": losses}))


if __name__ == "__main__":
    main()
