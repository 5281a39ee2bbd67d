#!/usr/bin/env python3
"""akgen corpus build --docs and --code: a scripted teacher, folders with binaries and broken encodings, and a build that goes on.

teach_test.py AKGEN REPO
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
LONG = "A copy into the Unified Buffer and the instruction that reads it must be ordered: `SetFlag` and `WaitFlag` do it, or a queue. " * 3
KERNEL = (REPO / "tests/cases/sync/v_mte3_ok.cpp").read_text()
RACE = (REPO / "tests/cases/sync/v_mte3.cpp").read_text()


def pair(question, answer):
    return {"question": question, "reasoning": "The passage says what is ordered and what is not.", "answer": answer}


GOOD = pair("What orders a copy and the instruction behind it?", "A flag: SetFlag<HardEvent::MTE2_V>(EVENT_ID0), then WaitFlag with the same two pipes.")
UNKNOWN = pair("Which call orders everything at once?", "Call OrderEverythingNow() and nothing else is needed by then.")
DTYPE = pair("How is a double added to another?", "Write Add<double>(z, x, y, 256) and the vector unit adds them all.")
EXPLAINED = {"task": "Fill 256 floats of the output with ones.",
             "reasoning": "One block fills a buffer in UB with Duplicate; a flag from V to MTE3 orders the fill and the copy out, for nothing else does; DataCopy then moves 1024 bytes, whole blocks of 32."}
# Answers by where a unit stands; b.html has none at first.
ANSWERS = {"docs/a.md:3": {"pairs": [GOOD, UNKNOWN, DTYPE, {"question": "?"}]}, "docs/a.md:7": "I would rather not.", "docs/mended.md:2": {"pairs": [GOOD]}, "code/ones.cpp": EXPLAINED}
LATER = {"docs/b.html:7": {"pairs": [pair("Why is a page of HTML like one of Markdown?", "Because both have headings, paragraphs and code, which is all there is to cut.")]}}


def folders(base):
    docs, code = base / "docs", base / "code"
    docs.mkdir(), code.mkdir()
    (docs / "a.md").write_text(f"# Order\n\n{LONG}\n\n## More\n\n{LONG} Once more.\n\n## Short\n\nNothing.\n")
    (docs / "b.html").write_text(f"<html><head><title>no</title></head><body><script>var no = 1;</script><h1>Order &amp; flags</h1><p>{LONG}</p><pre>SetFlag&lt;X&gt;();</pre></body></html>")
    (docs / "binary.md").write_bytes(b"\x7fELF\0\0\1")
    (docs / "broken.txt").write_bytes(b"\xff\xfe\xfd" * 100)
    (docs / "mended.md").write_bytes(b"# \xb0\n" + LONG.encode() + b"caf\xe9\n")
    (docs / "picture.png").write_bytes(b"\x89PNG")
    (code / "ones.cpp").write_text(KERNEL)
    (code / "race.cpp").write_text(RACE)
    (code / "binary.cpp").write_bytes(b"\0\1\2")
    (code / "words.cpp").write_text("no kernel at all\n")
    shutil.copytree(REPO / "examples/kernels/fast_gelu", code / "fast_gelu")
    return docs, code


def script(base, answers):
    lines = [{"when": {"unit": unit}, "text": answer if isinstance(answer, str) else f"Here it is:\n```json\n{json.dumps(answer)}\n```"} for unit, answer in answers.items()]
    (base / "script.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"script:{base / 'script.jsonl'}"


def build(base, docs, code, answers, *more):
    return subprocess.run([AKGEN, "corpus", "build", "--docs", docs, "--code", code, "--model", script(base, answers), "--out", base / "corpus", *more], capture_output=True, text=True)


def records(base, stage):
    return [json.loads(line) for line in (base / "corpus" / stage / "records.jsonl").read_text().splitlines()]


def check_documentation(base):
    made = records(base, "documentation")
    assert [r["task"] for r in made] == [GOOD["question"], LATER["docs/b.html:7"]["pairs"][0]["question"]], made
    assert all(r["others_kernel"] and r["verification"]["verdict"] == "checked" and r["source"].startswith("docs/") for r in made)
    m = json.loads((base / "corpus/documentation/manifest.json").read_text())
    assert m["read"] == {"files": 3, "mended": 1, "other_files": 1, "refused": {"docs/binary.md": "it is a binary", "docs/broken.txt": "its encoding is broken"}}, m["read"]
    assert m["questions"] == 4 and m["records"] == 2 and m["done"] and m["left"] == [], m
    assert m["answers_unusable"] == 1 and m["objected"] == 3 and m["duplicates_removed"] == 1, m
    assert {"it calls OrderEverythingNow, which the interface does not have", "Add does not take double", "a pair is not complete"} <= set(m["objections"]), m["objections"]


def check_code(base):
    (r,) = records(base, "code")
    assert r["name"] == "code/ones.cpp" and r["verification"]["verdict"] == "pass" and r["files"]["ones.cpp"] == KERNEL and r["others_kernel"], r
    facts = {kind: [f["text"] for f in found] for kind, found in r["facts"].items()}
    assert facts["movement"] == ["DataCopy(yGm, t, 256)"] and facts["computation"] == ["Duplicate(t, 1.0f, 256)"], facts
    assert len(facts["synchronisation"]) == 2 and any("InitBuffer" in t for t in facts["tiling"]), facts
    refused = json.loads((base / "corpus/code/manifest.json").read_text())["read"]["refused"]
    assert refused["code/binary.cpp"] == "it is a binary" and refused["code/fast_gelu"] == "it answers a task of the benchmark", refused
    assert refused["code/race.cpp"].startswith("finding") and refused["code/words.cpp"].startswith("AK03"), refused


def main():
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder)
        docs, code = folders(base)
        first = build(base, docs, code, ANSWERS)
        assert first.returncode == 3 and "1 questions are left" in first.stdout, first.stdout + first.stderr
        second = build(base, docs, code, {**ANSWERS, **LATER})
        assert second.returncode == 0, second.stdout + second.stderr
        check_documentation(base)
        check_code(base)
        before = (base / "corpus/documentation/records.jsonl").read_text(), (base / "corpus/code/records.jsonl").read_text()
        assert build(base, docs, code, {}).returncode == 0                      # nobody is asked again
        assert before == ((base / "corpus/documentation/records.jsonl").read_text(), (base / "corpus/code/records.jsonl").read_text())
        card = json.loads((base / "corpus/card.json").read_text())
        assert card["kinds"] == {"code": 1, "documentation": 2} and card["others_kernels"] == 3 and card["verified"] == 1, card
        export = [AKGEN, "corpus", "export", base / "corpus", "--out", base / "data", "--format", "trl"]
        assert "AK0804" in subprocess.run(export, capture_output=True, text=True).stderr
        subprocess.run([*export, "--private"], check=True, stdout=subprocess.DEVNULL)
        rows = [line for file in (base / "data/trl").glob("sft*.jsonl") for line in file.read_text().splitlines()]
        assert len(rows) == 3 and any("Fill 256 floats" in row for row in rows), rows
    print("ok")


main()
