#!/usr/bin/env python3
"""Both generators over the same tasks with the same scripted model, and the report that shows them side by side.

beside_test.py AKGEN REPO
"""
import json
import os
import pathlib
import re
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
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
        assert {key: data[key] for key in j} == j and data["shares"]["direct"]["built_first"][0] == 2 / 3, data["shares"]
        said = {(t["task"], t["sample"]): [a["verdict"] for a in t["answers"]] for t in data["transcripts"]["direct"]}
        assert sum(len(v) for v in said.values()) == 5 and all(v[-1] == "pass" for v in said.values()), said
        assert "src=" not in page and set(re.findall(r"https?://[^\s\"']+", page.split("<script type")[0] + page.split("</script>", 1)[1])) == {"http://www.w3.org/2000/svg"}   # one file, no network
        assert "| task | direct | craft |" in text and "- direct: 1 build_error, 1 pass, 1 wrong_answer" in text, text
    print("ok")


main()
