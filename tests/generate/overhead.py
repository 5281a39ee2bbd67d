#!/usr/bin/env python3
"""What the generation loop takes beside the model's time and the judge's: an endpoint on this machine that answers after SECONDS.

overhead.py AKGEN [SECONDS [SAMPLES]]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from endpoint import WAYS, Endpoint, project_text

REPO = pathlib.Path(__file__).resolve().parent.parent.parent


def main():
    akgen, seconds, samples = sys.argv[1], float((sys.argv[2:] + ["5"])[0]), int((sys.argv[3:] + ["16"])[0])
    endpoint = Endpoint(project_text(REPO / "examples/kernels/sqrt_via_float"))
    endpoint.seconds = seconds
    with tempfile.TemporaryDirectory() as out:
        summary = pathlib.Path(out) / "summary.json"
        subprocess.run([akgen, "generate", "Sqrt", "--model", endpoint.url, "--out", out, "-n", str(samples), "--seed", str(WAYS + 1), "--concurrency", "4", "--no-cache", "--json", summary],
                       check=True, env={k: v for k, v in os.environ.items() if k.lower() not in ("http_proxy", "all_proxy")})
        s = json.loads(summary.read_text())
    print(f"{s['turns']} turns: model {s['model_ms'] / 1000:.1f} s, judge {s['judge_ms'] / 1000:.1f} s, loop {s['own_ms'] / 1000:.2f} s = {100 * s['own_ms'] / s['model_ms']:.2f} % of the model's time")


if __name__ == "__main__":
    main()
