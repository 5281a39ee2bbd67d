"""Modelled time of kernels that are given as text."""
import json
import pathlib
import subprocess
import tempfile


def modelled(akgen, kernels, backend="native"):
    """Microseconds of each kernel, in order."""
    return [r["modelled"]["us"] for r in _run(akgen, kernels, backend)]


def executed(akgen, kernels):
    """Instructions that each kernel executes as a guest."""
    return [r["counts"]["instructions"] for r in _run(akgen, kernels, "guest")]


def _run(akgen, kernels, backend):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for k, text in enumerate(kernels):
            files.append(pathlib.Path(folder) / f"k{k}.cpp")
            files[-1].write_text(text)
        out = pathlib.Path(folder) / "out.json"
        done = subprocess.run([akgen, "run", *map(str, files), "--time", "--backend", backend, "--json", str(out)],
                              capture_output=True, text=True)
        assert out.exists(), done.stderr
        results = json.loads(out.read_text())
        for r, text in zip(results, kernels):
            assert (r.get("modelled") or {}).get("us"), (r.get("verdict"), r.get("reason"), r.get("findings"), text)
        return results
