#!/usr/bin/env python3
"""Verdict records of a made-up run, the same on every call: what the report's tests look at."""
import json
import sys

TASKS = [("Abs", 1, "Math"), ("Gauge", 1, "Math"), ("Fill", 1, "Creation"), ("Norm", 2, "Normalization"), ("Gelu", 2, "Activation"),
         ("Attention", 3, "Fusion")]
BINS = ["exact", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2", "1e-1", "1", ">1", "nan, inf"]


def finding():
    return {"code": "AK1201", "message": "PIPE_V reads UB at 0 while PIPE_MTE2 may still write it", "fix": "order the two with EnQue/DeQue",
            "place": {"file": "op_kernel/norm.cpp", "line": 12, "pipe": "PIPE_V", "what": "Add"},
            "other": {"file": "op_kernel/norm.cpp", "line": 9, "pipe": "PIPE_MTE2", "what": "DataCopy"},
            "block": 0, "memory": "UB", "address": 0, "bytes": 256, "count": 12, "warning": False}


def case(number, verdict, reason="", findings=()):
    counts = [4000, 0, 60, 30, 6, 0, 0, 0, 0, 0, 0, 0] if verdict != "wrong_answer" else [100, 0, 10, 20, 40, 80, 160, 900, 1200, 1500, 60, 26]
    ran = verdict in ("pass", "wrong_answer", "finding")
    outputs = [{"name": "y", "rule": "strict", "elements": 4096, "mismatches": 0 if verdict != "wrong_answer" else 3846, "max_abs": 1.5e-5,
                "max_rel": 9e-6, "first": [], "histogram": {"sampled": 4096, "bins": [list(b) for b in zip(BINS, counts)]}}]
    if verdict == "wrong_answer":
        outputs[0].update(shape=[64, 64], region="the last 3846 elements, from [3, 58] on", worst=[{"index": 4095, "out": None, "ref": 1.25}, {"index": 250, "out": 0, "ref": 0.5}])
    return {"id": str(number), "verdict": verdict, "reason": reason, "findings": list(findings), "outputs": outputs if ran else [], "block_dim": 48}


def record(task, sample, verdict, reason="", part="public", findings=(), diagnostics=()):
    name, level, category = task
    cases = [] if verdict in ("build_error", "rejected") else [case(0, "pass"), case(1, verdict, reason, findings)]
    return {"schema": 1, "task": name, "level": level, "category": category, "sample": sample, "part": part, "verdict": verdict, "reason": reason,
            "chip": "910B2", "backend": "guest", "sealed": True, "precision": "strict", "cases": cases, "diagnostics": list(diagnostics),
            "provenance": {"task": "aa" * 32, "judge": "bb" * 32, "chip": "cc" * 32, "candidate": "dd" * 32}}


def records():
    hostile = "</script><script>document.title='taken'</script><b>&amp;"
    error = [{"severity": "error", "file": "op_kernel/fill.cpp", "line": 3, "message": "use of undeclared identifier 'DataCopi'"}]
    abs_, gauge, fill, norm, gelu, attention = TASKS
    rows = [record(abs_, 0, "pass"), record(abs_, 1, "pass"), record(abs_, 0, "pass", part="hidden"), record(abs_, 1, "wrong_answer", "case h2: 4 of 7 elements wrong", "hidden")]
    rows += [record(gauge, 0, "wrong_answer", "output 'y': 3846 of 4096 elements wrong " + hostile), record(gauge, 1, "timeout", "stopped after 2000 ms")]
    rows += [record(fill, 0, "build_error", "op_kernel/fill.cpp:3: use of undeclared identifier", diagnostics=error), record(fill, 1, "rejected", "AK0605: a silent downcast")]
    rows += [record(norm, 0, "finding", "AK1201: PIPE_V reads UB", findings=[finding()]), record(norm, 1, "pass"), record(norm, 1, "pass", part="hidden")]
    rows += [record(gelu, 0, "runtime_error", "AK1010: a pointer that points nowhere"), record(gelu, 1, "unsupported", "akgen does not have the API Mmad")]
    return rows


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.writelines(json.dumps(r) + "\n" for r in records())
