"""MultiKernelBench's task files for lab/run_upstream: imported, planned, judged, and counted by category.

The figures are those of AscendCraft's table: Comp@1, Pass@1 (the file's own case) and Fast_p (passed, and p times as fast as the eager
estimate; modelled); `verified` asks for the range group, too.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FAST = (0.8, 1.0, 1.2)


def files(root, only, sample, seed):
    """By name, CATEGORY/TASK: those that the benchmark counts as its own."""
    found = {f"{p.parent.name}/{p.stem}": p for p in sorted(root.glob("reference/*/*.py"))
             if not p.name.startswith("_") and not p.parent.name.startswith("npukernelbench")}
    if only:
        found = {n: p for n, p in found.items() if re.search(only, n)}
    names = sorted(random.Random(seed).sample(sorted(found), min(sample, len(found)))) if sample else list(found)
    return {n: found[n] for n in names}


def call(command, timeout):
    try:
        done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, "", f"more than {timeout} s"
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def short(error):
    """One reason out of what a command says: without code, fix and what further rules have against it."""
    line = next((x for x in error.splitlines() if x.startswith("error")), error.strip().splitlines()[-1] if error.strip() else "no reason")
    line = re.sub(r"^error(\[\w+\])?: ", "", line)
    line = re.sub(r"^no rule: (alone, )?", "", line)
    return line.partition(";")[0][:200]


def result_of(name, path, options):
    result = {"task": name, "category": name.partition("/")[0], "cases": 0, "passed": 0, "verdict": "infra_error", "reason": "",
              "imported": False, "planned": False, "built": False, "agrees": False}
    with tempfile.TemporaryDirectory(prefix="akgen_mkb_") as scratch:
        scratch = pathlib.Path(scratch)
        report = scratch / "import.json"
        rc, _, said = call([options.python, HERE.parent / "tools/import_tasks", "kernelbench", path, "--out", scratch / "tasks", "--json", report], options.timeout)
        imported = json.loads(report.read_text()) if report.exists() else {"imported": [], "refused": []}
        if not imported["imported"]:
            reasons = [r["reason"] for r in imported["refused"]]
            return {**result, "verdict": "not_imported", "reason": (reasons or [said.strip()[-200:]])[0]}
        result["imported"], task = True, imported["imported"][0]["folder"]
        rc, program, said = call([options.akgen, "craft", "plan", "--task", task], options.timeout)
        if rc != 0:
            return {**result, "verdict": "refused", "reason": short(said)}
        result["planned"], file = True, scratch / "program.py"
        file.write_text(program)
        rc, judged, said = call([options.akgen, "judge", file, "--task", task, "--time", "--seed", str(options.seed), "--json", "-"], options.timeout)
        try:
            record = json.loads(judged)
        except ValueError:
            return {**result, "verdict": "timeout" if rc is None else "infra_error", "reason": short(said)}
    return {**result, **told(record)}


def told(record):
    """What of a judgement is kept."""
    public = [c for c in record.get("cases", []) if not str(c.get("id", "")).startswith("range-")]
    right = [c for c in public if c.get("numbers_pass")]
    out = {"verdict": record["verdict"], "reason": record.get("reason", ""), "cases": len(public), "passed": len(right),
           "built": record["verdict"] not in ("build_error", "rejected", "unsupported"),
           "agrees": bool(public) and len(right) == len(public)}
    times = [c["modelled"] for c in right if (c.get("modelled") or {}).get("us") and c["modelled"].get("baseline_us")]
    if times and out["agrees"]:
        out["speedup"] = sum(t["baseline_us"] for t in times) / sum(t["us"] for t in times)
    return out


def summary(results):
    """By category, and all together; shares are of all files."""
    table = {}
    for category in sorted({r["category"] for r in results}) + ["all"]:
        rows = [r for r in results if category in (r["category"], "all")]
        n = max(1, len(rows))
        table[category] = {"files": len(rows), "imported": sum(r["imported"] for r in rows), "planned": sum(r["planned"] for r in rows),
                           "verified": sum(r["verdict"] == "pass" for r in rows),
                           "Comp@1": sum(r["built"] for r in rows) / n, "Pass@1": sum(r["agrees"] for r in rows) / n,
                           **{f"Fast_{p}": sum(r.get("speedup", 0) >= p for r in rows) / n for p in FAST}}
    refused = {}
    for r in results:
        if r["verdict"] in ("refused", "not_imported"):
            refused[r["reason"]] = refused.get(r["reason"], 0) + 1
    return {"categories": table, "refusals": dict(sorted(refused.items(), key=lambda x: -x[1]))}


def lines(results):
    """The table for people."""
    said = summary(results)
    columns = ["files", "imported", "planned", "verified", "Comp@1", "Pass@1"] + [f"Fast_{p}" for p in FAST]
    out = [f"{'category':14}" + "".join(f"{c:>10}" for c in columns)]
    for category, row in said["categories"].items():
        out.append(f"{category:14}" + "".join(f"{row[c]:10.1%}" if isinstance(row[c], float) else f"{row[c]:10}" for c in columns))
    return "\n".join(out + [f"{n:4}  {reason}" for reason, n in said["refusals"].items()])


if __name__ == "__main__":
    sys.exit("run it by lab/run_upstream multikernelbench")
