#!/usr/bin/env python3
"""An agent that knows nothing but to apply the edits of findings, over the Model Context Protocol: does that repair kernels?

usage: agent_test.py AKGEN ROOT [--seed N] [--json FILE]      --seed: which faults are planted; --json: what became of each kernel
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

ROUNDS, WANTED = 6, 6
# Wrong examples that a change of a line or two repairs, and the cases that show their fault.
EXAMPLES = {"wrong_flag_of_loads": ["0"], "wrong_misaligned_offset": ["0", "2"], "wrong_missing_handoff": ["0", "1"], "wrong_read_past_tensor": ["0"],
            "wrong_small_products": ["5"], "wrong_sum_never_starts": ["0"], "wrong_uninitialised_sum": ["0"], "wrong_wait_without_set": ["0"]}
PLANTED = (("flags_by_hand", "UnalignAdd", "drop_flag,swap_flag,wrong_event_id"), ("add_double_buffer", "UnalignAdd", "drop_queue_call,break_alignment,cut_tail"))


class Judge:
    """The tools of `akgen mcp`."""

    def __init__(self, akgen):
        self.process = subprocess.Popen([akgen, "mcp", "-j", "1", "--seed", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0

    def ask(self, name, arguments):
        self.number += 1
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": "tools/call",
                                             "params": {"name": name, "arguments": arguments, "_meta": meta}}) + "\n")
        self.process.stdin.flush()
        result = json.loads(self.process.stdout.readline())["result"]
        if "structuredContent" not in result:
            raise RuntimeError(result["content"][0]["text"])
        return result["structuredContent"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=150)
        self.process.stdout.close()


def apply(project, edits):
    for file in {e["file"] for e in edits}:
        lines = (project / file).read_bytes().splitlines(keepends=True)
        place = lambda line, column: sum(map(len, lines[:line - 1])) + column - 1  # noqa: E731
        source, out, end = b"".join(lines), b"", 0
        for e in sorted((e for e in edits if e["file"] == file), key=lambda e: place(e["line"], e["column"])):
            out += source[end:place(e["line"], e["column"])] + e["text"].encode()
            end = place(e["end_line"], e["end_column"])
        (project / file).write_bytes(out + source[end:])


def repair(judge, project, task, cases):
    """The verdicts on the way. All that is looked at of an answer is its verdict and the edits."""
    verdicts = []
    for _ in range(ROUNDS):
        answer = judge.ask("judge", {"task": task, "folder": str(project), "cases": cases, "edits": True})
        verdicts.append(answer["verdict"])
        known = [f["edits"] for f in answer["findings"] if f.get("edits")]
        if answer["verdict"] == "pass" or not known:
            break
        apply(project, known[0])
    return verdicts


def planted(akgen, root, folder, seed):
    for example, task, classes in PLANTED:
        out = folder / ("of_" + example)
        subprocess.run([akgen, "mutate", str(root / "examples/kernels" / example), "--out", str(out), "--seed", str(seed), "--count", "8", "--class", *classes.split(",")],
                       check=True, stdout=subprocess.DEVNULL)
        for project in sorted(p for p in out.iterdir() if p.is_dir()):
            yield f"{example}: {json.loads(project.with_suffix('.json').read_text())['what']}", project, task


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("akgen")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--json")
    a = parser.parse_args()
    judge, log = Judge(a.akgen), []

    def note(kind, name, verdicts, begun):
        log.append({"kind": kind, "name": name, "verdicts": verdicts, "repaired": verdicts[0] != "pass" and verdicts[-1] == "pass", "seconds": round(time.time() - begun, 1)})
        print(f"{kind:8} {' -> '.join(verdicts):40} {name}", flush=True)

    with tempfile.TemporaryDirectory(prefix="akgen_agent_") as temporary:
        folder = pathlib.Path(temporary)
        for name, cases in EXAMPLES.items():
            begun = time.time()
            shutil.copytree(a.root / "examples/kernels" / name, folder / name)
            note("example", name, repair(judge, folder / name, tomllib.loads((folder / name / "example.toml").read_text())["task"], cases), begun)
        for name, project, task in planted(a.akgen, a.root, folder, a.seed):
            begun = time.time()
            verdicts = repair(judge, project, task, ["0"])
            if verdicts[0] != "pass":  # a fault that this case does not show is nothing to repair
                note("planted", name, verdicts, begun)
    judge.close()
    repaired = {kind: [sum(e["repaired"] for e in log if e["kind"] == kind), sum(e["kind"] == kind for e in log)] for kind in ("example", "planted")}
    for kind, (done, of) in repaired.items():
        print(f"{kind}: {done} of {of} repaired by edits alone")
    if a.json:
        pathlib.Path(a.json).write_text(json.dumps({"repaired": repaired, "kernels": log}, indent=1) + "\n")
    return 0 if all(done >= WANTED for done, _ in repaired.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
