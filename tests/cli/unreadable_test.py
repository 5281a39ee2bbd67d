#!/usr/bin/env python3
"""Each file and folder that a command opens cannot be read, one at a time: the command says so by its exit status and on standard error,
or says the same as ever. The commands are those of transcript.txt that succeed, and some that judge.

unreadable_test.py AKGEN REPO LIBRARY [COMMAND]      LIBRARY: the preloaded one; with COMMAND, that one alone, and what it says each time
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
AKGEN, REPO, LIBRARY = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
ALONE = sys.argv[4] if len(sys.argv) > 4 else ""
sys.argv = [sys.argv[0], str(AKGEN), str(REPO)]
from transcript_test import blocks, fixtures  # noqa: E402

JUDGE = "akgen judge REPO/examples/kernels/add_double_buffer --task UnalignAdd --case 0 --inputs upstream --seed 3"
FIRST = f"{JUDGE} --json record.json"  # whose record others read
MORE = [f"{JUDGE} --time", "akgen tasks", "akgen tasks show UnalignAdd", "akgen craft run lerp.py", "akgen craft explain lerp.py",
        "akgen craft lower lerp.py --out lowered", "akgen craft plan --task UnalignAdd", "akgen explain record.json", "akgen report record.json",
        "akgen doctor", "akgen mutate REPO/examples/kernels/add_double_buffer --count 2"]


def run(words, folder, **more):
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "AKGEN_CACHE": str(folder / "cache"), "HOME": str(folder), "LD_PRELOAD": str(LIBRARY), **more}
    try:
        done = subprocess.run([AKGEN, *words], capture_output=True, text=True, cwd=folder, env=env, timeout=60, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return -1, "", "more than a minute"
    return done.returncode, re.sub(r" +[0-9.]+ +(s|ms)\b", r" T \1", done.stdout), done.stderr


def clear(folder, kept):
    """What a command has written goes: the next one finds what the first one found."""
    for made in set(folder.iterdir()) - kept:
        shutil.rmtree(made) if made.is_dir() else made.unlink()


def opened(words, folder):
    """Files and folders of ours that the command opens when all is well, each once."""
    notes = folder / "opened"
    notes.unlink(missing_ok=True)
    run(words, folder, AKGEN_OPENED=str(notes))
    paths = dict.fromkeys(notes.read_text().splitlines()) if notes.exists() else {}
    ours = (*(f"{REPO}/{place}" for place in ("data", "docs", "examples", "tasks")), str(folder))
    return [p for p in paths if (p.startswith(ours) or not p.startswith("/")) and "/cache/" not in p]


def main():
    wrong, tried = [], 0
    with tempfile.TemporaryDirectory() as temp:
        folder = pathlib.Path(temp).resolve()
        fixtures(folder)
        run([w.replace("REPO", str(REPO)) for w in shlex.split(FIRST)[1:]], folder)
        (folder / "cache").mkdir(exist_ok=True)
        kept = set(folder.iterdir())
        commands = [c for c, said in blocks() if said.endswith("= 0")] + MORE
        for command in commands:
            if ALONE and ALONE not in command:
                continue
            words = [w.replace("REPO", str(REPO)) for w in shlex.split(command)[1:]]
            status, said, _ = run(words, folder)
            clear(folder, kept)
            if status != 0:
                wrong.append(f"{command}: fails ({status}) where nothing is wrong")
                continue
            paths = opened(words, folder)
            clear(folder, kept)
            for path in paths:
                tried += 1
                now, out, err = run(words, folder, AKGEN_UNREADABLE=path)
                clear(folder, kept)
                told = pathlib.Path(path).name in err + out or "cannot" in err
                if ALONE:
                    print(f"{path}: {now} {err.strip()[:300]}")
                if not 0 <= now <= 3:
                    wrong.append(f"{command}: {path} unreadable: ends by a signal or not at all ({now}): {err.strip()[-200:]}")
                elif now == 0 and out != said:
                    wrong.append(f"{command}: {path} unreadable: succeeds with another result")
                elif now != 0 and not told:
                    wrong.append(f"{command}: {path} unreadable: {now}, and does not say of what: {err.strip()[:200]}")
    print("\n".join(wrong))
    print(f"{tried} unreadable files, {len(wrong)} wrong")
    return 1 if wrong or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
