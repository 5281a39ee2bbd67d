"""akgen corpus build: the same seed gives the same records, also when the build is killed on its way and goes on."""
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

AKGEN = sys.argv[1]
COUNT = 10


def command(out, count=COUNT, jobs=2):
    return [AKGEN, "corpus", "build", "--synthetic", str(count), "--seed", "3", "--per-build", "5", "--out", str(out), "-j", str(jobs)]


def build(out, **kw):
    done = subprocess.run(command(out, **kw), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (out / "synthetic/records.jsonl").read_text()


def main():
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder)
        whole = build(base / "whole", jobs=1)
        records = [json.loads(line) for line in whole.splitlines()]
        assert len(records) == COUNT
        for r in records:
            assert r["schema"] == 1 and r["verification"]["verdict"] == "pass" and len(r["verification"]["cases"]) in range(2, 8)  # one for each dtype
            assert r["license"] and r["source"] and not r["others_kernel"] and r["reasoning"]["plan"] and r["reasoning"]["lowering"]
            assert sorted(name.split("/")[0] for name in r["files"]) == ["op_host", "op_host", "op_kernel"]
        families = {}
        for r in records:
            assert families.setdefault(r["family"], r["split"]) == r["split"]
        card = json.loads((base / "whole/card.json").read_text())
        assert card["records"] == card["verified"] == card["distinct_graphs"] == COUNT, card
        assert card["benchmark_overlap"] == 0 and card["benchmark"]["tasks"] == 158, card

        # Killed as soon as something is there, and once more with half a line behind what counts.
        cut = base / "cut"
        shutil.copytree(base / "whole", cut)
        shutil.rmtree(cut / "synthetic")
        process = subprocess.Popen(command(cut), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        file = cut / "synthetic/records.jsonl"
        while process.poll() is None and not (file.exists() and file.stat().st_size):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with file.open("a") as f:
            f.write('{"schema": 1, "ki')
        assert build(cut) == whole

        # A larger count adds to what is there.
        grown = base / "grown"
        shutil.copytree(base / "whole", grown)
        shutil.rmtree(grown / "synthetic")
        part = build(grown, count=3)
        assert whole.startswith(part) and part.count("\n") == 3
        assert build(grown) == whole
        other = subprocess.run([*command(grown), "--dedup-threshold", "0.5"], capture_output=True, text=True)
        assert other.returncode == 2 and "AK0801" in other.stderr, other.stderr
    print("ok")


main()
