#!/usr/bin/env python3
"""The command akgen craft prove: exit codes, what it prints, counterexamples that the chip knows too.

usage: command_test.py --akgen PATH FOLDER_OF_EXAMPLES
"""
import argparse
import json
import os
import subprocess
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--akgen", required=True)
    parser.add_argument("examples")
    args = parser.parse_args()

    def prove(*words):
        done = subprocess.run([args.akgen, "craft", "prove", *words], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def example(name):
        with open(os.path.join(args.examples, name), encoding="utf-8") as f:
            return f.read()

    code, out, err = prove(os.path.join(args.examples, "softmax.py"), "--json", "-")
    assert code == 0, (code, out, err)
    answer = json.loads(out)
    assert answer["ok"] and all(o["status"] == "proven" for o in answer["programs"][0]["obligations"]), out
    kinds = {o["kind"] for o in answer["programs"][0]["obligations"]}
    assert {"window", "buffer", "step", "divisor", "view", "race", "ub"} <= kinds, kinds

    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.py")

        def write(text):
            with open(program, "w", encoding="utf-8") as f:
                f.write(text)

        dropped = example("lerp.py").replace("min(first + per_core, total)", "first + per_core")
        write(dropped)
        code, out, err = prove(program)
        assert code == 1, (code, out, err)
        assert "refuted: start[i +: n] lies in it" in out, out
        assert "interpreter: AK1530: the window" in out and "chip: finding: AK1" in out, out
        # A case that it prints fails where it is run again.
        case = next(line for line in out.splitlines() if line.startswith("  case: ")).removeprefix("  case: ").split()
        again = subprocess.run([args.akgen, "craft", "run", program, "--inputs", *case], capture_output=True, text=True)
        assert again.returncode == 1 and "AK1530" in again.stderr, again

        code, out, err = prove(os.path.join(args.examples, "take_rows.py"))
        assert code == 1 and "not decided" in out and "depends on data: item(index[i])" in out, (code, out, err)

        write("@host\n")
        code, out, err = prove(program)
        assert code == 1 and "error[AK1509]" in err, (code, out, err)
    # The process that does it, by itself: exit status by what it was given.
    prover, softmax = os.path.join(os.path.dirname(args.akgen), "akgen-prover"), os.path.join(args.examples, "softmax.py")
    with tempfile.NamedTemporaryFile("w", suffix=".py") as wrong:
        wrong.write("@host\n")
        wrong.flush()
        for words, status in (([softmax, "910B2", "2000000"], 0), ([wrong.name, "910B2", "9"], 1), ([], 2), ([softmax, "910B2"], 2),
                              ([softmax, "910B2", "9", "9"], 2), (["/nowhere.py", "910B2", "9"], 2), ([softmax, "none", "9"], 2),
                              ([softmax, "910B2", "9x"], 2), ([softmax, "910B2", ""], 2)):
            done = subprocess.run([prover, *words], capture_output=True, text=True)
            assert done.returncode == status, (words, done)
            assert (status != 0) == (done.stdout == ""), (words, done.stdout)
    # Nine steps decide nothing that takes the solver.
    done = subprocess.run([prover, softmax, "910B2", "9"], capture_output=True, text=True)
    assert done.returncode == 0 and "not_decided" in done.stdout, done

    code, out, err = prove("/nowhere/program.py")
    assert code == 2, (code, out, err)
    code, out, err = prove()
    assert code == 2, (code, out, err)


if __name__ == "__main__":
    main()
