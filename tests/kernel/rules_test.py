#!/usr/bin/env python3
"""Each operator of operators.txt is captured and compared with itself, in float64: on numbers, on what is at the edge of numbers, in another size.

usage: PYTHON rules_test.py [NAME ...]      with a PyTorch; without, nothing is tested
"""
import copy
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "python"))
try:
    import torch
except ImportError:
    print("no PyTorch: nothing is tested")
    sys.exit(77)  # skipped
from akgen.captured import program  # noqa: E402
from akgen.captured.examples import example  # noqa: E402
from akgen.captured.refusal import Refused  # noqa: E402
from akgen.captured.subject import Subject  # noqa: E402
from akgen.captured.task import scalar_kinds  # noqa: E402

HEAD = "import torch\nimport torch.nn.functional as F\n\n\ndef {name}({parameters}):\n    return {expression}\n"
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 3.0, float("inf"), float("-inf"), float("nan"), 1e30, -1e30, 1e-30]
ORDINARY = program.draw


def at_the_edge(spec, seed, whole=9):
    """Of floating-point inputs of any number."""
    made = ORDINARY(spec, seed, whole)
    if not made.is_floating_point() or spec.low is not None:
        return made
    order = torch.randint(0, len(EDGES), spec.shape, generator=torch.Generator().manual_seed(seed))
    return torch.tensor(EDGES, dtype=torch.float64)[order]


def rows():
    """(kind, name, case, expression); a refusal where the expression begins with !."""
    kind = ""
    for line in (HERE / "operators.txt").read_text().splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif line and not line.startswith("#"):
            name, case, expression = (part.strip() for part in line.split("|", 2))
            yield kind, name, case, expression


def wrong(folder, kind, name, case, expression):
    """What is wrong with a row, or nothing."""
    refused = expression.startswith("!")
    path = pathlib.Path(folder) / f"{name}.py"
    path.write_text(HEAD.format(name=name, parameters=", ".join(re.findall(r"(?:^|\s)(\w+)=", case)), expression=expression.lstrip("! ")))
    try:
        subject = Subject(path, name)
        args = program.bind(subject, example(case))
        subject.take_states(None)
        made = program.capture(subject, args)
        checker = program.Checker(subject, made, scalar_kinds(args))
    except Refused as e:
        return None if refused else f"refused: {e.reason}"
    if refused:
        return "should be refused"
    for seed in (1, 7):
        if said := checker.compare(copy.deepcopy(args), seed):
            return said
    if kind == "elements":
        program.draw = at_the_edge
        try:
            for seed in (1, 2, 3):
                if said := checker.compare(copy.deepcopy(args), seed):
                    return f"at the edge: {said}"
        finally:
            program.draw = ORDINARY
    return None


def main(only):
    found = 0
    tested = 0
    with tempfile.TemporaryDirectory() as folder:
        for row in rows():
            if only and row[1] not in only:
                continue
            tested += 1
            if said := wrong(folder, *row):
                found += 1
                print(f"{row[1]}: {row[3]}: {said}")
    print(f"{tested} operators, {found} wrong")
    return 1 if found or not tested else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
