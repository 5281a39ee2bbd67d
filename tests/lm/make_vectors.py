#!/usr/bin/env python3
"""Makes the stored vectors of tests/lm/data with Hugging Face's own code.

usage: make_vectors.py        needs: pip install torch transformers tokenizers safetensors
Written: qwen2_tiny/, qwen3_tiny/ and qwen3_moe_tiny/ (random checkpoints), *_logits.json (token ids and the logits of their last
positions), bpe_tiny.json (a tokenizer learnt here) and tokenizer_vectors.json (texts and their ids),
ggml_blocks.json (needs gguf: quantised blocks).
"""
import json
import pathlib

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM, Qwen3MoeConfig, Qwen3MoeForCausalLM

HERE = pathlib.Path(__file__).parent / "data"
QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TEXTS = [
    "", " ", "a", "hello world", "Hello, World! It's 2024; they'll pay 3.14 €.", "x = x + 1\n\n    y = tile[:, 0]\n",
    "@kernel\ndef add(x, y, z):\n    with copyin:\n        load(x_ub, x[r : r + 8, :])\n", "tabs\tand\r\nlines\r\r\n  \n",
    "Grüße aus München: ßüöä", "数据搬运和计算", "naïve café ½ ² Ⅷ", "emoji 🙂👩‍🔬 end", "mixed 中文and英文123混合", "     leading and trailing     ",
    "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n", "<|im_start|", "a<|endoftext|>b<|endoftext|>", "\u00a0nbsp\u2003em space",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "CamelCaseAndsnake_case_9_10", "''s 'S 'LL don't DON'T", "1234567890 12 3", "−∞ ≤ x ≤ +∞ ∑∏",
]


def checkpoint(name, model, vocab):
    folder = HERE / name
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    generator = torch.Generator().manual_seed(7)
    rows = []
    for length in (1, 5, 33):
        ids = torch.randint(0, vocab, (1, length), generator=generator)
        with torch.no_grad():
            logits = model(ids).logits[0]
        rows.append({"ids": ids[0].tolist(), "last_logits": [round(v, 7) for v in logits[-1].tolist()],
                     "log_p_next": [round(v, 7) for v in torch.log_softmax(logits, -1)[:-1].gather(1, ids[0, 1:, None])[:, 0].tolist()]})
    (HERE / f"{name}_logits.json").write_text(json.dumps(rows) + "\n")


def sharpen(model):
    """Random weights wide enough that every part of the decoder shows in the logits."""
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() > 1:
                p.normal_(0, 0.12)
            else:
                p.uniform_(0.5, 1.5)
    return model.eval()


def tokenizer():
    tok = Tokenizer(models.BPE())
    tok.normalizer = normalizers.NFC()
    tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(QWEN), behavior="isolated"),
                                                 pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tok.decoder = decoders.ByteLevel()
    texts = [t for t in TEXTS if "<|" not in t] * 3 + [pathlib.Path(__file__).read_text()] * 2
    tok.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=700, special_tokens=SPECIAL, show_progress=False,
                                                       initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tok.save(str(HERE / "bpe_tiny.json"), pretty=False)
    rows = [{"text": t, "ids": tok.encode(t).ids} for t in TEXTS]
    (HERE / "tokenizer_vectors.json").write_text(json.dumps(rows, ensure_ascii=True) + "\n")


def blocks():
    """Bytes of ggml's blocks, drawn, and the numbers that they stand for. Scales are small halves, not NaN."""
    from gguf import GGMLQuantizationType as Type, quants
    rng = np.random.default_rng(3)
    rows = []
    for kind, length, halves in ((Type.Q5_0, 22, (0,)), (Type.Q8_0, 34, (0,)), (Type.Q4_K, 144, (0, 2)), (Type.Q6_K, 210, (208,))):
        data = rng.integers(0, 256, (3, length), dtype=np.uint8)
        for at in halves:
            data[:, at:at + 2] = rng.uniform(-0.05, 0.05, 3).astype(np.float16).view(np.uint8).reshape(3, 2)
        rows.append({"type": int(kind), "bytes": data.reshape(-1).tolist(), "values": quants.dequantize(data, kind).reshape(-1).tolist()})
    (HERE / "ggml_blocks.json").write_text(json.dumps(rows) + "\n")


def main():
    HERE.mkdir(exist_ok=True)
    torch.manual_seed(1)
    shape = dict(vocab_size=160, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
                 max_position_embeddings=64, rms_norm_eps=1e-6, bos_token_id=None, eos_token_id=2)
    checkpoint("qwen3_tiny", sharpen(Qwen3ForCausalLM(Qwen3Config(intermediate_size=80, tie_word_embeddings=False, rope_theta=10000.0, **shape))), 160)
    checkpoint("qwen3_moe_tiny", sharpen(Qwen3MoeForCausalLM(Qwen3MoeConfig(
        intermediate_size=64, moe_intermediate_size=24, num_experts=4, num_experts_per_tok=2, norm_topk_prob=True, decoder_sparse_step=1,
        tie_word_embeddings=True, mlp_only_layers=[], rope_theta=1000000.0, **shape))), 160)
    del shape["head_dim"]
    checkpoint("qwen2_tiny", sharpen(Qwen2ForCausalLM(Qwen2Config(intermediate_size=80, tie_word_embeddings=True, rope_theta=1000000.0, **shape))), 160)
    tokenizer()
    blocks()


if __name__ == "__main__":
    main()
