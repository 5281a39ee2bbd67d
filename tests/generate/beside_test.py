#!/usr/bin/env python3
"""Both generators over the same tasks with the same scripted model, and the report that shows them side by side.

beside_test.py AKGEN REPO
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402


def main():
    akgen, repo = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        env = {**os.environ, "AKGEN_CACHE": fresh_cache(folder + "/cache")}
        subprocess.run([sys.executable, repo / "examples/generators/side_by_side.py", akgen, out], check=True, env=env)
        j = json.loads((out / "beside.json").read_text())
        assert j["generators"] == ["direct", "craft"] and sorted(j["tasks"]) == ["FastGelu", "RmsNorm", "Sqrt"], j
        direct, craft = j["all"]["direct"], j["all"]["craft"]
        assert (direct["samples"], direct["built_first"], direct["passed_first"], direct["passed"], direct["answers"]) == (3, 2, 1, 3, 5), direct
        assert (craft["samples"], craft["built_first"], craft["passed_first"], craft["passed"], craft["answers"]) == (3, 2, 2, 3, 4), craft
        assert j["first_verdicts"] == {"craft": {"pass": 2, "refused": 1}, "direct": {"build_error": 1, "pass": 1, "wrong_answer": 1}}, j["first_verdicts"]
        assert direct["modelled_us"] > 0 and craft["modelled_us"] > 0
        page, text = (out / "beside.html").read_text(), (out / "beside.md").read_text()
        for wanted in ("<th scope=\"col\">direct</th><th scope=\"col\">craft</th>", "2 of 3 (67 %)", "1 of 3 (33 %)", "FastGelu", "wrong_answer", "µs"):
            assert wanted in page, wanted
        assert "src=" not in page and "http:" not in page and "https:" not in page          # one file, no network
        assert "| task | direct | craft |" in text and "- direct: 1 build_error, 1 pass, 1 wrong_answer" in text, text
    print("ok")


main()
