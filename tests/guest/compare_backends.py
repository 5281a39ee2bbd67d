#!/usr/bin/env python3
"""Runs standalone kernels as machine code and as guests, and compares everything that is said about them.

Verdict, findings (code, place, message), bytes of the outputs, counts and modelled time must be the same. A case whose comments say
    // guest: WHY
may differ, and must: the line says what a guest does better. The finding's reason in a message that holds an address of this machine
is compared without the address.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def results(akgen, cases, backend):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "results.json"
        done = subprocess.run([akgen, "run", *map(str, cases), "--time", "--backend", backend, "--json", str(out)],
                              capture_output=True, text=True)
        if not out.exists():
            sys.exit(f"akgen run --backend {backend} gave no results (exit status {done.returncode}):\n{done.stderr}")
        return json.loads(out.read_text())


def place(p):
    return (pathlib.Path(p.get("file", "")).name, p.get("line"), p.get("pipe"), p.get("what"), p.get("block")) if p else None


def said(result):
    """What must be equal, as a dict of comparable values."""
    findings = [(f["code"], f.get("warning", False), re.sub(r"0x[0-9a-f]+", "0x", f["message"]), f.get("count"), place(f.get("place")),
                 place(f.get("other"))) for f in result.get("findings", [])]
    modelled = result.get("modelled") or {}
    counts = {k: result["counts"].get(k) for k in ("vector_ops", "copies", "bytes_in", "bytes_out")}
    return {"verdict": result["verdict"], "findings": sorted(findings, key=str), "outputs": result.get("hash"), "counts": counts,
            "print": result.get("print"), "modelled": {k: modelled.get(k) for k in ("us", "bound", "cycles", "pipes")}}


def differences(native, guest):
    a, b = said(native), said(guest)
    return [f"{key}: native {a[key]}, guest {b[key]} {guest.get('reason', '')}" for key in a if a[key] != b[key]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--akgen", required=True)
    parser.add_argument("--share", default="0/1", metavar="K/N", help="every Nth case, beginning with the Kth (default: all)")
    parser.add_argument("--counts", action="store_true", help="print how many instructions each kernel executes")
    parser.add_argument("paths", nargs="+", type=pathlib.Path, help="case files or folders of them")
    args = parser.parse_args()
    cases = [c for p in args.paths for c in (sorted(p.rglob("*.cpp")) if p.is_dir() else [p])]
    cases = [c for c in cases if re.search(r"^// launch:", c.read_text(), re.M)]
    cases = [c for c in cases if c.parent.name != "cube"]  # machine code has no Cube core
    first, step = map(int, args.share.split("/"))
    cases = cases[first::step]
    if not cases:
        sys.exit("no cases there")
    wrong = 0
    for case, native, guest in zip(cases, results(args.akgen, cases, "native"), results(args.akgen, cases, "guest")):
        told = differences(native, guest)
        differs = re.search(r"^// guest: ", case.read_text(), re.M) is not None
        if differs and not told:
            told = ["both backends say the same, but its comment says that they differ"]
        elif differs:
            told = []
        wrong += bool(told)
        for sentence in told:
            print(f"{case}: {sentence}")
        if args.counts:
            print(f"{case}: {guest['counts'].get('instructions')} instructions, native {native['counts']['run_us']} us, "
                  f"guest {guest['counts']['run_us']} us")
    print(f"{len(cases) - wrong} of {len(cases)} kernels alike as machine code and as guests")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
