#!/usr/bin/env python3
"""Runs small kernels and compares what the chip reports with what each file says it must report.

A case is one kernel file. Its first comments hold
    // launch: blocks=1 args=in:f32[256],out:f32[256]
    // expect: clean            (or the codes, `warning:` in front of those that only warn)
and a line that a finding must point to ends with  // <-- AK1201. All findings must be expected, none may be missing.
A line that a finding must name as its other side ends with  // <== AK1201.
Kernels run as guests, or with --backend native as machine code. What a guest must get where that is something else says its
    // guest: clean, WHY   (or the codes)
A kernel that the compiler for the chip refuses says  // expect: build_error TEXT  of its messages, which stand at the lines
marked  // <-- refused  and nowhere else.
With  // auto-sync: off  kernels are compiled without automatic synchronisation.
With  // program  in place of the launch line the file has a main() and is run by `akgen exec`.
A case whose access faults in the processor says  // faults: --without-faults leaves it out, because the sanitizers of a
sanitised build keep those faults to themselves.
The fixed twin of broken.cpp is broken_ok.cpp.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

CODE = r"(?:warning:)?AK\d{4}"
NO_ANSWER = ("build_error", "unsupported", "infra_error", "timeout", "rejected")


def expectation(path, backend="guest"):
    """(codes, [(code, line)], [(code, line of the other side)]) of a case file."""
    text = path.read_text()
    header = re.search(r"^// expect: (.+)$", text, re.M)
    if not header:
        sys.exit(f"{path}: no `// expect:` line")
    as_guest = re.search(rf"^// guest: ((?:clean|{CODE})(?:, {CODE})*), ", text, re.M) if backend == "guest" else None
    if as_guest:
        return set(re.findall(CODE, as_guest.group(1))), [], []
    codes = set(re.findall(CODE, header.group(1)))
    if not codes and header.group(1).strip() != "clean":
        sys.exit(f"{path}: `// expect:` names neither codes nor `clean`")
    marks = [(m.group(1), number) for number, line in enumerate(text.splitlines(), 1)
             if (m := re.search(rf"// <-- ({CODE})", line))]
    others = [(m.group(1), number) for number, line in enumerate(text.splitlines(), 1)
              if (m := re.search(rf"// <== ({CODE})", line))]
    unexpected = {code for code, _ in marks + others} - codes
    if unexpected:
        sys.exit(f"{path}: {', '.join(unexpected)} is marked but not expected")
    return codes, marks, others


def differences_of_refusal(path, text, result):
    """Of a case that must not build."""
    if result["verdict"] != "build_error":
        return [f"verdict {result['verdict']}, not build_error"]
    told = [f"refused for another reason: {d['message']}" for d in result["diagnostics"] if text not in d["message"]]
    marked = {n for n, line in enumerate(path.read_text().splitlines(), 1) if "// <-- refused" in line}
    lines = {d["line"] for d in result["diagnostics"] if pathlib.Path(d["file"]).name == path.name}
    return told + ([] if marked == lines else [f"refused at {sorted(lines)}, not at {sorted(marked)}"])


def differences(path, result, backend="guest"):
    """Sentences that say how a result departs from its file; empty when it does not."""
    if refusal := re.search(r"^// expect: build_error (.+)$", path.read_text(), re.M):
        return differences_of_refusal(path, refusal.group(1), result)
    codes, marks, others = expectation(path, backend)
    if result["verdict"] in NO_ANSWER:
        return [f"verdict {result['verdict']}: {result.get('reason', '')}"]
    found = []
    for f in result.get("findings", []):
        place = f.get("place", {})
        here = pathlib.Path(place.get("file", "")).name == path.name
        found.append((("warning:" if f.get("warning") else "") + f["code"], place.get("line") if here else None))
    reported = {code for code, _ in found}
    told = [f"{code} is not reported" for code in sorted(codes - reported)]
    for code in sorted(reported - codes):
        message = next(f["message"] for f in result["findings"] if f["code"] == code[-6:])
        told.append(f"{code} is reported and not expected: {message}")
    for code, line in marks:
        if code in reported and (code, line) not in found:
            told.append(f"{code} is reported at {[l for c, l in found if c == code]}, not at line {line}")
    sides = {(("warning:" if f.get("warning") else "") + f["code"], f["other"].get("line")) for f in result.get("findings", [])
             if "other" in f}
    told += [f"{code} does not name line {line} as its other side but {sorted(sides)}" for code, line in others
             if (code, line) not in sides]
    return told


def is_program(path):
    return re.search(r"^// program$", path.read_text(), re.M) is not None


def auto_sync(path):
    return "off" if re.search(r"^// auto-sync: off$", path.read_text(), re.M) else "on"


def run(akgen, cases, backend="guest"):
    """What akgen says about each case, in order."""
    answers = {}
    for mode in ("on", "off"):
        kernels = [c for c in cases if not is_program(c) and auto_sync(c) == mode]
        answers.update(zip(kernels, run_kernels(akgen, kernels, backend, mode)) if kernels else ())
    return [answers[c] if c in answers else run_program(akgen, c) for c in cases]


def run_program(akgen, case):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "result.json"
        done = subprocess.run([akgen, "exec", str(case), "--cwd", folder, "--json", str(out)], capture_output=True, text=True)
        if not out.exists():
            sys.exit(f"akgen exec gave no result (exit status {done.returncode}):\n{done.stderr}")
        return json.loads(out.read_text())


def run_kernels(akgen, cases, backend, mode):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "results.json"
        done = subprocess.run([akgen, "run", *map(str, cases), "--backend", backend, "--auto-sync", mode, "--json", str(out)], capture_output=True, text=True)
        if not out.exists():
            sys.exit(f"akgen run gave no results (exit status {done.returncode}):\n{done.stderr}")
        results = json.loads(out.read_text())
    if [r["file"] for r in results] != [str(c) for c in cases]:
        sys.exit("akgen run did not answer for each file")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--akgen", required=True)
    parser.add_argument("paths", nargs="+", type=pathlib.Path, help="case files or folders of them")
    parser.add_argument("--without-faults", action="store_true", help="leave out cases marked // faults")
    parser.add_argument("--backend", choices=("guest", "native"), default="guest", help="what runs the kernels (programs are native)")
    args = parser.parse_args()
    cases = [c for p in args.paths for c in (sorted(p.rglob("*.cpp")) if p.is_dir() else [p])]
    if args.without_faults:
        faulting = [c for c in cases if re.search(r"^// faults$", c.read_text(), re.M)]
        cases = [c for c in cases if c not in faulting]
        print(f"left out, because they fault: {', '.join(c.name for c in faulting) or 'none'}")
    if not cases:
        sys.exit("no cases there")
    wrong = 0
    for case, result in zip(cases, run(args.akgen, cases, args.backend)):
        told = differences(case, result, args.backend)
        wrong += bool(told)
        for sentence in told:
            print(f"{case}: {sentence}")
    print(f"{len(cases) - wrong} of {len(cases)} cases as expected")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
