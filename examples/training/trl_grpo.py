#!/usr/bin/env python3
"""GRPO with TRL on one machine: a small model writes programs of the kernel language, akgen judges them.

    AKGEN_URL=http://127.0.0.1:8000 python trl_grpo.py --model models/kernelgen-lm-mini/dpo --tasks FastGelu,Lerp --out out/grpo

Prompts are the operations of each task (`akgen craft plan --graph`), which is what that model was trained on; for a model that reads English give --prompt description.
Writes OUT/log.json: for each step the mean reward and every answer's task and reward.
"""
import argparse
import json
import os
import pathlib
import subprocess

import akgen
import datasets
import transformers
import trl
from trl_reward import akgen_reward


def prompt_of(task, kind, program):
    if kind == "description":
        shown = akgen.default_client().task(task)
        return shown["description"] + "\n\n" + shown["answer_format"]
    return subprocess.run([program, "craft", "plan", "--task", task, "--graph"], capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--tasks", required=True, help="names, comma-separated")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--group", type=int, default=4, help="answers for each prompt")
    parser.add_argument("--prompts", type=int, default=2, help="prompts for each step")
    parser.add_argument("--max-tokens", type=int, default=512)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--learning-rate", type=float, default=1e-5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--prompt", choices=("operations", "description"), default="operations")
    parser.add_argument("--akgen", default=os.environ.get("AKGEN", "akgen"))
    o = parser.parse_args()
    rows = [{"prompt": [{"role": "user", "content": prompt_of(t, o.prompt, o.akgen)}], "task": t} for t in o.tasks.split(",")]
    steps = []

    def reward(completions, task, **more):
        rewards = akgen_reward(completions, task, **more)
        steps.append([{"task": t, "reward": r} for t, r in zip(task, rewards)])
        return rewards

    config = trl.GRPOConfig(output_dir=str(o.out), max_steps=o.steps, per_device_train_batch_size=o.group * o.prompts, num_generations=o.group, seed=o.seed,
                            max_completion_length=o.max_tokens, temperature=o.temperature, learning_rate=o.learning_rate, logging_steps=1, report_to="none",
                            save_strategy="no", bf16=False, use_cpu=True, gradient_checkpointing=False, disable_tqdm=True)
    trainer = trl.GRPOTrainer(model=transformers.AutoModelForCausalLM.from_pretrained(o.model, dtype="float32"), reward_funcs=reward, args=config,
                              processing_class=transformers.AutoTokenizer.from_pretrained(o.model), train_dataset=datasets.Dataset.from_list(rows * 64))
    trainer.train()
    means = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    log = {"steps": [{"mean": mean, "answers": answers} for mean, answers in zip(means, steps)]}
    (o.out / "log.json").write_text(json.dumps(log, indent=1) + "\n")
    for i, step in enumerate(log["steps"], 1):
        print(f"step {i}: mean reward {step['mean']:.3f}, " + " ".join(f"{a['task']} {a['reward']}" for a in step["answers"]))


if __name__ == "__main__":
    main()
