"""The estimator is frozen: while its hash stays, so do the modelled times of kernels, whatever part of the program changes.

usage: frozen_test.py AKGEN [--write]      --write: takes over the times of now, for another hash or other kernels
"""
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import spellings  # noqa: E402
from scalar_price import modelled  # noqa: E402

ROOT = spellings.ROOT
FILE = pathlib.Path(__file__).resolve().parent / "frozen.json"
CASES = """tests/perf/add_fp16.cpp tests/cases/cube/matmul_ok.cpp tests/cases/cube/mix_ok.cpp tests/cases/cube/image_ok.cpp tests/cases/cube/object_served_ok.cpp
    tests/cases/cube/unit_flag_ok.cpp tests/cases/launch/chain_of_flags_ok.cpp tests/cases/launch/atomic_add_ok.cpp tests/cases/launch/last_block_wins_ok.cpp
    tests/cases/cache/copy_out_over_line_ok.cpp""".split()
# Too large for the canonical form of its scalar work.
LARGE = spellings.kernel("struct Many { int64_t a[400]; int b; };\nMany m;\nm.b = 3;\nuint32_t v = m.b;\n" + "v = v * 3 ^ v;\n" * 2000 + "y[0] = v;")


def main():
    akgen = sys.argv[1]
    kernels = {path: (ROOT / path).read_text() for path in CASES} | {"a large function": LARGE,
               **{f"{group}, {name}": text for group, of in spellings.GROUPS.items() for name, text in list(of.items())[:2]}}
    times = dict(zip(kernels, modelled(akgen, list(kernels.values()), "guest")))
    # A test of `akgen judge` holds that this is the program's own.
    estimator, = re.findall(r"^`([0-9a-f]{64})`", (ROOT / "docs/timing.md").read_text(), re.MULTILINE)
    now = {"estimator": estimator, "us": {name: round(us, 6) for name, us in times.items()}}
    if "--write" in sys.argv:
        FILE.write_text(json.dumps(now, indent=1) + "\n")
        return
    frozen = json.loads(FILE.read_text())
    assert frozen["estimator"] == estimator, f"another estimator: run this test with --write ({FILE.name})"
    assert frozen["us"].keys() == now["us"].keys(), "other kernels: run this test with --write"
    other = [f"{name}: {was} us, now {now['us'][name]}" for name, was in frozen["us"].items() if abs(now["us"][name] - was) > 2e-6 * max(1, was)]
    assert not other, "modelled times changed and the estimator's hash did not:\n" + "\n".join(other)
    print(f"{len(times)} kernels have the modelled times that {estimator[:8]} had")


main()
