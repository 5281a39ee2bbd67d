"""Records of tasks: what is held out, and what computes the same, teaches nothing."""
import argparse
import json
import pathlib
import subprocess
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("akgen")
    akgen = parser.parse_args().akgen
    names = [line.split()[2] for line in subprocess.run([akgen, "tasks"], check=True, capture_output=True, text=True).stdout.splitlines() if line.strip()]
    # Eye computes what no other task does; Neg what ForeachNeg does.
    heldout = {"tasks": {"some": [n for n in names if n not in ("Eye", "Neg")]}}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "heldout.json").write_text(json.dumps(heldout))
        made = json.loads(subprocess.run([akgen, "corpus", "tasks", "--heldout", str(folder / "heldout.json"), "--out", str(folder / "seen"), "--json", "-"],
                                         check=True, capture_output=True, text=True).stdout)
        assert (made["records"], made["like_heldout"], made["skipped"]["Neg"]) == (1, 1, "computes what a held-out task computes"), made
        record = json.loads((folder / "seen/tasks/records.jsonl").read_text())
        assert record["name"] == "Eye" and record["verification"]["verdict"] == "pass" and "def op(" in record["program"], record
        subprocess.run([akgen, "corpus", "export", str(folder / "seen"), "--answers", "operations", "--format", "trl", "--out", str(folder / "data")], check=True, capture_output=True)
        row = json.loads((folder / "data/trl/sft.jsonl").read_text())
        assert [m["role"] for m in row["messages"]] == ["user", "assistant"], row
        assert row["messages"][0]["content"] == record["operations"] and row["messages"][1]["content"] == record["program"], row
        (folder / "none.json").write_text("{}")
        bad = subprocess.run([akgen, "corpus", "tasks", "--heldout", str(folder / "none.json"), "--out", str(folder / "no")], capture_output=True, text=True)
        assert bad.returncode == 2 and "AK0801" in bad.stdout + bad.stderr, bad
    print("ok")


if __name__ == "__main__":
    main()
